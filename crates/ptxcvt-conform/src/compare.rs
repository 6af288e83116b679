//! Results against the reference, bit for bit, and the deviations that are expected.

use std::num::NonZero;

use ptxcvt::{Form, Format, Modifier, Outcome, Rounding, Value};
use serde::Serialize;

use crate::cases::Block;
use crate::explain;

/// A difference that the documentation names: not a mistake of either side, and counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deviation {
    /// Both results are NaN; the manual leaves open which.
    NanPayload,
    /// `cvt.{rm,rp}.ftz.f16.f32` was seen not to flush subnormal sources on older GPUs.
    NotFlushed,
    /// `cvt.*.ftz.pzo.bf16.f32` left −0: the machine instruction that ptxas 13.5 chooses has no `.PZO`.
    NegativeZero,
}

impl Deviation {
    /// In a sentence.
    pub const fn describe(self) -> &'static str {
        match self {
            Deviation::NanPayload => "another NaN, where the manual leaves its payload open",
            Deviation::NotFlushed => "a subnormal source was not flushed",
            Deviation::NegativeZero => "a negative zero kept its sign",
        }
    }

    /// The deviation that explains why `result` is not the reference's, if one does.
    pub fn of(form: &Form, operands: &[u64], result: u64) -> Option<Deviation> {
        let explanation = form.explain(operands).ok()?;
        if form.destination().lanes() != 1 {
            return None;
        }
        let element = explanation.elements()[0];
        let is_nan = |bits| matches!(element.result_format.decode(bits), Value::Nan { .. });
        if open_payload(form) && matches!(element.outcome, Outcome::Nan(_)) && is_nan(result) {
            return Some(Deviation::NanPayload);
        }
        let without = |modifier: Modifier| {
            let kept = form.modifiers().iter().filter(|m| *m != modifier).collect();
            let (d, s) = (form.destination(), form.source());
            let plain = Form::new(form.opcode(), form.rounding(), kept, d, s)?;
            (plain.eval(operands).ok()? == result).then_some(())
        };
        let directed = matches!(form.rounding(), Some(Rounding::Rm | Rounding::Rp));
        if directed && element.result_format == Format::F16 && element.flushed {
            return without(Modifier::Ftz).map(|()| Deviation::NotFlushed);
        }
        if form.has(Modifier::Ftz) && element.pzo {
            return without(Modifier::Pzo).map(|()| Deviation::NegativeZero);
        }
        None
    }
}

/// True where the manual leaves the payload of a NaN result open: conversions between f64 and the 16-bit
/// formats, f64 to f32, and bf16 to f32 without `.ftz`.
pub fn open_payload(form: &Form) -> bool {
    match (form.source().format(), form.destination().format()) {
        (Format::F64, Format::F32 | Format::F16 | Format::Bf16) => true,
        (Format::F16 | Format::Bf16, Format::F64) => true,
        (Format::Bf16, Format::F32) => !form.has(Modifier::Ftz),
        _ => false,
    }
}

/// One result that is not the reference's.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// The operands in PTX order.
    pub operands: Vec<u64>,
    /// What the reference returns.
    pub reference: u64,
    /// What was found instead.
    pub found: u64,
    /// What the reference did, element by element.
    pub explanation: Vec<String>,
}

/// So many differences are kept for the report.
pub const EXAMPLES: usize = 10;

/// What a comparison found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tally {
    /// Results compared.
    pub inputs: u64,
    /// Results that differ and that no deviation explains.
    pub differences: u64,
    /// Results that differ as a [`Deviation`] says.
    pub deviations: u64,
    /// Which deviations those are.
    pub kinds: Vec<Deviation>,
    /// The first differences.
    pub examples: Vec<Difference>,
}

impl Tally {
    /// Adds what a later part of the comparison found.
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
        // The operand count is the form's own: `Block` and the vector reader see to that.
        let Ok(reference) = form.eval(operands) else { return };
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

/// Compares the results of a block's rows with the reference, on every core.
pub fn compare(block: &Block, results: &[u64]) -> Tally {
    let form = block.form();
    let parts = in_parallel(results.len(), |rows| {
        let mut tally = Tally::default();
        for row in rows {
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
    let parts = in_parallel(block.rows(), |rows| {
        rows.map(|row| form.eval(block.row(row)).unwrap_or_default()).collect::<Vec<_>>()
    });
    parts.concat()
}

/// Splits `0..rows` into a range per core and returns what `work` made of each, in order.
fn in_parallel<T: Send>(rows: usize, work: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let part = rows.div_ceil(cores).max(4096);
    let ranges = (0..rows).step_by(part).map(|start| start..rows.min(start + part));
    std::thread::scope(|scope| {
        let handles: Vec<_> = ranges.map(|range| scope.spawn(|| work(range))).collect();
        let join = |handle: std::thread::ScopedJoinHandle<T>| match handle.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        handles.into_iter().map(join).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviation(opcode: &str, operands: &[u64], result: u64) -> Option<Deviation> {
        let form: Form = opcode.parse().unwrap();
        assert_ne!(form.eval(operands).unwrap(), result, "{opcode} deviates");
        Deviation::of(&form, operands, result)
    }

    #[test]
    fn nan_payloads_that_the_manual_leaves_open() {
        let nan = 0xfff1_2345_6789_abcd;
        assert_eq!(deviation("cvt.rn.f32.f64", &[nan], 0x7fff_ffff), Some(Deviation::NanPayload));
        assert_eq!(deviation("cvt.rz.f16.f64", &[nan], 0x7fff), Some(Deviation::NanPayload));
        assert_eq!(deviation("cvt.f64.bf16", &[0x7f81], 0x7fff_ffff_ffff_ffff), Some(Deviation::NanPayload));
        assert_eq!(deviation("cvt.f32.bf16", &[0x7f81], 0x7fff_ffff), Some(Deviation::NanPayload));
        // A number is no NaN, and a canonical NaN is not open.
        assert_eq!(deviation("cvt.rn.f32.f64", &[nan], 0x7f80_0000), None);
        assert_eq!(deviation("cvt.rn.f32.f64", &[0x3ff0_0000_0000_0000], 0x7fff_ffff), None);
        assert_eq!(deviation("cvt.rn.f16.f32", &[0x7fc0_0000], 0x7e00), None);
        assert_eq!(deviation("cvt.ftz.f32.bf16", &[0x7f81], 0x7fc1_0000), None);
    }

    #[test]
    fn flushing_that_older_gpus_leave_out() {
        assert_eq!(deviation("cvt.rp.ftz.f16.f32", &[1], 1), Some(Deviation::NotFlushed));
        assert_eq!(deviation("cvt.rm.ftz.sat.f16.f32", &[1], 2), None);
        assert_eq!(deviation("cvt.rn.ftz.f16.f32", &[1], 1), None);
        assert_eq!(deviation("cvt.rp.ftz.f16.f32", &[0x3f80_0000], 0x3c01), None);
    }

    #[test]
    fn negative_zero_that_pzo_should_have_taken() {
        assert_eq!(
            deviation("cvt.rn.ftz.pzo.bf16.f32", &[0x8000_0000], 0x8000),
            Some(Deviation::NegativeZero)
        );
        assert_eq!(deviation("cvt.rn.pzo.bf16.f32", &[0x8000_0000], 0x8000), None);
    }

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
