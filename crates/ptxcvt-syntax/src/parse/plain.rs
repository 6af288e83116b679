//! Operands that nothing reads, skipped without tokens.
//!
//! Most instructions of a module are no conversions, and most of their operands have one of a few shapes. A
//! [`Visitor`] that needs neither ([`Visitor::reads_all_operands`]) is spared them: they are passed over byte by byte if
//! every one is plain, and otherwise read as all others. What is plain has no error, so that no report is lost.
//!
//! PTX ISA sections 4.3 (identifiers), 4.5 (constants) and 6.4 (operands).

use super::lex::is_blank;
use super::number::{end_while, number};
use super::parser::Parser;
use super::visitor::Visitor;
use crate::identifier::is_ptx;
use crate::source::Span;

impl<'s, V: Visitor<'s>> Parser<'s, '_, V> {
    /// Skips the operands up to the `;` if all of them are plain. False if they are not, and nothing is skipped.
    pub(super) fn skip_plain_operands(&mut self) -> bool {
        let operands = Plain { text: self.text.as_bytes(), at: self.current.span.start as usize };
        let Some((last, end)) = operands.end() else { return false };
        self.go_to(last, end);
        true
    }
}

/// Reads plain operands. Each function returns `None` where something else follows.
struct Plain<'s> {
    text: &'s [u8],
    at: usize,
}

impl Plain<'_> {
    /// The place of the last token, and that of the `;` after it.
    fn end(mut self) -> Option<(Span, usize)> {
        loop {
            let last = match self.byte() {
                b'[' => self.address(),
                b'{' => self.vector(),
                _ => self.word(),
            }?;
            if !self.takes(b',') {
                return (self.byte() == b';').then_some((last, self.at));
            }
            self.skip_blanks();
        }
    }

    /// `[%rd1+16]`, `[p]`
    fn address(&mut self) -> Option<Span> {
        self.at += 1;
        self.skip_blanks();
        let name = self.name()?;
        // Only a name without a selector takes an offset.
        if self.at == name.end as usize && self.takes(b'+') {
            self.skip_blanks();
            self.constant()?;
        }
        self.closing(b']')
    }

    /// `{%r1, %r2}`
    fn vector(&mut self) -> Option<Span> {
        self.at += 1;
        loop {
            self.skip_blanks();
            self.word()?;
            if !self.takes(b',') {
                return self.closing(b'}');
            }
        }
    }

    /// `%r1`, `%tid.x`, `$L__BB0_1`, `p`, `4`, `-1.5`, `0f3F800000`: the place of its last token.
    fn word(&mut self) -> Option<Span> {
        match self.byte() {
            b'-' if self.byte_at(1).is_ascii_digit() => {
                self.at += 1;
                // `0f` and `0d` literals take no sign.
                if self.byte_at(1).is_ascii_alphabetic() { None } else { self.constant() }
            }
            byte if byte.is_ascii_digit() => self.constant(),
            _ => self.name().map(|name| self.selector().unwrap_or(name)),
        }
    }

    fn constant(&mut self) -> Option<Span> {
        let start = self.at;
        if !self.byte().is_ascii_digit() {
            return None;
        }
        (_, self.at) = number(self.text, start);
        Some(self.span(start))
    }

    /// A name other than `_` and `WARP_SZ`, which are no references.
    fn name(&mut self) -> Option<Span> {
        let start = self.at;
        let sign = usize::from(self.byte() == b'%');
        if !is_ptx(self.byte_at(sign)) || self.byte_at(sign).is_ascii_digit() && sign == 0 {
            return None;
        }
        self.at = end_while(self.text, start + sign, is_ptx);
        let is_reference = !matches!(&self.text[start..self.at], b"_" | b"$" | b"WARP_SZ");
        is_reference.then(|| self.span(start))
    }

    /// `.x` directly after a name.
    fn selector(&mut self) -> Option<Span> {
        let start = self.at;
        if self.byte() != b'.' || !self.byte_at(1).is_ascii_alphabetic() {
            return None;
        }
        self.at = end_while(self.text, start + 1, is_ptx);
        Some(self.span(start))
    }

    fn closing(&mut self, mark: u8) -> Option<Span> {
        self.takes(mark).then(|| self.span(self.at - 1))
    }

    /// Skips blanks, and this mark if it follows.
    fn takes(&mut self, mark: u8) -> bool {
        self.skip_blanks();
        let found = self.byte() == mark;
        self.at += usize::from(found);
        found
    }

    fn skip_blanks(&mut self) {
        self.at = end_while(self.text, self.at, is_blank);
    }

    fn byte(&self) -> u8 {
        self.byte_at(0)
    }

    fn byte_at(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span(&self, start: usize) -> Span {
        Span::new(start as u32, self.at as u32)
    }
}
