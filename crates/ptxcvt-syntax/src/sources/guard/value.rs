//! The value of a preprocessor expression: each possible term, with the configurations in which the expression equals
//! it.

use std::collections::BTreeMap;

use super::configurations::Set;
use super::reach::Reach;
use super::subset::Subset;
use crate::cpp::{Integer, binary, is_unsigned, mirrored};

/// Limit on the unknown terms of a value; more are merged into one that may be anything.
const MAX_UNKNOWN: usize = 8;

/// Marks the texts of unknown numbers that are variables, whose values may differ between threads.
pub(super) const VARIABLE: char = '`';
/// Marks the texts of unknown numbers whose values may differ between targets.
pub(super) const BY_TARGET: char = '@';
/// Stands between a qualified name and its spelling. Alone it may have another value for each target, as `Arch::kSm` has;
/// compared with a variable it counts as any constant.
pub(super) const QUALIFIED: char = '§';

/// True for the flag of a member, which may depend on the target: `Arch::has_fp8`. What the standard library says about
/// types does not.
pub(super) fn is_member(flag: &str) -> bool {
    let name = flag.split(QUALIFIED).next().unwrap_or_default().trim_start_matches("::");
    let is_standard = name.starts_with("std::") || name.starts_with("cuda::std::");
    let is_of_types = name.split("::").any(|part| matches!(part, "is_same" | "is_same_v"));
    flag.contains(QUALIFIED) && !flag.contains(VARIABLE) && !is_standard && !is_of_types
}

/// Numbers whose value is unknown.
pub(super) trait Unknowns {
    /// The configurations in which an unknown number has a value of the set.
    fn when(&mut self, unknown: &str, values: Subset) -> Reach;

    /// A new text for an unknown number, different from all others.
    fn fresh(&mut self) -> String;
}

/// Where an expression is, which decides how wide its numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// In a directive: all numbers have 64 bits.
    Directive,
    /// In code: `int` has 32 bits, `long` 64. Which of them a number has is not followed.
    Code,
}

/// A number as computed with 64 bits and, in code, with 32. A condition that depends on the width is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number {
    wide: i64,
    narrow: i64,
}

impl Number {
    fn new(number: i64) -> Number {
        Number { wide: number, narrow: number }
    }

    /// The number, if it does not depend on the width.
    fn one(self) -> Option<i64> {
        (self.wide == self.narrow).then_some(self.wide)
    }

    /// Whether it is zero, if that does not depend on the width.
    fn is_zero(self) -> Option<bool> {
        ((self.wide == 0) == (self.narrow == 0)).then_some(self.wide == 0)
    }

    fn unary(self, operator: &str, unsigned: bool, numbers: Numbers) -> Number {
        let of = |number: i64| match operator {
            "+" => number,
            "-" => number.wrapping_neg(),
            "~" => !number,
            other => unreachable!("`{other}` is not a unary operator"),
        };
        match numbers {
            Numbers::Directive => Number::new(of(self.wide)),
            Numbers::Code => Number { wide: of(self.wide), narrow: low(of(self.narrow), unsigned) },
        }
    }

    /// `None` for a division by 0. `unsigned` says it of each operand.
    fn binary(self, operator: &str, other: Number, unsigned: [bool; 2], numbers: Numbers) -> Option<Number> {
        let [left, right] = unsigned;
        let of = |a: i64, b: i64| {
            binary(operator, Integer { bits: a, is_unsigned: left }, Integer { bits: b, is_unsigned: right })
        };
        let wide = of(self.wide, other.wide)?;
        if numbers == Numbers::Directive {
            return Some(Number::new(wide));
        }
        let unsigned = is_unsigned(operator, left, right);
        let narrow = of(low(self.narrow, unsigned), low(other.narrow, unsigned))?;
        Some(Number { wide, narrow: low(narrow, unsigned) })
    }
}

/// The low 32 bits of a number, as a number of `unsigned` or `int`.
fn low(number: i64, unsigned: bool) -> i64 {
    if unsigned { (number as u32).into() } else { (number as i32).into() }
}

/// True if an operation with an unknown number is 0 because the other operand is 0.
fn has_zero(operator: &str, left: &Term, right: &Term) -> bool {
    match operator {
        "&" | "*" => [left, right].contains(&&FALSE),
        "<<" | ">>" | "/" | "%" => *left == FALSE,
        _ => false,
    }
}

