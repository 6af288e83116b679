//! The operands of a condition of C++: those that depend on variables, and constants of other classes.

use std::rc::Rc;

use super::Preprocessor;
use super::expression::{closing, evaluate, spelled};
use super::predefined::predefined;
use super::scopes::Declared;
use super::token::Token;
use super::value::Unknowns;

impl Preprocessor {
    /// Tokens with a flag in place of each operand of `&&`, `||` and `!` that depends on a variable, or that cannot be read.
    /// The numbers of those that depend on variables are added to `variables`.
    pub(super) fn operands(&mut self, tokens: &[Token], variables: &mut Vec<u32>) -> Vec<Token> {
        let is =
            |token: &Token, operator: &str| matches!(token, Token::Operator(other) if *other == operator);
        let (mut depth, mut from, mut done) = (0, 0, Vec::new());
        let at_top = |token: &Token, depth: &mut i32| {
            *depth += i32::from(is(token, "(")) - i32::from(is(token, ")"));
            *depth == 0
        };
        if tokens.iter().any(|token| at_top(token, &mut depth) && is(token, "?")) {
            return self.operand(tokens, variables);
        }
        depth = 0;
        for (at, token) in tokens.iter().enumerate() {
            if at_top(token, &mut depth) && (is(token, "&&") || is(token, "||")) {
                done.extend(self.operands(&tokens[from..at], variables));
                done.push(token.clone());
                from = at + 1;
            }
        }
        let last = &tokens[from..];
        if from > 0 {
            done.extend(self.operands(last, variables));
            return done;
        }
        let is_group = |tokens: &[Token]| closing(tokens, 0).is_some_and(|end| end + 1 == tokens.len());
        match last {
            [not, rest @ ..] if is(not, "!") && (rest.len() == 1 || is_group(rest)) => {
                [vec![not.clone()], self.operands(rest, variables)].concat()
            }
            [open, inner @ .., close] if is_group(last) => {
                [vec![open.clone()], self.operands(inner, variables), vec![close.clone()]].concat()
            }
            _ => self.operand(last, variables),
        }
    }

    /// An operand in parentheses, or the flag in place of it.
    fn operand(&mut self, tokens: &[Token], variables: &mut Vec<u32>) -> Vec<Token> {
        let depends = tokens.iter().any(|token| self.is_variable(token));
        let flags = Rc::make_mut(&mut self.flags);
        if !depends && evaluate(tokens, flags).is_some() {
            return [vec![Token::Operator("(")], tokens.to_vec(), vec![Token::Operator(")")]].concat();
        }
        let flag = flags.fresh();
        variables.extend(flags.number(&flag).filter(|_| depends));
        vec![Token::Final(flag)]
    }

    /// True for a name that may be a variable, or a function with a result that is not constant. Constants have capitals alone,
    /// or a `k` before them, are members of classes, or are declared as constants.
    pub(super) fn is_variable(&self, token: &Token) -> bool {
        /// Words of expressions with constant values, and names of types in them.
        const WORDS: [&str; 13] = [
            "sizeof", "alignof", "true", "false", "bool", "char", "short", "int", "long", "unsigned",
            "float", "double", "half",
        ];
        let (Token::Name(name) | Token::Final(name)) = token else { return false };
        let Declared { parameters, constants, variables, functions } = &*self.declared;
        if parameters.contains(name) || constants.contains(name) || functions.contains(name) {
            return false;
        }
        let mut after_k = name.strip_prefix('k').unwrap_or_default().chars();
        let is_capital = !name.contains(|c: char| c.is_ascii_lowercase())
            || after_k.next().is_some_and(|c| c == '_' || c.is_ascii_uppercase());
        let is_constant = (is_capital && !variables.contains(name)) || name.contains("::");
        !is_constant && !WORDS.contains(&&name[..]) && predefined(name).is_none()
    }
}

/// Tokens with one name in place of `A::B` and of `A<B>::C`. It is the name of no macro or constant of the file.
pub(super) fn qualified(tokens: Vec<Token>) -> Vec<Token> {
    let mut done: Vec<Token> = Vec::new();
    let mut at = 0;
    let word = |token: Option<&Token>| match token {
        Some(Token::Name(name)) => Some(name.clone()),
        _ => None,
    };
    let colons =
        |at: usize| tokens[at.min(tokens.len())..].starts_with(&[Token::Operator(":"), Token::Operator(":")]);
    while at < tokens.len() {
        let leads = colons(at) && word(tokens.get(at + 2)).is_some();
        let start = at + if leads { 2 } else { 0 };
        let Some(mut name) = word(tokens.get(start)) else {
            done.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let (mut end, mut is_qualified) = (start + 1, leads);
        loop {
            let brackets = arguments_end(&tokens, end);
            let after = brackets.unwrap_or(end);
            if colons(after) && word(tokens.get(after + 2)).is_some() {
                name = format!("{name}::{}", word(tokens.get(after + 2)).expect("it is a name"));
                (end, is_qualified) = (after + 3, true);
                continue;
            }
            if brackets.is_some() && (is_qualified || name.ends_with("_v")) {
                (end, is_qualified) = (after, true);
            }
            break;
        }
        done.push(match is_qualified {
            // Equal names with other arguments are other constants, so the place is part of the name.
            true => Token::Final(format!("::{name}@{}", spelling(&tokens[start..end]))),
            false => tokens[at].clone(),
        });
        at = end;
    }
    done
}

/// A text that is equal for equal tokens.
fn spelling(tokens: &[Token]) -> String {
    spelled(tokens).unwrap_or_default().replace(' ', "")
}

/// Where the template arguments that begin at `open` end, or `None` without such arguments.
fn arguments_end(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Operator("<") => depth += 1,
            Token::Operator(">") => depth -= 1,
            Token::Operator(">>") => depth -= 2,
            Token::Operator("&&" | "||" | "(" | "?") => return None,
            _ => {}
        }
        if depth <= 0 {
            return (at > open).then_some(at + 1);
        }
    }
    None
}
