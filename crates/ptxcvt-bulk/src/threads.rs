//! One array on several threads. The result does not depend on their number.

use std::vec::Vec;

use super::array::Array;
use super::chain::{Chain, ChainArray, MOST_LANES, Spread};
use super::column::Column;
use super::error::BulkError;
use super::plan::Plan;
use ptxcvt_parallel::{each_part, thread_count};

/// The minimum number of elements for a thread, so that starting it costs little in comparison. Parts are
/// multiples of it, so that they start with whole instructions and bytes.
const LEAST: usize = 1 << 16;

impl Plan {
    /// Like [`run_array`](Self::run_array), on up to `threads` threads; 0 means one for each core.
    ///
    /// ```
    /// use ptxcvt_bulk::{Array, Plan};
    /// let plan = Plan::new("cvt.rn.f16.f32".parse()?);
    /// let (elements, mut result) = (vec![0_u8; 4 << 20], vec![1_u8; 2 << 20]);
    /// let array = Array { elements: &elements, extra: None, result: &mut result, spread: false, first: 0 };
    /// plan.run_array_on(array, 0)?;
    /// assert!(result.iter().all(|byte| *byte == 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`run_array`](Self::run_array).
    pub fn run_array_on(&self, array: Array<'_>, threads: usize) -> Result<(), BulkError> {
        let Array { elements, extra, result, spread, first } = array;
        let (extras, spread) = (&[extra], Spread { source: spread, result: spread });
        Chain::from(*self).run_on(ChainArray { elements, extras, result, spread, first }, threads)
    }
}

impl Chain {
    /// Like [`run`](Self::run), on up to `threads` threads; 0 means one for each core.
    ///
    /// # Errors
    ///
    /// Fails like [`run`](Self::run).
    pub fn run_on(&self, array: ChainArray<'_>, threads: usize) -> Result<(), BulkError> {
        let threads = thread_count(threads);
        let count = self.checked(&array)?;
        let per_thread = count.div_ceil(threads.max(1)).max(LEAST).next_multiple_of(LEAST);
        // Parts must start with whole instructions.
        if threads < 2 || count <= per_thread || array.first % MOST_LANES != 0 {
            return self.run(array);
        }
        let (from, to) = self.widths(array.spread);
        let ChainArray { mut elements, extras, mut result, spread, first } = array;
        let mut parts = Vec::new();
        let mut begun = 0;
        while begun < count {
            let n = per_thread.min(count - begun);
            let (mine, rest) = elements.split_at(n * from / 8);
            let (into, others) = result.split_at_mut(n * to / 8);
            parts.push((mine, self.extras(extras, (first, begun, n)), into, first + begun as u64));
            (elements, result, begun) = (rest, others, begun + n);
        }
        let run = |(elements, extras, result, first): Part<'_>| {
            self.run(ChainArray { elements, extras: &extras, result, spread, first })
        };
        each_part(parts, run).into_iter().collect()
    }
}

/// The elements of a thread, their operands, their results, and the index of the first one.
type Part<'a> = (&'a [u8], Vec<Option<Column<'a>>>, &'a mut [u8], u64);
