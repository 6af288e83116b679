//! Rounds f32 to the destination: the only rounding of a lowering.
//!
//! PTX ISA sections 6.5.2 (rounding) and 9.7.9.21, "Floating Point Notes" and "Integer Notes".

use ptxcvt::formats::Kind;
use ptxcvt::forms::Role;
use ptxcvt::{Form, Format, Modifier, Modifiers, Rounding, Scale, Type};

use super::finish::{self, Code, Nan, Place};
use super::float::Float;
use super::stochastic;
use super::writer::{Of, Writer, f32_bits, hex, placeholder, power};

/// Converts all elements by the machine's instruction from f32; false if no instruction does all remaining steps.
pub(super) fn whole(out: &mut Writer, form: Form, elements: &[String]) -> bool {
    let (source, destination) = (form.source().format(), form.destination());
    if source == Format::F64 || form.extra().is_some_and(|extra| extra.role == Role::RandomBits) {
        // Conversions from f32 do not keep the payload of an f64 NaN, and they have other fields of random bits.
        return false;
    }
    if source.is_integer() && source.bits() > 16 && matches!(destination.format(), Format::F32 | Format::F64)
    {
        // The f32 has too few bits, so its last one says that it is not the number itself.
        return false;
    }
    if form.rounding() == Some(Rounding::Rna) && source != Format::F32 {
        // The instruction rounds NaN of f32 as bits.
        return false;
    }
    let lost = [Modifier::Ftz, Modifier::ScaledN1, Modifier::ScaledN2];
    let left: Modifiers = form.modifiers().iter().filter(|m| !lost.contains(m)).collect();
    let unchanged = form.source() == form.destination() && form.conversion().rules().scale == Scale::None;
    let rounding = if unchanged { Some(Rounding::Rn) } else { form.rounding() };
    let found = [rounding, Some(Rounding::Rn), None]
        .into_iter()
        .enumerate()
        // Another rounding is right only if nothing is rounded.
        .filter(|(at, _)| *at == 0 || is_exact(form))
        .find_map(|(_, rounding)| out.native(rounding, left, (destination, Type::F32)));
    let Some(native) = found else { return false };
    out.whole();
    out.note("to the destination");
    let d = placeholder(form, Role::Destination);
    if destination.width() < 8 || (destination.width() == 8 && !native.takes_wider_registers()) {
        let byte = out.register(Of::B8, "byte");
        let operands: Vec<&str> =
            std::iter::once(byte.as_str()).chain(elements.iter().map(String::as_str)).collect();
        out.put(&native.to_string(), &operands);
        out.put("cvt.u16.u8", &[&d, &byte]);
        return true;
    }
    let operands: Vec<&str> =
        std::iter::once(d.as_str()).chain(elements.iter().map(String::as_str)).collect();
    out.put(&native.to_string(), &operands);
    true
}

/// True if the destination has every number of the source.
fn is_exact(form: Form) -> bool {
    matches!(
        (form.source().format(), form.destination().format()),
        (Format::Bf16, Format::F32 | Format::F64 | Format::Bf16)
    ) || form.rounding().is_none()
}

/// How an element is rounded to its code. A form that is exact, or rounds to an integral value before, has no rounding
/// here.
fn rounding(form: Form) -> Rounding {
    form.rounding().filter(|rounding| !rounding.is_integer()).unwrap_or(Rounding::Rn)
}

/// Rounds an element, given as f32 bits, to its code; `None` for formats, a rounding and modifiers that are not
/// implemented together.
pub(super) fn element(out: &mut Writer, form: Form, lane: usize, x: &str) -> Option<Code> {
    let format = form.destination().format();
    let rounding = rounding(form);
    if !is_implemented(form, rounding) {
        return None;
    }
    Some(match format.parameters().kind {
        // bf16 is the upper half of f32; `.ftz` has been applied.
        _ if format == Format::F32 => Code { register: x.to_owned(), place: Place::Low },
        Kind::Float { .. } if rounding == Rounding::Rna => ties_away(out, form, x),
        Kind::Float { exponent: 8, fraction, bias: 127, .. } => aligned(out, form, lane, x, fraction),
        Kind::Float { .. } if format == Format::F16 && rounding != Rounding::Rs => half(out, form, x),
        Kind::Float { fraction, bias, .. } => small(out, form, lane, x, Float { fraction, bias }),
        Kind::PowerOfTwo { .. } => power_of_two(out, form, x),
        Kind::Fixed { fraction } => fixed(out, form, x, fraction),
        _ => unreachable!("no other kind is implemented"),
    })
}

