//! Widens sources to f32: exactly, or rounded to odd if f32 has too few bits.
//!
//! PTX ISA sections 5.2.3 (alternate floating-point formats) and 9.7.9.21, "Semantics".

use ptxcvt::formats::{Kind, Specials};
use ptxcvt::forms::Role;
use ptxcvt::{Form, Format, Modifiers, Rounding, Type};

use super::writer::{Of, Writer, hex, placeholder, power};

/// The elements of a form's source as f32 bits, each in a register, the first element first; `None` for a type that is
/// not implemented.
pub(super) fn elements(out: &mut Writer, form: Form) -> Option<Vec<String>> {
    let source = form.source();
    let lanes = form.lanes() as usize;
    if source.lanes() == 1 {
        let roles = [Role::A, Role::B, Role::E, Role::F];
        return (0..lanes)
            .map(|lane| {
                out.lane(form, lane);
                single(out, form, &placeholder(form, roles[lane]))
            })
            .collect();
    }
    if source.lanes() == 2 { pair(out, form) } else { None }
}

/// A source of one element.
fn single(out: &mut Writer, form: Form, operand: &str) -> Option<String> {
    let format = form.source().format();
    Some(match format {
        Format::F32 => out.b32("x", "mov.b32", &[operand]),
        Format::F16 => {
            out.note("the source as f32");
            out.b32("x", "cvt.f32.f16", &[operand])
        }
        Format::Bf16 => {
            out.note("the source as f32: bf16 is its upper half");
            let wide = out.b32("wide", "cvt.u32.u16", &[operand]);
            out.b32("x", "shl.b32", &[&wide, "16"])
        }
        // `cvt` converts integers from 8 bits on.
        _ if format.is_integer() && format.bits() >= 8 || format == Format::F64 => {
            to_odd(out, form.source(), operand)
        }
        _ => return None,
    })
}

/// An integer or an f64 as f32, truncated, with the last bit set if something was lost.
fn to_odd(out: &mut Writer, source: Type, operand: &str) -> String {
    let name = source.name();
    let integer = source.format().is_integer();
    if integer && source.width() <= 16 {
        out.note("the source as f32");
        return out.b32("x", &format!("cvt.rn.f32.{name}"), &[operand]);
    }
    out.note("the source as f32, cut off; an odd last bit tells that something was");
    let cut = out.b32("cut", &format!("cvt.rz.f32.{name}"), &[operand]);
    let of = if source.width() == 64 { Of::B64 } else { Of::B32 };
    let back = if integer { format!("cvt.rzi.{name}.f32") } else { format!("cvt.{name}.f32") };
    let back = out.new_of(of, "back", &back, &[&cut]);
    let differs = if integer { format!("setp.ne.{name}") } else { format!("setp.neu.{name}") };
    let inexact = out.pred("inexact", &differs, &[&back, operand]);
    let odd = out.b32("odd", "or.b32", &[&cut, "1"]);
    out.b32("x", "selp.b32", &[&odd, &cut, &inexact])
}

/// A source of two elements in one register.
fn pair(out: &mut Writer, form: Form) -> Option<Vec<String>> {
    let source = form.source();
    let operand = placeholder(form, Role::A);
    if let Format::Bf16 = source.format() {
        out.note("the elements as f32: bf16 is its upper half");
        out.lane(form, 0);
        let upper = out.b32("x", "and.b32", &[&operand, "0xffff0000"]);
        out.lane(form, 1);
        return Some(vec![upper, out.b32("x", "shl.b32", &[&operand, "16"])]);
    }
    let halves = match source.format() {
        Format::F16 => Some(operand.clone()),
        _ => halves(out, source, &operand),
    };
    if let Some(halves) = halves {
        out.lane(form, 0);
        let upper = out.register(Of::B16, "half");
        out.lane(form, 1);
        let lower = out.register(Of::B16, "half");
        out.whole();
        out.note("the elements as f32");
        out.put("mov.b32", &[&format!("{{{lower}, {upper}}}"), &halves]);
        let halves = [upper, lower].into_iter().enumerate();
        let singles = halves.map(|(lane, half)| {
            out.lane(form, lane);
            out.b32("x", "cvt.f32.f16", &[&half])
        });
        return Some(singles.collect());
    }
    out.note("the codes in 32 bits");
    let codes = out.b32("codes", "cvt.u32.u16", &[&operand]);
    let storage = source.format().storage();
    (0..2)
        .map(|lane| {
            out.lane(form, lane);
            element(out, source.format(), &codes, storage * (1 - lane as u32))
        })
        .collect()
}

