//! Compares two recipes on the same matrix: the scales and codes that differ, and the first difference.

use crate::error::BlockError;
use crate::input::Matrix;
use crate::layout;
use crate::options::{Options, Quantized};
use crate::recipe::Recipe;
use crate::run::quantize;

/// The first block in which two recipes differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Row and column of the block, among blocks.
    pub block: (usize, usize),
    /// Row and column, in the matrix, of the block's first element whose codes differ; `None` if only the scales
    /// differ.
    pub element: Option<(usize, usize)>,
}

/// How many scales, codes and bytes of two recipes differ on one matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Counts {
    /// The number of blocks.
    pub scales: usize,
    /// The number of blocks whose scales differ.
    pub scales_differ: usize,
    /// The number of elements.
    pub codes: usize,
    /// The number of elements whose codes differ.
    pub codes_differ: usize,
    /// The number of elements that are zeros of different sign.
    pub zero_signs: usize,
    /// The number of bytes of elements.
    pub bytes: usize,
    /// The number of bytes of elements that differ.
    pub bytes_differ: usize,
}

/// The differences between the bytes of two recipes.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// How many differ.
    pub counts: Counts,
    /// The first difference, in the order of blocks row by row.
    pub first: Option<Difference>,
    /// The global scales that each recipe stores, if a pair of them differs: the first such pair. Recipes can store
    /// different ones, such as a number and its reciprocal, and have the same scales and codes.
    pub global_scales: Option<[Option<f32>; 2]>,
}

impl Counts {
    /// True if all scales and codes are equal.
    pub fn is_equal(&self) -> bool {
        self.scales_differ == 0 && self.codes_differ == 0
    }
}

/// Quantises a matrix with two recipes and compares the results. Each recipe computes its own global scale
/// from the largest magnitude of the matrix.
///
/// ```
/// use ptxcvt_blocks::{Matrix, Options, Recipe, compare};
/// let (up, floor) = (Recipe::named("mx-rceil/e2m1")?, Recipe::named("mx-floor/e2m1")?);
/// let numbers: Vec<f32> = (0..64).map(|i| i as f32).collect();
/// let comparison = compare([&up, &floor], &Matrix::f32(&numbers, 2, 32)?, [&Options::default(); 2])?;
/// assert_eq!((comparison.counts.scales, comparison.counts.scales_differ), (2, 2)); // 31 / 6 and 63 / 6 are above 4 and 8
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails like [`quantize`], for either recipe. Also fails if the recipes have different element formats,
/// blocks or scale formats.
pub fn compare(
    recipes: [&Recipe; 2],
    matrix: &Matrix<'_>,
    options: [&Options; 2],
) -> Result<Comparison, BlockError> {
    let [a, b] = recipes;
    let differences = [
        (a.element() != b.element(), "element formats"),
        (a.block() != b.block(), "blocks"),
        (a.scale() != b.scale(), "scale formats"),
    ];
    if let Some((_, what)) = differences.into_iter().find(|(differ, _)| *differ) {
        return Err(BlockError::Incomparable { recipes: [a.name().into(), b.name().into()], what });
    }
    let made = [quantize(a, matrix, options[0])?, quantize(b, matrix, options[1])?];
    let [one, other] = [Plain::new(a, &made[0]), Plain::new(b, &made[1])];
    let (rows, columns) = one.shape;
    let block = a.block();
    let (scale_rows, scale_columns) = a.scale_shape(rows, columns);
    let width = a.scale().storage() as usize / 8;
    let same_scale =
        |at: usize| one.scales[width * at..width * (at + 1)] == other.scales[width * at..width * (at + 1)];
    let is_zero = |code: u8| a.element().decode(code.into()).to_f64() == 0.0;

    let mut counts = Counts {
        scales: scale_rows * scale_columns,
        scales_differ: (0..scale_rows * scale_columns).filter(|at| !same_scale(*at)).count(),
        codes: one.codes.len(),
        codes_differ: 0,
        zero_signs: 0,
        bytes: made[0].data.len(),
        bytes_differ: made[0].data.iter().zip(&made[1].data).filter(|(x, y)| x != y).count(),
    };
    for (x, y) in one.codes.iter().zip(&other.codes).filter(|(x, y)| x != y) {
        counts.codes_differ += 1;
        counts.zero_signs += usize::from(is_zero(*x) && is_zero(*y));
    }
    let global = |of: &Quantized, at: usize| of.global.get(at).copied();
    let global_scales = (0..made[0].global.len().max(made[1].global.len()))
        .map(|at| [global(&made[0], at), global(&made[1], at)])
        .find(|[a, b]| a.map(f32::to_bits) != b.map(f32::to_bits));
    if counts.is_equal() {
        return Ok(Comparison { counts, first: None, global_scales });
    }
    let first = (0..counts.scales).find_map(|at| {
        let (r, c) = (at / scale_columns * block.rows, at % scale_columns * block.columns);
        let element = (r..rows.min(r + block.rows))
            .flat_map(|r| (c..columns.min(c + block.columns)).map(move |c| (r, c)))
            .find(|(r, c)| one.codes[r * columns + c] != other.codes[r * columns + c]);
        (element.is_some() || !same_scale(at))
            .then(|| Difference { block: (at / scale_columns, at % scale_columns), element })
    });
    Ok(Comparison { counts, first, global_scales })
}

/// Codes in one byte each, and scales in a separate array, for any layout.
struct Plain {
    codes: Vec<u8>,
    scales: Vec<u8>,
    shape: (usize, usize),
}

impl Plain {
    fn new(recipe: &Recipe, quantized: &Quantized) -> Plain {
        let (rows, columns) = quantized.shape;
        let blocks = recipe.scale_shape(1, columns).1;
        let inline = recipe.layout().group().is_some();
        let mut codes = vec![0; rows * columns];
        let mut scales = if inline { vec![0; rows * blocks] } else { quantized.scales.clone() };
        let row_bytes = recipe.row_bytes(columns).max(1);
        for (row, bytes) in quantized.data.chunks(row_bytes).enumerate() {
            let codes = &mut codes[row * columns..(row + 1) * columns];
            let scales = if inline { &mut scales[row * blocks..(row + 1) * blocks] } else { &mut [][..] };
            layout::load_row(recipe.layout(), recipe.element().storage(), bytes, codes, scales);
        }
        Plain { codes, scales, shape: quantized.shape }
    }
}
