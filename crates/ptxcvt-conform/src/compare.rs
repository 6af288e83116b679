//! Compares results with the reference, bit for bit, and recognises expected deviations.

use std::ops::Range;

use ptxcvt::Form;
use serde::Serialize;

use crate::cases::Block;
use crate::deviations::values::Deviation;
use crate::explain;

/// A result that differs from the reference's.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// The operands in PTX order.
    pub operands: Vec<u64>,
    /// The reference's result.
    pub reference: u64,
    /// The result that was found.
    pub found: u64,
    /// The steps of the reference, element by element.
    pub explanation: Vec<String>,
}

/// The maximum number of differences in the report.
pub const EXAMPLES: usize = 10;

/// The result of a comparison.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tally {
    /// The number of compared results.
    pub inputs: u64,
    /// The number of results that differ without a known deviation.
    pub differences: u64,
    /// The number of results whose difference a [`Deviation`] describes.
    pub deviations: u64,
    /// These deviations.
    pub kinds: Vec<Deviation>,
    /// The first differences.
    pub examples: Vec<Difference>,
}

impl Tally {
    /// Adds the results of a later part of the comparison.
    pub fn add(&mut self, other: Tally) {
        self.inputs += other.inputs;
        self.differences += other.differences;
        self.deviations += other.deviations;
        for kind in other.kinds {
            if !self.kinds.contains(&kind) {
                self.kinds.push(kind);
            }
        }
        let room = EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.into_iter().take(room));
    }

    fn count(&mut self, form: &Form, operands: &[u64], found: u64) {
        self.inputs += 1;
        let reference = form.eval(operands).expect("a row has an entry for each operand of the form");
        if reference == found {
            return;
        }
        if let Some(kind) = Deviation::of(form, operands, found) {
            self.deviations += 1;
            if !self.kinds.contains(&kind) {
                self.kinds.push(kind);
            }
            return;
        }
        self.differences += 1;
        if self.examples.len() < EXAMPLES {
            let explanation = explain::elements(form, operands);
            self.examples.push(Difference { operands: operands.to_vec(), reference, found, explanation });
        }
    }
}

/// The number of rows that a thread takes at a time.
const ROWS: usize = 1 << 14;

/// Compares the results of a block's rows with the reference, on every core.
pub fn compare(block: &Block, results: &[u64]) -> Tally {
    let form = block.form();
    let parts = ptxcvt_parallel::map(&parts(results.len()), |rows| {
        let mut tally = Tally::default();
        for row in rows.clone() {
            tally.count(&form, block.row(row), results[row]);
        }
        tally
    });
    let mut tally = Tally::default();
    parts.into_iter().for_each(|part| tally.add(part));
    tally
}

/// The reference's results for a block's rows, on every core.
pub fn reference(block: &Block) -> Vec<u64> {
    let form = block.form();
    let eval = |row| form.eval(block.row(row)).expect("a row has an entry for each operand of the form");
    ptxcvt_parallel::map(&parts(block.rows()), |rows| rows.clone().map(eval).collect::<Vec<_>>()).concat()
}

/// The rows in parts.
fn parts(rows: usize) -> Vec<Range<usize>> {
    (0..rows).step_by(ROWS).map(|start| start..rows.min(start + ROWS)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_examples_and_every_difference_counted() {
        let mut block = Block::new("cvt.u32.u8".parse().unwrap());
        (0..100).for_each(|n| block.push(&[n]));
        let mut results = reference(&block);
        results.iter_mut().skip(50).for_each(|r| *r ^= 1);
        let tally = compare(&block, &results);
        assert_eq!((tally.inputs, tally.differences, tally.examples.len()), (100, 50, 10));
        assert_eq!((tally.examples[0].operands[0], tally.examples[0].found), (50, 51));
    }
}
