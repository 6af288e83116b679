//! Packs codes into the destination; also `cvt.pack`.
//!
//! PTX ISA sections 9.7.9.21, "Semantics" (the first element to the upper bits), and 9.7.9.22.

use ptxcvt::forms::Role;
use ptxcvt::{Form, Type};

use super::finish::{Code, Place};
use super::writer::{Writer, hex, placeholder};

/// Writes the destination.
pub(super) fn codes(out: &mut Writer, form: Form, codes: &[Code]) {
    out.whole();
    let d = placeholder(form, Role::Destination);
    let format = form.destination().format();
    match codes {
        [Code { register, place: Place::Half }] => out.put("mov.b16", &[&d, register]),
        [Code { register, place: Place::Top }] if format.storage() == 16 => {
            let top = out.b32("c", "shr.u32", &[register, "16"]);
            out.put("cvt.u16.u32", &[&d, &top]);
        }
        [Code { register, .. }] => out.put("mov.b32", &[&d, register]),
        [a, b] if a.place == Place::Half => {
            out.note("a to the upper half, b to the lower");
            out.put("mov.b32", &[&d, &format!("{{{}, {}}}", b.register, a.register)]);
        }
        [a, b] if a.place == Place::Top => {
            out.note("a to the upper half, b to the lower");
            out.put("prmt.b32", &[&d, &b.register, &a.register, "0x7632"]);
        }
        codes => {
            out.note("one above the other, the first uppermost");
            let storage = format.storage();
            let mask = hex(ptxcvt::mask(storage));
            let mut all = String::new();
            for code in codes {
                let signed = matches!(format.parameters().kind, ptxcvt::formats::Kind::Fixed { .. });
                let own = match signed {
                    true => out.b32("own", "and.b32", &[&code.register, &mask]),
                    false => code.register.clone(),
                };
                if all.is_empty() {
                    all = own;
                    continue;
                }
                let moved = out.b32("all", "shl.b32", &[&all, &hex(storage)]);
                all = out.b32("all", "or.b32", &[&moved, &own]);
            }
            match form.result_width() {
                32 => out.put("mov.b32", &[&d, &all]),
                _ => out.put("cvt.u16.u32", &[&d, &all]),
            }
        }
    }
}

/// `cvt.pack`: saturates both sources and packs them above the low bits of c; `None` for a source other than s32, or if
/// two elements do not fit into 32 bits.
pub(super) fn integers(out: &mut Writer, form: Form) -> Option<()> {
    let format = form.destination().format();
    let width = format.bits();
    if form.source() != Type::S32 || width > 16 {
        return None;
    }
    let all_ones = ptxcvt::mask(width) as i64;
    let (low, high) = if format.is_signed() { (-(all_ones / 2) - 1, all_ones / 2) } else { (0, all_ones) };
    let mut saturated = Vec::new();
    for (lane, role) in [Role::A, Role::B].into_iter().enumerate() {
        out.lane(form, lane);
        out.note("saturated");
        let operand = placeholder(form, role);
        let above = out.b32("v", "max.s32", &[&operand, &low.to_string()]);
        saturated.push(out.b32("v", "min.s32", &[&above, &high.to_string()]));
    }
    out.whole();
    out.note("a above b");
    let [a, b] = [&saturated[0], &saturated[1]];
    let d = placeholder(form, Role::Destination);
    let (at, count) = (hex(width), hex(width));
    let Some(rest) = form.extra() else {
        out.put("bfi.b32", &[&d, a, b, &at, &count]);
        return Some(());
    };
    let lower = out.b32("low", "and.b32", &[b, &hex(all_ones as u64)]);
    let both = out.b32("both", "bfi.b32", &[a, &lower, &at, &count]);
    out.note("c above both");
    let c = placeholder(form, rest.role);
    out.put("bfi.b32", &[&d, &c, &both, &hex(2 * width), &hex(32 - 2 * width)]);
    Some(())
}
