//! How far a quantised matrix is from what it was made of.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use ptxcvt::formats::Kind;
use ptxcvt::{Format, Value};

use crate::error::BlockError;
use crate::input::Matrix;
use crate::layout;
use crate::recipe::Recipe;
use crate::run::{Quantized, dequantize};

/// Errors and counts of a quantised matrix, or of several joined with `+=`.
///
/// Errors are over the finite elements that came back finite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Elements.
    pub elements: u64,
    /// Elements that the errors are over.
    pub finite: u64,
    /// The sum of the squares of errors.
    pub square_error: f64,
    /// The sum of the squares of the elements.
    pub square: f64,
    /// The largest magnitude of an error.
    pub largest_error: f64,
    /// Blocks.
    pub blocks: u64,
    /// Blocks all of whose elements came back as they were.
    pub exact_blocks: u64,
    /// Elements beyond the largest number by more than rounding takes away; infinities, too.
    pub saturated: u64,
    /// Elements that are not 0 and became 0.
    pub flushed: u64,
    /// Elements that were NaN.
    pub nan_inputs: u64,
    /// Elements that were numbers and came back as NaN or infinity.
    pub became_nan: u64,
    /// How many blocks have each scale: by code, or, for f32, by the exponent field.
    pub scales: BTreeMap<u32, u64>,
}

impl Report {
    /// Measures.
    ///
    /// # Errors
    ///
    /// As [`dequantize`]; and if the shapes differ.
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
        let beyond = beyond(recipe.element());
        let largest = recipe.element().max_finite() as u8;
        let sign = recipe.element().sign_bit() as u8;
        let mut codes = vec![0; columns];
        let mut inline = vec![0; scale_columns];
        for row in 0..rows {
            let bytes =
                &quantized.data[row * recipe.row_bytes(columns)..(row + 1) * recipe.row_bytes(columns)];
            layout::load_row(recipe.layout(), recipe.element().storage(), bytes, &mut codes, &mut inline);
            for (column, code) in codes.iter().enumerate() {
                let x = f64::from(f32::from_bits(matrix.get(row, column)));
                let v = f64::from(back[row * columns + column]);
                if x != v && !(x.is_nan() && v.is_nan()) {
                    inexact[row / recipe.block().rows * scale_columns + column / recipe.block().columns] =
                        true;
                }
                report.nan_inputs += u64::from(x.is_nan());
                report.became_nan += u64::from(x.is_finite() && !v.is_finite());
                report.flushed += u64::from(x != 0.0 && v == 0.0);
                let is_largest = code & !sign == largest;
                report.saturated += u64::from(is_largest && v.is_finite() && x.abs() > v.abs() * beyond);
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
        report.exact_blocks = inexact.iter().filter(|inexact| !**inexact).count() as u64;
        for scale in quantized.scales.chunks_exact(recipe.scale_bytes().max(1)) {
            let key = match scale {
                [code] => u32::from(*code),
                word => word.iter().rev().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) >> 23 & 0xff,
            };
            *report.scales.entry(key).or_default() += 1;
        }
        Ok(report)
    }

    /// The mean of the squares of errors; 0 of nothing.
    pub fn mean_square_error(&self) -> f64 {
        self.square_error / (self.finite.max(1)) as f64
    }

    /// The ratio of signal to error in decibels: infinite where nothing was lost.
    pub fn snr(&self) -> f64 {
        10.0 * (self.square / self.square_error).log10()
    }

    /// The number that a key of [`scales`](Self::scales) stands for: of an f32, the power of two at or below.
    pub fn scale_value(recipe: &Recipe, key: u32) -> f64 {
        match recipe.scale() {
            Format::F32 => f64::from(f32::from_bits(key << 23)),
            small => small.decode(key.into()).to_f64(),
        }
    }
}

impl AddAssign for Report {
    fn add_assign(&mut self, other: Report) {
        self.elements += other.elements;
        self.finite += other.finite;
        self.square_error += other.square_error;
        self.square += other.square;
        self.largest_error = self.largest_error.max(other.largest_error);
        self.blocks += other.blocks;
        self.exact_blocks += other.exact_blocks;
        self.saturated += other.saturated;
        self.flushed += other.flushed;
        self.nan_inputs += other.nan_inputs;
        self.became_nan += other.became_nan;
        for (scale, count) in other.scales {
            *self.scales.entry(scale).or_default() += count;
        }
    }
}

/// How much larger than the largest number of a format a number may be and still round to it: half a last place.
fn beyond(format: Format) -> f64 {
    let Kind::Float { fraction, .. } = format.parameters().kind else { return 1.0 };
    match format.decode(format.max_finite()) {
        Value::Finite(largest) => {
            let largest = largest.to_f64();
            let place = (largest.log2().floor() - f64::from(fraction)).exp2();
            (largest + place / 2.0) / largest
        }
        _ => 1.0,
    }
}
