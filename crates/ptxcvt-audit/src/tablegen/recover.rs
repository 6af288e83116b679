//! Parsing: skips text that cannot be read.

use std::rc::Rc;

use super::lex::Token;
use super::parser::{Parsed, Parser};
use super::tree::{Let, Lets};

const STATEMENTS: [&str; 13] = [
    "assert",
    "class",
    "def",
    "defm",
    "defset",
    "deftype",
    "defvar",
    "dump",
    "foreach",
    "if",
    "include",
    "let",
    "multiclass",
];

impl Parser {
    fn begins_statement(&self) -> bool {
        matches!(self.peek(), Some(Token::Name(name)) if STATEMENTS.contains(&&**name))
    }

    fn at_margin(&self) -> bool {
        self.tokens.get(self.at).is_some_and(|(_, place)| place.at_margin)
    }

    /// Skips a statement that cannot be read: up to `;` or `}` outside braces, or to a `}` of the surrounding statement.
    pub(super) fn skip_statement(&mut self) {
        let holds_others = matches!(self.peek(), Some(Token::Name(name))
            if matches!(&**name, "let" | "foreach" | "if" | "defset" | "multiclass"));
        let mut open = 0_u32;
        let begin = self.at;
        while let Some(token) = self.peek() {
            match token {
                Token::Sign("{") => open += 1,
                Token::Sign("}") if open == 0 => {
                    self.at += usize::from(self.depth == 0 || self.at == begin);
                    return;
                }
                Token::Sign("}") => {
                    open -= 1;
                    self.at += 1;
                    if open == 0
                        && (self.begins_statement() || matches!(self.peek(), None | Some(Token::Sign("}"))))
                    {
                        return;
                    }
                    continue;
                }
                Token::Sign(";") if open == 0 => {
                    self.at += 1;
                    return;
                }
                // A brace may be missing in a record, which contains no statements.
                _ if self.at > begin && !holds_others && self.at_margin() && self.begins_statement() => {
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// The fields of a `let`. If they cannot be read, the contents of the `let` are doubtful.
    pub(super) fn lets_or_unread(&mut self) -> Parsed<Lets> {
        let (begin, depth) = (self.at, self.depth);
        let problem = match self.lets() {
            Ok(lets) if matches!(self.peek(), Some(Token::Name(name)) if &**name == "in") => return Ok(lets),
            Ok(_) => self.problem("`in` is missing"),
            Err(problem) => problem,
        };
        self.depth = depth;
        self.at = begin;
        loop {
            match self.peek() {
                Some(Token::Name(name)) if &**name == "in" => break,
                None | Some(Token::Sign(";")) => return Err(problem),
                _ if self.begins_statement() => return Err(problem),
                _ => self.at += 1,
            }
        }
        let reason = format!("it is in a `let` that cannot be read: {}", problem.reason);
        self.problems.push(problem);
        Ok(Rc::new(vec![Let::Unread(reason.into())]))
    }
}
