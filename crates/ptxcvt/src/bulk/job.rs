//! A run whose lengths have been checked: where each operand of instruction `i` comes from.

use super::philox;

/// One operand of every instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Feed<'a> {
    /// Instruction `i` reads `width` bytes at `offset + i * stride`.
    Slice { bytes: &'a [u8], offset: usize, stride: usize, width: usize, little_endian: bool },
    /// Every instruction reads this.
    Value(u64),
    /// Instruction `i` reads word `first + i` of a Philox stream.
    Random { seed: u64, first: u64 },
}

impl Feed<'_> {
    /// The operand of instruction `i`.
    #[inline]
    pub fn get(&self, i: usize) -> u64 {
        match *self {
            Feed::Slice { bytes, offset, stride, width, little_endian } => {
                let at = offset + i * stride;
                load(&bytes[at..at + width], little_endian)
            }
            Feed::Value(value) => value,
            Feed::Random { seed, first } => philox::word(seed, first.wrapping_add(i as u64)).into(),
        }
    }
}

/// A checked run.
#[derive(Debug)]
pub(super) struct Job<'a> {
    /// The operands in PTX order; those beyond the form's count are `Value(0)`.
    pub operands: [Feed<'a>; crate::inputs::MAX_OPERANDS],
    /// The elements in memory order, where they lie so: in packed runs and where one operand holds data.
    pub packed: Option<&'a [u8]>,
    /// One result after the other.
    pub result: &'a mut [u8],
    /// The bytes of one result.
    pub width: usize,
    /// How many of the operands hold elements.
    pub sources: usize,
    /// The result's bytes are little-endian whatever the machine is.
    pub little_endian: bool,
}

impl Job<'_> {
    /// How many instructions.
    pub fn count(&self) -> usize {
        self.result.len() / self.width
    }
}

/// The number in `bytes`, which are one, two, four or eight.
#[inline]
fn load(bytes: &[u8], little_endian: bool) -> u64 {
    let mut wide = [0; 8];
    if little_endian || cfg!(target_endian = "little") {
        wide[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(wide)
    } else {
        wide[8 - bytes.len()..].copy_from_slice(bytes);
        u64::from_be_bytes(wide)
    }
}

/// Writes the low bytes of `number`.
#[inline]
pub(super) fn store(bytes: &mut [u8], number: u64, little_endian: bool) {
    let n = bytes.len();
    if little_endian || cfg!(target_endian = "little") {
        bytes.copy_from_slice(&number.to_le_bytes()[..n]);
    } else {
        bytes.copy_from_slice(&number.to_be_bytes()[8 - n..]);
    }
}
