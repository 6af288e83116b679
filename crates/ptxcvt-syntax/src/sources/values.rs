//! C++ variables with one value: `bool has_fp8 = __CUDA_ARCH__ >= 890;` is a constant if no other value is assigned to
//! it.

use std::collections::HashSet;

use super::guard::{Definition, Preprocessor};
use super::scan::Scanner;
use crate::identifier::names;

/// The variables of a file whose definitions depend on the configuration, and the names that are assigned.
#[derive(Default)]
pub(super) struct Values<'s> {
    /// Names of constants and variables whose values depend on the configuration.
    pub dependent: HashSet<&'s str>,
    /// The variables among them.
    pub variables: HashSet<&'s str>,
    /// Names that may be assigned another value.
    pub changed: HashSet<&'s str>,
}

/// Keywords and functions that do not change their arguments.
const READERS: [&str; 11] = [
    "if",
    "constexpr",
    "while",
    "switch",
    "for",
    "return",
    "sizeof",
    "static_assert",
    "assert",
    "printf",
    "bool",
];

impl<'s> Values<'s> {
    /// Records the definition of a variable. True if its value depends on the configuration.
    pub fn variable(&mut self, definition: &Definition<'s>, all: &Preprocessor) -> bool {
        let depends = self.constant(definition, all);
        if depends {
            self.variables.insert(definition.name);
        }
        depends
    }

    /// Records the definition of a constant. True if its value depends on the configuration.
    pub fn constant(&mut self, definition: &Definition<'s>, all: &Preprocessor) -> bool {
        let Some(value) = &definition.value else { return false };
        let mut words = names(value);
        let depends = words.any(|word| all.names_configuration(word) || self.dependent.contains(word));
        if depends {
            self.dependent.insert(definition.name);
        }
        depends
    }

    /// The variables whose values may differ from their definitions.
    pub fn changing(&self) -> impl Iterator<Item = &'s str> {
        self.variables.intersection(&self.changed).copied()
    }
}

/// True if the variable at the scanner may change there: by an operator, through its address, or as an argument of a
/// function. `function` is the word before the innermost parenthesis.
pub(super) fn is_changed(name: &Scanner<'_>, function: Option<&str>) -> bool {
    let before = name.text[..name.at].trim_ascii_end().as_bytes();
    let mut next = *name;
    next.word();
    next.c_blanks();
    let rest = next.rest();
    let is_assigned = match rest {
        [b'=', second, ..] => *second != b'=',
        [b'+', b'+', ..] | [b'-', b'-', ..] => true,
        [b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=', ..] => true,
        [b'<', b'<', b'=', ..] | [b'>', b'>', b'=', ..] => true,
        _ => false,
    };
    let is_operand = match before {
        [.., b'+', b'+'] | [.., b'-', b'-'] | [.., b'>', b'>'] => true,
        [.., b'&', b'&'] => false,
        // The address of the variable, unless the `&` is a binary operator.
        [before @ .., b'&'] => {
            let last = before.trim_ascii_end().last();
            !last.is_some_and(|byte| Scanner::is_word(*byte) || matches!(byte, b')' | b']'))
        }
        _ => false,
    };
    let is_argument = matches!(before.last(), Some(b'(' | b',')) && matches!(rest.first(), Some(b')' | b','));
    is_assigned || is_operand || (is_argument && function.is_some_and(|word| !READERS.contains(&word)))
}