/// True if [`element`] implements the form's formats, rounding and modifiers together.
fn is_implemented(form: Form, rounding: Rounding) -> bool {
    use Rounding::{Rn, Rna, Rp, Rs, Rz};
    let (source, format) = (form.source().format(), form.destination().format());
    let has = |modifier| form.has(modifier);
    match format.parameters().kind {
        _ if has(Modifier::Sat) => false,
        _ if format == Format::F32 => {
            source == Format::Bf16 && form.modifiers().iter().all(|modifier| modifier == Modifier::Ftz)
        }
        _ if rounding == Rna => format == Format::Tf32 && source == Format::F32,
        // The random bits are among those that are discarded.
        Kind::Float { exponent: 8, fraction, bias: 127, .. } if rounding == Rs => {
            23 - fraction >= form.conversion().random_bits()
        }
        // NaN of f64 keeps its sign and its payload in bf16 and f16 only.
        Kind::Float { exponent: 8, bias: 127, .. } => {
            source != Format::F64 || format == Format::Bf16 && !has(Modifier::Relu)
        }
        Kind::Float { .. } if format == Format::F16 && rounding != Rs => source != Format::F64,
        Kind::Float { signed, exponent: 0..=7, .. } => {
            // The magnitude is rounded: towards positive infinity only if there is no sign.
            let rounds = matches!(rounding, Rn | Rz | Rs) || rounding == Rp && !signed;
            // The code after the largest number is infinity, or the NaN of a format without a sign. Towards zero, an
            // infinite source becomes NaN.
            let overflows = match format.infinity() {
                _ if has(Modifier::Satfinite) => true,
                Some(_) => rounding != Rz,
                None => format.nan().is_some() && !signed,
            };
            rounds && overflows && (signed || !has(Modifier::Relu))
        }
        Kind::PowerOfTwo { .. } => matches!(rounding, Rz | Rp) && !has(Modifier::Relu),
        Kind::Fixed { .. } => matches!(rounding, Rn | Rz) && has(Modifier::Satfinite) && !has(Modifier::Pzo),
        _ => false,
    }
}

/// A predicate that is true if x is NaN.
pub(super) fn is_nan(out: &mut Writer, x: &str) -> String {
    out.note("NaN is told apart");
    out.pred("nan", "setp.nan.f32", &[x, x])
}

/// `.satfinite`: limits numbers to the largest one, with their signs. NaN is lost.
fn clamped(out: &mut Writer, form: Form, x: &str) -> String {
    if !form.has(Modifier::Satfinite) {
        return x.to_owned();
    }
    let largest = Format::F32.encode(destination_value(form.destination().format()), Rounding::Rz);
    out.note("nothing beyond the largest number");
    let below = out.b32("x", "min.f32", &[x, &f32_bits(largest)]);
    out.b32("x", "max.f32", &[&below, &f32_bits(largest | 0x8000_0000)])
}

fn destination_value(format: Format) -> ptxcvt::Value {
    format.decode(format.max_finite())
}

/// Rounds to f16 by the instruction that every target has.
fn half(out: &mut Writer, form: Form, x: &str) -> Code {
    let rounding = rounding(form);
    let saturating = form.has(Modifier::Satfinite);
    let nan = saturating.then(|| is_nan(out, x));
    let x = clamped(out, form, x);
    out.note("rounded to f16");
    let register = out.new_of(Of::B16, "c", &format!("cvt.{}.f16.f32", rounding.name()), &[&x]);
    let nan = nan.as_deref().map_or(Nan::Done, Nan::Where);
    finish::code(out, form, Code { register, place: Place::Half }, None, nan)
}

