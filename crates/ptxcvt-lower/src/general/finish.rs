//! Finishes a code that was rounded: sign, NaN, `.relu`, `.pzo`.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes".

use ptxcvt::{Form, Format, Modifier};

use super::writer::{Of, Writer, hex};

/// An element's code in a register.
pub(super) struct Code {
    pub register: String,
    pub place: Place,
}

/// The place of a code in its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The low bits of 32; above them is zero, or the sign of a negative fixed-point number.
    Low,
    /// The top bits of 32; the bits below are ignored.
    Top,
    /// All of 16 bits.
    Half,
}

impl Place {
    /// The register type, the width of its instruction types, and the lowest bit of a code of this format.
    fn of(self, format: Format) -> (Of, u32, u32) {
        let bits = format.bits();
        match self {
            Place::Low => (Of::B32, 32, 0),
            Place::Top => (Of::B32, 32, 32 - bits),
            Place::Half => (Of::B16, 16, 0),
        }
    }
}

/// The remaining treatment of NaN.
pub(super) enum Nan<'a> {
    /// Insert the format's code for NaN if the predicate holds.
    Where(&'a str),
    /// Nothing: the rounding has handled it.
    Done,
}

/// Restores the sign and applies the modifiers. If `x` is given (f32 bits with the sign), `code` is the magnitude's code;
/// otherwise it has its sign already.
pub(super) fn code(out: &mut Writer, form: Form, code: Code, x: Option<&str>, nan: Nan<'_>) -> Code {
    let format = form.destination().format();
    let Code { register: mut c, place } = code;
    let (of, width, low) = place.of(format);
    let sign = if format.is_signed() { 1_u64 << (format.bits() - 1) << low } else { 0 };
    let relu = form.has(Modifier::Relu);
    if let (Some(x), true) = (x, format.is_signed()) {
        if relu {
            out.note("+0 for negative numbers");
            let negative = out.pred("neg", "setp.lt.s32", &[x, "0"]);
            c = out.b32("c", "selp.b32", &["0", &c, &negative]);
        } else {
            out.note("the sign");
            let shift = 32 - format.bits() - low;
            let moved = if shift == 0 { x.to_owned() } else { out.b32("at", "shr.u32", &[x, &hex(shift)]) };
            let only = out.b32("sign", "and.b32", &[&moved, &hex(sign)]);
            c = out.b32("c", "or.b32", &[&c, &only]);
        }
    }
    if let Nan::Where(predicate) = nan {
        out.note("NaN");
        let code = format.nan().unwrap_or(format.max_finite()) >> format.low_padding() << low;
        c = out.new_of(of, "c", &format!("selp.b{width}"), &[&hex(code), &c, predicate]);
    }
    if relu && x.is_none() {
        // NaN is positive here.
        out.note("+0 for negative numbers");
        c = out.new_of(of, "c", &format!("max.s{width}"), &[&c, "0"]);
    }
    if form.has(Modifier::Pzo) && !relu {
        out.note("+0 for -0");
        let zero = out.pred("mz", &format!("setp.eq.b{width}"), &[&c, &hex(sign)]);
        c = out.new_of(of, "c", &format!("selp.b{width}"), &["0", &c, &zero]);
    }
    Code { register: c, place }
}
