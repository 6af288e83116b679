//! The largest magnitude of a whole matrix, or of each of its rows.

use ptxcvt_parallel::each_part;

use super::cut::ROW;
use super::rows::{TOGETHER, Tile};
use crate::input::Matrix;
use crate::magnitude::amax;
use crate::options::Options;
use crate::recipe::Recipe;
use crate::reference::Rows;

/// The largest magnitude of a whole matrix or of each row, as the bits of f32 numbers.
pub(crate) fn largest(recipe: &Recipe, matrix: &Matrix<'_>, wanted: Rows, options: &Options) -> Vec<u32> {
    // Starting a thread pays off from a few hundred thousand elements on.
    let threads = options.threads().clamp(1, 1 + matrix.rows() * matrix.columns() / (1 << 18));
    let each = matrix.rows().div_ceil(threads).max(1);
    let most = match threads {
        1 => largest_bits(matrix, wanted),
        _ => on_threads(matrix, wanted, each),
    };
    let widen = |bits| matrix.input().widen(bits);
    // If the largest bits are NaN, the recipe's rule for NaN applies element by element.
    let is_nan = |bits: u32| f32::from_bits(bits).is_nan();
    let row = |r: usize| (0..matrix.columns()).map(move |c| matrix.get(r, c));
    let most = most.into_iter();
    match wanted {
        Rows::Together => match widen(most.max().unwrap_or(0)) {
            bits if is_nan(bits) => vec![amax(recipe.amax_nan(), (0..matrix.rows()).flat_map(row))],
            bits => vec![bits],
        },
        Rows::Apart => most
            .map(widen)
            .enumerate()
            .map(|(r, bits)| if is_nan(bits) { amax(recipe.amax_nan(), row(r)) } else { bits })
            .collect(),
    }
}

/// The largest magnitudes of parts of `each` rows, one thread for each part.
fn on_threads(matrix: &Matrix<'_>, wanted: Rows, each: usize) -> Vec<u32> {
    let rows = matrix.rows();
    let parts = (0..rows).step_by(each).map(|first| matrix.part(first, rows.min(first + each)));
    each_part(parts, |part| largest_bits(&part, wanted)).concat()
}

/// The largest magnitudes as bits of the input's type; NaN is greater than all numbers.
fn largest_bits(matrix: &Matrix<'_>, wanted: Rows) -> Vec<u32> {
    let mut most = vec![0; if wanted == Rows::Apart { matrix.rows() } else { 1 }];
    let mut tile = Tile::new(matrix);
    for first in (0..matrix.rows()).step_by(TOGETHER) {
        let end = matrix.rows().min(first + TOGETHER);
        for start in (0..matrix.columns()).step_by(ROW) {
            let columns = ROW.min(matrix.columns() - start);
            tile.go((first, end), (start, columns));
            for row in first..end {
                let at = if wanted == Rows::Apart { row } else { 0 };
                tile.row(row).amax(columns, &mut most[at..=at]);
            }
        }
    }
    most
}
