//! C++ variables with one value: `bool has_fp8 = __CUDA_ARCH__ >= 890;` is a constant if no other value is assigned to
//! it.

use std::collections::HashSet;

use super::definitions::begins_number;
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
    /// The names of all constants, and of the variables that depend on the configuration.
    pub followed: HashSet<&'s str>,
    /// Names that may be assigned another value.
    pub changed: HashSet<&'s str>,
    /// The names among them whose definitions do not give their values.
    pub assigned: HashSet<&'s str>,
    /// Names that something else may have.
    pub hidden: HashSet<&'s str>,
    /// Names that a function returns, perhaps as a reference.
    pub returned: HashSet<&'s str>,
    /// Names that are defined outside of functions.
    pub shared: HashSet<&'s str>,
}

/// Keywords before conditions.
const CONDITIONS: [&str; 6] = ["if", "constexpr", "while", "switch", "for", "return"];

/// Keywords and functions that do not change their arguments.
pub(super) const READERS: [&str; 11] = [
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
            self.followed.insert(definition.name);
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

    /// The names whose values may differ from their definitions.
    pub fn changing(&self) -> impl Iterator<Item = &'s str> {
        let is_changed = |name: &str| {
            self.changed.contains(name) || (self.returned.contains(name) && self.shared.contains(name))
        };
        let changed = self.variables.iter().filter(move |name| is_changed(name));
        changed.chain(self.followed.intersection(&self.hidden)).copied()
    }
}

/// What a use of a name may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It only reads a value.
    Reads,
    /// It may assign a value to a variable, perhaps later, through a reference or an address.
    Changes,
    /// It may declare another thing of this name.
    Hides,
}

