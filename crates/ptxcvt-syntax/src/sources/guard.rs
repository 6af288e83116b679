//! What guards a piece of code: `#if __CUDA_ARCH__ >= 890` and its like, as the lowest targets and versions at which
//! the code is compiled.
//!
//! The CUDA C++ Programming Guide, "Compute capabilities" and "Family-specific and architecture-specific features".

use std::collections::HashMap;

use ptxcvt::targets::Suffix;
use ptxcvt::{IsaVersion, Target};

/// The least that holds where a piece of code is compiled; what is not known is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Guard {
    pub target: Option<Target>,
    pub major: Option<u8>,
    pub minor: Option<u8>,
}

/// Alternatives: the code is compiled where one of them holds.
pub(super) type Guards = Vec<Guard>;

/// More alternatives are not told apart.
const MAX_ALTERNATIVES: usize = 8;

fn anywhere() -> Guards {
    vec![Guard::default()]
}

impl Guard {
    /// The version of PTX ISA that the toolkit brings.
    pub fn isa(&self) -> Option<IsaVersion> {
        let (major, minor) = (self.major?, self.minor.unwrap_or(0));
        let version = match (major, minor) {
            (9, _) => IsaVersion::new(6, minor),
            (10, _) => IsaVersion::new(6, 3 + minor),
            (12, 6..) => IsaVersion::new(8, minor - 1),
            (11.., _) => IsaVersion::new(major - 4, minor),
            _ => return None,
        };
        version.exists().then_some(version)
    }

    fn and(self, other: Guard) -> Guard {
        let rank = |t: Target| (t.sm(), t.suffix() != Suffix::Plain, t.suffix() == Suffix::Architecture);
        let target = match (self.target, other.target) {
            (Some(a), Some(b)) => Some(if rank(a) >= rank(b) { a } else { b }),
            (a, b) => a.or(b),
        };
        let version = |g: Guard| (g.major, g.minor);
        let (major, minor) = match (version(self), version(other)) {
            // `MAJOR == 12 && MINOR >= 8`
            ((Some(a), None), (None, Some(b))) | ((None, Some(b)), (Some(a), None)) => (Some(a), Some(b)),
            (a, b) => a.max(b),
        };
        Guard { target, major, minor }
    }
}

fn and(a: &Guards, b: &Guards) -> Guards {
    let mut both: Guards = a.iter().flat_map(|x| b.iter().map(|y| x.and(*y))).collect();
    distinct(&mut both);
    both
}

fn or(mut a: Guards, b: Guards) -> Guards {
    a.extend(b);
    distinct(&mut a);
    a
}

fn distinct(guards: &mut Guards) {
    let mut seen = std::collections::HashSet::new();
    guards.retain(|guard| seen.insert(*guard));
    if guards.len() > MAX_ALTERNATIVES {
        *guards = anywhere();
    }
}

/// A condition with what holds where it is true, and where it is false.
#[derive(Clone, Debug)]
struct Condition {
    yes: Guards,
    no: Guards,
}

impl Condition {
    fn unknown() -> Self {
        Condition { yes: anywhere(), no: anywhere() }
    }

    fn when(yes: Guard) -> Self {
        Condition { yes: vec![yes], no: anywhere() }
    }

    fn not(self) -> Self {
        Condition { yes: self.no, no: self.yes }
    }

    fn and(self, other: Condition) -> Self {
        Condition { yes: and(&self.yes, &other.yes), no: or(self.no, other.no) }
    }

    fn or(self, other: Condition) -> Self {
        self.not().and(other.not()).not()
    }
}

/// The conditionals that are open at a place, and the macros that were defined before it.
#[derive(Debug, Default)]
pub(super) struct Preprocessor {
    open: Vec<Open>,
    macros: HashMap<String, Macro>,
}

#[derive(Debug)]
struct Open {
    now: Guards,
    /// None of the branches so far.
    none: Guards,
}

