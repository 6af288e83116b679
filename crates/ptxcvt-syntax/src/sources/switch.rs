//! C++ `switch`: the configurations that jump to each label. Labels restrict targets like an `if`, because the compiler
//! removes the code of labels that a constant selector does not take.
//!
//! ISO C++, "The switch statement".

use super::branch;
use super::control::Walker;
use super::guard::{Outcome, Preprocessor, Reach};
use super::labels;
use super::reached::Open;
use super::reader::Reader;
use super::steps::{Kind, Label, Step, Switch};
use crate::identifier::names;

impl<'s> Reader<'s> {
    /// Reads a `switch`, after its keyword.
    pub(super) fn switch(&mut self, walker: &mut Walker<'s>, depth: u32) -> Option<Kind> {
        let selector = branch::condition(walker.scanner.text, walker.scanner.at, "switch", self.hidden);
        let written = walker.condition()?;
        self.jump_in(written);
        if walker.next_is_conditional() {
            return None;
        }
        // Reads the constants of the initialiser.
        let chosen = selector.as_ref().and_then(|selector| self.outcome(selector));
        let ends = !selector.as_ref().is_some_and(|selector| self.may_not_reach_end(selector));
        let reach = chosen.map_or_else(Reach::all, |_| Reach::unknown_by_target());
        let before = self.preprocessor.without_flags();
        self.switches.push(Open { selector, before, rest: Reach::all(), default: Reach::none() });
        let body = self.within(&reach, |this| this.step(walker, depth + 1));
        let Open { rest, default, .. } = self.switches.pop()?;
        let none = rest.and(&default.not());
        let kind = Kind::Switch(Switch { default: rest, none, body: Box::new(body?) });
        let step = |kind| Step { at: None, here: Reach::all(), kind };
        Some(match ends {
            true => kind,
            false => Kind::Block(vec![step(Kind::Plain(Reach::unknown_by_target())), step(kind)]),
        })
    }

    /// Reads a label. `Some(None)` if no label begins here, and `None` if its end is unknown.
    pub(super) fn label(&mut self, walker: &mut Walker<'s>) -> Option<Option<Step>> {
        walker.pass_attributes_of_label();
        let mut next = walker.scanner;
        let word = if next.peek().is_ascii_digit() { "" } else { next.word() };
        let value = next.at;
        next.c_blanks();
        let has_colon = next.peek() == b':' && !next.starts_with("::");
        let is_label = match word {
            "" => false,
            "case" => true,
            _ => has_colon && (word == "default" || labels::may_be(word)),
        };
        if !is_label {
            return Some(None);
        }
        walker.pass_label()?;
        let here = self.preprocessor.read();
        let kind = match word {
            "case" | "default" if self.is_expanded && self.switches.is_empty() => return None,
            "case" => Kind::Case(self.case(&walker.scanner.text[value..walker.scanner.at - 1], &here)),
            "default" => {
                if let Some(open) = self.switches.last_mut() {
                    open.default = open.default.or(&here);
                }
                Kind::Default
            }
            name => Kind::Label(Label {
                name: name.to_owned(),
                is_entered: self.is_entered(name),
                is_addressed: self.is_expanded || self.hidden.labels().is_addressed(name),
            }),
        };
        Some(Some(Step { at: None, here, kind }))
    }

    /// The configurations whose selector has the value of a label.
    fn case(&mut self, label: &str, here: &Reach) -> Reach {
        let Some(mut open) = self.switches.pop() else { return Reach::all() };
        let outcome = self.compared(&open, label);
        open.rest = open.rest.and(&outcome.no.or(&here.not()));
        self.switches.push(open);
        outcome.yes
    }

    /// The configurations whose selector has the value of a label, and those with another value. The selector has the macros
    /// that are defined `before` the block, whatever directives in the block define.
    fn compared(&mut self, Open { selector, before, .. }: &Open<'s>, label: &str) -> Outcome {
        let Some(selector) = selector else { return Outcome::both() };
        let (Some(text), Some(label)) = (&selector.text, branch::without_comments(label)) else {
            return Outcome::unknown_if(true);
        };
        let is_taken = match label.split_once("...") {
            Some((first, last)) => format!("({text}) >= ({first}) && ({text}) <= ({last})"),
            None => format!("({text}) == ({label})"),
        };
        let outcome = self.with_macros(before, |this| this.outcome_of(&is_taken, selector));
        // A name in the label has the meaning that it has there. Which of two different outcomes is right is not followed.
        let has_names = names(&label).any(|name| name.starts_with(|c: char| !c.is_ascii_digit()));
        if has_names && self.outcome_of(&is_taken, selector) != outcome {
            return Outcome::unknown_if(true);
        }
        outcome.unwrap_or_else(Outcome::both)
    }

    /// Calls a function with the macros of another place.
    fn with_macros<T>(&mut self, place: &Preprocessor, read: impl FnOnce(&mut Self) -> T) -> T {
        let mut there = place.without_flags();
        there.keep_flags(self.preprocessor.with_flags_taken());
        let here = std::mem::replace(&mut self.preprocessor, there);
        let result = read(self);
        let there = std::mem::replace(&mut self.preprocessor, here);
        self.preprocessor.keep_flags(there);
        result
    }
}
