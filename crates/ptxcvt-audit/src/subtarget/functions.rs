//! The functions of LLVM's `NVPTXSubtarget`, read from its C++. `evaluation.rs` evaluates conditions that call them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::condition::{Reader, Step};
use super::tokens::{Token, tokens};

/// Functions without parameters, by name; `None` if the body cannot be read.
#[derive(Debug, Default)]
pub struct Functions {
    pub(super) known: BTreeMap<String, Option<Vec<Step>>>,
    /// Options of the command line, which a user may set.
    pub(super) options: BTreeSet<String>,
}

/// The class whose functions are read.
const CLASS: &str = "NVPTXSubtarget";

impl Functions {
    /// Reads `NVPTXSubtarget.h` or `NVPTXSubtarget.cpp`.
    pub fn read(&mut self, text: &str) {
        let tokens = tokens(text);
        let is = |at: usize, sign: &str| matches!(tokens.get(at), Some(Token::Sign(next)) if *next == sign);
        let word = |at: usize| match tokens.get(at) {
            Some(Token::Name(name)) => Some(name.as_str()),
            _ => None,
        };
        // The `{` of each class, with its name; the open braces; the open preprocessor conditions.
        let (mut classes, mut open, mut conditions) = (HashMap::new(), Vec::new(), 0_u32);
        for at in 0..tokens.len() {
            match tokens[at] {
                Token::Sign("#if") => conditions += 1,
                Token::Sign("#endif") => conditions = conditions.saturating_sub(1),
                Token::Sign("{") => open.push(classes.remove(&at)),
                Token::Sign("}") => drop(open.pop()),
                _ => {}
            }
            let Some(name) = word(at) else { continue };
            if matches!(name, "class" | "struct") {
                let ends = |at: &usize| ["{", ";", "(", ")", ">", ">>"].iter().any(|sign| is(*at, sign));
                let end = (at + 1..tokens.len()).find(ends).filter(|end| is(*end, "{"));
                classes.extend(end.zip(word(at + 1)));
            }
            let class = match at.checked_sub(2).filter(|_| is(at - 1, "::")) {
                Some(before) => word(before),
                // A copied excerpt may lack the class around it.
                None => open.iter().rev().find_map(|class| *class).or(Some(CLASS)),
            };
            let constant = is(at + 1, "(") && is(at + 2, ")") && word(at + 3) == Some("const");
            if constant && is(at + 4, "{") && class == Some(CLASS) {
                let body = Reader::new(&tokens[at + 5..]).body().filter(|_| conditions == 0);
                // Which of two bodies counts is not known.
                let known = self.known.entry(name.to_owned());
                known.and_modify(|known| *known = None).or_insert(body);
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
}