#[derive(Clone, Debug)]
enum Macro {
    /// Defined where this holds.
    Flag(Guards),
    Number(i64),
}

impl Preprocessor {
    /// What holds here.
    pub fn guards(&self) -> Guards {
        self.open.iter().fold(anywhere(), |all, open| and(&all, &open.now))
    }

    /// A directive, without its `#`, lines joined.
    pub fn directive(&mut self, text: &str) {
        let text = text.trim_start();
        let name_end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (name, rest) = text.split_at(name_end);
        match name {
            "if" => {
                let condition = self.condition(rest);
                self.open.push(Open { now: condition.yes, none: condition.no });
            }
            "ifdef" | "ifndef" => {
                let condition = self.defined(rest.trim());
                let condition = if name == "ifdef" { condition } else { condition.not() };
                self.open.push(Open { now: condition.yes, none: condition.no });
            }
            "elif" | "elifdef" | "else" => {
                let condition = match name {
                    "elif" => self.condition(rest),
                    "elifdef" => self.defined(rest.trim()),
                    _ => Condition { yes: anywhere(), no: anywhere() },
                };
                if let Some(open) = self.open.last_mut() {
                    open.now = and(&open.none, &condition.yes);
                    open.none = and(&open.none, &condition.no);
                }
            }
            "endif" => drop(self.open.pop()),
            "define" => self.define(rest.trim()),
            "undef" => drop(self.macros.remove(rest.trim())),
            _ => {}
        }
    }

    fn define(&mut self, text: &str) {
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let (name, value) = text.split_at(end);
        if name.is_empty() || value.starts_with('(') {
            return;
        }
        let new = match value.trim().parse::<i64>() {
            Ok(number) if number > 1 => Macro::Number(number),
            Ok(0) => return,
            _ => match self.macros.get(name) {
                Some(Macro::Flag(before)) => Macro::Flag(or(before.clone(), self.guards())),
                _ => Macro::Flag(self.guards()),
            },
        };
        self.macros.insert(name.to_owned(), new);
    }

    fn defined(&self, name: &str) -> Condition {
        let name = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
        if let Some(target) = feature(name) {
            return Condition::when(Guard { target: Some(target), ..Guard::default() });
        }
        match self.macros.get(name) {
            Some(Macro::Flag(guards)) => Condition { yes: guards.clone(), no: anywhere() },
            _ => Condition::unknown(),
        }
    }

    fn condition(&self, text: &str) -> Condition {
        let tokens = tokens(text);
        let mut reader = Reader { tokens: &tokens, at: 0, macros: self };
        match reader.either() {
            Some(condition) if reader.at == tokens.len() => condition,
            _ => Condition::unknown(),
        }
    }
}

/// `__CUDA_ARCH_FEAT_SM100_ALL` is sm_100a.
fn feature(name: &str) -> Option<Target> {
    let number = name.strip_prefix("__CUDA_ARCH_FEAT_").unwrap_or(name);
    let number = number.strip_prefix("SM")?.strip_suffix("_ALL")?;
    format!("sm_{number}a").parse().ok()
}

/// The words, numbers and operators of a condition, without comments.
fn tokens(text: &str) -> Vec<&str> {
    let text = text.split("//").next().unwrap_or(text);
    let bytes = text.as_bytes();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'\'';
        if word(bytes[at]) {
            while at < bytes.len() && word(bytes[at]) {
                at += 1;
            }
        } else if bytes[at..].starts_with(b"/*") {
            at = text[at..].find("*/").map_or(bytes.len(), |n| at + n + 2);
            continue;
        } else if [&b"&&"[..], b"||", b"==", b"!=", b"<=", b">="]
            .contains(&&bytes[at..(at + 2).min(bytes.len())])
        {
            at += 2;
        } else if bytes[at].is_ascii_whitespace() || bytes[at] == b'\\' {
            at += 1;
            continue;
        } else {
            at += 1;
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
        tokens.push(&text[start..at]);
    }
    tokens
}

