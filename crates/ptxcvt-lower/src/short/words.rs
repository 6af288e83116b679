//! The words that a template leaves open, computed from the form and the table of formats.
//!
//! PTX ISA sections 5.2.3 (alternate floating-point formats) and 9.7.9.21.
//!
//! # To fewer bits
//!
//! A magnitude m is an f32 of at most the largest number. One multiplication and addition rounds it:
//! r = p·`ADD` + m. Here p is the power of two of its binade, at least that of the smallest normal number (`FLOOR`).
//! `ADD` is near 2^(23 − fraction), so r is rounded at the result's last place.
//!
//! The fraction of r is the number of places, N, plus a constant K that `ADD` brought along. The exponent of r is that
//! of p. So the integer product r·`CODE` has the code (exponent field, then fraction) at the top of the word: one
//! summand of `CODE` lifts N, another one lifts the exponent field. K is even, so that ties go to even, and it is
//! chosen so that the code of 0 is 0. With `CODE` a little less than the sum (`BORROW`), the NaN 0x7fffffff, which is
//! what arithmetic makes of every NaN, becomes all ones.
//!
//! A pair of f16 or bf16 is made two f32 first (`ELEMENTS`).
//!
//! # To more bits
//!
//! A code is shifted until its fraction is where f16 or bf16 has it. The product with `SCALE` makes up for the
//! different bias and normalises subnormal numbers.

use ptxcvt::formats::{Kind, Parameters};
use ptxcvt::{Form, Format, Modifier, Rounding};

/// The number to subtract from `CODE` so that NaN becomes all ones: large enough to borrow from the code, small enough
/// to leave the other codes alone.
const BORROW: u32 = 512;

