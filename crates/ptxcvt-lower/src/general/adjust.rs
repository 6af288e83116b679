//! Adjusts sources before they are rounded: `.ftz`, `.scaled`, rounding to an integral value.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes" and the notes on `scale-factor`.

use ptxcvt::forms::Role;
use ptxcvt::{Form, Format, Modifier, Rounding, Scale};

use super::widen::exponent_to_f32;
use super::writer::{Writer, hex, placeholder};

/// Applies the form's modifiers to each element before it is rounded.
pub(super) fn elements(out: &mut Writer, form: Form, elements: &mut [String]) {
    let scales = scales(out, form);
    for (lane, x) in elements.iter_mut().enumerate() {
        out.lane(form, lane);
        if form.has(Modifier::Ftz) {
            out.note("flushed to zero where it is subnormal");
            *x = out.b32("x", "cvt.ftz.f32.f32", &[x]);
        }
        if form.has(Modifier::ScaledN1) {
            *x = without_subnormals(out, form.source().format(), x);
        }
        if let Some(scale) = scales.get(lane.min(scales.len().wrapping_sub(1))) {
            // Bits lost below 2^-149 are below every boundary of the destination. Rounding towards zero keeps numbers
            // beyond the range of f32 finite.
            let up = form.destination().format() == Format::Bf16;
            out.note(if up { "times the scale" } else { "divided by the scale" });
            *x = out.b32("x", if up { "mul.rn.f32" } else { "mul.rz.f32" }, &[x, scale]);
        }
        if let (Format::Bf16, Some(rounding)) = (form.source().format(), form.rounding()) {
            if form.destination() == form.source() && rounding.is_integer() {
                out.note("rounded to an integral value");
                *x = out.b32("x", &format!("cvt.{}.f32.f32", rounding.name()), &[x]);
            }
        }
    }
    out.whole();
}

/// The factors of `.scaled`, one for all elements or one for each; none without `.scaled`.
fn scales(out: &mut Writer, form: Form) -> Vec<String> {
    if !form.has(Modifier::ScaledN1) && !form.has(Modifier::ScaledN2) {
        return Vec::new();
    }
    out.whole();
    let operand = placeholder(form, Role::ScaleFactor);
    let wide = out.b32("scale", "cvt.u32.u16", &[&operand]);
    let count = if form.has(Modifier::ScaledN1) { 1 } else { form.lanes() as usize };
    let mut factors = Vec::new();
    for lane in 0..count {
        if count > 1 {
            out.lane(form, lane);
        }
        out.note("the scale as f32: 2^(127 - scale) divides, 2^(scale - 127) multiplies; 255 is NaN");
        let code = out.b32("code", "bfe.u32", &[&wide, &hex(byte_of(form, lane) * 8), "8"]);
        if form.conversion().scaling() == Scale::Multiply {
            let moved = out.b32("at", "shl.b32", &[&code, "23"]);
            factors.push(exponent_to_f32(out, &moved));
            continue;
        }
        // 254 - 255 wraps to the exponent of all ones, which is made NaN; 254 - 254 gives 2^-127.
        let inverse = out.b32("inv", "sub.u32", &["254", &code]);
        let moved = out.b32("at", "shl.b32", &[&inverse, "23"]);
        factors.push(exponent_to_f32(out, &moved));
    }
    out.whole();
    factors
}

/// The byte of the operand that scales an element, found by evaluating the form.
fn byte_of(form: Form, lane: usize) -> u32 {
    let mut operands = vec![0; form.source_count()];
    *operands.last_mut().expect("the scale is the last operand") = 0x0100;
    let explained = form.explain(&operands).expect("one value for each operand");
    let scale = explained.elements()[lane].scale;
    u32::from(scale == Some(1))
}

/// Replaces a subnormal source by +0, as a division by an n1 scale does.
fn without_subnormals(out: &mut Writer, source: Format, x: &str) -> String {
    out.note("+0 where the source is subnormal");
    let magnitude = out.b32("mag", "and.b32", &[x, "0x7fffffff"]);
    let least = Format::F32.encode(source.decode(source.min_normal()), Rounding::Rn);
    let below = out.b32("below", "sub.u32", &[&magnitude, "1"]);
    let subnormal = out.pred("tiny", "setp.lt.u32", &[&below, &hex(least - 1)]);
    out.b32("x", "selp.b32", &["0", x, &subnormal])
}