/// Two elements as f16x2 by one instruction; `None` if the machine lacks it or f16 lacks numbers of the format.
fn halves(out: &mut Writer, source: Type, operand: &str) -> Option<String> {
    let form = out.native(Some(Rounding::Rn), Modifiers::NONE, (Type::F16X2, source))?;
    if source.width() < 16 {
        out.note("the elements as f16; the code lies in a byte");
        let byte = out.register(Of::B8, "byte");
        out.put("cvt.u8.u16", &[&byte, operand]);
        return Some(out.b32("halves", &form.to_string(), &[&byte]));
    }
    out.note("the elements as f16");
    Some(out.b32("halves", &form.to_string(), &[operand]))
}

/// The element whose lowest bit is bit `at` of `codes`.
fn element(out: &mut Writer, format: Format, codes: &str, at: u32) -> Option<String> {
    let width = format.bits();
    Some(match format.parameters().kind {
        Kind::Float { signed, fraction, bias, specials, .. } => {
            let magnitude = width - u32::from(signed);
            out.note("the magnitude under f32's exponent, times the quotient of the biases");
            let low = 23 - fraction;
            let moved = shifted(out, codes, at, low);
            let mask = ptxcvt::mask(magnitude) << low;
            let placed = out.b32("mag", "and.b32", &[&moved, &hex(mask)]);
            let mut x = out.b32("x", "mul.rn.f32", &[&placed, &power(127 - bias)]);
            let largest = format.max_finite() << low;
            if specials == Specials::Ieee {
                let infinite = format.infinity().expect("an IEEE format has infinity") << low;
                out.note("infinity and NaN");
                let special = out.pred("special", "setp.ge.u32", &[&placed, &hex(infinite)]);
                let f32s = out.b32(
                    "inf",
                    "or.b32",
                    &[&placed, &hex(Format::F32.infinity().expect("f32 has infinity"))],
                );
                x = out.b32("x", "selp.b32", &[&f32s, &x, &special]);
            } else if specials == Specials::NanOnly {
                out.note("NaN");
                let nan = out.pred("nan", "setp.gt.u32", &[&placed, &hex(largest)]);
                x = out.b32("x", "selp.b32", &[&canonical_nan(), &x, &nan]);
            }
            if !signed {
                return Some(x);
            }
            out.note("the sign");
            let moved = shifted(out, codes, at + width - 1, 31);
            let sign = out.b32("sign", "and.b32", &[&moved, "0x80000000"]);
            out.b32("x", "or.b32", &[&x, &sign])
        }
        Kind::PowerOfTwo { bias: 127 } => {
            out.note("the code is f32's exponent; 0 is the subnormal 2^-127, all ones NaN");
            let moved = shifted(out, codes, at, 23);
            exponent_to_f32(out, &moved)
        }
        Kind::Fixed { fraction } => {
            out.note("the code as an integer, times the weight of its last bit");
            let top = shifted(out, codes, at, 32 - width);
            let masked = out.b32("top", "and.b32", &[&top, &hex(ptxcvt::mask(width) << (32 - width))]);
            let whole = out.b32("whole", "cvt.rn.f32.s32", &[&masked]);
            out.b32("x", "mul.rn.f32", &[&whole, &power(-((32 - width + fraction) as i32))])
        }
        _ => return None,
    })
}

/// f32's canonical NaN.
pub(super) fn canonical_nan() -> String {
    hex(Format::F32.nan().expect("f32 has NaN"))
}

/// 2^(c − 127) as f32, where c is at bit 23 of `moved`; other bits are ignored.
pub(super) fn exponent_to_f32(out: &mut Writer, moved: &str) -> String {
    let field = out.b32("field", "and.b32", &[moved, "0x7f800000"]);
    let zero = out.pred("zero", "setp.eq.u32", &[&field, "0"]);
    let power = out.b32("pow", "selp.b32", &["0x400000", &field, &zero]);
    let nan = out.pred("nan", "setp.eq.u32", &[&field, "0x7f800000"]);
    out.b32("pow", "selp.b32", &[&canonical_nan(), &power, &nan])
}

/// The register shifted so that its bit `from` becomes bit `to`.
fn shifted(out: &mut Writer, register: &str, from: u32, to: u32) -> String {
    match to.cmp(&from) {
        std::cmp::Ordering::Equal => register.to_owned(),
        std::cmp::Ordering::Greater => out.b32("at", "shl.b32", &[register, &hex(to - from)]),
        std::cmp::Ordering::Less => out.b32("at", "shr.u32", &[register, &hex(from - to)]),
    }
}
