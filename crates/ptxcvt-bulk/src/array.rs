//! Arrays of any number of elements, parts of larger arrays, and numbers of 4 bits in a byte each, as ml_dtypes stores
//! them.

use super::column::{Column, ColumnMut};
use super::error::BulkError;
use super::packed::MOST_BYTES;
use super::plan::Plan;
use ptxcvt::Type;
use ptxcvt::forms::{Form, Opcode, Role};

/// Elements in memory order and the place of their results; see [`Plan::run_array`].
#[derive(Debug)]
pub struct Array<'a> {
    /// The elements, little-endian, at any alignment.
    pub elements: &'a [u8],
    /// `rbits` or the scale of each instruction, for forms that have one. The first one is for the first
    /// instruction with an element in this part. A generator counts from the beginning of the whole array.
    pub extra: Option<Column<'a>>,
    /// The results, little-endian.
    pub result: &'a mut [u8],
    /// Whether 4-bit numbers occupy a byte each, in its low half.
    pub spread: bool,
    /// The index of the first element in the whole array. It determines the instruction, the operand and the
    /// random bits of each element.
    pub first: u64,
}

/// The number of 4-bit elements that are packed or unpacked at a time.
const BLOCK: usize = 4096;

impl Plan {
    /// Converts any part of an array. However an array is split, its parts have the bits of the whole.
    /// Incomplete instructions at both ends are padded with zeros.
    ///
    /// ```
    /// use ptxcvt_bulk::{Array, Column, Plan};
    /// let plan = Plan::new("cvt.rs.satfinite.e2m1x4.f32".parse()?);
    /// let elements: Vec<u8> = (0..9).flat_map(|i| (i as f32 / 3.0).to_le_bytes()).collect();
    /// let convert = |range: std::ops::Range<usize>| {
    ///     let mut result = vec![0; range.len()];
    ///     let extra = Some(Column::Random { seed: 7, first: 0 });
    ///     let (elements, first) = (&elements[4 * range.start..4 * range.end], range.start as u64);
    ///     plan.run_array(Array { elements, extra, result: &mut result, spread: true, first })?;
    ///     Ok::<_, ptxcvt_bulk::BulkError>(result)
    /// };
    /// assert_eq!(convert(0..9)?, [convert(0..3)?, convert(3..9)?].concat());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails before anything is written
    ///
    /// - for `cvt.pack`,
    /// - if the result does not have as many elements as the source,
    /// - if packed numbers of 4 bits begin or end within a byte,
    /// - if `extra` is missing, has the wrong length, or is given for a form without such an operand.
    ///
    /// Fails at a byte that is not a 4-bit code; the results before it have been written.
    pub fn run_array(&self, array: Array<'_>) -> Result<(), BulkError> {
        let form = self.form();
        if form.opcode() == Opcode::CvtPack {
            return Err(BulkError::NotPacked { form });
        }
        let widths = self.array_widths(array.spread);
        let count = count(form, (array.elements.len(), array.result.len()), array.first, widths)?;
        let lanes = self.elements_per_instruction();
        let phase = (array.first % lanes as u64) as usize;
        let extra = self.array_extra(array.extra, array.first, count)?;
        let Array { elements, result, .. } = array;
        // In order: the end of an instruction, whole instructions, the beginning of an instruction.
        let head = if phase == 0 { 0 } else { (lanes - phase).min(count) };
        let whole = (count - head) / lanes * lanes;
        let at = |n: usize, width: usize| n * width / 8;
        let part = |from: usize, to: usize| &elements[at(from, widths.0)..at(to, widths.0)];
        let (first, rest) = result.split_at_mut(at(head, widths.1));
        let (middle, last) = rest.split_at_mut(at(whole, widths.1));
        let started = usize::from(head > 0);
        if head > 0 {
            self.partial(part(0, head), phase, extra.part(0, 1), first, widths)?;
        }
        self.whole(part(head, head + whole), extra.part(started, whole / lanes), middle, widths)?;
        if head + whole < count {
            let extra = extra.part(started + whole / lanes, 1);
            self.partial(part(head + whole, count), 0, extra, last, widths)?;
        }
        Ok(())
    }