/// A use of a name, with the code around it.
pub(super) struct Place<'a> {
    /// The three tokens before the name, the last one first.
    pub before: [&'a str; 3],
    /// After the name.
    pub after: Scanner<'a>,
    /// The innermost open bracket, and the token before it.
    pub bracket: Option<(u8, &'a str)>,
    /// True in the brackets of `auto [a, b] = …`.
    pub is_binding: bool,
    /// The first word of the statement.
    pub first: &'a str,
    /// True after a `=` of the statement.
    pub is_value: bool,
    /// The word before the last group in parentheses of the statement.
    pub called: &'a str,
}

/// Operators that read their left operand, if they are not compound assignments.
const READ_LEFT: [&str; 16] =
    ["==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "^", "|", "?"];
/// Operators that read their right operand, and cannot be part of a declaration.
const READ_RIGHT: [&str; 14] = ["!", "~", "==", "!=", "<=", ">=", "||", "<", "+", "-", "%", "/", "^", "|"];
/// Tokens after a type in a declaration. After an expression, the first three are operators.
const AFTER_TYPE: [&str; 4] = ["*", "&", "&&", ">"];

/// True for the name of a type of the language.
fn is_basic(word: &str) -> bool {
    begins_number(word) || matches!(word, "float" | "double" | "char" | "short" | "signed" | "void" | "const")
}

/// True for the token that ends an operand.
fn is_operand(token: &str) -> bool {
    let is_word = token.bytes().next().is_some_and(Scanner::is_word);
    (is_word && !matches!(token, "return" | "case" | "co_return" | "co_yield")) || matches!(token, ")" | "]")
}

impl Place<'_> {
    /// What the use may do. Uses that are not clearly of another kind change or hide a name.
    pub fn kind(&self) -> Use {
        if self.hides() {
            Use::Hides
        } else if self.reads() {
            Use::Reads
        } else {
            Use::Changes
        }
    }

    /// True for one of these characters after the name.
    fn next(&self, bytes: &[u8]) -> bool {
        let rest = self.after.rest();
        let is_equal = rest.starts_with(b"==");
        rest.first().is_some_and(|byte| bytes.contains(byte)) && !is_equal
    }

    /// True in the parentheses of a call or of a declaration, but not in those of a condition or of a reading function.
    fn is_in_list(&self) -> bool {
        self.bracket.is_some_and(|(byte, word)| byte == b'(' && is_operand(word) && !READERS.contains(&word))
    }

    /// True if the name alone is in parentheses that one of these characters follows.
    fn is_followed(&self, bytes: &[u8]) -> bool {
        let mut next = self.after;
        if !next.take(b')') {
            return false;
        }
        next.c_blanks();
        bytes.contains(&next.peek()) && !next.starts_with("==")
    }

    fn hides(&self) -> bool {
        let [last, second, third] = self.before;
        let begins = |token: &str| matches!(token, "" | ";" | "{" | "}");
        let is_square = self.bracket.is_some_and(|(byte, _)| byte == b'[');
        match last {
            _ if self.is_binding || (self.first == "using" && matches!(last, "::" | "using" | ",")) => true,
            // The capture of a lambda.
            _ if is_square && self.next(b"=") => true,
            "..." => true,
            // Members in the head of a constructor, and declarators.
            ":" | "," if self.next(b"({=[") => true,
            "," if self.next(b";,") => self.bracket.is_none_or(|(byte, _)| byte == b'{'),
            "(" if is_operand(second) && !CONDITIONS.contains(&second) => {
                self.is_followed(b"={[") || (is_basic(second) && begins(third) && self.is_followed(b";,("))
            }
            "*" | "&" | "&&" if second == "(" => self.is_followed(b"={[(;,"),
            // Another declarator: `int w, **v`.
            "*" | "&" | "&&" if matches!(second, "," | "*") => {
                self.next(b"={[(") || (self.next(b";,") && self.bracket.is_none_or(|(byte, _)| byte == b'{'))
            }
            // A constant pointer.
            "const" | "volatile" => matches!(second, "*" | "&" | "&&"),
            last if AFTER_TYPE.contains(&last) || last == ">>" => {
                let is_template = matches!(last, ">" | ">>");
                let is_declared = self.next(b"={[(") || (is_template && !self.is_value && self.next(b";"));
                let is_listed = self.is_in_list() && self.next(b",)");
                let is_type = third == "::" || third.bytes().next().is_some_and(Scanner::is_word);
                // The `>` at the end of a template's arguments.
                let is_named = matches!(second, ">" | ">>") || (is_type && third != "return");
                let is_alone = (begins(third) || (is_named && !self.is_value)) && self.next(b";,");
                let follows_type = is_template || is_operand(second) || matches!(second, ">" | ">>");
                follows_type && (is_declared || is_listed || is_alone || is_basic(second))
            }
            ")" => {
                let is_type = matches!(
                    self.called,
                    "decltype"
                        | "typeof"
                        | "__typeof__"
                        | "alignas"
                        | "__align__"
                        | "__attribute__"
                        | "_Atomic"
                );
                self.next(b"={[(") || (is_type && self.next(b";,)"))
            }
            "]" => self.next(b"={[("),
            _ => false,
        }
    }

    fn reads(&self) -> bool {
        let [last, second, third] = self.before;
        let rest = self.after.rest();
        let is_assigned = match rest {
            [b'=', second, ..] => *second != b'=',
            [b'+', b'+', ..] | [b'-', b'-', ..] => true,
            [b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=', ..] => true,
            [b'<', b'<', b'=', ..] | [b'>', b'>', b'=', ..] => true,
            _ => false,
        };
        // `&x` is its address, unless the `&` is a binary operator.
        let is_address = last == "&" && !is_operand(second);
        if is_assigned || is_address || matches!(last, "++" | "--" | ">>") {
            return false;
        }
        let is_left = READ_LEFT.iter().any(|operator| rest.starts_with(operator.as_bytes()))
            || matches!(rest, [b'&', ..]);
        let is_right = READ_RIGHT.contains(&last) || (AFTER_TYPE.contains(&last) && is_operand(second));
        if is_left || is_right {
            return true;
        }
        let ends = self.next(b";,)}");
        let inside = self.bracket.map_or("", |(byte, word)| if byte == b'(' { word } else { "" });
        match last {
            // The operand of an assembly.
            "(" if inside.starts_with('"') => !inside.contains(['=', '+']),
            "(" | "," | "." | "->" | "]" | "constexpr" if READERS.contains(&inside) => ends,
            "=" => ends && is_operand(second) && !matches!(third, "&" | "&&" | "]"),
            ";" | "{" | "}" | ")" | "else" => self.next(b";"),
            "return" => self.next(b";"),
            "[" => self.next(b"]"),
            "case" => true,
            _ => false,
        }
    }
}