/// Rounds to a format with f32's exponent: the code is the top of f32's bits, rounded as an integer.
fn aligned(out: &mut Writer, form: Form, lane: usize, x: &str, fraction: u32) -> Code {
    let cut = 23 - fraction;
    let below = ptxcvt::mask(cut);
    // No bit of an 8-bit source is lost. Without a sign or NaN in the source, the only NaN is the canonical one.
    let source = form.source().format();
    let exact = source.storage() <= 8 && form.extra().is_none();
    if exact && !form.has(Modifier::Satfinite) && (source.nan().is_none() || !source.is_signed()) {
        let code = Code { register: x.to_owned(), place: Place::Top };
        return finish::code(out, form, code, None, Nan::Done);
    }
    let nan = is_nan(out, x);
    let kept = x;
    let x = clamped(out, form, x);
    if !exact {
        out.note("rounded as an integer: a carry enters the exponent by itself");
    }
    let rounded = match rounding(form) {
        _ if exact => x,
        Rounding::Rn => {
            let last = out.b32("last", "bfe.u32", &[&x, &hex(cut), "1"]);
            let half = out.b32("up", "add.u32", &[&last, &hex(below >> 1)]);
            out.b32("c", "add.u32", &[&x, &half])
        }
        Rounding::Rm | Rounding::Rp => {
            let negative = out.b32("neg", "shr.s32", &[&x, "31"]);
            let away = match form.rounding() {
                Some(Rounding::Rm) => negative,
                _ => out.b32("pos", "not.b32", &[&negative]),
            };
            let up = out.b32("up", "and.b32", &[&away, &hex(below)]);
            out.b32("c", "add.u32", &[&x, &up])
        }
        Rounding::Rs => {
            let (field, bits) = stochastic::field(out, form, lane);
            let up = match cut - bits {
                0 => field,
                shift => out.b32("up", "shl.b32", &[&field, &hex(shift)]),
            };
            out.b32("c", "add.u32", &[&x, &up])
        }
        _ => x,
    };
    let rounded = match form.destination().format().low_padding() {
        0 if !form.has(Modifier::Pzo) => rounded,
        _ => out.b32("c", "and.b32", &[&rounded, &hex(0xffff_ffff & !below)]),
    };
    let code = Code { register: rounded, place: Place::Top };
    if source == Format::F64 {
        out.note("NaN keeps sign and payload");
        let quieted = out.b32("q", "or.b32", &[kept, "0x400000"]);
        let register = out.b32("c", "selp.b32", &[&quieted, &code.register, &nan]);
        return finish::code(out, form, Code { register, ..code }, None, Nan::Done);
    }
    finish::code(out, form, code, None, Nan::Where(&nan))
}

/// `.rna.tf32`, which works on the bits and treats NaN like a number.
fn ties_away(out: &mut Writer, form: Form, x: &str) -> Code {
    let format = form.destination().format();
    let padding = format.low_padding();
    let unit = 1_u64 << padding;
    out.note("half a unit is added to the magnitude, what lies below is cut");
    let magnitude = out.b32("mag", "and.b32", &[x, "0x7fffffff"]);
    let more = out.b32("c", "add.u32", &[&magnitude, &hex(unit / 2)]);
    let cut = out.b32("c", "and.b32", &[&more, &hex(0xffff_ffff & !(unit - 1))]);
    let mut code = out.b32("c", "min.u32", &[&cut, &hex(0x7fff_ffff & !(unit - 1))]);
    if form.has(Modifier::Satfinite) {
        out.note("one unit less where the exponent is all ones");
        let beyond =
            out.pred("beyond", "setp.ge.u32", &[&code, &hex(format.infinity().expect("tf32 has infinity"))]);
        let less = out.b32("c", "sub.u32", &[&code, &hex(unit)]);
        code = out.b32("c", "selp.b32", &[&less, &code, &beyond]);
    }
    finish::code(out, form, Code { register: code, place: Place::Top }, Some(x), Nan::Done)
}