/// A word and its value.
pub(super) type Word<T = String> = (&'static str, T);

/// The words that a template may contain and that have a meaning for the form.
fn of(form: Form, text: &str) -> Vec<Word> {
    let (to, from) = (form.destination().format(), form.source().format());
    let mut words = Vec::new();
    if let Some(rounding) = form.rounding() {
        words.push(("RND", rounding.name().to_owned()));
    }
    // This conversion from f32, with all its modifiers.
    let opcode = form.to_string();
    words.extend(opcode.rsplit_once('.').map(|(rest, _)| ("FROM_F32", format!("{rest}.f32"))));
    if let Some(half) = Half::new(to) {
        // The least number that becomes infinity, one place above the largest; with `.satfinite`, the largest.
        let max = f32_bits(to, to.max_finite());
        let place = 1 << (23 - half.fraction);
        words.push(("LIMIT", float(if form.has(Modifier::Satfinite) { max } else { max + place })));
    }
    words.push(("RELU", if form.has(Modifier::Relu) { ".relu" } else { "" }.to_owned()));
    words.push(("HALF", form.destination().to_string()));
    words.extend(elements(from).into_iter().flatten().map(|(word, text)| (word, text.to_owned())));
    if let Some(small) = Small::new(to) {
        words.extend(small.narrowing());
    }
    if let (Some(small), Some(half)) = (Small::new(from), Half::new(to)) {
        words.extend(small.widening(half));
    }
    if let (Some(half), Some(small)) = (Half::new(from), Small::new(to)) {
        words.extend(half.narrowing(&small, text));
    }
    words
}

/// A template with the form's words in place, without its explanations: lines that begin with `//`.
pub(crate) fn fill(form: Form, text: &str) -> String {
    let mut words = of(form, text);
    // Long words first: `ADD` begins `ADD_TOP`.
    ptxcvt::order_by(&mut words, |(word, _)| u64::MAX - word.len() as u64);
    let filled = |line: &str| {
        words.iter().fold(line.to_owned(), |line, (word, value)| line.replace(&format!("${word}"), value))
    };
    let lines = text.lines().filter(|line| !line.starts_with("//")).map(filled);
    // A placeholder that is empty for the form, such as `$ELEMENTS` for two f32, leaves no line.
    let lines: Vec<String> = lines.filter(|line| !line.trim().is_empty()).collect();
    lines.join("\n")
}

/// The two elements of the sources as f32: the lines that make them, and their names, the upper one's first. `None` for
/// other sources than f32, f16x2 and bf16x2, so that a template with `$X` has no block for them.
fn elements(source: Format) -> Option<[Word<&'static str>; 3]> {
    let (made, [x, y]) = match source {
        Format::F16 => (
            ".reg .b32 x, y;\n  .reg .b16 l, h;\n  mov.b32 {l, h}, %1;\n  cvt.f32.f16 x, h;\n  cvt.f32.f16 y, l;",
            ["x", "y"],
        ),
        Format::Bf16 => (".reg .b32 x, y;\n  and.b32 x, %1, 0xffff0000;\n  shl.b32 y, %1, 16;", ["x", "y"]),
        Format::F32 => ("", ["%1", "%2"]),
        _ => return None,
    };
    Some([("ELEMENTS", made), ("X", x), ("Y", y)])
}

/// The f32 with a code's value.
fn f32_bits(format: Format, code: u64) -> u32 {
    Format::F32.encode(format.decode(code), Rounding::Rn) as u32
}

/// An f32 constant as PTX writes it.
fn float(bits: u32) -> String {
    format!("0f{bits:08X}")
}

/// A constant with these 16 bits in both halves.
pub(super) fn twice(bits: u64) -> String {
    format!("0x{bits:04x}{bits:04x}")
}

/// A format of at most eight bits with sign, exponent and fraction.
pub(crate) struct Small {
    pub(super) format: Format,
    pub(crate) fraction: u32,
    pub(crate) bias: i32,
}

impl Small {
    pub(crate) fn new(format: Format) -> Option<Self> {
        let Parameters { kind, .. } = format.parameters();
        match *kind {
            Kind::Float { signed: true, fraction, bias, .. } if format.bits() <= 8 => {
                Some(Small { format, fraction, bias })
            }
            _ => None,
        }
    }

    /// The words for conversions to this format.
    fn narrowing(&self) -> Vec<Word> {
        let max = f32_bits(self.format, self.format.max_finite());
        let floor = f32_bits(self.format, self.format.min_normal());
        let mut words = vec![("MAX", float(max)), ("FLOOR", format!("0x{floor:08x}"))];
        // The code in the uppermost byte, or, if it has four bits, in the upper half of that byte.
        let names = [
            ("ADD", "CODE", Some("ADD_RANDOM"), 24, BORROW),
            ("ADD_PLAIN", "CODE_PLAIN", None, 24, 0),
            ("ADD_TOP", "CODE_TOP", Some("ADD_TOP_RANDOM"), 28, BORROW),
            ("ADD_TOP_PLAIN", "CODE_TOP_PLAIN", None, 28, 0),
        ];
        for (add, code, add_random, at, borrow) in names {
            if at + self.format.bits() > 32 {
                continue;
            }
            // Without such constants the words stay unknown, and no sequence that needs them can be read.
            let Some((summand, factor)) = self.rounding_constants(floor, at, borrow) else { continue };
            words.push((add, float(summand.to_bits())));
            words.push((code, format!("0x{factor:08x}")));
            // Stochastic rounding adds its random bits in a separate sum, which contributes this part.
            let random = (1 << (7 - self.fraction)) as f32;
            words.extend(add_random.map(|word| (word, float((summand - random).to_bits()))));
            // Its upper half: with 16 random bits in the lower half it is a number whose last place is 2^-16 places of
            // the result.
            words.push(("RANDOM", format!("{:#06x}", random.to_bits() >> 16)));
        }
        words
    }

    /// `ADD` and `CODE` for a code whose lowest bit is bit `at` of the word; bits 24 and up have nothing but the code.
    /// `None` if no constants do that for every code.
    fn rounding_constants(&self, floor: u32, at: u32, borrow: u32) -> Option<(f32, u32)> {
        let fraction = self.fraction;
        let factor = (1_u32 << at) + (1 << (at + fraction + 1 - 24)) - borrow;
        // The exponent field of r in the lowest binade.
        let exponent = (floor >> 23) + 23 - fraction;
        let magnitudes = 1_u32 << (self.format.bits() - 1);
        let is_right = |k: u32| {
            (0..magnitudes).all(|code| {
                let binade = (code >> fraction).max(1) - 1;
                let places = code - (binade << fraction);
                let r = ((exponent + binade) << 23) + k + places;
                r.wrapping_mul(factor) >> 24 == code << (at - 24)
            })
        };
        // Bits 17 and up change the parity of what the borrow takes away; the low ones set the code.
        let mut candidates = (0..64).flat_map(|high| (0..512).step_by(2).map(move |low| (high << 17) + low));
        let k = candidates.find(|k| is_right(*k))?;
        // K counts places of the result, `ADD` counts powers of two of the binade.
        let add = ((1_u32 << 23) + k) as f32 / (1_u32 << fraction) as f32;
        Some((add, factor))
    }

    /// The words for conversions from this format. The code is at the top of its byte, or, if it has four bits, at the
    /// top of a half.
    fn widening(&self, half: Half) -> Vec<Word> {
        let bits = self.format.bits();
        let place = half.fraction - self.fraction;
        let shift = match bits {
            4 => 12 - place,
            _ => place - (8 - bits),
        };
        let field = 0x8000 | ((1 << (bits - 1)) - 1) << place;
        let scale = (half.bias - self.bias + half.bias) as u64;
        let mut words = vec![
            ("SHIFT", shift.to_string()),
            ("FIELD", twice(field)),
            ("SCALE", twice(scale << half.fraction)),
        ];
        if let Some(nan) = self.format.nan() {
            words.push(("NAN", twice(nan << place)));
        }
        words
    }
}

/// f16 or bf16.
#[derive(Clone, Copy)]
pub(crate) struct Half {
    pub(super) format: Format,
    pub(crate) fraction: u32,
    pub(crate) bias: i32,
}

impl Half {
    pub(crate) fn new(format: Format) -> Option<Self> {
        match (format, &format.parameters().kind) {
            (Format::F16 | Format::Bf16, &Kind::Float { fraction, bias, .. }) => {
                Some(Half { format, fraction, bias })
            }
            _ => None,
        }
    }
}
