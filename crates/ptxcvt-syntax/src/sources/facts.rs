//! Facts that a whole C++ file states about its parts, and the parts that state no facts about others.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use super::declared::{Declarations, declarations};
use super::definitions::begins_number;
use super::functions::Function;
use super::guard::{Declared, Preprocessor, Regions};
use super::hidden::{Hidden, Shape};
use super::keywords::ASSERTIONS;
use super::literal;
use super::replacement::replaced;
use super::scan::Scanner;
use super::uses::Uses;
use crate::identifier::names;

/// Facts that a whole file states about its parts.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub names: Rc<Declared>,
    /// Constants, and variables whose definitions depend on the configuration.
    pub followed: HashSet<String>,
    /// Constants and variables whose values depend on the configuration.
    pub dependent: HashSet<String>,
    /// The macros after the last line.
    pub after: Preprocessor,
    pub hidden: Hidden,
    pub uses: Uses,
    /// For each statement that restricts code, in order: its place, and the end of the code that it or an earlier one
    /// restricts.
    pub restricted: Vec<(usize, usize)>,
}

/// A function that does not affect the rest of its file except by declaring names.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub range: Range<usize>,
    /// Where its block begins.
    pub body: usize,
    /// True if the head may define a constant or a variable.
    pub defines: bool,
}

impl Facts {
    /// The declarations of a part.
    pub fn declarations(&self, part: &str) -> Declarations {
        // The functions of the part itself are read again.
        let head: HashSet<&str> = names(part.split('{').next().unwrap_or_default()).collect();
        let others = self.names.functions.iter().filter(|name| !head.contains(&name[..]));
        declarations(Scanner::new(part), &self.after, &Regions::default(), others.cloned().collect())
    }

    /// True if no statement before a range restricts code in or after the range, and no statement in the range
    /// restricts code after it.
    pub fn keeps(&self, range: &Range<usize>) -> bool {
        [range.start, range.end].into_iter().all(|place| {
            let number = self.restricted.partition_point(|(at, _)| *at < place);
            number.checked_sub(1).is_none_or(|last| self.restricted[last].1 <= place)
        })
    }

    /// A function as a part. `None` if it may affect the rest of the file by more than names: by directives, macros
    /// with assembly or with part of a statement, assertions, constants that depend on the configuration, or replaced
    /// texts.
    pub fn part(&self, text: &str, function: &Function) -> Option<Part> {
        let (head, body) = (function.head, function.body.clone());
        let own = &text[head..body.end];
        let defines = heads(&text[head..body.start])?;
        // Other functions may call it.
        if self.hidden.declares_endless(&text[head..body.start]) {
            return None;
        }
        let (mut scanner, mut open) = (Scanner::new(own), Vec::new());
        while !scanner.at_end() {
            let at = scanner.at;
            match scanner.peek() {
                bracket @ (b'(' | b'[' | b'{') => {
                    open.push(bracket);
                    scanner.step();
                }
                bracket @ (b')' | b']' | b'}') => {
                    let pair = [open.pop()?, bracket];
                    if !matches!(&pair, b"()" | b"[]" | b"{}") {
                        return None;
                    }
                    scanner.step();
                }
                b'#' | b'%' if scanner.hash() > 0 && scanner.begins_line() => return None,
                byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                    if self.is_shared(scanner.word()) {
                        return None;
                    }
                    scanner.at = at;
                    literal::skip(&mut scanner);
                }
                _ => literal::skip(&mut scanner),
            }
        }
        let is_alone = open.is_empty() && replaced(own).is_empty();
        is_alone.then_some(Part { range: head..body.end, body: body.start, defines })
    }

    /// True for a word whose use in one function may change how other functions are read.
    fn is_shared(&self, word: &str) -> bool {
        self.uses.is_made(word)
            || self.hidden.get(word) == Some(Shape::Open)
            || self.dependent.contains(word)
            || self.names.objects.contains(word)
            || self.names.branched.contains_key(word)
            || ASSERTIONS.contains(&word)
            || self.hidden.jumping().asserts(word)
            || matches!(word, "goto" | "_Pragma" | "__pragma")
    }
}

/// For the head of a function, whether it may define a constant or a variable, such as a parameter. `None` for other
/// heads.
fn heads(head: &str) -> Option<bool> {
    let (mut scanner, mut depth, mut angles) = (Scanner::new(head), 0_u32, 0_u32);
    let (mut defines, mut has_group, mut is_first) = (false, false, true);
    while !scanner.at_end() {
        match scanner.peek() {
            b'(' | b'[' => depth += 1,
            b')' | b']' => {
                depth = depth.checked_sub(1)?;
                has_group = true;
            }
            b'<' => angles += 1,
            b'>' => angles = angles.saturating_sub(1),
            b'=' if depth == 0 && angles == 0 => return None,
            byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                let at = scanner.at;
                let word = scanner.word();
                defines |= matches!(word, "const" | "constexpr" | "enum")
                    || is_first && (word == "static" || begins_number(word));
                is_first = false;
                scanner.at = at;
                literal::skip(&mut scanner);
                continue;
            }
            _ => {
                literal::skip(&mut scanner);
                continue;
            }
        }
        scanner.step();
    }
    (has_group && depth == 0).then_some(defines)
}
