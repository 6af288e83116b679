//! The storage of elements and scales: nibbles of a pair, blocks of GGUF, and the order of scales for tensor
//! cores.

use ptxcvt::little_endian;

use crate::error::BlockError;
use crate::options::check_length;
use crate::recipe::{Group, Layout, Recipe};

/// The lowest bit of a pair's first and of its second code in their byte.
#[inline(always)]
fn places_in_a_byte(layout: Layout) -> (u32, u32) {
    match layout {
        Layout::Rows => (0, 4),
        Layout::RowsHighFirst => (4, 0),
        Layout::Packed => unreachable!("FP6 has no pairs"),
        Layout::Gguf | Layout::GgufNvfp4 => unreachable!("blocks of GGUF have other groups"),
    }
}

/// Packs the codes of one row, one byte each, in the layout. If scales are stored among them, `scales` has
/// one byte for each block.
#[inline(always)]
pub(crate) fn store_row(layout: Layout, storage: u32, codes: &[u8], scales: &[u8], out: &mut [u8]) {
    if let Some(Group { elements, bytes, blocks }) = layout.group() {
        let half = elements / blocks / 2;
        let groups = codes.chunks_exact(elements).zip(scales.chunks_exact(blocks));
        for ((codes, scales), out) in groups.zip(out.chunks_exact_mut(bytes)) {
            let (head, out) = out.split_at_mut(blocks);
            head.copy_from_slice(scales);
            for (block, out) in codes.chunks_exact(2 * half).zip(out.chunks_exact_mut(half)) {
                let (low, high) = block.split_at(half);
                for ((low, high), byte) in low.iter().zip(high).zip(out) {
                    *byte = low | high << 4;
                }
            }
        }
    } else if layout == Layout::Packed {
        for (four, bytes) in codes.chunks_exact(4).zip(out.chunks_exact_mut(3)) {
            let word = four.iter().rev().fold(0_u32, |word, code| word << 6 | u32::from(*code));
            bytes.copy_from_slice(&word.to_le_bytes()[..3]);
        }
    } else if storage == 4 {
        let (first, second) = places_in_a_byte(layout);
        for (pair, byte) in codes.chunks_exact(2).zip(out) {
            *byte = pair[0] << first | pair[1] << second;
        }
    } else {
        out.copy_from_slice(codes);
    }
}

/// Unpacks the codes of one row, each into a byte: the inverse of [`store_row`].
#[inline(always)]
pub(crate) fn load_row(layout: Layout, storage: u32, bytes: &[u8], codes: &mut [u8], scales: &mut [u8]) {
    if let Some(Group { elements, bytes: size, blocks }) = layout.group() {
        let half = elements / blocks / 2;
        let groups = bytes.chunks_exact(size).zip(scales.chunks_exact_mut(blocks));
        for ((bytes, scales), codes) in groups.zip(codes.chunks_exact_mut(elements)) {
            let (head, bytes) = bytes.split_at(blocks);
            scales.copy_from_slice(head);
            for (bytes, block) in bytes.chunks_exact(half).zip(codes.chunks_exact_mut(2 * half)) {
                let (low, high) = block.split_at_mut(half);
                for ((byte, low), high) in bytes.iter().zip(low).zip(high) {
                    (*low, *high) = (byte & 15, byte >> 4);
                }
            }
        }
    } else if layout == Layout::Packed {
        for (bytes, four) in bytes.chunks_exact(3).zip(codes.chunks_exact_mut(4)) {
            let word = little_endian(bytes);
            four.iter_mut().enumerate().for_each(|(i, code)| *code = (word >> (6 * i) & 63) as u8);
        }
    } else if storage == 4 {
        let (first, second) = places_in_a_byte(layout);
        for (byte, pair) in bytes.iter().zip(codes.chunks_exact_mut(2)) {
            (pair[0], pair[1]) = (byte >> first & 15, byte >> second & 15);
        }
    } else {
        codes.copy_from_slice(bytes);
    }
}

/// The rows and columns of `rows` x `columns` one-byte scales in the 128x4 swizzle: rows are padded to a multiple of 128,
/// columns to a multiple of 4. `None` if a `usize` cannot hold them.
pub fn swizzled_shape(rows: usize, columns: usize) -> Option<(usize, usize)> {
    Some((rows.checked_next_multiple_of(128)?, columns.checked_next_multiple_of(4)?))
}