struct Reader<'r> {
    tokens: &'r [&'r str],
    at: usize,
    macros: &'r Preprocessor,
}

/// What stands beside a comparison.
enum Value {
    Number(i64),
    Word(String),
    Condition(Condition),
}

impl<'r> Reader<'r> {
    fn peek(&self) -> &'r str {
        self.tokens.get(self.at).copied().unwrap_or("")
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn either(&mut self) -> Option<Condition> {
        let mut left = self.both()?;
        while self.take("||") {
            left = left.or(self.both()?);
        }
        Some(left)
    }

    fn both(&mut self) -> Option<Condition> {
        let mut left = self.comparison()?;
        while self.take("&&") {
            left = left.and(self.comparison()?);
        }
        Some(left)
    }

    fn comparison(&mut self) -> Option<Condition> {
        let left = self.value()?;
        let operator = self.peek();
        if !["==", "!=", "<", "<=", ">", ">="].contains(&operator) {
            return Some(self.truth(left));
        }
        self.at += 1;
        let right = self.value()?;
        Some(match (left, right) {
            (Value::Word(word), Value::Number(number)) => compare(&word, operator, number),
            (Value::Number(number), Value::Word(word)) => {
                let turned = match operator {
                    "<" => ">",
                    "<=" => ">=",
                    ">" => "<",
                    ">=" => "<=",
                    same => same,
                };
                compare(&word, turned, number)
            }
            _ => Condition::unknown(),
        })
    }

    fn truth(&self, value: Value) -> Condition {
        match value {
            Value::Condition(condition) => condition,
            Value::Word(word) => self.macros.defined(&word),
            Value::Number(_) => Condition::unknown(),
        }
    }

    fn value(&mut self) -> Option<Value> {
        if self.take("!") {
            let value = self.value()?;
            return Some(Value::Condition(self.truth(value).not()));
        }
        if self.take("(") {
            let inner = self.either()?;
            return self.take(")").then_some(Value::Condition(inner));
        }
        let word = self.peek();
        self.at += 1;
        let first = *word.as_bytes().first()?;
        if first.is_ascii_digit() {
            let digits: String = word.chars().filter(char::is_ascii_digit).collect();
            return digits.parse().ok().map(Value::Number);
        }
        if !first.is_ascii_alphabetic() && first != b'_' {
            return None;
        }
        if word == "defined" {
            let open = self.take("(");
            let name = self.peek();
            self.at += 1;
            if open && !self.take(")") {
                return None;
            }
            return Some(Value::Condition(self.macros.defined(name)));
        }
        if self.take("(") {
            // `__CUDA_ARCH_HAS_FEATURE__(SM100_ALL)`, or a macro that nobody knows here.
            let argument = self.peek();
            let mut open = 1;
            while open > 0 && self.at < self.tokens.len() {
                open += i32::from(self.peek() == "(") - i32::from(self.peek() == ")");
                self.at += 1;
            }
            let known = feature(argument).filter(|_| word == "__CUDA_ARCH_HAS_FEATURE__");
            let when = |target| Condition::when(Guard { target: Some(target), ..Guard::default() });
            return Some(Value::Condition(known.map_or_else(Condition::unknown, when)));
        }
        match self.macros.macros.get(word) {
            Some(Macro::Number(number)) => Some(Value::Number(*number)),
            _ => Some(Value::Word(word.to_owned())),
        }
    }
}

/// `word operator number`
fn compare(word: &str, operator: &str, number: i64) -> Condition {
    // From which number on it holds, where it holds, and where it does not.
    let (yes, no) = match operator {
        ">=" | "==" => (Some(number), None),
        ">" => (Some(number + 1), None),
        "<" => (None, Some(number)),
        "<=" => (None, Some(number + 1)),
        _ => (None, Some(number)),
    };
    let guards = |least: Option<i64>| vec![least.map_or_else(Guard::default, |least| at_least(word, least))];
    Condition { yes: guards(yes), no: guards(no) }
}