    /// The bits of an element in the source and in the result.
    pub(crate) fn array_widths(&self, spread: bool) -> (usize, usize) {
        let width = |ty: Type| match ty.format().storage() as usize {
            4 if spread => 8,
            bits => bits,
        };
        (width(self.form().source()), width(self.form().destination()))
    }

    /// The operand other than the elements (`rbits` or scales), from the first instruction of this part on.
    pub(crate) fn array_extra<'a>(
        &self,
        given: Option<Column<'a>>,
        first: u64,
        count: usize,
    ) -> Result<Extra<'a>, BulkError> {
        let needed = self.form().extra();
        let (operand, column) = match (needed, given) {
            (None, None) => return Ok(Extra::NONE),
            (Some(operand), Some(column)) => (operand, column),
            (needed, _) => return Err(BulkError::Extra { needed: needed.map(|o| o.role) }),
        };
        let width = operand.width as usize / 8;
        let lanes = self.elements_per_instruction() as u64;
        let instructions = ((first % lanes) as usize + count).div_ceil(lanes as usize);
        let column = match column {
            Column::Random { seed, first: begun } => {
                Column::Random { seed, first: begun.wrapping_add(first / lanes) }
            }
            column => column,
        };
        let (role, expected) = (operand.role, instructions * width);
        match column.raw() {
            Some((_, given)) if given != 0 && given != operand.width => {
                return Err(BulkError::ElementWidth { role, expected: operand.width, given });
            }
            Some((bytes, _)) if bytes.len() != expected => {
                return Err(BulkError::Length { role, expected, given: bytes.len() });
            }
            _ => {}
        }
        Ok(Extra { column: Some(column), width })
    }

    /// Converts whole instructions.
    fn whole(
        &self,
        elements: &[u8],
        extra: Option<Column<'_>>,
        result: &mut [u8],
        (from, to): (usize, usize),
    ) -> Result<(), BulkError> {
        let spread_source = from == 8 && self.form().source().format().storage() == 4;
        let spread_result = to == 8 && self.form().destination().format().storage() == 4;
        if !spread_source && !spread_result {
            return self.run_packed(Column::Bytes(elements), extra, ColumnMut::Bytes(result));
        }
        let lanes = self.elements_per_instruction();
        let extra = Extra { column: extra, width: self.form().extra().map_or(1, |o| o.width as usize / 8) };
        let mut packed = [0; BLOCK / 2];
        let blocks = elements.chunks(BLOCK * from / 8).zip(result.chunks_mut(BLOCK * to / 8));
        for (number, (elements, result)) in blocks.enumerate() {
            let count = elements.len() * 8 / from;
            let extra = extra.part(number * (BLOCK / lanes), count / lanes);
            let packed = &mut packed[..count / 2];
            if spread_source {
                pack_codes(elements, packed)?;
                self.run_packed(Column::Bytes(packed), extra, ColumnMut::Bytes(result))?;
            } else {
                self.run_packed(Column::Bytes(elements), extra, ColumnMut::Bytes(packed))?;
                unpack_codes(packed, result);
            }
        }
        Ok(())
    }

    /// Converts one incomplete instruction: the elements from `phase` on, or only the first ones.
    fn partial(
        &self,
        elements: &[u8],
        phase: usize,
        extra: Option<Column<'_>>,
        result: &mut [u8],
        (from, to): (usize, usize),
    ) -> Result<(), BulkError> {
        let (mut source, mut made) = ([0; MOST_BYTES], [0; MOST_BYTES]);
        let lanes = self.elements_per_instruction();
        let at = phase * from / 8;
        source[at..at + elements.len()].copy_from_slice(elements);
        self.whole(&source[..lanes * from / 8], extra, &mut made[..lanes * to / 8], (from, to))?;
        let at = phase * to / 8;
        result.copy_from_slice(&made[at..at + result.len()]);
        Ok(())
    }
}