/// Rounds to a format with a smaller exponent range than f32: adds a power of two chosen so that the sum's last place
/// is the format's quantum.
fn small(out: &mut Writer, form: Form, lane: usize, x: &str, float: Float) -> Code {
    let format = form.destination().format();
    let rounding = rounding(form);
    let cut = 23 - float.fraction;
    // Without `.satfinite` the code above the largest number is infinity, or NaN if the format has no infinity. Towards
    // zero only infinity itself gets there.
    let (mut nan, mut ceiling) = (is_nan(out, x), format.max_finite());
    out.note("the magnitude, no larger than counts");
    let magnitude = out.b32("mag", "and.b32", &[x, "0x7fffffff"]);
    if !form.has(Modifier::Satfinite) {
        match rounding {
            Rounding::Rz => nan = out.pred("nan", "setp.ge.u32", &[&magnitude, "0x7f800000"]),
            _ => ceiling += 1,
        }
    }
    let magnitude = out.b32("mag", "min.u32", &[&magnitude, &hex(float.to_f32(ceiling))]);
    let code = match rounding {
        Rounding::Rs => stochastic::small(out, form, lane, &magnitude, float),
        _ => {
            out.note("its binade, or the least one");
            let binade = out.b32("bin", "and.b32", &[&magnitude, "0x7f800000"]);
            let binade = out.b32("bin", "max.u32", &[&binade, &hex(float.least() << 23)]);
            out.note("rounded by adding a power of two whose last place is the format's");
            let large = out.b32("large", "add.u32", &[&binade, &hex(u64::from(cut) << 23)]);
            let sum = out.b32("sum", &format!("add.{}.f32", rounding.name()), &[&magnitude, &large]);
            let steps = out.b32("steps", "sub.u32", &[&sum, &large]);
            out.note("the code: steps within the binade, on top of the binades below");
            let base = out.b32("base", "shr.u32", &[&binade, &hex(cut)]);
            let code = out.b32("c", "add.u32", &[&steps, &base]);
            out.b32("c", "sub.u32", &[&code, &hex(float.least() << float.fraction)])
        }
    };
    finish::code(out, form, Code { register: code, place: Place::Low }, Some(x), Nan::Where(&nan))
}

/// ue8m0: the exponent of the power of two at or just above the magnitude.
fn power_of_two(out: &mut Writer, form: Form, x: &str) -> Code {
    let format = form.destination().format();
    let nan = is_nan(out, x);
    out.note("the exponent is the code");
    let mut magnitude = out.b32("mag", "and.b32", &[x, "0x7fffffff"]);
    if form.rounding() == Some(Rounding::Rp) {
        out.note("up, but from 2^-127 on only: what is not above it has code 0");
        let least = out.pred("least", "setp.le.u32", &[&magnitude, "0x400000"]);
        let up = out.b32("mag", "add.u32", &[&magnitude, "0x7fffff"]);
        magnitude = out.b32("mag", "selp.b32", &["0", &up, &least]);
    }
    let mut code = out.b32("c", "shr.u32", &[&magnitude, "23"]);
    if form.has(Modifier::Satfinite) {
        out.note("nothing beyond the largest number");
        code = out.b32("c", "min.u32", &[&code, &hex(format.max_finite())]);
    }
    finish::code(out, form, Code { register: code, place: Place::Low }, None, Nan::Where(&nan))
}

/// Fixed point in two's complement: whole steps, clamped to the range.
fn fixed(out: &mut Writer, form: Form, x: &str, fraction: u32) -> Code {
    let format = form.destination().format();
    let nan = is_nan(out, x);
    out.note("rounded to a whole number of steps, within the range");
    let steps = out.b32("steps", "mul.rn.f32", &[x, &power(fraction as i32)]);
    let rounding = if form.rounding() == Some(Rounding::Rz) { Rounding::Rzi } else { Rounding::Rni };
    let whole = out.b32("c", &format!("cvt.{}.s32.f32", rounding.name()), &[&steps]);
    let highest = i64::try_from(format.max_finite()).expect("few bits");
    let below = out.b32("c", "min.s32", &[&whole, &highest.to_string()]);
    let code = out.b32("c", "max.s32", &[&below, &(-highest - 1).to_string()]);
    finish::code(out, form, Code { register: code, place: Place::Low }, None, Nan::Where(&nan))
}
