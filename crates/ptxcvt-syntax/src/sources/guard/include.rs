//! Include guards, which prevent a file from being included twice.

use super::directive::{first_word, split};

/// The macro of an include guard around all code of a file: `#ifndef X` or `#if !defined(X)` is the first conditional,
/// `#define X` follows it, and its `#endif` is the last one.
pub(super) fn include_guard(directives: &[String]) -> Option<String> {
    const OTHERS: [&str; 5] = ["pragma", "include", "line", "ident", "warning"];
    let lines = directives.iter().map(|line| split(line)).filter(|(name, _)| !OTHERS.contains(name));
    let lines: Vec<_> = lines.collect();
    let [(first @ ("ifndef" | "if"), condition), ("define", defined), .., ("endif", _)] = &lines[..] else {
        return None;
    };
    let guard = first_word(defined);
    let is_tested = match *first {
        "ifndef" => first_word(condition) == guard,
        _ => is_excluded(condition, guard),
    };
    let mut depth = 0_i32;
    let closes_at_the_end = lines.iter().enumerate().all(|(n, (name, _))| {
        depth += i32::from(name.starts_with("if")) - i32::from(*name == "endif");
        (depth > 0 || n + 1 == lines.len()) && !(depth == 1 && name.starts_with("el"))
    });
    (closes_at_the_end && is_tested).then(|| guard.to_owned())
}

/// True if a condition contains `!defined(NAME)`.
fn is_excluded(condition: &str, name: &str) -> bool {
    let is_other = |c: &char| !c.is_whitespace() && !matches!(c, '(' | ')');
    let condition: String = condition.chars().filter(is_other).collect();
    let mut tests = condition.split("!defined").skip(1);
    tests.any(|rest| !name.is_empty() && first_word(rest) == name)
}
