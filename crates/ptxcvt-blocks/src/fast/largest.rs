//! The largest magnitude of a whole matrix.

use std::panic::resume_unwind;
use std::thread;

use super::cut::ROW;
use super::rows::{TOGETHER, Tile};
use crate::input::Matrix;
use crate::magnitude::amax;
use crate::options::Options;
use crate::recipe::Recipe;

/// The largest magnitude of a whole matrix, as the bits of an f32.
pub(crate) fn tensor_amax(recipe: &Recipe, matrix: &Matrix<'_>, options: &Options) -> u32 {
    // Starting a thread pays off from a few hundred thousand elements on.
    let threads = options.threads().clamp(1, 1 + matrix.rows() * matrix.columns() / (1 << 18));
    let each = matrix.rows().div_ceil(threads).max(1);
    let parts: Vec<_> = (0..matrix.rows())
        .step_by(each)
        .map(|first| matrix.part(first, matrix.rows().min(first + each)))
        .collect();
    let Some((mine, others)) = parts.split_first() else { return 0 };
    let most = thread::scope(|scope| {
        let others: Vec<_> = others.iter().map(|part| scope.spawn(|| largest_bits(part))).collect();
        let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|e| resume_unwind(e)));
        others.fold(largest_bits(mine), u32::max)
    });
    let most = matrix.input().widen(most);
    if f32::from_bits(most).is_nan() {
        // The recipe's rule for NaN applies element by element.
        let all = (0..matrix.rows()).flat_map(|r| (0..matrix.columns()).map(move |c| matrix.get(r, c)));
        return amax(recipe.amax_nan(), all);
    }
    most
}

/// The largest magnitude as bits of the input's type; NaN is greater than all numbers.
fn largest_bits(matrix: &Matrix<'_>) -> u32 {
    let mut most = [0];
    let mut tile = Tile::new(matrix);
    for first in (0..matrix.rows()).step_by(TOGETHER) {
        let end = matrix.rows().min(first + TOGETHER);
        for start in (0..matrix.columns()).step_by(ROW) {
            let columns = ROW.min(matrix.columns() - start);
            tile.go((first, end), (start, columns));
            (first..end).for_each(|row| tile.row(row).amax(columns, &mut most));
        }
    }
    most[0]
}
