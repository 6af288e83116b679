//! Instructions as the text has them: guard, opcode, operands, each with its place.
//!
//! PTX ISA sections 4.2 (statements), 6.1 (operand types), 6.4 (addresses, arrays, vectors and labels as operands)
//! and 9.3 (guards). The parser reads every instruction, known or not, and does not check its operands.

use std::borrow::Cow;
use std::ops::Range;

use super::constant::{Constant, Fault};
use crate::source::{Span, Word};

/// An instruction.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Instruction<'s> {
    /// The place, without the guard and the semicolon.
    pub span: Span,
    /// The predicate of `@p` or `@!p`: a [`OperandKind::Name`] or a [`OperandKind::Placeholder`], the latter with
    /// [`Sign::Not`].
    pub guard: Option<Operand<'s>>,
    /// The opcode.
    pub opcode: OpcodeText<'s>,
    /// The operands, in the order of the text.
    pub operands: Vec<Operand<'s>>,
    /// False if a comma is missing between the operands or the text after them is wrong, which was reported as a
    /// [`problem`](super::Visitor::problem).
    pub complete: bool,
}

/// An opcode; blanks and comments may separate its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpcodeText<'s> {
    pub(super) parts: Vec<Span>,
    pub(super) source: &'s str,
}

impl<'s> OpcodeText<'s> {
    /// The place of the whole opcode.
    pub fn span(&self) -> Span {
        match &self.parts[..] {
            [first, .., last] => first.to(*last),
            [only] => *only,
            [] => Span::default(),
        }
    }

    /// The text of the whole module or snippet.
    pub(crate) fn source(&self) -> &'s str {
        self.source
    }

    /// The part before the first dot: `ld` of `ld.global.v4.f32`.
    pub fn name(&self) -> &'s str {
        self.parts.first().map_or("", |part| &self.source[part.range()])
    }

    /// Every part: the name, then the dotted parts, each with its dot.
    pub fn parts(&self) -> impl Iterator<Item = Word<'s>> + '_ {
        self.parts.iter().map(|&span| Word { text: &self.source[span.range()], span })
    }

    /// True if there is a comment between two parts.
    pub fn has_comment(&self) -> bool {
        let gap =
            |pair: &[Span]| !self.source[pair[0].end as usize..pair[1].start as usize].trim().is_empty();
        self.parts.windows(2).any(gap)
    }

    /// The opcode without blanks.
    pub fn text(&self) -> Cow<'s, str> {
        if self.parts.windows(2).all(|pair| pair[0].end == pair[1].start) {
            self.source[self.span().range()].into()
        } else {
            self.parts().map(|part| part.text).collect::<String>().into()
        }
    }

    /// The place in the source of a range of [`Self::text`].
    pub fn locate(&self, range: Range<usize>) -> Span {
        let (mut at, mut span) = (0, None);
        for part in &self.parts {
            let length = (part.end - part.start) as usize;
            if range.start < at + length && range.end > at {
                let start = part.start + range.start.saturating_sub(at) as u32;
                let end = part.start + (range.end - at).min(length) as u32;
                span = Some(Span::new(span.map_or(start, |s: Span| s.start), end));
            }
            at += length;
        }
        span.unwrap_or_else(|| self.span())
    }
}

/// An operand, with its place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Operand<'s> {
    /// The place.
    pub span: Span,
    /// The kind.
    pub kind: OperandKind<'s>,
}

impl<'s> Operand<'s> {
    /// An operand at a place.
    pub const fn new(span: Span, kind: OperandKind<'s>) -> Self {
        Self { span, kind }
    }
}

/// The kind of an operand.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OperandKind<'s> {
    /// `%r1`, `v.x`, `-a`, `!p`, `a+4`, `a[4]`, `d|p`: a register, variable, function or label.
    Name(Reference<'s>),
    /// `%0`, `$0`, `{$r0}`, with whatever may surround a name: see
    /// [`Placeholder::from_text`](super::Placeholder::from_text).
    Placeholder(Reference<'s>),
    /// An immediate: the value of a literal or a constant expression, or why it has no value.
    Constant(Result<Constant, Fault>),
    /// `{a, b, e, f}`
    Vector(Vec<Operand<'s>>),
    /// `[a+4]`, `[map, {x, y}]`; empty if the text in the brackets is not understood.
    Address(Vec<Operand<'s>>),
    /// `(a, b)`: the results or arguments of a `call`.
    List(Vec<Operand<'s>>),
    /// `_`
    Sink,
    /// Something else; read it at its place.
    Other,
}

/// A name as an operand, with its sign, selector and tail.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reference<'s> {
    /// The name alone, or the placeholder.
    pub name: Word<'s>,
    /// `-` or `!` before it.
    pub sign: Option<Sign>,
    /// `.x` of a vector's element, `.b0` of a part, with the dot.
    pub selector: Option<Word<'s>>,
    /// The text after the name.
    pub tail: Option<Tail<'s>>,
}

impl<'s> Reference<'s> {
    /// A name without sign, selector and tail.
    pub const fn new(name: Word<'s>) -> Self {
        Self { name, sign: None, selector: None, tail: None }
    }

    /// Sets the sign.
    #[must_use]
    pub const fn signed(self, sign: Option<Sign>) -> Self {
        Self { sign, ..self }
    }
}

/// The sign before a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `-a`
    Minus,
    /// `!p`
    Not,
}

/// The text after a name.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Tail<'s> {
    /// `a+4`, and `a-4` as the offset −4.
    Offset(Result<Constant, Fault>),
    /// `a[4]`
    Index(Result<Constant, Fault>),
    /// `d|p`: the predicate output after `d`.
    Predicate(Word<'s>),
}
