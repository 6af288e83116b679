//! The beginning of a C++ expression or declaration, which determines where it ends.

use super::lexeme::alternative;

/// Counts of the tokens at the beginning of an expression or declaration.
#[derive(Default)]
pub(super) struct Seen<'s> {
    pub first: &'s str,
    pub words: u32,
    pub groups: u32,
    pub others: u32,
    /// `struct`, `class`, `union` or `enum`, whose braces a name may follow.
    pub is_type: bool,
}

impl Seen<'_> {
    /// True for `NAME(…)`, but not for `return (…)`.
    pub fn is_call(&self) -> bool {
        const OPERATORS: [&str; 7] =
            ["return", "throw", "delete", "new", "co_return", "co_await", "co_yield"];
        (self.words, self.groups, self.others) == (1, 1, 0) && !OPERATORS.contains(&self.first)
    }
}

impl Seen<'_> {
    /// True if the tokens are only macros such as `PRAGMA_UNROLL` before a statement. Other macros may be statements.
    pub fn precedes_statement(&self) -> bool {
        let name = self.first.to_ascii_lowercase();
        let is_pragma = self.is_call() && ["unroll", "pragma"].iter().any(|part| name.contains(part));
        let only_names = self.words > 0 && (self.groups, self.others) == (0, 0);
        is_pragma || only_names
    }
}

/// True for words that are binary operators.
pub(super) fn is_operator(word: &str) -> bool {
    alternative(word).is_some_and(|operator| !matches!(operator, "!" | "~"))
}

/// True for words with arguments in parentheses that are followed by a declaration.
pub(super) fn is_specifier(word: &str) -> bool {
    matches!(word, "alignas" | "decltype" | "typeof" | "__typeof__" | "__align__" | "__builtin_align__")
}
