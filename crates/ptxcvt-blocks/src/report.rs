//! Statistics of a quantised matrix: the errors of its numbers, and its scales.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use ptxcvt::{Format, little_endian};
use ptxcvt_bulk::NonFinite;

use crate::error::BlockError;
use crate::input::Matrix;
use crate::layout;
use crate::options::Quantized;
use crate::recipe::Recipe;
use crate::run::dequantize;

/// Errors and counts of a quantised matrix, or of several that are joined with `+=`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The number of elements.
    pub elements: u64,
    /// The number of elements that are finite in the input and in the output.
    pub finite: u64,
    /// The sum of the squares of the finite elements' errors.
    square_error: f64,
    /// The sum of the squares of the finite elements.
    square: f64,
    /// The largest magnitude of a finite element's error.
    largest_error: f64,
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
    /// The number of finite elements that became NaN or infinity.
    pub became_nan: u64,
    /// The number of blocks with each scale, by code or, for f32, by the bits of the power of two at or below it;
    /// infinity and NaN are counted by themselves.
    pub scales: BTreeMap<u32, u64>,
}

/// Errors of an array whose elements were finite and stayed finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// The mean of the squares of the errors.
    pub mean_square: f64,
    /// The largest magnitude of an error.
    pub largest: f64,
    /// The ratio of signal to error in decibels; infinite if there is no error.
    pub snr_db: f64,
}

impl Errors {
    /// The errors of an array of `elements`. `finite`: how many were finite before and after. `square`: the sum of
    /// their squares. `square_error`: the sum of the squares of their errors. `largest`: the largest error.
    ///
    /// `None` if the array is empty, or if an element was or became NaN or infinity: the errors are then undefined.
    pub fn of(elements: u64, finite: u64, square: f64, square_error: f64, largest: f64) -> Option<Errors> {
        (elements > 0 && finite == elements).then(|| Errors {
            mean_square: square_error / elements as f64,
            largest,
            // Without any error the ratio is infinite, even for 0 to 0.
            snr_db: match square_error {
                0.0 => f64::INFINITY,
                error => 10.0 * (square / error).log10(),
            },
        })
    }
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
        let mut report = Report {
            elements: (rows * columns) as u64,
            blocks: (scale_rows * scale_columns) as u64,
            ..Report::default()
        };
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
                report.became_nan += u64::from(x.is_finite() && !v.is_finite());
                report.became_zero += u64::from(x != 0.0 && v == 0.0);
                let is_largest = code & !sign == largest;
                report.saturated += u64::from(is_largest && v.is_finite() && is_beyond(x, v, end));
                if x.is_finite() && v.is_finite() {
                    report.finite += 1;
                    report.square += x * x;
                    report.square_error += (x - v) * (x - v);
                    report.largest_error = report.largest_error.max((x - v).abs());
                }
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

    /// The errors, or `None` if they are [undefined](Errors::of).
    pub fn errors(&self) -> Option<Errors> {
        Errors::of(self.elements, self.finite, self.square, self.square_error, self.largest_error)
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
        self.elements += other.elements;
        self.finite += other.finite;
        self.square_error += other.square_error;
        self.square += other.square;
        self.largest_error = self.largest_error.max(other.largest_error);
        self.blocks += other.blocks;
        self.finite_blocks += other.finite_blocks;
        self.exact_blocks += other.exact_blocks;
        self.saturated += other.saturated;
        self.became_zero += other.became_zero;
        self.non_finite += other.non_finite;
        self.became_nan += other.became_nan;
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