/// The value of an expression in some of the configurations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Term {
    Number(Number),
    /// Any number: a flag, the call of an unknown macro, or an operation with one of these. Equal texts stand for equal
    /// values in a configuration.
    Unknown(String),
}

const FALSE: Term = Term::Number(Number { wide: 0, narrow: 0 });
const TRUE: Term = Term::Number(Number { wide: 1, narrow: 1 });

impl Term {
    /// The term in an operation with a number that differs between configurations, perhaps between targets. A variable
    /// becomes an unknown constant: whether it has a value that the number needs is not followed.
    fn with(&self, differs: Option<bool>) -> Term {
        match (self, differs) {
            (Term::Unknown(text), Some(by_target)) if text.contains(VARIABLE) => {
                let text = text.replace([VARIABLE, BY_TARGET], "");
                let sign = if by_target { BY_TARGET.to_string() } else { String::new() };
                Term::Unknown(format!("{sign}{text}, with a number"))
            }
            _ => self.clone(),
        }
    }
}

/// A partition of the configurations: for each term, those in which the expression has this value.
#[derive(Clone, Debug)]
pub(super) struct Value {
    parts: BTreeMap<Term, Reach>,
    /// ISO C, section 6.3.1.8: an operation with an unsigned operand is unsigned.
    unsigned: bool,
}

impl Value {
    pub fn number(number: i64) -> Value {
        Value::of([(Term::Number(Number::new(number)), Reach::all())])
    }

    pub fn unsigned(number: i64) -> Value {
        Value { unsigned: true, ..Value::number(number) }
    }

    pub fn unknown(text: String) -> Value {
        Value::of([(Term::Unknown(text), Reach::all())])
    }

    /// 1 where `reach` holds, and 0 elsewhere.
    pub fn truth(reach: Reach) -> Value {
        Value::of([(FALSE, reach.not()), (TRUE, reach)])
    }

    /// The number of each set, and 0 in other configurations.
    pub fn by_set(parts: Vec<(i64, Set)>) -> Value {
        let covered = parts.iter().fold(Set::none(), |all, (_, set)| all.or(set));
        let rest = (FALSE, Reach::of(Set::all().without(&covered)));
        let parts =
            parts.into_iter().map(|(number, set)| (Term::Number(Number::new(number)), Reach::of(set)));
        Value::of(parts.chain([rest]))
    }

    fn of(parts: impl IntoIterator<Item = (Term, Reach)>) -> Value {
        let mut all = BTreeMap::new();
        for (term, reach) in parts.into_iter().filter(|(_, reach)| !reach.is_none()) {
            let part = match all.get(&term) {
                Some(other) => reach.or(other),
                None => reach,
            };
            all.insert(term, part);
        }
        Value { parts: all, unsigned: false }
    }

    /// True if every possible number is in this range, and the value is not unsigned.
    pub fn fits(&self, least: i64, most: i64) -> bool {
        let fits = |term: &Term| match term {
            Term::Number(number) => number.one().is_some_and(|number| (least..=most).contains(&number)),
            Term::Unknown(_) => true,
        };
        !self.unsigned && self.parts.keys().all(fits)
    }

    /// Whether the value differs between configurations, and if so, between targets.
    fn differs(&self) -> Option<bool> {
        (self.parts.len() > 1).then(|| self.parts.values().any(Reach::depends))
    }

    /// Replaces the unknown terms by one if there are more than [`MAX_UNKNOWN`].
    fn limited(mut self, names: &mut (impl Unknowns + ?Sized)) -> Value {
        let unknown = |term: &Term| matches!(term, Term::Unknown(_));
        if self.parts.keys().filter(|term| unknown(term)).count() > MAX_UNKNOWN {
            let parts = self.parts.iter().filter(|(term, _)| unknown(term));
            let by_target = |term: &Term| matches!(term, Term::Unknown(text) if text.contains(BY_TARGET));
            let sign = if self.parts.keys().any(by_target) { BY_TARGET.to_string() } else { String::new() };
            let reach = parts.fold(Reach::none(), |all, (_, reach)| all.or(reach));
            self.parts.retain(|term, _| !unknown(term));
            self.parts.insert(Term::Unknown(sign + &names.fresh()), reach);
        }
        self
    }