/// The number of elements of an array for `form`, from the bytes of elements and results. Fails if the two do not fit
/// each other.
pub(crate) fn count(
    form: Form,
    (given, results): (usize, usize),
    first: u64,
    (from, to): (usize, usize),
) -> Result<usize, BulkError> {
    if given * 8 % from != 0 {
        return Err(BulkError::Partial { role: Role::A, given, multiple_of: from / 8 });
    }
    let count = given * 8 / from;
    let splits = |n: u64| from.min(to) < 8 && n % 2 != 0;
    if splits(first) || to < 8 && splits(count as u64) {
        return Err(BulkError::OddElements { form, given: count });
    }
    let expected = count * to / 8;
    if expected != results {
        return Err(BulkError::Length { role: Role::Destination, expected, given: results });
    }
    Ok(count)
}

/// The operand other than the elements (`rbits` or scales), and its bytes for one instruction.
#[derive(Clone, Copy)]
pub(crate) struct Extra<'a> {
    column: Option<Column<'a>>,
    width: usize,
}

impl<'a> Extra<'a> {
    /// For a form without such an operand.
    pub const NONE: Extra<'a> = Extra { column: None, width: 1 };

    /// The operand of `count` instructions from `first` on.
    fn part(self, first: usize, count: usize) -> Option<Column<'a>> {
        self.column.map(|column| column.part(first, count, self.width))
    }
}

/// Fails at a byte above 15.
pub(crate) fn check_codes(codes: &[u8]) -> Result<(), BulkError> {
    if codes.iter().fold(0, |all, code| all | code) > 0xf {
        let code = codes.iter().copied().find(|code| *code > 0xf).expect("one has more than four bits");
        return Err(BulkError::NotACode { code });
    }
    Ok(())
}

/// Packs 4-bit codes that occupy a byte each into half as many bytes. The first of two becomes the low half of a byte.
/// If their number is odd, the upper half of the last byte is zero.
///
/// ```
/// use ptxcvt_bulk::{pack_codes, unpack_codes};
/// let (mut packed, mut codes) = ([0; 2], [0; 3]);
/// pack_codes(&[1, 2, 3], &mut packed)?;
/// assert_eq!(packed, [0x21, 0x03]);
/// unpack_codes(&packed, &mut codes);
/// assert_eq!(codes, [1, 2, 3]);
/// # Ok::<(), ptxcvt_bulk::BulkError>(())
/// ```
///
/// # Errors
///
/// Fails at a byte above 15, and if `packed` does not have half as many bytes as there are codes.
pub fn pack_codes(codes: &[u8], packed: &mut [u8]) -> Result<(), BulkError> {
    let (expected, given) = (codes.len().div_ceil(2), packed.len());
    if given != expected {
        return Err(BulkError::Length { role: Role::Destination, expected, given });
    }
    check_codes(codes)?;
    for (byte, pair) in packed.iter_mut().zip(codes.chunks(2)) {
        *byte = pair[0] | pair.get(1).copied().unwrap_or(0) << 4;
    }
    Ok(())
}

/// Unpacks 4-bit codes to a byte each: the inverse of [`pack_codes`].
///
/// # Panics
///
/// Panics if `packed` does not have half as many bytes as there are codes.
pub fn unpack_codes(packed: &[u8], codes: &mut [u8]) {
    assert_eq!(packed.len(), codes.len().div_ceil(2), "a byte has two codes");
    for (pair, byte) in codes.chunks_mut(2).zip(packed) {
        pair[0] = byte & 0xf;
        if let Some(second) = pair.get_mut(1) {
            *second = byte >> 4;
        }
    }
}
