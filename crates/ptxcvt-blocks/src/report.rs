//! Statistics of a quantised matrix: the errors of its numbers, and its scales.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use ptxcvt::{Format, little_endian};
use ptxcvt_bulk::NonFinite;

use crate::error::BlockError;
use crate::input::Matrix;
use crate::layout;
use crate::losses::Losses;
use crate::options::Quantized;
use crate::recipe::Recipe;
use crate::run::dequantize;

/// Errors and counts of a quantised matrix, or of several that are joined with `+=`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The elements, how many of them were finite and stayed finite, and their errors.
    pub losses: Losses,
    /// The number of blocks.
    pub blocks: u64,
    /// The number of blocks whose elements are finite.
    pub finite_blocks: u64,
    /// The number of blocks whose elements are finite and did not change.
    pub exact_blocks: u64,
    /// The number of elements (including infinities) beyond the range of their block, which are limited to its end. As
    /// in [`ptxcvt::Outcome::Saturated`], a number beyond the end counts even if it would be rounded to it.
    pub saturated: u64,
    /// The number of nonzero elements that became 0. Most were rounded to it; `.ftz` is not needed.
    pub became_zero: u64,
    /// NaN and infinity in the input.
    pub non_finite: NonFinite,
    /// The number of blocks with each scale, by code or, for f32, by the bits of the power of two at or below it;
    /// infinity and NaN are counted separately.
    pub scales: BTreeMap<u32, u64>,
}

impl Report {
    /// Compares a matrix with its quantised version.
    ///
    /// # Errors
    ///
    /// Fails like [`dequantize`], and if the shapes differ.
    pub fn measure(
        recipe: &Recipe,
        matrix: &Matrix<'_>,
        quantized: &Quantized,
    ) -> Result<Report, BlockError> {
        let (rows, columns) = quantized.shape;
        if (matrix.rows(), matrix.columns()) != (rows, columns) {
            let given = matrix.rows() * matrix.columns();
            return Err(BlockError::Elements { rows, columns, given });
        }
        let back = dequantize(recipe, quantized, 1)?;
        let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
        let mut report = Report { blocks: (scale_rows * scale_columns) as u64, ..Report::default() };
        let mut inexact = vec![false; scale_rows * scale_columns];
        let mut special = inexact.clone();
        let largest = recipe.element().max_finite() as u8;
        let end = recipe.element().decode(largest.into()).to_f64();
        let sign = recipe.element().sign_bit() as u8;
        let mut codes = vec![0; columns];
        let mut inline = vec![0; scale_columns];
        for row in 0..rows {
            let bytes =
                &quantized.data[row * recipe.row_bytes(columns)..(row + 1) * recipe.row_bytes(columns)];
            layout::load_row(recipe.layout(), recipe.element().storage(), bytes, &mut codes, &mut inline);
            for (column, code) in codes.iter().enumerate() {
                let (bits, at) = (matrix.get(row, column), row * columns + column);
                report.non_finite.add(bits, at as u64);
                let (x, v) = (f64::from(f32::from_bits(bits)), f64::from(back[at]));
                let block = row / recipe.block().rows * scale_columns + column / recipe.block().columns;
                inexact[block] |= x != v;
                special[block] |= !x.is_finite();
                report.losses.add(x, v);
                report.became_zero += u64::from(x != 0.0 && v == 0.0);
                let is_largest = code & !sign == largest;
                report.saturated += u64::from(is_largest && v.is_finite() && is_beyond(x, v, end));
            }
            if recipe.layout().group().is_some() {
                inline.iter().for_each(|code| *report.scales.entry(u32::from(*code)).or_default() += 1);
            }
        }
        let finite = || inexact.iter().zip(&special).filter(|(_, special)| !**special);
        report.finite_blocks = finite().count() as u64;
        report.exact_blocks = finite().filter(|(inexact, _)| !**inexact).count() as u64;
        for scale in quantized.scales.chunks_exact(recipe.scale_bytes().max(1)) {
            let key = match scale {
                [code] => u32::from(*code),
                word => power_of(little_endian(word) as u32),
            };
            *report.scales.entry(key).or_default() += 1;
        }
        Ok(report)
    }

    /// The number that a key of [`scales`](Self::scales) encodes; for f32, the power of two at or below.
    pub fn scale_value(recipe: &Recipe, key: u32) -> f64 {
        match recipe.scale() {
            Format::F32 => f64::from(f32::from_bits(key)),
            small => small.decode(key.into()).to_f64(),
        }
    }
}

/// Adds the report of another part of the array.
impl AddAssign for Report {
    fn add_assign(&mut self, other: Report) {
        self.losses += other.losses;
        self.blocks += other.blocks;
        self.finite_blocks += other.finite_blocks;
        self.exact_blocks += other.exact_blocks;
        self.saturated += other.saturated;
        self.became_zero += other.became_zero;
        self.non_finite += other.non_finite;
        for (scale, count) in other.scales {
            *self.scales.entry(scale).or_default() += count;
        }
    }
}

/// True if `x` was beyond the largest number of its block, `v`. `end` is the element format's largest number. Recipes
/// scale in f32, and the rounding of a number at the end does not put the number beyond the end.
fn is_beyond(x: f64, v: f64, end: f64) -> bool {
    f64::from((x.abs() / v.abs() * end) as f32) > end
}

/// The bits of the power of two at or below the magnitude of an f32; zero, infinity and NaN are themselves.
fn power_of(bits: u32) -> u32 {
    let x = f32::from_bits(bits).abs();
    match x.to_bits() {
        _ if x.is_nan() => f32::NAN.to_bits(),
        magnitude if x.is_subnormal() => 1 << magnitude.ilog2(),
        magnitude => magnitude & 0x7f80_0000,
    }
}
