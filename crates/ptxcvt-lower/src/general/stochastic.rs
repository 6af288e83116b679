//! `.rs`: adds an element's random field to the bits that are discarded.
//!
//! PTX ISA section 9.7.9.21, "Random bits `rbits` semantics for `.rs` rounding".

use ptxcvt::Form;
use ptxcvt::forms::Role;

use super::float::Float;
use super::writer::{Writer, hex, placeholder};

/// An element's random field and its number of bits.
///
/// The field consists of bytes of `rbits` in some order, perhaps with the bits reversed. Evaluating the form shows which.
pub(super) fn field(out: &mut Writer, form: Form, lane: usize) -> (String, u32) {
    let (sources, bits) = sources(form, lane);
    let reversed = sources[0] > sources[1];
    let straight: Vec<u32> = if reversed { sources.into_iter().rev().collect() } else { sources };
    let bytes = straight.chunks(8).map(|bits| bits[0] / 8);
    // From byte 4 on, `prmt` picks from the second operand, which is 0.
    let selector = bytes.chain(std::iter::repeat(4)).take(4).enumerate();
    let selector = selector.fold(0, |selector, (at, byte)| selector | byte << (4 * at));
    out.note(if reversed { "its random bits, reversed" } else { "its random bits" });
    let rbits = placeholder(form, Role::RandomBits);
    let mut field = out.b32("rnd", "prmt.b32", &[&rbits, "0", &hex(selector)]);
    if reversed {
        field = out.b32("rnd", "brev.b32", &[&field]);
        field = out.b32("rnd", "shr.u32", &[&field, &hex(32 - bits)]);
    } else if bits % 8 != 0 {
        field = out.b32("rnd", "and.b32", &[&field, &hex(ptxcvt::mask(bits))]);
    }
    (field, bits)
}

/// For each bit of the field, the lowest first, its bit in `rbits`.
pub(crate) fn sources(form: Form, lane: usize) -> (Vec<u32>, u32) {
    let mut operands = vec![0; form.source_count()];
    let mut random = |rbits: u32| {
        *operands.last_mut().expect("`rbits` is the last operand") = rbits.into();
        let explained = form.explain(&operands).expect("one value for each operand");
        explained.elements()[lane].random.expect("`.rs` has random bits")
    };
    let bits = random(0).bits;
    let from =
        (0..bits).map(|bit| (0..32).find(|at| random(1 << at).value == 1 << bit).expect("a bit of `rbits`"));
    (from.collect(), bits)
}

/// The code of a magnitude in a format with fewer exponents than f32.
pub(super) fn small(out: &mut Writer, form: Form, lane: usize, magnitude: &str, float: Float) -> String {
    let (field, bits) = field(out, form, lane);
    let cut = 23 - float.fraction;
    out.note("its binade, or the least one");
    let own = out.b32("own", "shr.u32", &[magnitude, "23"]);
    let binade = out.b32("bin", "max.u32", &[&own, &hex(float.least())]);
    out.note("as many discarded bits as are random, below the last place");
    let fraction = out.b32("sig", "and.b32", &[magnitude, "0x7fffff"]);
    // A subnormal f32 is so small that the hidden bit it should not have is shifted out.
    let significand = out.b32("sig", "or.b32", &[&fraction, "0x800000"]);
    let mut shift = out.b32("shift", "sub.u32", &[&binade, &own]);
    if cut > bits {
        shift = out.b32("shift", "add.u32", &[&shift, &hex(cut - bits)]);
    }
    let steps = out.b32("steps", "shr.u32", &[&significand, &shift]);
    out.note("plus the random bits, cut off; then the code");
    let steps = out.b32("steps", "add.u32", &[&steps, &field]);
    let steps = out.b32("steps", "shr.u32", &[&steps, &hex(bits)]);
    let above = out.b32("base", "sub.u32", &[&binade, &hex(float.least())]);
    let base = out.b32("base", "shl.b32", &[&above, &hex(float.fraction)]);
    out.b32("c", "add.u32", &[&base, &steps])
}
