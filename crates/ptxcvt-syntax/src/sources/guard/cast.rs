//! Casts to integers and `bool` in C++ conditions: `bool(x)`, `(int)x`, `static_cast<bool>(x)`.
//!
//! ISO C++, "Explicit type conversion".

use super::expression::closing;
use super::token::Token;
use super::value::QUALIFIED;
use crate::cpp::{Arithmetic, Integer, arithmetic};

/// The effect of a cast on a value.
#[derive(Clone, Copy)]
enum Type {
    Bool,
    /// `int` or wider: the value does not change.
    Signed,
    /// `unsigned`: the low 32 bits.
    Unsigned,
    /// `unsigned long` and similar: 64 bits.
    Wide,
    /// Another type: the value changes, or is unknown.
    Other,
}

fn is(token: Option<&Token>, operator: &str) -> bool {
    matches!(token, Some(Token::Operator(other)) if *other == operator)
}

fn word(token: Option<&Token>) -> Option<&str> {
    match token {
        Some(Token::Name(word) | Token::Final(word)) => Some(word),
        _ => None,
    }
}

/// The type that begins at `at`, and its end.
fn type_at(tokens: &[Token], at: usize) -> Option<(Type, usize)> {
    let mut end = at;
    let (mut found, mut is_unsigned, mut is_wide) = (None, false, false);
    while let Some(word) = word(tokens.get(end)) {
        // `::std::size_t@…` is the name of a type with a scope.
        let word = word.split(QUALIFIED).next().unwrap_or_default();
        let Some((kind, wide)) = arithmetic(word.rsplit("::").next().unwrap_or_default()) else { break };
        let kind = match kind {
            Arithmetic::Bool => Type::Bool,
            Arithmetic::Signed => Type::Signed,
            Arithmetic::Unsigned => Type::Unsigned,
            Arithmetic::Other => Type::Other,
        };
        is_unsigned |= matches!(kind, Type::Unsigned);
        is_wide |= wide;
        found = Some(match found {
            Some(Type::Other) => Type::Other,
            _ => kind,
        });
        end += 1;
    }
    let found = match found? {
        Type::Signed | Type::Unsigned if is_unsigned && is_wide => Type::Wide,
        Type::Signed if is_unsigned => Type::Unsigned,
        other => other,
    };
    Some((found, end))
}

/// Replaces casts by operators. A cast whose value is unknown becomes unreadable text.
pub(super) fn without_casts(tokens: Vec<Token>) -> Vec<Token> {
    let is_cast = |token: &Token| {
        let word = word(Some(token));
        word.is_some_and(|word| word.ends_with("_cast")) || type_at(std::slice::from_ref(token), 0).is_some()
    };
    if !tokens.iter().any(is_cast) {
        return tokens;
    }
    let (mut done, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let Some((kind, operand)) = cast(&tokens, at) else {
            done.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let Some(end) = operand_end(&tokens, operand) else {
            done.push(Token::Other("cast".to_owned()));
            at = operand;
            continue;
        };
        let open = [Token::Operator("("), Token::Operator("(")];
        let close = [Token::Operator(")")];
        let inner = without_casts(tokens[operand..end].to_vec());
        let unsigned = |bits: i64| Token::Written(Integer { bits, is_unsigned: true }, format!("{bits}u"));
        let before: &[Token] = match kind {
            Type::Bool => &[Token::Operator("!"), Token::Operator("!")],
            Type::Signed => &[Token::Operator("+")],
            Type::Unsigned => &[],
            Type::Wide => &[unsigned(0), Token::Operator("+")],
            Type::Other => &[Token::Other("cast".to_owned())],
        };
        let after: &[Token] = match kind {
            Type::Unsigned => &[Token::Operator("&"), unsigned(u32::MAX.into())],
            _ => &[],
        };
        done.extend([&open, before, &inner, &close, after, &close].concat());
        at = end;
    }
    done
}

/// The type of the cast at `at`, and the beginning of its operand.
fn cast(tokens: &[Token], at: usize) -> Option<(Type, usize)> {
    if word(tokens.get(at)).is_some_and(|word| word.ends_with("_cast")) && is(tokens.get(at + 1), "<") {
        let end = (at + 2..tokens.len()).find(|end| is(tokens.get(end + 1), "("))?;
        let kind = match type_at(tokens, at + 2) {
            Some((kind, after)) if after == end && is(tokens.get(end), ">") => kind,
            _ => Type::Other,
        };
        return Some((kind, end + 1));
    }
    if let Some((kind, end)) = type_at(tokens, at) {
        return is(tokens.get(end), "(").then_some((kind, end));
    }
    let is_argument = at > 0 && word(tokens.get(at - 1)).is_some();
    let (kind, end) = type_at(tokens, at + 1).filter(|_| is(tokens.get(at), "(") && !is_argument)?;
    let begins = |token: &Token| match token {
        Token::Operator(operator) => ["(", "!", "-", "+", "~"].contains(operator),
        Token::Other(_) => false,
        _ => true,
    };
    let is_operand = is(tokens.get(end), ")") && tokens.get(end + 1).is_some_and(begins);
    is_operand.then_some((kind, end + 1))
}

/// The end of a cast's operand. `None` unless the operand is a name, a number, a call or a group, perhaps after
/// operators.
fn operand_end(tokens: &[Token], start: usize) -> Option<usize> {
    let mut at = start;
    while ["!", "-", "+", "~"].iter().any(|operator| is(tokens.get(at), operator)) {
        at += 1;
    }
    if let Some((_, operand)) = cast(tokens, at) {
        return operand_end(tokens, operand);
    }
    if is(tokens.get(at), "(") {
        return closing(tokens, at).map(|end| end + 1);
    }
    let is_last = |after: usize| {
        let is_suffix = matches!(tokens.get(after), Some(Token::Other(text)) if text == "." || text == "[");
        let is_arrow = is(tokens.get(after), "-") && is(tokens.get(after + 1), ">");
        (!is_suffix && !is_arrow).then_some(after)
    };
    match tokens.get(at)? {
        Token::Name(_) | Token::Final(_) => is_last(closing(tokens, at + 1).map_or(at + 1, |end| end + 1)),
        Token::Number(_) | Token::Written(..) | Token::Truth(_) => is_last(at + 1),
        Token::Operator(_) | Token::Other(_) => None,
    }
}
