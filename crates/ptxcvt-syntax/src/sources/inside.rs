//! Words inside of expressions that may leave them, or the code around them: `x ? f() : abort()`, `({ break; })`.
//!
//! ISO C++, "Conditional operator", "Logical AND operator", "Logical OR operator" and "Lambda expressions"; the manual of
//! GCC, "Statements and Declarations in Expressions".

use super::keywords::EXITS;
use super::literal;
use super::scan::Scanner;

/// A word of an expression that may leave it.
pub(super) struct Word<'t> {
    pub text: &'t str,
    /// What follows in parentheses.
    pub arguments: Option<&'t str>,
    /// True if a condition of the expression may skip it.
    pub is_chosen: bool,
    /// True in brackets of the expression.
    pub is_inner: bool,
}

/// True if a statement leaves code in brackets of the text. `break` and `continue` leave only the brackets of a loop.
pub(super) fn has_inner_exit(text: &str, is_loop: bool) -> bool {
    let (mut scanner, mut depth) = (Scanner::new(text), 0_u32);
    while !scanner.at_end() {
        match scanner.peek() {
            b'{' => {
                depth += 1;
                scanner.step();
            }
            b'}' => {
                depth = depth.saturating_sub(1);
                scanner.step();
            }
            byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                let word = scanner.word();
                let is_inside = is_loop && matches!(word, "break" | "continue");
                if EXITS.contains(&word) && depth > 0 && !is_inside {
                    return true;
                }
            }
            _ => literal::skip(&mut scanner),
        }
    }
    false
}

/// The statements in the brackets of an expression that leave the code around it, and labels: in GNU's `({ … })`, or in
/// the arguments of a macro. Those in the block of a lambda do not count.
pub(super) fn exits_in(text: &str) -> Vec<&str> {
    let is_one = |word: &str| EXITS.contains(&word) || matches!(word, "case" | "default");
    words(text, is_one).into_iter().filter(|word| word.is_inner).map(|word| word.text).collect()
}

/// True if statements after this keyword leave the code around them. `break` leaves only a loop or a `switch`, and
/// `continue` only a loop.
pub(super) fn leaves(statements: &str, keyword: &str) -> bool {
    let is_loop = matches!(keyword, "for" | "while" | "do");
    let is_inside = |word: &str| match word {
        "break" => is_loop || keyword == "switch",
        "continue" => is_loop,
        _ => false,
    };
    !words_in(statements, 2, |word| EXITS.contains(&word) && !is_inside(word)).is_empty()
}

/// True if a block has a `break`.
pub(super) fn has_break(block: &str) -> bool {
    !words_in(block, 2, |word| word == "break").is_empty()
}

/// True if a condition names something besides its literals.
pub(super) fn has_names(condition: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "nullptr", "NULL", "not", "and", "or", "bool", "static_cast"];
    !words(condition, |word| !WORDS.contains(&word)).is_empty()
}

/// True for the text in the parentheses of `for (;;)`, a loop without a condition.
pub(super) fn is_endless(written: &str) -> bool {
    parts(written).nth(1).is_some_and(|condition| condition.trim().is_empty())
}

/// The parts of a text between semicolons outside brackets.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut scanner = Scanner::new(text);
    std::iter::from_fn(move || {
        let start = scanner.at;
        if scanner.at_end() {
            return None;
        }
        while !scanner.at_end() && scanner.peek() != b';' {
            scanner.pass();
        }
        let part = &text[start..scanner.at];
        scanner.take(b';');
        Some(part)
    })
}

/// The words of an expression for which `is_one` holds, except those in the blocks of lambdas.
pub(super) fn words(text: &str, is_one: impl Fn(&str) -> bool) -> Vec<Word<'_>> {
    words_in(text, 1, is_one)
}

