//! Words of FP8, FP6 and FP4 codes to f16 and bf16, in three steps:
//!
//! 1. `prmt` distributes the codes of a pair to the halves of a register.
//! 2. A shift and a mask move them to the fields of the wide format.
//! 3. One multiplication by a power of two corrects the bias and normalises subnormal numbers.
//!
//! PTX ISA sections 9.7.9.7 `prmt` and 9.7.4 (half-precision arithmetic).

use ptxcvt::{Format, Modifier};

use super::order;
use super::shape::Shape;
use super::variant::{Order, Variant};
use crate::short::words::{Half, Small, fill};

/// The exponent of the power of two that ends a conversion of codes to f16 or bf16; `None` for other conversions.
pub fn power(shape: Shape) -> Option<i32> {
    let [from, to] = [shape.form().source(), shape.form().destination()].map(|ty| ty.format());
    Some(Half::new(to)?.bias - Small::new(from)?.bias)
}

/// The lines of the block, or `None` if the form is of another kind.
pub(super) fn lines(shape: Shape, variant: Variant) -> Option<Vec<String>> {
    let form = shape.form();
    let [from, to] = [form.source(), form.destination()].map(|ty| ty.format());
    let is_half = Small::new(from)?.bias == Half::new(to)?.bias;
    // Without the factor its NaN and infinity would be numbers of bf16, which the contract of `skip_factor` permits.
    if from == Format::E5m2 && !is_half && !variant.skip_factor {
        return Some(through_f32(shape, variant.scale));
    }
    if is_half && (variant.order == Order::Interleaved || form.has(Modifier::Satfinite)) {
        return None;
    }
    // Without NaN and without a factor the upper half is the result.
    let bare = is_half && variant.numbers && variant.scale.is_none() && !form.has(Modifier::Relu);
    let skip_factor = variant.skip_factor || bare;
    let nan = from.nan().is_some() && !is_half && !variant.numbers && !skip_factor;
    let widening = Widening { shape, variant, from, is_half, skip_factor, nan };
    let mut lines = widening.registers();
    lines.extend(widening.constants());
    for pair in 0..shape.pairs() {
        let fields = widening.fields(pair)?;
        lines.extend(fields);
        lines.extend(widening.product(pair));
    }
    Some(lines.iter().map(|line| fill(form, line)).collect())
}

/// A conversion of codes by moving their fields and multiplying.
#[derive(Clone, Copy)]
struct Widening {
    shape: Shape,
    variant: Variant,
    /// The format of the codes.
    from: Format,
    /// The codes are the upper halves of the results: e5m2 is the upper half of f16.
    is_half: bool,
    /// The moved fields are the results.
    skip_factor: bool,
    /// The codes of NaN need an addition of NaN.
    nan: bool,
}

impl Widening {
    /// The declaration of the registers, if there are any.
    fn registers(self) -> Vec<String> {
        let mut names = Vec::new();
        if !(self.is_half && self.skip_factor) {
            names.push("word_t");
        }
        if !self.skip_factor {
            names.push("word_c");
            names.extend(if self.nan { &["word_n", "word_k"][..] } else { &["word_z"] });
        }
        if self.from.bits() < 8 || self.variant.order == Order::Interleaved {
            names.push("word_s");
        }
        if names.is_empty() { Vec::new() } else { vec![format!(".reg .b32 {};", names.join(", "))] }
    }

    /// The lines that set the factor in `word_c`, and what [`product`](Self::product) adds: `word_k` or `word_z`.
    fn constants(self) -> Vec<String> {
        if self.skip_factor {
            return Vec::new();
        }
        let mut lines = match self.variant.scale {
            Some(format) => scale(self.shape, format).lines().map(str::to_owned).collect(),
            None => vec!["mov.b32 word_c, $SCALE;".to_owned()],
        };
        lines.push(match self.nan {
            true => "mov.b32 word_k, $NAN;".into(),
            // The sum with -0 keeps the sign of zero.
            false => "mov.b32 word_z, 0x80008000;".into(),
        });
        lines
    }

    /// The register for the fields of a pair: its result if nothing follows.
    fn target(self, pair: usize) -> String {
        if self.skip_factor { format!("%{pair}") } else { "word_t".to_owned() }
    }

