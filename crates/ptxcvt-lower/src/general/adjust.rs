//! Adjusts sources before they are rounded: `.ftz`, `.scaled`, rounding to an integral value.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes" and the notes on `scale-factor`.

use ptxcvt::formats::Kind;
use ptxcvt::forms::Role;
use ptxcvt::{Form, Format, Modifier, Rounding, Scale};

use super::widen::exponent_to_f32;
use super::writer::{Writer, hex, placeholder};

/// Applies the form's modifiers to each element before it is rounded; `None` if they are not implemented.
pub(super) fn elements(out: &mut Writer, form: Form, elements: &mut [String]) -> Option<()> {
    let to_integral = form.rounding().filter(|r| r.is_integer() && !form.destination().format().is_integer());
    let moves_bf16 = form.source().format() == Format::Bf16 && form.destination() == form.source();
    if !scales_exactly(form) || to_integral.is_some() && !moves_bf16 {
        return None;
    }
    let multiplies = form.conversion().rules().scale == Scale::Multiply;
    let scales = scales(out, form);
    for (lane, x) in elements.iter_mut().enumerate() {
        out.lane(form, lane);
        // Before a division by an n1 scale they become +0 instead, below.
        if form.has(Modifier::Ftz) && !form.has(Modifier::ScaledN1) {
            out.note("flushed to zero where it is subnormal");
            *x = out.b32("x", "cvt.ftz.f32.f32", &[x]);
        }
        if form.has(Modifier::ScaledN1) {
            *x = without_subnormals(out, form.source().format(), x);
        }
        if let Some(scale) = scales.get(lane.min(scales.len().wrapping_sub(1))) {
            // Bits lost below 2^-149 are below every boundary of the destination. Rounding towards zero keeps numbers
            // beyond the range of f32 finite.
            out.note(if multiplies { "times the scale" } else { "divided by the scale" });
            *x = out.b32("x", if multiplies { "mul.rn.f32" } else { "mul.rz.f32" }, &[x, scale]);
        }
        if let Some(rounding) = to_integral {
            out.note("rounded to an integral value");
            *x = out.b32("x", &format!("cvt.{}.f32.f32", rounding.name()), &[x]);
        }
    }
    out.whole();
    Some(())
}

/// True if the product with a scale in f32 keeps all bits that the rounding depends on, or if there is no scale.
fn scales_exactly(form: Form) -> bool {
    let (source, destination) = (form.source().format(), form.destination().format());
    let rounding = form.rounding().unwrap_or(Rounding::Rn);
    match form.conversion().rules().scale {
        Scale::None => true,
        // Few bits times a power of two. A product beyond f32 becomes infinity, as to nearest.
        Scale::Multiply => source.storage() <= 8 && rounding == Rounding::Rn,
        // Other roundings depend on bits below 2^-149, and so do the formats with f32's exponents.
        Scale::Divide => {
            let narrow = matches!(destination.parameters().kind, Kind::Float { .. } | Kind::Fixed { .. });
            let nearest_or_zero = matches!(rounding, Rounding::Rn | Rounding::Rz);
            narrow && destination.storage() <= 8 && nearest_or_zero && source != Format::F64
        }
        _ => false,
    }
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
        if form.conversion().rules().scale == Scale::Multiply {
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
