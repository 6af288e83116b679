//! `cvt.rna.tf32.f32`, which works on the bits.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes" on `.rna`; the treatment of NaN was measured.

use crate::explain::Element;
use crate::forms::{Form, Modifier};
use crate::outcome::{NanRule, Outcome};

/// `cvt.rna{.satfinite}.tf32.f32` works on the bits: half a unit is added to the magnitude and what lies
/// below is cut; NaN and infinity take part. `.satfinite` then lowers an all-ones exponent by one unit.
#[inline(always)]
pub(super) fn ties_away(form: &Form, element: &mut Element) {
    const UNIT: u64 = 1 << 13;
    const LARGEST: u64 = 0x7fff_e000;
    let (sign, magnitude) = (element.source & 0x8000_0000, element.source & 0x7fff_ffff);
    let floor = magnitude & !(UNIT - 1);
    let mut result = ((magnitude + UNIT / 2) & !(UNIT - 1)).min(LARGEST);
    if magnitude != floor {
        let away = result > floor;
        element.outcome = if away != (sign != 0) { Outcome::RoundedUp } else { Outcome::RoundedDown };
    }
    if result >= 0x7f80_0000 {
        element.outcome = if magnitude > 0x7f80_0000 {
            Outcome::Nan(NanRule::RoundedAsBits)
        } else if form.has(Modifier::Satfinite) {
            Outcome::Saturated
        } else if magnitude == 0x7f80_0000 {
            Outcome::Exact
        } else {
            Outcome::Overflowed
        };
        if form.has(Modifier::Satfinite) {
            result -= UNIT;
        }
    }
    element.result = sign | result;
}
