//! Lines of batch input: operands as bits, in words.
//!
//! Most words are plain hexadecimal digits, which are found without branches on them; everything else is read as a number.

use core::{fmt, str};

use super::digits::hexadecimal;
use super::encode::Parsed;
use super::error::LiteralError;
use super::reader::Reader;
use super::split::Split;
use crate::bits::mask;
use crate::error::Code;

/// A word of batch input that is not a valid operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WordError<'l> {
    /// Which operand it is, from 0.
    pub at: usize,
    /// The word, without punctuation.
    pub word: &'l [u8],
    /// Why it is not valid.
    pub error: LiteralError,
}

impl WordError<'_> {
    /// The code of the error.
    pub const fn code(&self) -> Code {
        self.error.code()
    }

    /// How to correct the word, unless the message says it.
    pub const fn help(&self) -> Option<&str> {
        self.error.help()
    }
}

impl fmt::Display for WordError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operand {} = `{}`: {}", self.at + 1, self.word.escape_ascii(), self.error)
    }
}

impl core::error::Error for WordError<'_> {}

/// Reads the operands of a line of batch input into `bits`, and returns how many the line has; those without a reader
/// are only counted.
///
/// Words are separated by spaces or commas, and may have PTX's punctuation around them: `{0x3f80, 1.5};`. An operand that
/// is missing between commas (`1,,2`) is an error. A word of
/// hexadecimal digits without prefix is bits (`3f80`, and `2e3` and `2e3f`, too); any other is read as by
/// [`Reader::read`], so `-010` is the octal number −8. `1.5,-2` is one packed operand if its reader reads several elements.
///
/// ```
/// use ptxcvt::Format;
/// use ptxcvt::literal::{Reader, read_line};
/// let readers = [Reader::number(Format::F32), Reader::packed(Format::F16, 2)];
/// let mut bits = [0; 2];
/// assert_eq!(read_line(b"3f800000 1.5,-2", &readers, &mut bits)?, 2);
/// assert_eq!(bits, [0x3f80_0000, 0x3e00_c000]);
/// # Ok::<(), ptxcvt::literal::WordError>(())
/// ```
///
/// # Errors
///
/// Returns the first word that its reader does not read.
pub fn read_line<'l>(line: &'l [u8], readers: &[Reader], bits: &mut [u64]) -> Result<usize, WordError<'l>> {
    read_line_with(line, readers, bits, &mut |_, _, _| {})
}

/// Like [`read_line`], and passes on each operand that is not plain hexadecimal digits: its place from 0, its word, and
/// how it was read.
///
/// # Errors
///
/// Returns the first word that its reader does not read.
pub fn read_line_with<'l>(
    line: &'l [u8],
    readers: &[Reader],
    bits: &mut [u64],
    seen: &mut dyn FnMut(usize, &str, &Parsed),
) -> Result<usize, WordError<'l>> {
    let mut operands = Operands { readers, bits, count: 0, seen };
    let mut split = Split::new(true);
    for word in line.split(u8::is_ascii_whitespace) {
        let inner = split.inner(word);
        match hexadecimal(inner.text) {
            Some(value) if inner.is_complete() => operands.take(inner.text, Some(value))?,
            _ => {
                let pieces = split.pieces(&inner, operands.next_reader());
                pieces.into_iter().try_for_each(|piece| operands.take(piece, hexadecimal(piece)))?;
            }
        }
    }
    Ok(operands.count)
}

/// The operands of a line so far.
struct Operands<'r> {
    readers: &'r [Reader],
    bits: &'r mut [u64],
    count: usize,
    seen: &'r mut dyn FnMut(usize, &str, &Parsed),
}

impl Operands<'_> {
    /// Stores the next operand. Additional ones are only counted.
    fn take<'l>(&mut self, word: &'l [u8], value: Option<u64>) -> Result<(), WordError<'l>> {
        let at = self.count;
        if let (Some(slot), Some(reader)) = (self.bits.get_mut(at), self.readers.get(at)) {
            *slot = match value {
                Some(value) if value <= mask(reader.width()) => value,
                _ => read(reader, word, at, self.seen).map_err(|error| WordError { at, word, error })?,
            };
        }
        self.count += 1;
        Ok(())
    }

    /// The reader of the next operand.
    fn next_reader(&self) -> Option<&Reader> {
        self.readers.get(self.count)
    }
}

/// Reads an operand that is not plain hexadecimal digits.
#[cold]
fn read(
    reader: &Reader,
    word: &[u8],
    at: usize,
    seen: &mut dyn FnMut(usize, &str, &Parsed),
) -> Result<u64, LiteralError> {
    let text = str::from_utf8(word).map_err(|_| reader.syntax())?;
    let parsed = reader.read_word(text)?;
    seen(at, text, &parsed);
    Ok(parsed.bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Format;

    /// A word is read as [`Reader::read_word`] reads it, whatever its length is.
    #[test]
    fn words_are_read_as_by_the_reader() {
        for text in [
            "0f3F800000",
            "0F3f800000",
            "0f3F80000",
            "0f3F8000000",
            "0d3FF0000000000000",
            "0x0f3F800000",
            "2e3",
            "2e3f",
            "2.e3f",
            "-2e3f",
            "1.5F",
            "3f80",
            "ffffffffffffffff",
            "00000000000000003f80",
            "0b101",
            "1.5",
            "-1",
            "010",
            "-010",
            "x",
            "inf",
            "0x1p3",
            "",
        ] {
            for format in [Format::F32, Format::F64, Format::U64, Format::U8, Format::E4m3, Format::Ue8m0] {
                let reader = Reader::number(format);
                let mut bits = [0];
                let read = read_line(text.as_bytes(), &[reader], &mut bits);
                match (reader.read_word(text), read) {
                    (Ok(parsed), Ok(1)) => assert_eq!(parsed.bits, bits[0], "{format} {text}"),
                    (Err(error), Err(bad)) => assert_eq!(error, bad.error, "{format} {text}"),
                    (Err(_), Ok(0)) if text.is_empty() => {}
                    (one, other) => panic!("{format} {text}: {one:?} {other:?}"),
                }
            }
        }
    }

    #[test]
    fn punctuation_and_packed_operands() {
        let halves = [Reader::packed(Format::F16, 2), Reader::packed(Format::F16, 2)];
        let line = |text: &'static str| {
            let mut bits = [0; 2];
            read_line(text.as_bytes(), &halves, &mut bits).map(|count| (count, bits))
        };
        assert_eq!(line("{1.5,-2}, 3c00;"), Ok((2, [0x3e00_c000, 0x3c00])));
        assert_eq!(line("{3c00,4000}"), Ok((2, [0x3c00, 0x4000])));
        assert_eq!(line("3c00 4000 1 2"), Ok((4, [0x3c00, 0x4000])));
        assert_eq!(line(" \t"), Ok((0, [0, 0])));
        assert_eq!(line("1.5,2,"), Ok((1, [0x3e00_4000, 0])));
        assert_eq!(line("3c00,,4000").unwrap_err().at, 0);
        for (text, at) in [("3c00, ,4000", 1), (",3c00 4000", 0), ("3c00 ,,", 1), ("3c00,, 4000", 1)] {
            let bad = line(text).unwrap_err();
            assert_eq!((bad.at, bad.word), (at, &b""[..]), "{text}");
        }
        assert_eq!(line("3c00 nul").unwrap_err().at, 1);
        assert_eq!(read_line(b"\xff", &halves, &mut [0]).unwrap_err().word, b"\xff");
    }
}
