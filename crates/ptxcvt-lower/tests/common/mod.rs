//! Compares a lowering with the form that it computes.

use ptxcvt::Value;
use ptxcvt::inputs::{self, SplitMix64};
use ptxcvt_exec::lanes::{LANES, Program};
use ptxcvt_lower::Lowering;

/// The first input on which the lowering breaks its contract, among the edge lattice (for up to 16 bits, every
/// `stride`-th input) and `random` others.
pub fn difference(lowering: &Lowering, random: usize, stride: usize) -> Option<String> {
    let (form, block) = (lowering.form(), lowering.block());
    let count = form.source_count();
    let program = Program::new(block);
    let mut runner = program.runner();
    let result = block.width(block.outputs()[0]);
    // A byte is in a wider register whose upper bits must not matter.
    let narrow: Vec<bool> = form.operands().skip(1).map(|operand| operand.width == 8).collect();
    let mut garbage = SplitMix64::new(7);
    let all = inputs::operands(&form, random, 1).step_by(stride);
    let mut operands = all.filter(|o| holds(lowering, &o[..count])).peekable();
    while operands.peek().is_some() {
        let lanes: Vec<_> = operands.by_ref().take(LANES).collect();
        for n in 0..count {
            let mut above = || if narrow[n] { garbage.next_u64() << 8 } else { 0 };
            runner.set(n, |lane| lanes.get(lane).map_or(0, |given| given[n] | above()));
        }
        runner.run();
        for (lane, given) in lanes.iter().enumerate() {
            let wanted = form.eval(&given[..count]).unwrap();
            let got = runner.get(0, lane);
            if got != form.extend(wanted, result) && !same_up_to_nan(lowering, wanted, got) {
                return Some(format!("{:x?}: {got:#x}, not {wanted:#x}", &given[..count]));
            }
        }
    }
    None
}

/// True of operands of the contract's domain.
fn holds(lowering: &Lowering, operands: &[u64]) -> bool {
    let (form, domain) = (lowering.form(), lowering.contract().domain);
    let source = form.source();
    let numbers = operands.len() - usize::from(form.extra().is_some());
    let elements =
        |bits: u64| (0..source.lanes()).map(move |lane| bits >> (lane * source.format().storage()));
    operands[..numbers].iter().flat_map(|bits| elements(*bits)).all(|e| domain.holds(source.format(), e))
}

/// True if the contract admits other NaN, and the results differ only in NaN.
fn same_up_to_nan(lowering: &Lowering, wanted: u64, got: u64) -> bool {
    let ty = lowering.form().destination();
    let storage = ty.format().storage();
    let is_nan = |code| matches!(ty.format().decode(code), Value::Nan { .. });
    lowering.contract().up_to_nan
        && (0..ty.lanes()).all(|lane| {
            let [a, b] = [wanted, got].map(|bits| bits >> (lane * storage) & (u64::MAX >> (64 - storage)));
            a == b || (is_nan(a) && is_nan(b))
        })
}
