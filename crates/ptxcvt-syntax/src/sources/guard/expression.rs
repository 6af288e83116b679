//! Expressions of `#if`, read by precedence and evaluated in every configuration at once.
//!
//! ISO C, sections 6.5 (operators) and 6.10.1 (conditional inclusion).

use super::token::Token;
use super::value::{Numbers, Unknowns, Value};
use crate::cpp::{Integer, LEVELS};

/// The meaning of names that are not macros of the file.
pub(super) trait Names: Unknowns {
    /// The value of a name.
    fn value(&mut self, name: &str) -> Value;

    /// The value of `NAME(…)`.
    fn call(&mut self, name: &str, arguments: &[Token]) -> Value;
}

/// Evaluates an expression. `None` if the tokens are not an expression.
pub(super) fn evaluate(tokens: &[Token], numbers: Numbers, names: &mut dyn Names) -> Option<Value> {
    let mut reader = Reader { tokens, at: 0, depth: 0, numbers, names };
    let value = reader.list()?;
    (reader.at == tokens.len()).then_some(value)
}

/// Limit on the nesting of parentheses.
const MAX_DEPTH: u32 = 200;

struct Reader<'r> {
    tokens: &'r [Token],
    at: usize,
    depth: u32,
    numbers: Numbers,
    names: &'r mut dyn Names,
}

impl<'r> Reader<'r> {
    fn take(&mut self, operator: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Operator(other)) if *other == operator);
        self.at += usize::from(found);
        found
    }

    /// Expressions between commas; the value is that of the last one.
    fn list(&mut self) -> Option<Value> {
        let mut value = self.conditional()?;
        while self.take(",") {
            value = self.conditional()?;
        }
        Some(value)
    }

    fn conditional(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let condition = self.level(0)?;
        let value = if self.take("?") {
            let yes = self.conditional()?;
            let no = if self.take(":") { self.conditional()? } else { return None };
            Value::choose(&condition.is_true(self.names), &yes, &no)
        } else {
            condition
        };
        self.depth -= 1;
        Some(value)
    }

    fn level(&mut self, level: usize) -> Option<Value> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.take(operator)) {
            let right = self.level(level + 1)?;
            left = match *operator {
                "||" => Value::truth(left.is_true(self.names).or(&right.is_true(self.names))),
                "&&" => Value::truth(left.is_true(self.names).and(&right.is_true(self.names))),
                operator => left.binary(operator, &right, self.numbers, self.names),
            };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Value> {
        let operator = ["!", "-", "+", "~"].into_iter().find(|operator| self.take(operator));
        let Some(operator) = operator else { return self.primary() };
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = self.unary()?;
        self.depth -= 1;
        Some(value.unary(operator, self.numbers, self.names))
    }

    fn primary(&mut self) -> Option<Value> {
        if self.take("(") {
            let value = self.list()?;
            return self.take(")").then_some(value);
        }
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            Token::Number(number) => Some(Value::number(*number)),
            Token::Truth(reach) => Some(Value::truth(reach.clone())),
            Token::Written(Integer { bits, is_unsigned: true }, _) => Some(Value::unsigned(*bits)),
            Token::Written(Integer { bits, .. }, _) => Some(Value::number(*bits)),
            Token::Operator(_) | Token::Other(_) => None,
            Token::Name(name) | Token::Final(name) => {
                let Some(end) = closing(self.tokens, self.at) else { return Some(self.names.value(name)) };
                let arguments = &self.tokens[self.at + 1..end];
                self.at = end + 1;
                Some(self.names.call(name, arguments))
            }
        }
    }
}

/// Index of the `)` that closes the `(` at `open`. `None` if there is no `(` or no end.
pub(super) fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    if tokens.get(open) != Some(&Token::Operator("(")) {
        return None;
    }
    let mut depth = 0;
    tokens[open..]
        .iter()
        .position(|token| {
            depth += i32::from(*token == Token::Operator("(")) - i32::from(*token == Token::Operator(")"));
            depth == 0
        })
        .map(|length| open + length)
}

/// The text of some tokens. `None` if they contain `defined(X)`, which has been evaluated.
pub(super) fn spelled(tokens: &[Token]) -> Option<String> {
    let word = |token: &Token| match token {
        Token::Number(number) => Some(number.to_string()),
        Token::Written(_, text) | Token::Name(text) | Token::Final(text) | Token::Other(text) => {
            Some(text.clone())
        }
        Token::Operator(operator) => Some((*operator).to_owned()),
        Token::Truth(_) => None,
    };
    tokens.iter().map(word).collect::<Option<Vec<_>>>().map(|words| words.join(" "))
}
