//! `if` and `if constexpr` of C++ whose conditions name `__CUDA_ARCH__`: the compiler removes the statement that a target does
//! not take, so they act as an `#if` around it, and are followed as one.
//!
//! ISO C++, "The if statement". Other conditions may differ from thread to thread, and restrict no target.

use super::literal;
use super::scan::Scanner;

/// An open statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    /// Where the statement ends.
    pub end: usize,
    /// Where the statement after its `else` ends, if there is one.
    pub alternative: Option<usize>,
}

/// The longest condition that is read.
const LONGEST: usize = 1_000;
/// The deepest nesting of statements without braces.
const DEEPEST: u32 = 16;

/// The condition and the statement after an `if` that ends where the scanner is. The scanner is then after the condition.
pub(super) fn open(scanner: &mut Scanner<'_>) -> Option<(String, Branch)> {
    let mut ahead = *scanner;
    let condition = condition(&mut ahead)?;
    if !condition.contains("__CUDA_ARCH") {
        return None;
    }
    let start = ahead.at;
    let mut after = ahead;
    statement(&mut after, 0)?;
    let end = after.at;
    let alternative = alternative(&mut after, 0)?.then_some(after.at);
    let whole =
        |from: usize, to: usize| has_whole_conditions(&scanner.text[from..to.min(scanner.text.len())]);
    if !whole(start, end) || !whole(end, after.at) {
        return None;
    }
    *scanner = ahead;
    Some((condition.replace(['\n', '\\'], " "), Branch { end, alternative }))
}

/// Reads the condition in its parentheses, after `constexpr` if that is there.
fn condition(scanner: &mut Scanner<'_>) -> Option<String> {
    scanner.c_blanks();
    let before = *scanner;
    if scanner.word() != "constexpr" {
        *scanner = before;
    }
    scanner.c_blanks();
    let open = scanner.at;
    if scanner.peek() != b'(' {
        return None;
    }
    // A long text without an end is no condition.
    let longest = (open + LONGEST).min(scanner.text.len());
    let mut group = Scanner { text: scanner.text.get(..longest)?, at: open };
    group.skip_group();
    scanner.at = group.at;
    Some(group.content(open).to_owned())
}

/// Skips a statement.
fn statement(scanner: &mut Scanner<'_>, depth: u32) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    scanner.c_blanks();
    if scanner.peek() == b'{' {
        group(scanner);
        return Some(());
    }
    let before = *scanner;
    if scanner.word() == "if" {
        condition(scanner)?;
        statement(scanner, depth + 1)?;
        alternative(scanner, depth)?;
        return Some(());
    }
    *scanner = before;
    while !scanner.at_end() && !matches!(scanner.peek(), b';' | b'}') {
        match scanner.peek() {
            b'(' | b'[' | b'{' => group(scanner),
            _ => literal::skip(scanner),
        }
    }
    scanner.take(b';');
    Some(())
}

/// Skips `else` and its statement; false if it is not there.
fn alternative(scanner: &mut Scanner<'_>, depth: u32) -> Option<bool> {
    let before = *scanner;
    scanner.c_blanks();
    if scanner.word() != "else" {
        *scanner = before;
        return Some(false);
    }
    statement(scanner, depth + 1)?;
    Some(true)
}

/// Skips to after the bracket that closes the one here. Brackets in comments and literals do not count.
fn group(scanner: &mut Scanner<'_>) {
    let mut open = 0_u32;
    while !scanner.at_end() {
        match scanner.peek() {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open -= 1,
            _ => {
                literal::skip(scanner);
                continue;
            }
        }
        scanner.step();
        if open == 0 {
            return;
        }
    }
}

/// False if a condition of the preprocessor begins in a text and ends after it, or the reverse.
fn has_whole_conditions(text: &str) -> bool {
    let mut open = 0_usize;
    for line in text.lines() {
        let Some(directive) = line.trim_start().strip_prefix('#') else { continue };
        let directive = directive.trim_start();
        if directive.starts_with("if") {
            open += 1;
        } else if directive.starts_with("endif") {
            let Some(rest) = open.checked_sub(1) else { return false };
            open = rest;
        } else if directive.starts_with("el") && open == 0 {
            return false;
        }
    }
    open == 0
}