fn at_least(word: &str, number: i64) -> Guard {
    let target = |suffix: Suffix| {
        let all = Target::all().filter(|t| t.suffix() == suffix && i64::from(t.sm()) * 10 >= number);
        Guard { target: all.min_by_key(|t| t.sm()), ..Guard::default() }
    };
    let toolkit = |major: i64, minor: Option<i64>| Guard {
        major: u8::try_from(major).ok(),
        minor: minor.and_then(|minor| u8::try_from(minor).ok()),
        ..Guard::default()
    };
    match word {
        "__CUDA_ARCH__" if number > 0 => target(Suffix::Plain),
        "__CUDA_ARCH_FAMILY_SPECIFIC__" if number > 0 => target(Suffix::Family),
        "__CUDA_ARCH_SPECIFIC__" if number > 0 => target(Suffix::Architecture),
        "CUDA_VERSION" | "CUDART_VERSION" => toolkit(number / 1000, Some(number % 1000 / 10)),
        "__CUDACC_VER_MAJOR__" | "__CUDA_VER_MAJOR__" => toolkit(number, None),
        "__CUDACC_VER_MINOR__" => Guard { minor: u8::try_from(number).ok(), ..Guard::default() },
        _ => Guard::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What holds after these directives, in a notation of this test.
    fn after(directives: &[&str]) -> String {
        let mut preprocessor = Preprocessor::default();
        directives.iter().for_each(|line| preprocessor.directive(line));
        let show = |guard: &Guard| {
            let target = guard.target.map_or("?".to_owned(), |t| t.to_string());
            format!("{target}@{}", guard.isa().map_or("?".to_owned(), |isa| isa.to_string()))
        };
        preprocessor.guards().iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn conditions() {
        for (directives, expected) in [
            (&["if __CUDA_ARCH__ >= 890"][..], "sm_89@?"),
            (&["if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ > 800)"], "sm_86@?"),
            (&["if __CUDA_ARCH__ < 900", "else"], "sm_90@?"),
            (&["if !(__CUDA_ARCH__ < 900)"], "sm_90@?"),
            (&["if 890 <= __CUDA_ARCH__ // comment"], "sm_89@?"),
            (&["if __CUDA_ARCH__ < 900"], "?@?"),
            (&["ifdef __CUDA_ARCH_FEAT_SM100_ALL"], "sm_100a@?"),
            (&["ifdef __CUDA_ARCH_FEAT_SM100_ALL", "endif"], "?@?"),
            (
                &["if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined __CUDA_ARCH_FEAT_SM103_ALL"],
                "sm_100a@? sm_103a@?",
            ),
            (&["if __CUDA_ARCH_HAS_FEATURE__(SM120_ALL)"], "sm_120a@?"),
            (&["if __CUDA_ARCH_FAMILY_SPECIFIC__ >= 1000"], "sm_100f@?"),
            (&["if __CUDA_ARCH__ >= 1000", "if CUDA_VERSION >= 12080"], "sm_100@8.7"),
            (
                &[
                    "if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 8)",
                ],
                "?@9.0 ?@8.7",
            ),
            (&["if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 900", "elif __CUDA_ARCH__ >= 900"], "sm_90@?"),
            (&["if defined(A)", "define B", "endif", "if B"], "?@?"),
            (&["if __CUDA_ARCH__ >= 890", "define FP8 1", "endif", "if defined(FP8)"], "sm_89@?"),
            (&["define LEAST 900", "if __CUDA_ARCH__ >= LEAST"], "sm_90@?"),
            (&["if __CUDA_ARCH__ / 10 >= 89"], "?@?"),
            (&["if FOO(1, (2)) && __CUDA_ARCH__ == 1200"], "sm_120@?"),
            (&["if __CUDA_ARCH__ >= 890 || SOMETHING"], "sm_89@? ?@?"),
        ] {
            assert_eq!(after(directives), expected, "{directives:?}");
        }
    }
}
