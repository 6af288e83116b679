//! C++ statements whose conditions depend on the target, `if (__CUDA_ARCH__ >= 890)` and `if constexpr`. For each
//! target, the compiler removes the branch that is not taken, so they act like an `#if`.
//!
//! ISO C++, "Selection statements". Other conditions may differ between threads, so they do not restrict targets.

use ptxcvt::floor_char_boundary;

use super::control::Walker;
use super::guard::Test;
use super::hidden::Hidden;
use super::inside::parts;
use super::scan::Scanner;

/// An open statement.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    /// Where the statement ends.
    pub end: usize,
    /// Where the statement after its `else` ends, if there is one.
    pub alternative: Option<usize>,
    /// False if the end of the statement is unknown. Then the rest of the block may or may not be part of it.
    pub is_known: bool,
    /// True for the code after a statement that some configurations leave.
    pub is_rest: bool,
}

impl Branch {
    /// The code up to a place, without an alternative.
    pub fn until(end: usize) -> Branch {
        Branch { end, alternative: None, is_known: true, is_rest: false }
    }
}

/// Limit on the length of a condition in bytes.
const LONGEST: usize = 1_000;

/// The condition after `if`, `for`, `while` or `switch`, in the form that the preprocessor reads.
pub(super) struct Condition<'s> {
    /// The condition's text. `None` if it is too long or contains directives.
    pub text: Option<String>,
    /// Where the initialiser before the condition begins, if there is one.
    pub initialiser: Option<usize>,
    pub test: Test,
    /// After the condition.
    pub after: Walker<'s>,
}

/// The condition after a keyword that ends at `at`. `None` if there is no condition.
pub(super) fn condition<'s>(
    text: &'s str,
    at: usize,
    keyword: &str,
    hidden: &'s Hidden,
) -> Option<Condition<'s>> {
    // Checks the beginning first; otherwise a text without a closing parenthesis would be read to its end for every
    // keyword.
    let end = floor_char_boundary(text, at + LONGEST);
    let rest = &text[at..end];
    if !rest.contains(')') && !rest.contains("__CUDA_ARCH") {
        return None;
    }
    let mut near = Walker::new(&text[..end], at, hidden);
    let written = near.condition().filter(|written| !written.is_empty())?;
    let is_short = near.scanner.at < near.scanner.text.len() || near.scanner.text.len() == text.len();
    if !is_short && !written.contains("__CUDA_ARCH") {
        return None;
    }
    let mut after = Walker::new(text, at, hidden);
    let written = after.condition()?;
    let mut word = Scanner { text, at };
    word.c_blanks();
    let test = match keyword {
        "for" | "while" => Test::Loop,
        "if constexpr" => Test::Constant,
        _ if word.word().to_ascii_lowercase().contains("constexpr") => Test::Constant,
        _ => Test::If,
    };
    // The second part of `for (…; …; …)`; other loops with `for` have no condition.
    let all: Vec<&str> = parts(written).collect();
    let (written, initialiser) = match (keyword, &all[..]) {
        ("for", parts) => {
            let condition = parts.get(1).filter(|condition| !condition.trim().is_empty())?;
            (*condition, Some(after.scanner.at - 1 - written.len()))
        }
        (_, [_, condition]) => (*condition, Some(after.scanner.at - 1 - written.len())),
        _ => (written, None),
    };
    let read = (is_short && after.is_whole()).then(|| without_comments(written));
    Some(Condition { text: read.flatten(), initialiser, test, after })
}

impl Condition<'_> {
    /// Where the condition ends.
    pub fn end(&self) -> usize {
        self.after.scanner.at
    }

    /// The statement after the condition.
    pub fn statement(&self) -> Branch {
        let known = || {
            let mut after = self.after.clone();
            after.statement(0)?;
            let end = after.is_whole().then_some(after.scanner.at)?;
            let has_alternative = self.test != Test::Loop && after.alternative(0)?;
            after.is_whole().then(|| (end, has_alternative.then_some(after.scanner.at)))
        };
        match known() {
            Some((end, alternative)) => Branch { alternative, ..Branch::until(end) },
            None => self.rest_of_block(),
        }
    }

    /// True if the block after the selector of a `switch` has code before its first label.
    pub fn begins_without_label(&self) -> bool {
        let mut first = self.after.clone();
        first.blanks();
        if first.scanner.peek() != b'{' {
            return false;
        }
        first.token();
        first.blanks();
        first.pass_attributes_of_label();
        !first.closes() && !first.is_label(true)
    }

    /// A statement that ends anywhere in the block.
    pub fn rest_of_block(&self) -> Branch {
        rest_of_block(&self.after)
    }
}

/// A statement that ends anywhere in the block around a place.
pub(super) fn rest_of_block(at: &Walker<'_>) -> Branch {
    let mut rest = at.clone();
    let end = rest.rest_of_block(false).map_or(rest.scanner.text.len(), |()| rest.scanner.at);
    Branch { is_known: false, ..Branch::until(end) }
}

/// A condition in one line, without comments. `None` if it contains a directive.
pub(super) fn without_comments(text: &str) -> Option<String> {
    let (mut scanner, mut left) = (Scanner::new(text), String::new());
    while !scanner.at_end() {
        let start = scanner.at;
        match scanner.peek() {
            b'#' => return None,
            b'\n' | b'\r' | b'\\' => {
                scanner.step();
                left.push(' ');
            }
            b'/' if scanner.c_comment() => left.push(' '),
            b'/' => left.push('/'),
            quote @ (b'"' | b'\'') => {
                scanner.skip_string(quote);
                left.push_str(&text[start..scanner.at]);
            }
            b'0'..=b'9' => {
                scanner.number();
                left.push_str(&text[start..scanner.at]);
            }
            _ => {
                scanner.step();
                left.push_str(&text[start..scanner.at]);
            }
        }
    }
    Some(left)
}
