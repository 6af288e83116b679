//! Flags: names and texts in conditions whose values are unknown.

use std::collections::{HashMap, HashSet};

use super::expression::{Names, spelled};
use super::predefined::{CPLUSPLUS, OLDEST_STANDARD, feature, predefined};
use super::reach::{Reach, STANDARD};
use super::subset::Subset;
use super::token::Token;
use super::value::{BY_TARGET, Unknowns, VARIABLE, Value, is_member};

/// Names and texts whose values are unknown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    numbers: HashMap<String, u32>,
    /// The numbers of variables whose values were needed.
    variables: Vec<u32>,
    /// The definitions of variables that conditions have read.
    pub tested: HashSet<usize>,
    /// Those that later got another value in some targets.
    pub late: HashSet<usize>,
    /// The macro of the include guard, which is not defined before the file.
    include_guard: Option<String>,
}

impl Flags {
    /// No flags yet, for a file with this include guard.
    pub fn new(include_guard: Option<String>) -> Self {
        Flags { include_guard, ..Flags::default() }
    }

    /// The numbers of the variables whose values were needed since the last call.
    pub fn take_variables(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.variables)
    }

    /// The next unused number.
    fn next(&self) -> u32 {
        STANDARD + 1 + self.numbers.len() as u32
    }

    /// The number of a name or text.
    fn number(&mut self, text: &str) -> u32 {
        let next = self.next();
        let number = *self.numbers.entry(text.to_owned()).or_insert(next);
        // With something that depends on the target, a variable does not decide alone.
        let is_variable = text.contains(VARIABLE) && !text.contains(BY_TARGET);
        if is_variable && !self.variables.contains(&number) {
            self.variables.push(number);
        }
        number
    }

    /// The meaning of a name before the file: the configurations that define it, and its value. `None` if unknown.
    fn before(&self, name: &str) -> Option<(Reach, Value)> {
        match self.include_guard.as_deref() == Some(name) {
            true => Some((Reach::none(), Value::number(0))),
            false => predefined(name),
        }
    }

    /// The configurations that define a name before the file.
    pub fn defined(&mut self, name: &str) -> Reach {
        match self.before(name) {
            Some((defined, _)) => defined,
            None => self.when(name, Subset::defined()),
        }
    }
}

impl Names for Flags {
    fn value(&mut self, name: &str) -> Value {
        self.before(name).map_or_else(|| Value::unknown(name.to_owned()), |(_, value)| value)
    }

    fn call(&mut self, name: &str, arguments: &[Token]) -> Value {
        let known = match arguments {
            [Token::Name(argument) | Token::Final(argument)] if name == "__CUDA_ARCH_HAS_FEATURE__" => {
                feature(argument)
            }
            _ => None,
        };
        // A macro of another file, or of the compiler.
        let text = || spelled(arguments).map(|arguments| format!("{name}({arguments})"));
        known.map_or_else(|| Value::unknown(text().unwrap_or_else(|| self.fresh())), Value::truth)
    }
}

impl Unknowns for Flags {
    fn when(&mut self, unknown: &str, values: Subset) -> Reach {
        if unknown == CPLUSPLUS {
            return standard(values);
        }
        if !is_member(unknown) && !unknown.contains(BY_TARGET) && !unknown.contains("__CUDA_ARCH") {
            return Reach::flag(self.number(unknown), values);
        }
        let known = Reach::flag(self.number(unknown), values.clone());
        let future = Reach::flag(self.number(&format!("{unknown}, later")), values);
        Reach::by_target(&known, &future)
    }

    fn fresh(&mut self) -> String {
        let next = self.next();
        let text = format!("#{next}");
        self.numbers.insert(text.clone(), next);
        text
    }
}

/// Compilation with a `__cplusplus` that is one of these values.
fn standard(values: Subset) -> Reach {
    let all = Subset::comparison(">=", OLDEST_STANDARD).expect("a comparison");
    if values.and(&all).is_empty() {
        return Reach::none();
    }
    if values.not().and(&all).is_empty() { Reach::all() } else { Reach::flag(STANDARD, values) }
}
