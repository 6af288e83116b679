//! One operand of every instruction, read from a source in the byte order and the packing that the kernels expect.
//!
//! A **unit** is an element of the source, or a register that holds packed elements; it has 4 to 64 bits.

use ptxcvt_bulk::pack_codes;

use crate::error::FileError;
use crate::source::Source;

/// The elements of an array, or the registers of an operand.
#[derive(Clone, Debug)]
pub struct Feed<'a> {
    pub source: &'a Source,
    /// The name in messages: a file, or a tensor of one.
    pub name: String,
    /// The position of the first byte.
    pub start: u64,
    /// Bits of a unit, from 4 to 64.
    pub bits: u32,
    /// How many units there are, including padding; `None` for a raw stream.
    pub units: Option<u64>,
    /// Whether units are stored with the most significant byte first.
    pub big_endian: bool,
    /// Whether 4-bit units occupy a byte each.
    pub spread: bool,
    /// Rows that are padded with zeros.
    pub rows: Option<Rows>,
}

/// The lengths of rows along the contiguous axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Units of a row in the source.
    pub given: u64,
    /// Units of a row with its padding.
    pub padded: u64,
}

impl Feed<'_> {
    /// Reads `count` units from unit `first`, a multiple of 8, into `buffer`, or fewer at the end.
    pub fn read(&self, first: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, FileError> {
        let left = self.units.map(|units| units.saturating_sub(first));
        let count = left.and_then(|left| usize::try_from(left).ok()).map_or(count, |left| left.min(count));
        let Some(rows) = self.rows else { return self.read_plain(first, count, buffer) };
        let (from, to) = (self.index(first), self.index(first + count as u64));
        let width = if self.spread { 1 } else { self.bits as usize / 8 };
        let mut given = vec![0; (to - from) as usize * width];
        self.source.read_exact(self.start + from * width as u64, &mut given)?;
        let mut rest = given.chunks_exact(width);
        buffer.clear();
        for unit in first..first + count as u64 {
            let element = (unit % rows.padded < rows.given).then(|| rest.next()).flatten();
            match element {
                Some(bytes) => buffer.extend_from_slice(bytes),
                None => buffer.resize(buffer.len() + width, 0),
            }
        }
        self.arrange(count, buffer)?;
        Ok(count)
    }

    /// The index of a unit in the array, without the units that fill rows.
    pub fn index(&self, unit: u64) -> u64 {
        match self.rows {
            Some(rows) => unit / rows.padded * rows.given + (unit % rows.padded).min(rows.given),
            None => unit,
        }
    }

    fn read_plain(&self, first: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, FileError> {
        let bits = u64::from(if self.spread { 8 } else { self.bits });
        let bytes = |units: u64| (units * bits).div_ceil(8);
        buffer.resize(bytes(count as u64) as usize, 0);
        let at = self.start + bytes(first);
        let count = match self.units {
            Some(_) => {
                self.source.read_exact(at, buffer)?;
                count
            }
            None => {
                let read = self.source.read(at, buffer)?;
                buffer.truncate(read);
                if read as u64 * 8 % bits != 0 {
                    let end = at + read as u64;
                    return Err(FileError::new(format!(
                        "{}: holds {}, which is not a whole number of {bits}-bit elements",
                        self.name,
                        ptxcvt::counted(end, "byte")
                    )));
                }
                (read as u64 * 8 / bits) as usize
            }
        };
        self.arrange(count, buffer)?;
        Ok(count)
    }

    /// Reverses the bytes of units, and packs units of 4 bits.
    fn arrange(&self, count: usize, buffer: &mut Vec<u8>) -> Result<(), FileError> {
        if self.big_endian {
            buffer.chunks_exact_mut(self.bits as usize / 8).for_each(<[u8]>::reverse);
        }
        if self.spread {
            let mut packed = vec![0; count.div_ceil(2)];
            pack_codes(buffer, &mut packed).map_err(|error| {
                FileError::new(format!("{}: {error}", self.name))
                    .with_help("--fp4 packed takes two elements from each byte")
            })?;
            *buffer = packed;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(source: &Source, bits: u32) -> Feed<'_> {
        Feed {
            source,
            name: "x".into(),
            start: 0,
            bits,
            units: None,
            big_endian: false,
            spread: false,
            rows: None,
        }
    }

    #[test]
    fn bytes_are_turned_and_codes_packed() {
        let source = Source::memory("x", vec![1, 2, 3, 4, 5, 6]);
        let mut buffer = Vec::new();
        let big = Feed { big_endian: true, ..feed(&source, 16) };
        assert_eq!(big.read(0, 100, &mut buffer).unwrap(), 3);
        assert_eq!(buffer, [2, 1, 4, 3, 6, 5]);
        let spread = Feed { spread: true, ..feed(&source, 4) };
        assert_eq!(spread.read(0, 5, &mut buffer).unwrap(), 5);
        assert_eq!(buffer, [0x21, 0x43, 0x05]);
        let source = Source::memory("x", vec![1, 0x3f]);
        let message = Feed { spread: true, ..feed(&source, 4) }.read(0, 2, &mut buffer).unwrap_err();
        assert!(message.to_string().contains("0x3f is not a code of 4 bits"));
    }

    #[test]
    fn rows_are_filled_up() {
        let source = Source::memory("x", (1..=6).collect());
        let rows = Some(Rows { given: 3, padded: 4 });
        let padded = Feed { rows, units: Some(8), ..feed(&source, 8) };
        let mut buffer = Vec::new();
        assert_eq!(padded.read(0, 100, &mut buffer).unwrap(), 8);
        assert_eq!(buffer, [1, 2, 3, 0, 4, 5, 6, 0]);
    }

    #[test]
    fn half_an_element_is_an_error() {
        let source = Source::memory("x", vec![0; 7]);
        let message = feed(&source, 32).read(0, 100, &mut Vec::new()).unwrap_err().to_string();
        assert_eq!(message, "x: holds 7 bytes, which is not a whole number of 32-bit elements");
    }
}
