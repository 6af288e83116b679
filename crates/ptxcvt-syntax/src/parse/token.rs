//! Tokens: the words of PTX.
//!
//! PTX ISA sections 4.3 (identifiers), 4.4 (reserved names) and 4.5 (constants).

use crate::source::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenKind {
    /// `add`, `%r1`, `$L__BB0_1`, `_`.
    Name,
    /// `.rn`, `.scaled::n2::ue8m0`, `.x`: a dot and what belongs to it.
    Dotted,
    /// `12`, `0x1F`, `017`, `0b11`, each perhaps with `U`.
    Integer,
    /// `1.5`, `.5`, `1e5`.
    Decimal,
    /// `0f3F800000`.
    Bits32,
    /// `0d3FF0000000000000`.
    Bits64,
    /// `"nounroll"`
    String,
    /// What inline assembly leaves to the compiler: see [`Placeholder`](super::Placeholder).
    Placeholder,
    /// One of `; , : { } ( ) [ ] @ ! | + - * / % & ^ ~ ? < > =`, or two that PTX reads as one.
    Punctuation([u8; 2]),
    /// `@@DWARF …`, `# 1 "file"`: a whole line that carries no instruction.
    Line,
    /// What no token begins with.
    Unknown,
    /// A NUL byte, at which ptxas stops reading.
    Nul,
    /// A comment or string whose end is missing.
    Unterminated,
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

impl Token {
    /// True of the punctuation `mark`.
    pub fn is(&self, mark: u8) -> bool {
        self.kind == TokenKind::Punctuation([mark, 0])
    }
}
