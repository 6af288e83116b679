//! Expressions of `#if`, read by precedence and evaluated in every configuration at once.
//!
//! ISO C, sections 6.5 (operators) and 6.10.1 (conditional inclusion).

use super::token::Token;
use super::value::Value;

/// The meaning of names that no macro of the file replaces.
pub(super) trait Names {
    /// The value of a name.
    fn value(&mut self, name: &str) -> Value;

    /// The value of `NAME(…)`, whose text is `call`.
    fn call(&mut self, name: &str, arguments: &[Token], call: &str) -> Value;
}

/// Evaluates an expression; `None` if the tokens are not an expression.
pub(super) fn evaluate(tokens: &[Token], names: &mut dyn Names) -> Option<Value> {
    let mut reader = Reader { tokens, at: 0, depth: 0, names };
    let value = reader.conditional()?;
    (reader.at == tokens.len()).then_some(value)
}

/// Binary operators by precedence, the weakest first, except `?:`.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// More nested parentheses than this are not read.
const MAX_DEPTH: u32 = 200;

struct Reader<'r> {
    tokens: &'r [Token],
    at: usize,
    depth: u32,
    names: &'r mut dyn Names,
}

impl<'r> Reader<'r> {
    fn take(&mut self, operator: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Operator(other)) if *other == operator);
        self.at += usize::from(found);
        found
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
            Value::choose(&condition.is_true(), &yes, &no)
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
                "||" => Value::truth(left.is_true().or(&right.is_true())),
                "&&" => Value::truth(left.is_true().and(&right.is_true())),
                operator => left.binary(&right, |a, b| binary(operator, a, b)),
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
        Some(match operator {
            "!" => value.unary(|a| i64::from(a == 0)),
            "-" => value.unary(i64::wrapping_neg),
            "~" => value.unary(|a| !a),
            _ => value,
        })
    }

    fn primary(&mut self) -> Option<Value> {
        if self.take("(") {
            let value = self.conditional()?;
            return self.take(")").then_some(value);
        }
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            Token::Number(number) => Some(Value::number(*number)),
            Token::Truth(reach) => Some(Value::truth(reach.clone())),
            Token::Operator(_) => None,
            Token::Name(name) | Token::Final(name) => {
                let Some(end) = closing(self.tokens, self.at) else { return Some(self.names.value(name)) };
                let arguments = &self.tokens[self.at + 1..end];
                let call = format!("{name}{}", spelled(&self.tokens[self.at..=end]));
                self.at = end + 1;
                Some(self.names.call(name, arguments, &call))
            }
        }
    }
}

/// Index of the `)` that closes the `(` at `open`; `None` if there is no `(`, or no end.
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

/// The text of some tokens.
pub(super) fn spelled(tokens: &[Token]) -> String {
    let word = |token: &Token| match token {
        Token::Number(number) => number.to_string(),
        Token::Name(name) | Token::Final(name) => name.clone(),
        Token::Operator(operator) => (*operator).to_owned(),
        Token::Truth(_) => "defined".to_owned(),
    };
    tokens.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn binary(operator: &str, a: i64, b: i64) -> i64 {
    match operator {
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        // A division by 0 is an error of the compiler, so the value does not matter.
        "/" => a.checked_div(b).unwrap_or(0),
        "%" => a.checked_rem(b).unwrap_or(0),
        other => unreachable!("`{other}` is not an operator of `LEVELS`"),
    }
}
