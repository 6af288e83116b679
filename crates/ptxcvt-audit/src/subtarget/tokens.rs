//! Tokens of C++, as far as conditions on a subtarget need them.

use ptxcvt_syntax::cpp::{Integer, integer};
use ptxcvt_syntax::sources::lexeme::{Lexeme, Lexer};

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Name(String),
    Number(i64),
    /// An operator, a bracket or another sign; or a condition of the preprocessor: `#if`, `#else` or `#endif`.
    Sign(&'static str),
    /// A string, a character, or a sign that no condition has.
    Other,
}

/// The signs that are read, a longer one before its beginning.
const SIGNS: [&str; 33] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->", "::", "(", ")", "{", "}", "[", "]", "<", ">", "!",
    "?", ":", ";", ",", "+", "-", "*", "&", "/", "%", "|", "^", "=", ".",
];

/// Reads C++ without its comments and preprocessor lines. A condition of the preprocessor is the signs `#if`, `#else`
/// and `#endif`; that of an include guard does not count, and what `#if 0` leaves out is not read.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(text, &SIGNS);
    // For each open condition: whether it always holds.
    let mut guards = Vec::new();
    loop {
        while let Some(line) = lexer.directive() {
            directive(&line, &mut lexer, &mut guards, &mut found);
        }
        let Some((lexeme, _)) = lexer.next() else { return found };
        found.push(match lexeme {
            Lexeme::Word(word) => Token::Name(word.to_owned()),
            Lexeme::Operator(sign) => Token::Sign(sign),
            Lexeme::Number(digits) => match integer(digits) {
                // The numbers in conditions are versions and targets, so no number has more than 63 bits.
                Some(Integer { bits, .. }) if bits >= 0 => Token::Number(bits),
                _ => Token::Other,
            },
            Lexeme::Character(_) | Lexeme::String | Lexeme::Other => Token::Other,
        });
    }
}

/// The name of a directive, and the next word: `if` and `(A)` of `if(A) && B`.
fn words(line: &str) -> (&str, &str) {
    let line = line.trim_start();
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(line.len());
    (&line[..end], line[end..].split_whitespace().next().unwrap_or(""))
}

/// Interprets a directive. `guards` says of each open condition whether it always holds.
fn directive(line: &str, lexer: &mut Lexer<'_>, guards: &mut Vec<bool>, found: &mut Vec<Token>) {
    let (word, condition) = words(line);
    match word {
        "if" if condition == "0" => {
            guards.push(true);
            skip(lexer, guards, found);
        }
        "if" | "ifdef" | "ifndef" => {
            let next = lexer.clone().directive();
            let defines = next.as_deref().map(words);
            let guard = word == "ifndef" && defines == Some(("define", condition));
            guards.push(guard);
            found.extend((!guard).then_some(Token::Sign("#if")));
        }
        "else" | "elif" | "elifdef" | "elifndef" => {
            // `#else` of a guard is not a guard.
            if let Some(guard @ true) = guards.last_mut() {
                *guard = false;
                found.push(Token::Sign("#if"));
            }
            found.push(Token::Sign("#else"));
        }
        "endif" => found.extend((guards.pop() == Some(false)).then_some(Token::Sign("#endif"))),
        _ => {}
    }
}

/// Skips what `#if 0` leaves out, up to the directive that ends it.
fn skip(lexer: &mut Lexer<'_>, guards: &mut Vec<bool>, found: &mut Vec<Token>) {
    let mut open = 1;
    while !lexer.at_end() {
        let Some(line) = lexer.directive() else {
            lexer.skip_line();
            continue;
        };
        match words(&line).0 {
            "if" | "ifdef" | "ifndef" => open += 1,
            "endif" => open -= 1,
            // The other side of `#if 0` is read.
            "else" if open == 1 => return,
            // That of `#elif` has a condition of its own.
            "elif" | "elifdef" | "elifndef" if open == 1 => {
                *guards.last_mut().expect("`#if 0` added it") = false;
                found.push(Token::Sign("#if"));
                return;
            }
            _ => {}
        }
        if open == 0 {
            guards.pop();
            return;
        }
    }
}