    /// The operators `-`, `+`, `~` and `!`.
    pub fn unary(&self, operator: &str, numbers: Numbers, names: &mut (impl Unknowns + ?Sized)) -> Value {
        if operator == "!" {
            return Value::truth(self.is_true(names).not());
        }
        let parts = self.parts.iter().map(|(term, reach)| {
            let term = match term {
                Term::Number(number) => Term::Number(number.unary(operator, self.unsigned, numbers)),
                Term::Unknown(_) if operator == "+" => term.clone(),
                Term::Unknown(text) => Term::Unknown(format!("{operator}({text})")),
            };
            (term, reach.clone())
        });
        Value { unsigned: self.unsigned, ..Value::of(parts) }
    }

    /// Binary operators that evaluate both operands.
    pub fn binary(
        &self,
        operator: &'static str,
        other: &Value,
        numbers: Numbers,
        names: &mut (impl Unknowns + ?Sized),
    ) -> Value {
        let unsigned = is_unsigned(operator, self.unsigned, other.unsigned);
        let mut parts = Vec::new();
        let differs = [self.differs(), other.differs()];
        for (a, p) in &self.parts {
            for (b, q) in &other.parts {
                let reach = p.and(q);
                if reach.is_none() {
                    continue;
                }
                // A variable may stop a loop or a comparison only together with a number that is not the same everywhere.
                let (a, b) = (a.with(differs[1]), b.with(differs[0]));
                let compared = match (&a, &b) {
                    (Term::Number(a), Term::Number(b)) => {
                        // Division by 0 is a compiler error, unless the value is not needed.
                        let both = [self.unsigned, other.unsigned];
                        let term = match a.binary(operator, *b, both, numbers) {
                            Some(number) => Term::Number(number),
                            None => Term::Unknown(names.fresh()),
                        };
                        parts.push((term, reach));
                        continue;
                    }
                    // The value of an unknown number after a conversion to unsigned is not tracked.
                    (Term::Unknown(text), Term::Number(n)) if !unsigned => {
                        n.one().and_then(|n| Subset::comparison(operator, n)).map(|set| (text, set))
                    }
                    (Term::Number(n), Term::Unknown(text)) if !unsigned => {
                        n.one().and_then(|n| Subset::comparison(mirrored(operator), n)).map(|set| (text, set))
                    }
                    _ => None,
                };
                if has_zero(operator, &a, &b) {
                    parts.push((FALSE, reach));
                } else if let Some((text, set)) = compared {
                    let holds = names.when(text, set);
                    parts.push((TRUE, reach.and(&holds)));
                    parts.push((FALSE, reach.and(&holds.not())));
                } else {
                    let text = |term: &Term| match term {
                        Term::Number(Number { wide, narrow }) => match wide == narrow {
                            true => wide.to_string(),
                            false => format!("{wide} or {narrow}"),
                        },
                        Term::Unknown(text) => text.clone(),
                    };
                    let suffix = if unsigned { "u" } else { "" };
                    let both = (text(&a), text(&b));
                    let mut text = format!("({} {operator}{suffix} {})", both.0, both.1);
                    if differs.contains(&Some(true)) && !text.contains(BY_TARGET) {
                        text.insert(0, BY_TARGET);
                    }
                    parts.push((Term::Unknown(text), reach));
                }
            }
        }
        let unsigned = unsigned && Subset::comparison(operator, 0).is_none();
        Value { unsigned, ..Value::of(parts) }.limited(names)
    }

    /// `yes` where `condition` holds, and `no` elsewhere.
    pub fn choose(condition: &Reach, yes: &Value, no: &Value) -> Value {
        let not = condition.not();
        let yes_parts = yes.parts.iter().map(|(term, reach)| (term.clone(), reach.and(condition)));
        let no_parts = no.parts.iter().map(|(term, reach)| (term.clone(), reach.and(&not)));
        Value { unsigned: yes.unsigned || no.unsigned, ..Value::of(yes_parts.chain(no_parts)) }
    }

    /// The configurations in which the value is not 0.
    pub fn is_true(&self, names: &mut (impl Unknowns + ?Sized)) -> Reach {
        let mut zero = Reach::none();
        for (term, reach) in &self.parts {
            let text = match term {
                Term::Number(number) => match number.is_zero() {
                    Some(true) => {
                        zero = zero.or(reach);
                        continue;
                    }
                    Some(false) => continue,
                    None => names.fresh(),
                },
                Term::Unknown(text) => text.clone(),
            };
            let set = Subset::comparison("==", 0).expect("`==` is a comparison");
            zero = zero.or(&reach.and(&names.when(&text, set)));
        }
        zero.not()
    }
}
