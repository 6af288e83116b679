//! One array on several threads. The result does not depend on their number.

use std::thread;
use std::vec::Vec;

use super::array::Array;
use super::column::Column;
use super::error::BulkError;
use super::plan::Plan;

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
        let threads = match threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        let (from, to) = self.array_widths(array.spread);
        let count = array.elements.len() * 8 / from;
        let lanes = self.elements_per_instruction();
        let phase = (array.first % lanes as u64) as usize;
        let per_thread = count.div_ceil(threads.max(1)).max(LEAST).next_multiple_of(LEAST);
        // `run_array` reports lengths that do not fit. Parts must start with whole instructions.
        if threads < 2 || count <= per_thread || phase != 0 || array.result.len() != count * to / 8 {
            return self.run_array(array);
        }
        let Array { mut elements, extra, mut result, spread, mut first } = array;
        let width = self.form().extra().map_or(1, |operand| operand.width as usize / 8);
        let wanted = count.div_ceil(lanes) * width;
        if extra
            .and_then(Column::raw)
            .is_some_and(|(bytes, bits)| bytes.len() != wanted || bits != 0 && bits as usize != 8 * width)
        {
            return self.run_array(Array { elements, extra, result, spread, first });
        }
        let mut parts = Vec::new();
        let mut begun = 0;
        while !elements.is_empty() {
            let n = per_thread.min(elements.len() * 8 / from);
            let (mine, rest) = elements.split_at(n * from / 8);
            let (into, others) = result.split_at_mut(n * to / 8);
            let extra = extra.map(|column| match column {
                // The generator counts from `first`.
                Column::Random { .. } => column,
                _ => column.part(begun, n.div_ceil(lanes), width),
            });
            parts.push(Array { elements: mine, extra, result: into, spread, first });
            (elements, result, first, begun) = (rest, others, first + n as u64, begun + n / lanes);
        }
        thread::scope(|scope| {
            let last = parts.pop();
            let others: Vec<_> =
                parts.into_iter().map(|part| scope.spawn(move || self.run_array(part))).collect();
            let mut outcome = last.map_or(Ok(()), |part| self.run_array(part));
            for other in others {
                // Propagates a panic of another thread.
                outcome = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).and(outcome);
            }
            outcome
        })
    }
}