/// The length of scales of this [swizzled shape](swizzled_shape). `None` if a `usize` cannot hold it.
pub fn swizzled_len(rows: usize, columns: usize) -> Option<usize> {
    let (rows, columns) = swizzled_shape(rows, columns)?;
    rows.checked_mul(columns)
}

/// The index of scale (`row`, `column`) of an array with `columns` columns in the 128x4 swizzle. It consists
/// of tiles of 128 rows by 4 columns, in which the four quarters of 32 rows are next to each other. cuBLAS
/// calls it the layout of block scaling factors, PyTorch `SWIZZLE_32_4_4`.
fn swizzled(row: usize, column: usize, columns: usize) -> usize {
    let tile = (row / 128) * columns.div_ceil(4) + column / 4;
    tile * 512 + (row % 32) * 16 + (row % 128) / 32 * 4 + column % 4
}

/// Converts one-byte scales from row order to the 128x4 swizzle; padding is zero. [`Recipe::check_swizzle`]
/// checks whether a recipe has such scales.
///
/// ```
/// use ptxcvt_blocks::{from_swizzled, to_swizzled};
/// let scales: Vec<u8> = (0..130 * 5).map(|i| i as u8).collect();
/// let swizzled = to_swizzled(&scales, 130, 5);
/// assert_eq!(swizzled.len(), 256 * 8);
/// assert_eq!(swizzled[16], scales[5]); // row 1, column 0
/// assert_eq!(from_swizzled(&swizzled, 130, 5), scales);
/// ```
///
/// # Panics
///
/// Panics if there are not `rows * columns` scales.
pub fn to_swizzled(scales: &[u8], rows: usize, columns: usize) -> Vec<u8> {
    assert_eq!(scales.len(), rows * columns, "one byte for each scale");
    let mut out = vec![0; swizzled_len(rows, columns).expect("scales in memory have room for their padding")];
    for (at, scale) in scales.iter().enumerate() {
        out[swizzled(at / columns, at % columns, columns)] = *scale;
    }
    out
}

/// Converts scales from the 128x4 swizzle to row order.
///
/// # Panics
///
/// Panics if there are not [`swizzled_len`] bytes.
pub fn from_swizzled(scales: &[u8], rows: usize, columns: usize) -> Vec<u8> {
    assert_eq!(
        Some(scales.len()),
        swizzled_len(rows, columns),
        "one byte for each scale and for the padding"
    );
    (0..rows * columns).map(|at| scales[swizzled(at / columns, at % columns, columns)]).collect()
}

impl Recipe {
    /// The codes of stored elements, one byte each. Scales among the elements are left out.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// let recipe = Recipe::named("mx-rceil/e2m1")?;
    /// assert_eq!(recipe.codes(&[0x21, 0x43])?, [1, 2, 3, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the bytes end within a group of elements that the layout stores together.
    pub fn codes(&self, data: &[u8]) -> Result<Vec<u8>, BlockError> {
        let (layout, storage) = (self.layout(), self.element().storage());
        let (elements, bytes, scales) = match (layout.group(), layout, storage) {
            (Some(Group { elements, bytes, blocks }), ..) => (elements, bytes, blocks),
            (None, Layout::Packed, _) => (4, 3, 0),
            (None, _, 4) => (2, 1, 0),
            (None, _, 8) => (1, 1, 0),
            (None, _, other) => unreachable!("elements are stored in 4 or 8 bits, not {other}"),
        };
        let count = data.len().div_ceil(bytes);
        check_length("the element data", count * bytes, data.len())?;
        let (mut codes, mut scales) = (vec![0; count * elements], vec![0; count * scales]);
        load_row(layout, storage, data, &mut codes, &mut scales);
        Ok(codes)
    }

    /// Checks that the recipe's scales can be swizzled: they have one byte each, and a separate array.
    ///
    /// # Errors
    ///
    /// Fails, with the reason, if they cannot.
    pub fn check_swizzle(&self) -> Result<(), BlockError> {
        let why = match self.scale_bytes() {
            1 => return Ok(()),
            0 => "they are stored among the elements",
            2.. => "they have more than one byte each",
        };
        Err(BlockError::Swizzle { recipe: self.name().into(), why })
    }
}
