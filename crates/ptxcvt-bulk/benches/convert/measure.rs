//! The clock: contenders take turns, so that a busy machine disturbs them alike.

use std::hint::black_box;
use std::time::Instant;

/// A conversion or a copy of a whole slice.
pub type Contender<'a> = Box<dyn FnMut(&[u8], &mut [u8]) + 'a>;

/// The least time of each contender for one pass. The contenders take turns for `rounds` rounds of `passes`
/// passes.
pub fn measure(
    contenders: &mut [Contender<'_>],
    source: &[u8],
    target: &mut [u8],
    elements: usize,
    (rounds, passes): (usize, usize),
) -> Vec<f64> {
    let large = elements > 1 << 20;
    let mut best = vec![f64::INFINITY; contenders.len()];
    for _ in 0..rounds {
        for (contender, best) in contenders.iter_mut().zip(&mut best) {
            if !large {
                contender(black_box(source), black_box(&mut target[..])); // refills the caches
            }
            let start = Instant::now();
            for _ in 0..passes {
                contender(black_box(source), black_box(&mut target[..]));
            }
            *best = best.min(start.elapsed().as_secs_f64() / passes as f64);
        }
    }
    best
}
