//! What becomes of a code after it was rounded: sign, NaN, `.relu`, `.pzo`.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes".

use ptxcvt::{Form, Format, Modifier};

use super::writer::{Of, Writer, hex};

/// An element's code in a register.
pub(super) struct Code {
    pub register: String,
    pub place: Place,
}

/// Where in its register a code lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the low bits of 32, zero above but of a negative fixed-point number.
    Low,
    /// In the top bits of 32, with zeros, or with bits that do not count, below.
    Top,
    /// In all of 16 bits.
    Half,
}

impl Place {
    /// How the instruction types of the place are called, and where its lowest bit lies for this format.
    fn of(self, format: Format) -> (Of, u32, u32) {
        let bits = format.bits();
        match self {
            Place::Low => (Of::B32, 32, 0),
            Place::Top => (Of::B32, 32, 32 - bits),
            Place::Half => (Of::B16, 16, 0),
        }
    }
}

/// What NaN becomes.
pub(super) enum Nan<'a> {
    /// The format's code for it, where the predicate says so.
    Where(&'a str),
    /// The rounding took care of it.
    Done,
}

/// Puts the sign back, and applies what the modifiers ask. `code` is the magnitude's code where `x` is given (f32
/// bits, whose sign counts), and else has its sign already.
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
        // NaN is positive by now.
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
