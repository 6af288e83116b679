//! The one splitter of texts with operands: commas separate operands, and PTX's punctuation may surround them.

use core::iter::repeat_n;

use super::digits::hexadecimal;
use super::reader::Reader;

/// Splits texts into operands, for words of a line or arguments of a command alike.
///
/// Each text has one operand, or several with commas between; `{`, `}` and `;` may surround them, and a comma may follow the
/// last one. An operand that is missing before or between commas becomes an empty one, which no [`Reader`] reads.
#[derive(Clone, Debug)]
pub struct Split {
    /// False after a comma and at the beginning: another comma has no operand before it.
    has_operand: bool,
    /// True if hexadecimal digits without prefix are bits, as in batch input.
    digits_are_bits: bool,
}

/// A text without the punctuation around it.
pub(super) struct Inner<'t> {
    /// How many operands are missing before the text.
    before: usize,
    pub(super) text: &'t [u8],
    /// How many operands are missing after the text.
    after: usize,
}

impl Inner<'_> {
    /// True if the text has operands, and none are missing.
    pub(super) const fn is_complete(&self) -> bool {
        self.before == 0 && self.after == 0 && !self.text.is_empty()
    }
}

impl Split {
    /// Begins to split. With `digits_are_bits`, `3c00,4000` are the bits of two operands, even for a reader of two elements.
    pub const fn new(digits_are_bits: bool) -> Self {
        Split { has_operand: false, digits_are_bits }
    }

    /// The operands of the next text, the first of which `reader` reads: `1.5,-2` is one operand if it reads
    /// several elements, and two otherwise.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// use ptxcvt::literal::{Reader, Split};
    /// let (single, packed) = (Reader::number(Format::F32), Reader::packed(Format::F16, 2));
    /// let split = |text: &'static str, reader| Split::new(false).operands(text.as_bytes(), Some(reader)).count();
    /// assert_eq!((split("{1.5, -2};", &single), split("{1.5, -2};", &packed)), (2, 1));
    /// assert_eq!((split("1,,2", &single), split("1,2,", &single)), (3, 2));
    /// ```
    pub fn operands<'t>(
        &mut self,
        text: &'t [u8],
        reader: Option<&Reader>,
    ) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        let inner = self.inner(text);
        self.pieces(&inner, reader)
    }

    /// Removes the punctuation around operands.
    #[inline]
    pub(super) fn inner<'t>(&mut self, mut text: &'t [u8]) -> Inner<'t> {
        let mut before = 0;
        while let [first @ (b'{' | b'}' | b',' | b';' | b' ' | b'\t'), rest @ ..] = text {
            before += usize::from(*first == b',' && !self.comma());
            text = rest;
        }
        let (mut after, mut commas) = (0, 0);
        while let [rest @ .., last @ (b'}' | b',' | b';' | b' ' | b'\t')] = text {
            commas += usize::from(*last == b',');
            text = rest;
        }
        self.has_operand |= !text.is_empty();
        for _ in 0..commas {
            after += usize::from(!self.comma());
        }
        Inner { before, text, after }
    }

    /// Passes a comma; returns whether an operand is before it.
    fn comma(&mut self) -> bool {
        core::mem::replace(&mut self.has_operand, false)
    }

    /// The operands of a text whose punctuation was removed.
    pub(super) fn pieces<'t>(
        &self,
        inner: &Inner<'t>,
        reader: Option<&Reader>,
    ) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        let Inner { before, text, after } = *inner;
        let commas = || text.split(|byte| *byte == b',');
        let are_bits = || self.digits_are_bits && commas().all(|piece| hexadecimal(piece).is_some());
        // The elements of one packed operand, unless each is the bits of an operand.
        let is_one = reader.is_some_and(Reader::is_packed) && !are_bits();
        let pieces = text.split(move |byte| *byte == b',' && !is_one).map(<[u8]>::trim_ascii);
        let none: &[u8] = &[];
        repeat_n(none, before)
            .chain(pieces.take(if text.is_empty() { 0 } else { usize::MAX }))
            .chain(repeat_n(none, after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Format;

    /// Operands of texts that are split together, each in brackets.
    fn split(texts: &[&str], reader: Reader, bits: bool) -> std::string::String {
        let mut split = Split::new(bits);
        let operands = texts.iter().flat_map(|text| split.operands(text.as_bytes(), Some(&reader)));
        operands.map(|piece| std::format!("[{}]", piece.escape_ascii())).collect()
    }

    #[test]
    fn punctuation_separates_and_surrounds() {
        for (texts, single, packed) in [
            (&["1", "-2"][..], "[1][-2]", "[1][-2]"),
            (&["1,-2"], "[1][-2]", "[1,-2]"),
            (&["{1, -2};"], "[1][-2]", "[1, -2]"),
            (&["{", "1", ",", "-2", "}", ";"], "[1][-2]", "[1][-2]"),
            (&["{ 1,-2, }"], "[1][-2]", "[1,-2]"),
            (&["1,", "-2,"], "[1][-2]", "[1][-2]"),
            (&["1", ",-2"], "[1][-2]", "[1][-2]"),
            (&[], "", ""),
            (&["{}"], "", ""),
        ] {
            for bits in [false, true] {
                assert_eq!(split(texts, Reader::number(Format::F32), bits), single, "{texts:?}");
                assert_eq!(split(texts, Reader::packed(Format::F16, 2), bits), packed, "{texts:?}");
            }
        }
        assert_eq!(split(&["3c00,4000"], Reader::packed(Format::F16, 2), true), "[3c00][4000]");
        assert_eq!(split(&["3c00,4000"], Reader::packed(Format::F16, 2), false), "[3c00,4000]");
    }

    #[test]
    fn a_missing_operand_is_empty() {
        for (texts, expected) in [
            (&["1,,2"][..], "[1][][2]"),
            (&["1, ,2"], "[1][][2]"),
            (&["1,", ",2"], "[1][][2]"),
            (&["1", ",", ",", "2"], "[1][][2]"),
            (&[",1"], "[][1]"),
            (&["{,1}"], "[][1]"),
            (&["1,2,,"], "[1][2][]"),
            (&[",,1,2,,"], "[][][1][2][]"),
            (&[","], "[]"),
        ] {
            for bits in [false, true] {
                assert_eq!(split(texts, Reader::number(Format::F32), bits), expected, "{texts:?}");
            }
        }
    }
}
