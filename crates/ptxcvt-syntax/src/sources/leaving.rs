//! Expressions that may not come to their end: `__CUDA_ARCH__ >= 890 ? f() : abort()`.
//!
//! ISO C++, "Conditional operator", "Logical AND operator", "Logical OR operator" and "Throwing an exception".

use super::keywords::EXITS;
use super::literal;
use super::reader::Reader;
use super::scan::Scanner;

/// A word of an expression that may leave it.
struct Word<'t> {
    text: &'t str,
    /// What follows in parentheses.
    arguments: Option<&'t str>,
    /// True if a condition of the expression may skip it.
    is_chosen: bool,
    /// True in brackets of the expression.
    is_inner: bool,
}

impl Reader<'_> {
    /// True if the statement at `start` is an expression or a declaration that may not come to its end.
    pub(super) fn may_end(&mut self, code: &str, start: usize) -> bool {
        if !self.is_in_body() && self.blocks.has_statements() != Some(true) {
            return false;
        }
        let text = &code[start..end(code, start)];
        if text.starts_with("case") || text.starts_with("default") {
            return false;
        }
        if self.hidden.names_endless(text) {
            return true;
        }
        let hidden = self.hidden;
        let has_macro = hidden.has_ends()
            && words(text, |word| hidden.exits(word)).iter().any(|word| hidden.exits(word.text));
        if has_macro && !self.is_in_body() {
            let here = self.preprocessor.read();
            let part = start..start + text.len();
            if let Some(texts) = self.texts(std::slice::from_ref(&part), &here) {
                return texts.iter().any(|text| self.may_not_end(&text.exact.text));
            }
        }
        self.may_not_end(text)
    }

    /// True if an expression may call a function that does not return, or `throw`. False if only variables decide that.
    pub(super) fn may_not_end(&mut self, text: &str) -> bool {
        let hidden = self.hidden;
        if !hidden.has_ends() && !text.contains('{') {
            return false;
        }
        let (mut chosen, mut has_macro) = (0, false);
        for word in words(text, |word| hidden.ends(word) || hidden.exits(word) || EXITS.contains(&word)) {
            let leaves = match word.text {
                "throw" => true,
                // In a correct program, all other assertions hold.
                "assert" => word.arguments.is_some_and(|condition| {
                    condition.starts_with("false")
                        || condition.starts_with('0')
                        || self.preprocessor.depends_on_target(condition)
                }),
                // A statement of GNU's `({ … })`.
                exit if EXITS.contains(&exit) => word.is_inner,
                macro_ if hidden.exits(macro_) => {
                    has_macro = true;
                    false
                }
                _ => word.is_chosen || word.arguments.is_some() || hidden.names_endless(word.text),
            };
            if leaves && !word.is_chosen {
                return true;
            }
            chosen += usize::from(leaves);
        }
        // Two of them may be the only ways.
        chosen > 1 || ((chosen > 0 || has_macro) && self.preprocessor.may_choose(text))
    }
}

/// Where the statement at `start` ends if it is an expression or a declaration, or where the block of a lambda begins
/// in it.
fn end(code: &str, start: usize) -> usize {
    let (mut at, mut open) = (start, Vec::new());
    while let Some(next) = code[at..].find([';', '{', '}']) {
        at += next;
        match code.as_bytes()[at] {
            // The statements of GNU's `({ … })`.
            b'{' if code[start..at].trim_end().ends_with('(') => {
                let mut group = Scanner { text: code, at };
                group.skip_group();
                at = group.at;
                continue;
            }
            b'{' => open.push(at),
            b'}' if !open.is_empty() => drop(open.pop()),
            _ => return open.first().copied().unwrap_or(at),
        }
        at += 1;
    }
    code.len()
}

/// The words of an expression for which `is_one` holds, except those in the blocks of lambdas.
fn words(text: &str, is_one: impl Fn(&str) -> bool) -> Vec<Word<'_>> {
    let (mut scanner, mut found, mut before) = (Scanner::new(text), Vec::new(), b' ');
    // True after the brackets that begin a lambda, whose block has statements of its own.
    let mut is_lambda = false;
    // For each open bracket, whether a condition decides about what follows in it.
    let mut chosen = vec![false];
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
        for (code, expected) in [
            ("f(); g()", "f()"),
            ("T a{1}; b", "T a{1}"),
            ("a } b;", "a "),
            ("[] { b; }", "[] "),
            ("a({ b; }); c", "a({ b; })"),
        ] {
            assert_eq!(&code[..end(code, 0)], expected);
        }
    }
}
