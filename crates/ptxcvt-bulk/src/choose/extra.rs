//! Distributes `rbits` and scales to elements.

use crate::arch;
use crate::arch::generic::random::{Fields4, Fields8, FieldsF16, Philox, ScaleTwice};
use crate::stage::{Stage, stage};
use crate::tier::Tier;
use ptxcvt::Rounding;
use ptxcvt::formats::Format;
use ptxcvt::forms::{Form, Modifier};

/// The stages for an operand without elements: `rbits` or a scale.
#[derive(Clone, Copy)]
pub(crate) struct Extra {
    /// Makes one random field or scale for each element of the operands. `None` if the stages read the operands as they are.
    pub spread: Option<Stage>,
    /// Makes Philox words, four from each counter.
    pub philox: Stage,
    /// The bytes of the operand.
    pub operand: usize,
    /// The bytes of the field or scale of one element.
    pub element: usize,
}

impl Extra {
    /// The stages for a form with such an operand. `spread`: the kernel needs one field or scale for each
    /// element.
    pub(super) fn new(form: &Form, tier: Tier, spread: bool) -> Option<Extra> {
        let philox = || arch::philox(tier).unwrap_or_else(|| stage::<Philox>(tier));
        if form.rounding() == Some(Rounding::Rs) {
            let spread = match form.destination().format() {
                _ if !spread => None,
                Format::F16 => Some(stage::<FieldsF16>(tier)),
                Format::Bf16 => None,
                Format::E2m1 => Some(stage::<Fields4>(tier)),
                Format::E4m3 | Format::E5m2 | Format::E2m3 | Format::E3m2 => Some(stage::<Fields8>(tier)),
                other => unreachable!("no stage rounds to {other} with random bits"),
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