    /// The lines that move the codes of a pair to the fields of the wide format. `None` if there is no order for the
    /// shape.
    fn fields(self, pair: usize) -> Option<Vec<String>> {
        let in_register = self.shape.pairs() / self.shape.sources();
        let (register, at) = (pair / in_register, pair % in_register);
        let source = format!("%{}", self.shape.destinations() + register);
        let to = self.target(pair);
        let mut lines = Vec::new();
        // The register with the codes before they are masked.
        let mut codes = "word_t".to_owned();
        match (self.from.bits(), self.variant.order) {
            _ if self.is_half => {
                return Some(vec![format!("prmt.b32 {to}, {source}, 0, {:#06x};", 0x1404 + 0x2020 * at)]);
            }
            (4, Order::Memory) => {
                if at == 0 {
                    lines.push(format!("shl.b32 word_s, {source}, 4;"));
                }
                lines.push(format!("prmt.b32 word_t, word_s, {source}, {:#06x};", 0x4804 + 0x1111 * at));
                lines.push("shr.s32 word_t, word_t, $SHIFT;".into());
            }
            (bits, Order::Memory) => {
                let mut bytes = source.as_str();
                if bits < 8 {
                    if at == 0 {
                        lines.push(format!("shl.b32 word_s, {source}, {};", 8 - bits));
                    }
                    bytes = "word_s";
                }
                lines.push(format!("prmt.b32 word_t, {bytes}, 0, {:#06x};", 0x9180 + 0x2222 * at));
                lines.push("shl.b32 word_t, word_t, $SHIFT;".into());
            }
            (_, Order::Interleaved) => {
                let place = order::places(self.shape)?[at];
                (lines, codes) = order::lines(self.shape, place, &source)?;
            }
        }
        lines.push(format!("and.b32 {to}, {codes}, $FIELD;"));
        Some(lines)
    }

    /// The lines that multiply the fields of a pair.
    fn product(self, pair: usize) -> Vec<String> {
        if self.skip_factor {
            return Vec::new();
        }
        let product = |sum: &str| format!("fma.rn$RELU.$HALF %{pair}, word_t, word_c, {sum};");
        if !self.nan {
            return vec![product("word_z")];
        }
        vec![
            // word_n: -0, or NaN where the code is one.
            "abs.f16x2 word_n, word_t;".into(),
            "set.ge.u32.f16x2 word_n, word_n, word_k;".into(),
            "neg.$HALF word_n, word_n;".into(),
            product("word_n"),
        ]
    }
}

/// The lines for e5m2 to bf16: e5m2 is the upper half of f16, and bf16 is made of f32. Infinity is a number there only
/// if it is not multiplied as bf16, so the factor is one of f32.
fn through_f32(shape: Shape, factor: Option<Format>) -> Vec<String> {
    let mut lines =
        vec![".reg .b32 word_t, word_x, word_y;".to_owned(), ".reg .b16 word_l, word_h;".to_owned()];
    if let Some(format) = factor {
        lines.push(".reg .b32 word_f;".into());
        lines.extend(wide_factor(shape, format).lines().map(str::to_owned));
    }
    for pair in 0..shape.pairs() {
        let source = shape.destinations() + pair / 2;
        lines.push(format!("prmt.b32 word_t, %{source}, 0, {:#06x};", 0x1404 + 0x2020 * (pair % 2)));
        lines.push("mov.b32 {word_l, word_h}, word_t;".into());
        lines.push("cvt.f32.f16 word_x, word_h;".into());
        lines.push("cvt.f32.f16 word_y, word_l;".into());
        if factor.is_some() {
            lines.extend(["x", "y"].map(|half| format!("mul.rn.f32 word_{half}, word_{half}, word_f;")));
        }
        lines.push(fill(shape.form(), &format!("$FROM_F32 %{pair}, word_x, word_y;")));
    }
    lines
}

/// The f32 with the bits of 2^`power`.
fn two(power: i32) -> String {
    format!("0f{:08X}", 2_f32.powi(power).to_bits())
}

/// The lines that make the factor an f32 in `word_f`; they use `word_h`.
fn wide_factor(shape: Shape, format: Format) -> String {
    let operand = shape.destinations() + shape.sources();
    match format {
        Format::F16 => format!("cvt.f32.f16 word_f, %{operand};"),
        Format::Bf16 => format!("mov.b16 word_h, 0;\nmov.b32 word_f, {{word_h, %{operand}}};"),
        Format::Ue8m0 => format!(
            "cvt.u32.u16 word_f, %{operand};\nshl.b32 word_f, word_f, 23;\nand.b32 word_f, word_f, 0x7f800000;"
        ),
        // The fields at those of f32; 2^120 is the quotient of the biases.
        Format::E4m3 => format!(
            "cvt.u32.u16 word_f, %{operand};\nshl.b32 word_f, word_f, 24;\nshr.s32 word_f, word_f, 4;\n\
             and.b32 word_f, word_f, 0x87f00000;\nmul.rn.f32 word_f, word_f, {};",
            two(120)
        ),
        other => unreachable!("`Variant::check` has refused a factor of {other}"),
    }
}

/// The lines that make the factor times the power of two in both halves of `word_c`.
fn scale(shape: Shape, format: Format) -> String {
    let power = power(shape).expect("only conversions of codes to f16 and bf16 have a factor");
    let narrow = match shape.form().destination().format() {
        Format::F16 => "cvt.rn.f16.f32 word_h, word_f;\nmov.b32 word_c, {word_h, word_h};",
        Format::Bf16 => "cvt.rn.bf16x2.f32 word_c, word_f, word_f;",
        other => unreachable!("codes are not widened to {other}"),
    };
    format!(
        ".reg .b32 word_f;\n.reg .b16 word_h;\n{}\nmul.rn.f32 word_f, word_f, {};\n{narrow}",
        wide_factor(shape, format),
        two(power)
    )
}
