//! Conditions of C++ statements: the configurations that compile a statement, and those that compile its `else` branch.
//!
//! ISO C++, "Selection statements". A condition on variables may differ between threads, so a statement is compiled if
//! some values of the variables reach it. A condition on constants has one outcome; a constant with an unknown value is
//! a flag.

use std::rc::Rc;

use super::Preprocessor;
use super::expression::{closing, evaluate};
use super::operands::qualified;
use super::outcome::{Outcome, Test};
use super::predefined::predefined;
use super::reach::Reach;
use super::token::{Token, tokens};
use super::value::Numbers;
use crate::cpp::arithmetic;

impl Preprocessor {
    /// The outcome of a condition. `None` if both statements are compiled in every configuration.
    pub fn keeps(&mut self, condition: &str, test: Test) -> Option<Outcome> {
        self.outcome(tokens(condition), test)
    }

    /// The outcome of a condition of these tokens.
    pub(super) fn outcome(&mut self, tokens: Vec<Token>, test: Test) -> Option<Outcome> {
        self.code(|file| {
            let (mut yes, mut no) = (Reach::none(), Reach::none());
            for (reach, tokens) in file.expand(qualified(tokens)) {
                let tokens = file.without_arguments(tokens);
                let tokens = file.operands(tokens, test != Test::Constant);
                let flags = Rc::make_mut(&mut file.flags);
                flags.take_variables();
                let truth = match evaluate(&tokens, Numbers::Code, flags) {
                    Some(value) => value.is_true(flags),
                    None => Reach::unknown_by_target(),
                };
                let variables = flags.take_variables();
                yes = yes.or(&reach.and(&truth.for_some(&variables)));
                no = no.or(&reach.and(&truth.not().for_some(&variables)));
            }
            (!yes.is_all() || !no.is_all()).then_some(Outcome { yes, no })
        })
    }

    /// The outcome of a macro call that expands to a keyword with its condition. `None` if it does not do so in every
    /// configuration.
    pub fn head(&mut self, call: &str) -> Option<Option<Outcome>> {
        self.code(|file| {
            let (mut yes, mut no) = (Reach::none(), Reach::none());
            for (reach, tokens) in file.expand_here(call) {
                let (condition, test) = head(&tokens)?;
                let outcome = match condition {
                    // The value of a variable that the head declares is not read.
                    Some(_) if given(&tokens).iter().any(|value| file.depends(value).0) => {
                        Outcome::unknown_if(true)
                    }
                    Some(condition) => file.outcome(condition, test).unwrap_or_else(Outcome::both),
                    // A loop without an end.
                    None => Outcome { yes: Reach::all(), no: Reach::none() },
                };
                yes = yes.or(&reach.and(&outcome.yes));
                no = no.or(&reach.and(&outcome.no));
            }
            Some((!yes.is_all() || !no.is_all()).then_some(Outcome { yes, no }))
        })
    }

    /// The expansion of a call, for each group of the configurations that read it here.
    fn expand_here(&mut self, call: &str) -> Vec<(Reach, Vec<Token>)> {
        let here = self.read();
        let mut parts = self.expand(tokens(call));
        parts.retain(|(reach, _)| !reach.and(&here).is_none());
        parts
    }

    /// True if a text names a macro (of the compiler or of the file) or a constant that depends on the configuration.
    pub fn depends_on_target(&mut self, text: &str) -> bool {
        self.code(|file| {
            let (names_it, is_by_definition) = file.depends(&tokens(text));
            names_it || is_by_definition
        })
    }

    /// Whether a word depends on the configuration, given the macros at the end of the file.
    pub fn names_configuration(&self, word: &str) -> bool {
        let (names_it, is_by_definition) = self.depends(&[Token::Name(word.to_owned())]);
        names_it || is_by_definition
    }

    /// True if a call of a macro with statements may contain a condition on the configuration or on an unknown
    /// constant.
    pub fn may_choose(&mut self, call: &str) -> bool {
        if self.depends_on_target(call) {
            return true;
        }
        self.code(|file| {
            let parts = file.expand_here(call);
            let is_name = |token: &Token| matches!(token, Token::Final(name) | Token::Name(name) if predefined(name).is_none());
            let is_flag = |token: &Token| {
                let is_constexpr = matches!(token, Token::Final(word) if word == "constexpr");
                let is_type = matches!(token, Token::Final(word) | Token::Name(word) if arithmetic(word).is_some());
                is_constexpr || (is_name(token) && !is_type && !file.is_variable(token))
            };
            parts.iter().any(|(_, tokens)| tokens.is_empty() || tokens.iter().any(is_flag))
        })
    }
}

/// The condition and the kind of a keyword with nothing after its condition. A loop may have no condition.
fn head(tokens: &[Token]) -> Option<(Option<Vec<Token>>, Test)> {
    let word = |token: &Token| match token {
        Token::Final(word) => Some(word.clone()),
        _ => None,
    };
    let keyword = word(tokens.first()?)?;
    let open = tokens.iter().position(|token| *token == Token::Operator("("))?;
    let between: Vec<String> = tokens[1..open].iter().map(word).collect::<Option<_>>()?;
    let is_constant = between.iter().any(|word| word.to_ascii_lowercase().contains("constexpr"));
    let test = match &keyword[..] {
        "if" if is_constant => Test::Constant,
        "if" => Test::If,
        "for" | "while" => Test::Loop,
        _ => return None,
    };
    let end = closing(tokens, open).filter(|end| end + 1 == tokens.len())?;
    let mut parts = tokens[open + 1..end].split(|token| *token == Token::Other(";".to_owned()));
    let condition = match &keyword[..] {
        "for" => parts.nth(1).unwrap_or_default(),
        // The condition after an initialiser.
        _ => parts.next_back().unwrap_or_default(),
    };
    Some(((!condition.is_empty()).then(|| renamed(condition)), test))
}

/// The tokens with names that are unexpanded again, so that constants are found.
fn renamed(tokens: &[Token]) -> Vec<Token> {
    let renamed = tokens.iter().map(|token| match token {
        Token::Final(name) => Token::Name(name.clone()),
        other => other.clone(),
    });
    renamed.collect()
}

/// The values that the head of a statement gives to variables of its condition.
fn given(head: &[Token]) -> Vec<Vec<Token>> {
    let is = |token: &Token, text: &str| *token == Token::Other(text.to_owned());
    let assigned = head.iter().enumerate().filter(|(at, token)| {
        let name = head.get(at.wrapping_sub(1));
        is(token, "=") && name.is_some_and(|name| head[at + 1..].contains(name))
    });
    let values = assigned.map(|(at, _)| {
        let value = head[at + 1..].split(|token| is(token, ";")).next();
        renamed(value.unwrap_or_default())
    });
    values.collect()
}
