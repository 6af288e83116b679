//! The functions of LLVM's `NVPTXSubtarget`, read from its C++, and the evaluation of conditions for a machine.

use std::collections::{BTreeMap, BTreeSet};

use super::condition::{Condition, Reader, Step};
use super::tokens::{Token, tokens};

/// What LLVM knows of a target in a PTX version.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The version: 81 is PTX 8.1.
    pub ptx: i64,
    /// LLVM's number of the target, ten times that of the architecture plus one for the suffix, in versions that have it.
    pub full: Option<i64>,
    /// The features, and those that they imply.
    pub features: BTreeSet<String>,
}

/// Functions without parameters, by name; `None` if the body cannot be read.
#[derive(Debug, Default)]
pub struct Functions {
    known: BTreeMap<String, Option<Vec<Step>>>,
    /// Options of the command line, which a user may set.
    options: BTreeSet<String>,
}

/// A value: a number, `None` if options decide it, or the reason why it is not known.
type Known = Result<Option<i64>, String>;

impl Functions {
    /// Reads `NVPTXSubtarget.h` or `NVPTXSubtarget.cpp`.
    pub fn read(&mut self, text: &str) {
        let tokens = tokens(text);
        let is = |at: usize, sign: &str| matches!(tokens.get(at), Some(Token::Sign(next)) if *next == sign);
        let word = |at: usize| match tokens.get(at) {
            Some(Token::Name(name)) => Some(name.as_str()),
            _ => None,
        };
        for at in 0..tokens.len() {
            let Some(name) = word(at) else { continue };
            let constant = is(at + 1, "(") && is(at + 2, ")") && word(at + 3) == Some("const");
            if constant && is(at + 4, "{") {
                self.known.insert(name.to_owned(), Reader::new(&tokens[at + 5..]).body());
            }
            // cl::opt<bool> Name(
            if name == "opt" && is(at + 1, "<") && is(at + 3, ">") {
                self.options.extend(word(at + 4).map(str::to_owned));
            }
        }
    }

    /// The number of functions whose bodies were read.
    pub fn count(&self) -> usize {
        self.known.values().flatten().count()
    }

    /// Whether a condition can hold for a machine, or why that is not known.
    pub fn holds(&self, condition: &str, machine: &Facts) -> Result<bool, String> {
        let read = Reader::new(&tokens(condition)).all();
        let read = read.ok_or_else(|| format!("the condition `{condition}` cannot be read"))?;
        let outcome = Evaluation { functions: self, machine, outside: true, depth: 0 }.value(&read)?;
        Ok(outcome != Some(0))
    }
}

/// The evaluation of a condition.
#[derive(Clone, Copy)]
struct Evaluation<'f> {
    functions: &'f Functions,
    machine: &'f Facts,
    /// Not in a function of the subtarget: a call without `Subtarget->` asks for an option of the compiler.
    outside: bool,
    depth: u32,
}

