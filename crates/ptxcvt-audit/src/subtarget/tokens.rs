//! Tokens of C++, as far as conditions on a subtarget need them.

use ptxcvt_syntax::cpp::{Integer, integer};

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

const SIGNS: [&str; 27] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->", "::", "(", ")", "{", "}", "[", "]", "<", ">", "!",
    "?", ":", ";", ",", "+", "-", "*", "&",
];
const MORE: [&str; 6] = ["/", "%", "|", "^", "=", "."];

/// Reads C++ without its comments and preprocessor lines. A condition of the preprocessor is the signs `#if`, `#else` and
/// `#endif`; that of an include guard does not count, and what `#if 0` leaves out is not read.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    let mut guards = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = if first == '#' {
            directive(rest, &mut guards, &mut found)
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if first == '"' || first == '\'' {
            found.push(Token::Other);
            quoted(rest, first)
        } else if first.is_ascii_alphanumeric() || first == '_' {
            let digits = first.is_ascii_digit();
            let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || (digits && c == '\'');
            let end = rest.find(|c: char| !in_word(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            found.push(match integer(word) {
                _ if !digits => Token::Name(word.to_owned()),
                // The numbers of conditions are versions and targets: those of more than 63 bits are neither.
                Some(Integer { bits, .. }) if bits >= 0 => Token::Number(bits),
                _ => Token::Other,
            });
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

/// Reads a line of the preprocessor, and with `#if 0` all that it leaves out; the length. `guards` says of each open condition
/// whether it always holds.
fn directive(text: &str, guards: &mut Vec<bool>, found: &mut Vec<Token>) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    let mut words = text[1..end].split_whitespace();
    let (word, condition) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    match word {
        "if" if condition == "0" => {
            guards.push(true);
            let mut open = 1;
            for line in text[end..].split_inclusive('\n') {
                let inner = line.trim_start().strip_prefix('#').map_or("", str::trim_start);
                let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let word = &inner[..inner.find(|c| !in_word(c)).unwrap_or(inner.len())];
                let other_side = open == 1 && matches!(word, "else" | "elif" | "elifdef" | "elifndef");
                match word {
                    "if" | "ifdef" | "ifndef" => open += 1,
                    "endif" => open -= 1,
                    // The other side of `#if 0` is read; that of `#elif` has a condition of its own.
                    _ if other_side && word != "else" => {
                        *guards.last_mut().expect("it was added above") = false;
                        found.push(Token::Sign("#if"));
                    }
                    _ => {}
                }
                if open == 0 {
                    break;
                }
                end += line.len();
                if other_side {
                    break;
                }
            }
        }
        "if" | "ifdef" | "ifndef" => {
            let next = text[end..].trim_start();
            let defines = next.strip_prefix("#define").map(|rest| rest.split_whitespace().next());
            let guard = word == "ifndef" && defines == Some(Some(condition));
            guards.push(guard);
            found.extend((!guard).then_some(Token::Sign("#if")));
        }
        "else" | "elif" | "elifdef" | "elifndef" => {
            // `#else` of a guard is not a guard.
            if guards.last() == Some(&true) {
                *guards.last_mut().expect("it is there") = false;
                found.push(Token::Sign("#if"));
            }
            found.push(Token::Sign("#else"));
        }
        "endif" => found.extend((guards.pop() == Some(false)).then_some(Token::Sign("#endif"))),
        _ => {}
    }
    end
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
