//! Tokens of C++, as far as conditions on a subtarget need them.

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Name(String),
    Number(i64),
    /// A sign of one or two characters.
    Sign(&'static str),
    /// A string, a character, or a sign that no condition has.
    Other,
}

const SIGNS: [&str; 25] = [
    "&&", "||", "==", "!=", "<=", ">=", "->", "::", "(", ")", "{", "}", "[", "]", "<", ">", "!", "?", ":",
    ";", ",", "+", "-", "*", "&",
];
const MORE: [&str; 4] = ["/", "%", "=", "."];

/// Reads C++ without its comments and preprocessor lines.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") || first == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if first == '"' || first == '\'' {
            found.push(Token::Other);
            quoted(rest, first)
        } else if first.is_ascii_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let word = &rest[..end];
            found.push(number(word).map_or_else(|| Token::Name(word.to_owned()), Token::Number));
            end
        } else if let Some(sign) = SIGNS.iter().chain(&MORE).find(|sign| rest.starts_with(**sign)) {
            found.push(Token::Sign(sign));
            sign.len()
        } else {
            found.push(Token::Other);
            first.len_utf8()
        };
        rest = rest[length..].trim_start();
    }
    found
}

fn number(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    digits.strip_prefix("0x").map_or_else(|| digits.parse().ok(), |hex| i64::from_str_radix(hex, 16).ok())
}

/// The length of a string or character, with its quotation marks.
fn quoted(text: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == mark => return at + 1,
            _ => {}
        }
    }
    text.len()
}