impl Evaluation<'_> {
    fn value(self, condition: &Condition) -> Known {
        match condition {
            Condition::Number(number) => Ok(Some(*number)),
            Condition::Name(name) => self.name(name),
            Condition::Call(subtarget, name, args) => match self.outside && !subtarget {
                true => Ok(None),
                false => self.call(name, args),
            },
            Condition::List(_) => Err("a list is no condition".to_owned()),
            Condition::Not(value) => Ok(self.value(value)?.map(|value| i64::from(value == 0))),
            Condition::Binary(operator, a, b) => self.binary(operator, a, b),
            Condition::Choose(condition, a, b) => match self.value(condition)? {
                Some(0) => self.value(b),
                Some(_) => self.value(a),
                None => Ok(None),
            },
        }
    }

    fn name(self, name: &str) -> Known {
        match name {
            "PTXVersion" => Ok(Some(self.machine.ptx)),
            "FullSmVersion" => self.full().map(Some),
            "SmVersion" => self.full().map(|full| Some(full / 10)),
            _ if self.outside || self.functions.options.contains(name) => Ok(None),
            _ => Err(format!("`{name}` of the subtarget is not known")),
        }
    }

    fn full(self) -> Result<i64, String> {
        self.machine.full.ok_or_else(|| "the target has no number".to_owned())
    }

    fn binary(self, operator: &str, a: &Condition, b: &Condition) -> Known {
        let a = self.value(a)?;
        match (operator, a) {
            ("&&", Some(0)) => return Ok(Some(0)),
            ("||", Some(a)) if a != 0 => return Ok(Some(1)),
            _ => {}
        }
        let b = self.value(b)?;
        let (a, b) = match (operator, a, b) {
            ("&&", _, Some(0)) => return Ok(Some(0)),
            ("||", _, Some(b)) if b != 0 => return Ok(Some(1)),
            (_, Some(a), Some(b)) => (a, b),
            _ => return Ok(None),
        };
        Ok(Some(match operator {
            "&&" => i64::from(a != 0 && b != 0),
            "||" => i64::from(a != 0 || b != 0),
            "==" => i64::from(a == b),
            "!=" => i64::from(a != b),
            "<" => i64::from(a < b),
            "<=" => i64::from(a <= b),
            ">" => i64::from(a > b),
            ">=" => i64::from(a >= b),
            "&" => a & b,
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            "/" => a.checked_div(b).ok_or("a number is divided by 0")?,
            _ => a.checked_rem(b).ok_or("a number is divided by 0")?,
        }))
    }

    fn call(self, name: &str, args: &[Condition]) -> Known {
        let inside = Evaluation { outside: false, depth: self.depth + 1, ..self };
        match (name, args) {
            ("hasPTXWithFamilySMs", [version, Condition::List(targets)]) => {
                inside.with_suffix("hasFamilySpecificFeatures", version, targets, |sm, wanted| {
                    // sm_101 is a family of its own, which PTX 9.0 renamed.
                    if sm == 101 || wanted == 101 {
                        sm == wanted
                    } else {
                        sm / 10 == wanted / 10 && sm >= wanted
                    }
                })
            }
            ("hasPTXWithAccelSMs", [version, Condition::List(targets)]) => {
                inside.with_suffix("hasArchAccelFeatures", version, targets, |sm, wanted| sm == wanted)
            }
            ("hasFeature", [Condition::Name(feature)]) => Ok(Some(self.has(feature))),
            ("hasAnyFeature", [Condition::List(features)]) => {
                let has = |one: &Condition| matches!(one, Condition::Name(name) if self.has(name) != 0);
                Ok(Some(i64::from(features.iter().any(has))))
            }
            (name, []) => match self.functions.known.get(name) {
                Some(Some(steps)) if self.depth < 20 => inside.steps(steps, name),
                Some(_) => Err(format!("the body of `{name}` cannot be read")),
                None => Err(format!("no body of `{name}` was read")),
            },
            _ => Err(format!("`{name}` with {} is not known", ptxcvt::counted(args.len(), "argument"))),
        }
    }

    fn has(self, feature: &str) -> i64 {
        i64::from(self.machine.features.contains(feature))
    }

    /// `hasPTXWithFamilySMs` and `hasPTXWithAccelSMs`, whose bodies in `NVPTXSubtarget.cpp` are loops.
    fn with_suffix(
        self,
        suffix: &str,
        version: &Condition,
        targets: &[Condition],
        fits: impl Fn(i64, i64) -> bool,
    ) -> Known {
        let version = self.value(version)?;
        if self.call(suffix, &[])? == Some(0) || version.is_none_or(|version| self.machine.ptx < version) {
            return Ok(Some(0));
        }
        let sm = self.full()? / 10;
        let renamed = self.machine.ptx >= 90 && sm == 101;
        let fit = |one: &Condition| matches!(one, Condition::Number(wanted) if fits(sm, *wanted) && !renamed);
        Ok(Some(i64::from(targets.iter().any(fit))))
    }

    /// The value that a function returns.
    fn steps(self, steps: &[Step], name: &str) -> Known {
        match self.returned(steps)? {
            Some(value) => Ok(value),
            None => Err(format!("`{name}` may return nothing")),
        }
    }

    /// The value that statements return, or `None` if they return none.
    fn returned(self, steps: &[Step]) -> Result<Option<Option<i64>>, String> {
        for step in steps {
            match step {
                Step::Return(value) => return self.value(value).map(Some),
                Step::If(condition, then) => match self.value(condition)? {
                    Some(0) => {}
                    Some(_) => {
                        if let Some(value) = self.returned(then)? {
                            return Ok(Some(value));
                        }
                    }
                    None => return Ok(Some(None)),
                },
            }
        }
        Ok(None)
    }
}
