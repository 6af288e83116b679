//! How `rbits` and scales come to the elements.

use crate::bulk::arch::generic::random::{Fields4, Fields8, FieldsF16, Philox, ScaleTwice};
use crate::bulk::arch::{Need, hand_written};
use crate::bulk::stage::{Stage, stage};
use crate::bulk::tier::Tier;
use crate::formats::Format;
use crate::forms::{Form, Modifier};
use crate::round::Rounding;

/// What makes an operand that is not an element, instruction by instruction.
#[derive(Clone, Copy)]
pub(in crate::bulk) struct Extra {
    /// Turns the operand into one random field or scale for each element; `None` where it is that already.
    pub spread: Option<Stage>,
    /// Makes Philox words, four from each counter.
    pub philox: Stage,
    /// Bytes of the operand.
    pub operand: usize,
    /// Bytes for one element.
    pub element: usize,
}

impl Extra {
    /// For the forms that have such an operand; `spread` where the kernel does not see to it itself.
    pub(super) fn new(form: &Form, tier: Tier, spread: bool) -> Option<Extra> {
        let philox = || hand_written(tier, Need::Philox).unwrap_or(stage::<Philox>(tier));
        if form.rounding() == Some(Rounding::Rs) {
            let spread = match form.destination().format() {
                _ if !spread => None,
                Format::F16 => Some(stage::<FieldsF16>(tier)),
                Format::Bf16 => None,
                Format::E2m1 => Some(stage::<Fields4>(tier)),
                _ => Some(stage::<Fields8>(tier)),
            };
            return Some(Extra { spread, philox: philox(), operand: 4, element: 2 });
        }
        if form.has(Modifier::ScaledN1) {
            let spread = spread.then(|| stage::<ScaleTwice>(tier));
            return Some(Extra { spread, philox: philox(), operand: 1, element: 1 });
        }
        form.has(Modifier::ScaledN2).then(|| Extra { spread: None, philox: philox(), operand: 2, element: 1 })
    }
}
