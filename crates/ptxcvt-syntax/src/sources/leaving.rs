//! Expressions that may not come to their end: `__CUDA_ARCH__ >= 890 ? f() : abort()`.
//!
//! ISO C++, "Conditional operator", "Logical AND operator", "Logical OR operator" and "Throwing an exception".

use super::inside::{exits_in, has_names, words};
use super::keywords::{EXITS, names_check};
use super::reader::Reader;
use super::scan::Scanner;

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

    /// True for a call by whose name it may stop the configurations that do not fulfil its argument:
    /// `CUDA_KERNEL_ASSERT(__CUDA_ARCH__ >= 890)`.
    pub(super) fn checks(&mut self, text: &str) -> bool {
        let mut scanner = Scanner::new(text);
        scanner.c_blanks();
        let word = scanner.word();
        scanner.c_blanks();
        let open = scanner.at;
        if !names_check(word) || scanner.peek() != b'(' {
            return false;
        }
        scanner.skip_group();
        self.preprocessor.depends_on_target(scanner.content(open))
    }

    /// True if an expression may call a function that does not return, or `throw`. False if only variables decide that.
    pub(super) fn may_not_end(&mut self, text: &str) -> bool {
        let hidden = self.hidden;
        if !hidden.has_ends() && !text.contains('{') && exits_in(text).is_empty() {
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
                        || !has_names(condition)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_expressions_end() {
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
