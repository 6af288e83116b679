//! Conversions that search their elements for NaN and infinity.

use super::chain::{Chain, ChainArray};
use super::column::Column;
use super::error::BulkError;
use super::memory::fill_caches;
use super::non_finite::NonFinite;
use ptxcvt::Format;
use ptxcvt_parallel::{each_part, thread_count};

impl Chain {
    /// Like [`run_on`](Self::run_on); returns true if NaN or infinity is among the elements.
    ///
    /// Elements are searched shortly before or after they are converted, or by the kernel that converts them.
    ///
    /// ```
    /// use ptxcvt_bulk::{Chain, ChainArray, Spread};
    /// let chain = Chain::new(&["cvt.rzi.s8.f32".parse()?]);
    /// let run = |elements: [f32; 2]| {
    ///     let (elements, mut result) = (elements.map(f32::to_le_bytes).concat(), [0; 2]);
    ///     let (elements, result, spread) = (&elements[..], &mut result[..], Spread::default());
    ///     chain.run_watched(ChainArray { elements, extras: &[], result, spread, first: 0 }, 1)
    /// };
    /// assert!(!run([1.0, 1e30])?);
    /// assert!(run([1.0, f32::NAN])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`run`](Self::run).
    pub fn run_watched(&self, array: ChainArray<'_>, threads: usize) -> Result<bool, BulkError> {
        /// Elements that are searched and then converted: few enough to stay in the first-level cache in between or, of an
        /// array that comes from memory, in the second-level cache, so that prefetching is seldom interrupted.
        const NEAR: usize = 1 << 12;
        const FAR: usize = 1 << 15;
        /// The bytes of an array that comes from memory.
        const LARGE: usize = 1 << 20;
        let ChainArray { elements, extras, result, spread, first } = array;
        let format = self.ends().0.source().format();
        let width = format.storage() as usize / 8;
        let piece = if elements.len() < LARGE { NEAR } else { FAR };
        let count = elements.len().checked_div(width).unwrap_or(0);
        let in_bits = (result.len() * 8).checked_div(count).unwrap_or(0);
        let fits = in_bits > 0 && count * width == elements.len() && count * in_bits == result.len() * 8;
        if thread_count(threads) != 1
            || !fits
            || extras.iter().flatten().any(|e| matches!(e, Column::Bytes(_)))
        {
            let found = has_non_finite(format, elements, threads);
            self.run_on(ChainArray { elements, extras, result, spread, first }, threads)?;
            return Ok(found);
        }
        let plain = extras.iter().all(Option::is_none);
        let cold = fill_caches(elements.len() + result.len());
        let pieces = elements.chunks(piece * width).zip(result.chunks_mut(piece * in_bits / 8));
        pieces.enumerate().try_fold(false, |found, (number, (elements, result))| {
            if plain {
                if let Some(doubtful) = self.run_reporting(elements, result, cold) {
                    return Ok(found || doubtful && has_non_finite(format, elements, 1));
                }
            }
            let found = found || has_non_finite(format, elements, 1);
            let first = first + (number * piece) as u64;
            self.run(ChainArray { elements, extras, result, spread, first })?;
            Ok(found)
        })
    }
}

/// True if NaN or infinity is among the elements; searches on up to `threads` threads, 0 meaning one for each core.
fn has_non_finite(format: Format, elements: &[u8], threads: usize) -> bool {
    /// The smallest part of a thread, so that starting the thread costs little in comparison.
    const LEAST: usize = 1 << 20;
    let found = |part: &[u8]| !NonFinite::count(format, part, 0).is_empty();
    let part = elements.len().div_ceil(thread_count(threads)).next_multiple_of(LEAST);
    if part >= elements.len() {
        return found(elements);
    }
    each_part(elements.chunks(part), found).contains(&true)
}