/// The words of a text that has this number of brackets around it, of which the first one is not an expression's.
fn words_in(text: &str, brackets: usize, is_one: impl Fn(&str) -> bool) -> Vec<Word<'_>> {
    let (mut scanner, mut found, mut before) = (Scanner::new(text), Vec::new(), b' ');
    // True after the brackets that begin a lambda, whose block has statements of its own.
    let mut is_lambda = false;
    // For each open bracket, whether a condition decides about what follows in it.
    let mut chosen = vec![false; brackets];
    let choose = |chosen: &mut Vec<bool>, is: bool| chosen.last_mut().into_iter().for_each(|last| *last = is);
    loop {
        scanner.c_blanks();
        if scanner.at_end() {
            return found;
        }
        let (byte, next) = (scanner.peek(), scanner.rest().get(1).copied().unwrap_or(b' '));
        if Scanner::is_word(byte) && !byte.is_ascii_digit() {
            let word = scanner.word();
            if matches!(word, "and" | "or" | "if" | "else" | "for" | "while" | "switch") {
                choose(&mut chosen, true);
            } else if is_one(word) {
                let mut group = scanner;
                group.c_blanks();
                let open = group.at;
                let arguments = (group.peek() == b'(').then(|| {
                    group.skip_group();
                    group.content(open).trim_start()
                });
                let (is_chosen, is_inner) = (chosen.contains(&true), chosen.len() > 1);
                found.push(Word { text: word, arguments, is_chosen, is_inner });
            }
            before = byte;
            continue;
        }
        match byte {
            // What other macros do with a block is not known here.
            b'{' if (is_lambda || chosen.len() == 1) && is_block(scanner) => {
                scanner.skip_group();
                (before, is_lambda) = (b'}', false);
                continue;
            }
            b'[' if scanner.starts_with("[[") => {
                scanner.skip_group();
                continue;
            }
            b'[' => {
                is_lambda |= !Scanner::is_word(before) && before != b')' && before != b']';
                chosen.push(false);
            }
            b'(' | b'{' => chosen.push(false),
            b')' | b']' | b'}' => {
                if chosen.len() > 1 {
                    chosen.pop();
                }
                if byte == b'}' {
                    choose(&mut chosen, false);
                }
            }
            b'?' => choose(&mut chosen, true),
            b'&' | b'|' if next == byte => choose(&mut chosen, true),
            b',' | b';' => {
                is_lambda &= chosen.len() > 1 && byte == b',';
                choose(&mut chosen, false);
            }
            b'=' if next != b'=' && !b"=<>!".contains(&before) => choose(&mut chosen, false),
            _ => {}
        }
        before = byte;
        match byte {
            b'(' | b')' | b'[' | b']' | b'{' | b'}' => scanner.step(),
            _ => literal::skip(&mut scanner),
        }
    }
}

/// True for braces with statements, as of a lambda, and not with the values of an initialiser.
fn is_block(mut scanner: Scanner<'_>) -> bool {
    let open = scanner.at;
    scanner.skip_group();
    scanner.content(open).contains(';')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_condition_may_skip() {
        for (text, expected) in [
            ("g(1)", vec![(false, false)]),
            ("x ? g() : y", vec![(true, false)]),
            ("x ? y : z, g()", vec![(false, false)]),
            ("x && (y, g())", vec![(true, true)]),
            ("f(x || y, g())", vec![(false, true)]),
            ("a = x or g()", vec![(true, false)]),
            ("auto &&a = g()", vec![(false, false)]),
            ("x == y && g()", vec![(true, false)]),
            ("T{x ? g : y}", vec![(true, true)]),
            ("[&] { g(); }()", vec![]),
            ("({ g(); 1; })", vec![(false, true)]),
            ("({ if (x) { g(); } g(); })", vec![(true, true), (false, true)]),
            ("f([] { g(); }, [=](T a, T b) -> U { g(); }, g())", vec![(false, true)]),
            ("a[g()] = x", vec![(false, true)]),
            ("FOR_EACH(i, n) { g(); }", vec![]),
            ("f(\"g\", 'g', /* g */ 1)", vec![]),
        ] {
            let found = words(text, |word| word == "g");
            let found: Vec<_> = found.iter().map(|word| (word.is_chosen, word.is_inner)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
