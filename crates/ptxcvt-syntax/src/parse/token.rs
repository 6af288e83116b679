//! Tokens: the words of PTX.
//!
//! PTX ISA sections 4.3 (identifiers), 4.4 (reserved names) and 4.5 (constants).

use crate::source::Span;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenKind {
    /// `add`, `%r1`, `$L__BB0_1`, `_`.
    Name,
    /// `.rn`, `.scaled::n2::ue8m0`, `.x`: a dot and what belongs to it.
    Dotted,
    /// `12`, `0x1F`, `017`, `0b11`, each with or without `U`.
    Integer,
    /// `1.5`, `.5`, `1e5`.
    Decimal,
    /// `0f3F800000`.
    Bits32,
    /// `0d3FF0000000000000`.
    Bits64,
    /// `"nounroll"`
    String,
    /// A placeholder of inline assembly: see [`Placeholder`](super::Placeholder).
    Placeholder,
    /// One of `; , : { } ( ) [ ] @ ! | + - * / % & ^ ~ ? < > =`, or an operator of two characters.
    Punctuation([u8; 2]),
    /// `@@DWARF …`, `# 1 "file"`: a whole line without an instruction.
    Line,
    /// A character that begins no token.
    Unknown,
    /// A NUL byte, at which ptxas stops reading.
    Nul,
    /// A comment or string without an end.
    Unterminated,
    /// The end of the text.
    End,
}

/// A token, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// The place.
    pub span: Span,
}

impl Token {
    /// True if the token is the punctuation `mark`.
    pub fn is(&self, mark: u8) -> bool {
        self.kind == TokenKind::Punctuation([mark, 0])
    }
}
