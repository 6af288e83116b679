//! The reference evaluator: slow, obvious, exact. One function per paragraph of the manual.
//!
//! PTX ISA section 9.7.9.21 `cvt` (description, semantics, notes) and 9.7.9.22 `cvt.pack`; where the text
//! is silent, what hardware returns (DESIGN.md, "What decides a result").

use crate::error::OperandCount;
use crate::exact::{Exact, Value};
use crate::explain::{Element, Explanation, NanRule, Outcome};
use crate::format::{Format, Kind, mask, sign_extend};
use crate::forms::{Form, Modifier, Opcode};
use crate::round::{Mode, Random, Rounding, to_quantum};

impl Form {
    /// Evaluates the form: source bits in, destination bits out.
    ///
    /// `operands` are the sources in PTX order: `a`, `b`, the four elements of `{a, b, e, f}`, then `c`,
    /// `rbits` or `scale-factor`. Each is read by its low bits, as PTX reads a wider register. The result
    /// has [`result_width`](Form::result_width) bits; [`extend`](Form::extend) widens it to a register.
    ///
    /// # Errors
    ///
    /// Fails if the number of operands is not [`source_count`](Form::source_count).
    ///
    /// # Example: the first operand goes to the upper half
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rn.f16x2.f32".parse()?;
    /// assert_eq!(form.eval(&[0x3f80_0000, 0x4000_0000])?, 0x3c00_4000); // 1.0, 2.0
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Example: stochastic rounding
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rs.bf16x2.f32".parse()?;
    /// // 1 + 2^-8 lies half-way; the random fields 0xffff and 0x0000 send it up and down.
    /// assert_eq!(form.eval(&[0x3f80_8000, 0x3f80_8000, 0xffff_0000])?, 0x3f81_3f80);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn eval(&self, operands: &[u64]) -> Result<u64, OperandCount> {
        self.explain(operands).map(|e| e.result)
    }

    /// Evaluates the form and says what happened to each element.
    ///
    /// # Errors
    ///
    /// Fails if the number of operands is not [`source_count`](Form::source_count).
    pub fn explain(&self, operands: &[u64]) -> Result<Explanation, OperandCount> {
        let expected = self.source_count();
        if operands.len() != expected {
            return Err(OperandCount { expected, given: operands.len() });
        }
        Ok(match self.opcode() {
            Opcode::Cvt => convert_lanes(self, operands),
            Opcode::CvtPack => pack(self, operands),
        })
    }

    /// Extends a result to a register of `width` bits (at most 64): with the sign where the destination
    /// format is a signed integer, else with zeros.
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.s16.u32".parse()?;
    /// let d = form.eval(&[0x1_ffff])?;
    /// assert_eq!((d, form.extend(d, 32)), (0xffff, 0xffff_ffff));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend(&self, result: u64, width: u32) -> u64 {
        match self.destination().format().parameters().kind {
            Kind::Integer { signed: true } if self.opcode() == Opcode::Cvt => {
                sign_extend(result, self.result_width()) as u64 & mask(width)
            }
            _ => result & mask(width),
        }
    }
}

impl Format {
    /// Rounds a number to this floating-point format, once: subnormals included, and beyond the largest finite
    /// number as IEEE 754 section 7.4 says. Formats of another kind have code 0.
    ///
    /// ```
    /// use ptxcvt::{Exact, Format, Rounding};
    /// let third = Exact { negative: true, significand: 0x5555_5555_5555_5555, exponent: -64 };
    /// assert_eq!(Format::F32.encode(third, Rounding::Rn), 0xbeaa_aaab);
    /// assert_eq!(Format::F32.encode(third, Rounding::Rp), 0xbeaa_aaaa);
    /// let huge = Exact { negative: false, significand: 1, exponent: 200 };
    /// assert_eq!(Format::F32.encode(huge, Rounding::Rn), 0x7f80_0000);
    /// ```
    pub fn encode(self, x: Exact, rounding: Rounding) -> u64 {
        let mode = rounding.mode(None);
        let (padding, largest) = (self.low_padding(), self.max_finite());
        let sign = if x.negative { self.sign_bit() } else { 0 };
        // Beyond this exponent every format overflows; the count of codes must fit 64 bits.
        let codes = match x.is_zero() || x.magnitude_exponent() < 2000 {
            true => round_to_codes(self, x, mode),
            false => Codes { floor: largest + 1, chosen: largest + 1, inexact: true },
        };
        if codes.chosen << padding <= largest {
            return sign | codes.chosen << padding;
        }
        match self.infinity() {
            _ if mode.is_towards_zero(x.negative) => sign | largest,
            Some(infinity) => sign | infinity,
            None => self.canonical_nan(),
        }
    }
}

/// Semantics: `d[hi] = convert(a); d[lo] = convert(b)`, the first element to the upper bits.
fn convert_lanes(form: &Form, operands: &[u64]) -> Explanation {
    let (source, destination) = (form.source(), form.destination());
    let lanes = destination.lanes();
    let mut explanation = Explanation::new();
    for lane in 0..lanes {
        let bits = match source.lanes() {
            1 => operands[lane as usize] & mask(source.width()),
            _ => source.element(operands[0], lane),
        };
        let last = operands[operands.len() - 1];
        let mut element = Element::new(source.format(), bits, destination.format());
        if form.rounding() == Some(Rounding::Rs) {
            element.random = Some(random_field(form, last as u32, lane));
        }
        if form.has(Modifier::ScaledN1) {
            element.scale = Some(last as u8);
        } else if form.has(Modifier::ScaledN2) {
            element.scale = Some((last >> (8 * (1 - lane))) as u8);
        }
        convert(form, &mut element);
        explanation.push(element);
    }
    explanation
}

/// "Random bits `rbits` semantics for `.rs` rounding": which bits an element takes, and in which order.
/// The manual's figures show the fields; that the first element of each pair takes its field reversed was
/// measured.
fn random_field(form: &Form, rbits: u32, lane: u32) -> Random {
    let (upper, lower) = (rbits >> 16, rbits & 0xffff);
    let (value, bits) = match form.destination().format() {
        Format::F16 => ([upper, lower][lane as usize] & 0x1fff, 13),
        Format::Bf16 => ([upper, lower][lane as usize], 16),
        format => {
            let (first, second) = match format {
                // FP4: the upper bytes of both halves for a and b, the lower bytes for e and f.
                Format::E2m1 => ((upper & 0xff00) | lower >> 8, (upper & 0xff) << 8 | lower & 0xff),
                _ => (upper, lower),
            };
            let field = if lane < 2 { first } else { second };
            (if lane % 2 == 0 { u32::from((field as u16).reverse_bits()) } else { field }, 16)
        }
    };
    Random { value, bits }
}

/// One element, by the kinds of its two formats.
fn convert(form: &Form, element: &mut Element) {
    let (source, destination) = (element.source_format, element.result_format);
    match (source.is_integer(), destination.is_integer()) {
        (true, true) => integer_to_integer(form, element),
        (false, true) => float_to_integer(form, element),
        _ if form.rounding() == Some(Rounding::Rna) => float_to_tf32_ties_away(form, element),
        _ if source == destination && is_move(form, source) => {
            element.result = element.source;
            if let Value::Nan { .. } = element.source_value() {
                element.outcome = Outcome::Nan(NanRule::Moved);
            }
        }
        _ => to_float(form, element),
    }
}

/// `cvt.f32.f32` and `cvt.f64.f64` without modifiers move the bits; `.f16.f16` and `.bf16.bf16` compute.
fn is_move(form: &Form, format: Format) -> bool {
    matches!(format, Format::F32 | Format::F64) && form.rounding().is_none() && form.modifiers().is_empty()
}

/// Table 15: sext, zext, chop; `.sat` limits to the range of the destination.
fn integer_to_integer(form: &Form, element: &mut Element) {
    let width = element.result_format.bits();
    let Value::Finite(x) = element.source_value() else { return };
    let value = if x.negative { -i128::from(x.significand) } else { i128::from(x.significand) };
    let (low, high) = integer_range(element.result_format);
    let in_range = (low..=high).contains(&value);
    if form.has(Modifier::Sat) {
        element.result = value.clamp(low, high) as u64 & mask(width);
    } else {
        element.result = value as u64 & mask(width);
    }
    if !in_range {
        element.outcome = if form.has(Modifier::Sat) { Outcome::Saturated } else { Outcome::Wrapped };
    }
}

/// "Integer Notes": rounds to an integer, clamps to the destination's range; NaN has its own rule.
fn float_to_integer(form: &Form, element: &mut Element) {
    let (source, destination) = (element.source_format, element.result_format);
    let width = destination.bits();
    let (low, high) = integer_range(destination);
    let value = match flush_source(form, element) {
        Value::Nan { .. } => {
            let top = source == Format::F64 || width == 64;
            element.result = if top { 1 << (width - 1) } else { 0 };
            let rule = if top { NanRule::IntegerTopBit } else { NanRule::IntegerZero };
            element.outcome = Outcome::Nan(rule);
            return;
        }
        Value::Infinity { negative: false } => i128::MAX,
        Value::Infinity { negative: true } => i128::MIN,
        Value::Finite(x) if !x.is_zero() && x.magnitude_exponent() >= 64 => {
            if x.negative {
                i128::MIN
            } else {
                i128::MAX
            }
        }
        Value::Finite(x) => {
            let mode = form.rounding().unwrap_or(Rounding::Rzi).mode(None);
            let rounded = to_quantum(x, 0, mode);
            let sign = |steps: u64| if x.negative { -i128::from(steps) } else { i128::from(steps) };
            if rounded.inexact {
                let (inner, outer) = (sign(rounded.floor), sign(rounded.floor + 1));
                element.neighbours = Some(
                    [inner.min(outer), inner.max(outer)].map(|n| n.clamp(low, high) as u64 & mask(width)),
                );
                let up = (rounded.steps > rounded.floor) != x.negative;
                element.outcome = if up { Outcome::RoundedUp } else { Outcome::RoundedDown };
            }
            sign(rounded.steps)
        }
    };
    if !(low..=high).contains(&value) {
        element.outcome = Outcome::Saturated;
        element.neighbours = None;
    }
    element.result = value.clamp(low, high) as u64 & mask(width);
}

/// `cvt.rna{.satfinite}.tf32.f32` works on the bits: half a unit is added to the magnitude and what lies
/// below is cut; NaN and infinity take part. `.satfinite` then lowers an all-ones exponent by one unit.
fn float_to_tf32_ties_away(form: &Form, element: &mut Element) {
    const UNIT: u64 = 1 << 13;
    const LARGEST: u64 = 0x7fff_e000;
    let (sign, magnitude) = (element.source & 0x8000_0000, element.source & 0x7fff_ffff);
    let floor = magnitude & !(UNIT - 1);
    let mut result = ((magnitude + UNIT / 2) & !(UNIT - 1)).min(LARGEST);
    if magnitude != floor {
        let ends = [sign | floor, sign | (floor + UNIT).min(LARGEST)];
        let away = result > floor;
        element.outcome = if away != (sign != 0) { Outcome::RoundedUp } else { Outcome::RoundedDown };
        element.neighbours = Some(if sign == 0 { ends } else { [ends[1], ends[0]] });
    }
    if result >= 0x7f80_0000 {
        element.neighbours = None;
        element.outcome = if magnitude > 0x7f80_0000 {
            Outcome::Nan(NanRule::RoundedAsBits)
        } else if form.has(Modifier::Satfinite) {
            Outcome::Saturated
        } else if magnitude == 0x7f80_0000 {
            Outcome::Exact
        } else {
            Outcome::Overflowed
        };
        if form.has(Modifier::Satfinite) {
            result -= UNIT;
        }
    }
    element.result = sign | result;
}

/// "Floating Point Notes": everything that ends in a float, fixed-point or power-of-two format.
fn to_float(form: &Form, element: &mut Element) {
    let destination = element.result_format;
    let flushed = flush_source(form, element);
    let mut value = apply_scale(form, element, flushed);
    if !destination.is_signed() && value.is_negative() && !matches!(value, Value::Nan { .. }) {
        element.sign_dropped = true;
        value = value.with_sign(false);
    }
    if form.has(Modifier::Relu) && value.is_negative() && !matches!(value, Value::Nan { .. }) {
        element.relu = true;
        value = Value::Finite(Exact::new(false, 0, 0));
    }
    match value {
        Value::Nan { negative, payload } => nan(form, element, negative, payload),
        Value::Infinity { negative } => infinity(form, element, negative),
        Value::Finite(x) => {
            let mode = form.rounding().unwrap_or(Rounding::Rn).mode(element.random);
            match destination.parameters().kind {
                Kind::PowerOfTwo { bias } => encode_power(form, element, x, bias, mode),
                Kind::Fixed { fraction } => encode_fixed(element, x, fraction, mode),
                _ if form.rounding().is_some_and(Rounding::is_integer) => encode_integral(element, x, mode),
                _ => encode(form, element, x, mode),
            }
        }
    }
    if form.has(Modifier::Sat) {
        saturate_to_unit(element);
    }
    if form.has(Modifier::Ftz) && destination == Format::F32 {
        flush_result(form, element, value);
    }
    if form.has(Modifier::Pzo) && element.result == destination.sign_bit() {
        element.pzo = true;
        element.result = 0;
    }
}

/// `.ftz`: "subnormal inputs are flushed to sign-preserving zero", where the input is f32.
fn flush_source(form: &Form, element: &mut Element) -> Value {
    let value = element.source_value();
    if form.has(Modifier::Ftz) && element.source_format == Format::F32 && is_subnormal(element) {
        element.flushed = true;
        return Value::Finite(Exact::new(value.is_negative(), 0, 0));
    }
    value
}

/// True where the source's exponent field is zero and its fraction is not.
fn is_subnormal(element: &Element) -> bool {
    match element.source_format.parameters().kind {
        Kind::Float { exponent, fraction, .. } => {
            element.source >> fraction & mask(exponent) == 0 && element.source & mask(fraction) != 0
        }
        _ => false,
    }
}

/// `.scaled`: down-conversion divides by the scale, up-conversion multiplies. Before the division by an n1
/// scale a subnormal source becomes +0. A scale of 0xff is NaN.
fn apply_scale(form: &Form, element: &mut Element, value: Value) -> Value {
    let Some(scale) = element.scale else { return value };
    if scale == 0xff {
        return Value::Nan { negative: false, payload: 0 };
    }
    let power = i32::from(scale) - 127;
    match value {
        Value::Finite(_) if form.has(Modifier::ScaledN1) && is_subnormal(element) => {
            element.flushed = true;
            Value::Finite(Exact::new(false, 0, 0))
        }
        // The one up-conversion with scales is the one to bf16.
        Value::Finite(x) if element.result_format == Format::Bf16 => Value::Finite(x.scaled(power)),
        Value::Finite(x) => Value::Finite(x.scaled(-power)),
        other => other,
    }
}

/// NaN results, as measured: most formats have one canonical NaN; payloads survive only next to f64 and
/// from bf16 to f32.
fn nan(form: &Form, element: &mut Element, negative: bool, payload: u64) {
    let (source, destination) = (element.source_format, element.result_format);
    let quieted = |fraction: u32| {
        let infinity = destination.infinity().unwrap_or(0);
        let payload = (payload | 1 << 63) >> (64 - fraction);
        infinity | payload | if negative { destination.sign_bit() } else { 0 }
    };
    let flushing = form.has(Modifier::Ftz);
    let (result, rule) = match (source, destination) {
        (Format::F64, Format::F32) => (quieted(23), NanRule::Quieted),
        (Format::F64, Format::F16) => (quieted(10), NanRule::Quieted),
        (Format::F64, Format::Bf16) => (quieted(7), NanRule::Quieted),
        (Format::F32, Format::F64) if flushing => (0x7fff_ffff_e000_0000, NanRule::Canonical),
        (_, Format::F64) => (quieted(52), NanRule::Quieted),
        (Format::Bf16, Format::F32) if !flushing => (element.source << 16, NanRule::Moved),
        _ if matches!(destination, Format::E2m3 | Format::E3m2 | Format::E2m1 | Format::S2f6) => {
            (destination.canonical_nan(), NanRule::MaxNorm)
        }
        _ => (destination.canonical_nan(), NanRule::Canonical),
    };
    element.result = result;
    element.outcome = Outcome::Nan(rule);
}

/// An infinite source: infinity where there is one and `.satfinite` does not forbid it, NaN in unsigned
/// formats, else the largest finite number.
fn infinity(form: &Form, element: &mut Element, negative: bool) {
    let destination = element.result_format;
    let sign = if negative { destination.sign_bit() } else { 0 };
    let keep = !form.has(Modifier::Satfinite);
    (element.result, element.outcome) = match (destination.parameters().kind, destination.infinity()) {
        (Kind::Fixed { .. }, _) => {
            (if negative { sign } else { destination.max_finite() }, Outcome::Saturated)
        }
        (_, Some(infinity)) if keep => (sign | infinity, Outcome::Exact),
        _ if keep => (destination.canonical_nan(), Outcome::Overflowed),
        _ => (sign | destination.max_finite(), Outcome::Saturated),
    };
}

/// Magnitude codes of a floating-point format, without sign; they may run past the largest finite one.
struct Codes {
    /// At or below the magnitude.
    floor: u64,
    /// What the mode chose: `floor` or the next code.
    chosen: u64,
    inexact: bool,
}

/// Rounds |x| to the codes of `format`, subnormals included, with no upper limit.
fn round_to_codes(format: Format, x: Exact, mode: Mode) -> Codes {
    let Kind::Float { fraction, bias, .. } = format.parameters().kind else {
        return Codes { floor: 0, chosen: 0, inexact: false };
    };
    if x.is_zero() {
        return Codes { floor: 0, chosen: 0, inexact: false };
    }
    // The quantum is the last place of x's binade, or of the subnormals.
    let least = 1 - bias;
    let binade = x.magnitude_exponent().max(least);
    let rounded = to_quantum(x, binade - fraction as i32, mode);
    // Counting quanta from the subnormals up makes the code: a carry enters the exponent by itself.
    let base = ((binade - least) as u64) << fraction;
    Codes { floor: base + rounded.floor, chosen: base + rounded.steps, inexact: rounded.inexact }
}

/// Rounds to a floating-point format and decides what lies beyond the largest finite number.
fn encode(form: &Form, element: &mut Element, x: Exact, mode: Mode) {
    let destination = element.result_format;
    let Codes { floor, chosen, inexact } = round_to_codes(destination, x, mode);
    let (padding, largest) = (destination.low_padding(), destination.max_finite());
    if chosen << padding > largest || floor << padding > largest {
        return overflow(form, element, x, mode);
    }
    let sign = if x.negative { destination.sign_bit() } else { 0 };
    element.result = sign | chosen << padding;
    if inexact {
        let above = match (floor + 1) << padding {
            code if code > largest => destination.infinity().unwrap_or(largest),
            code => code,
        };
        note_neighbours(element, x.negative, [sign | floor << padding, sign | above]);
    }
}

/// Rounds to an integral value of the same format. It has no more significant bits than its source, so
/// that encoding it is exact; the sign stays, of zero too.
fn encode_integral(element: &mut Element, x: Exact, mode: Mode) {
    let quantum = x.exponent.max(0);
    let rounded = to_quantum(x, quantum, mode);
    let destination = element.result_format;
    let sign = if x.negative { destination.sign_bit() } else { 0 };
    let code =
        |steps| sign | round_to_codes(destination, Exact::new(false, steps, quantum), Mode::TowardZero).floor;
    element.result = code(rounded.steps);
    if rounded.inexact {
        note_neighbours(element, x.negative, [code(rounded.floor), code(rounded.floor + 1)]);
    }
}

/// Records the two codes that the value lay between, nearer to zero first.
fn note_neighbours(element: &mut Element, negative: bool, [inner, outer]: [u64; 2]) {
    element.neighbours = Some(if negative { [outer, inner] } else { [inner, outer] });
    let up = (element.result == outer) != negative;
    element.outcome = if up { Outcome::RoundedUp } else { Outcome::RoundedDown };
}

/// A finite value beyond the largest finite number, by rounding mode as IEEE 754 section 7.4.
fn overflow(form: &Form, element: &mut Element, x: Exact, mode: Mode) {
    let destination = element.result_format;
    let sign = if x.negative { destination.sign_bit() } else { 0 };
    let stays = mode.is_towards_zero(x.negative) || form.has(Modifier::Satfinite);
    (element.result, element.outcome) = match destination.infinity() {
        _ if stays => (sign | destination.max_finite(), Outcome::Saturated),
        Some(infinity) => (sign | infinity, Outcome::Overflowed),
        None => (destination.canonical_nan(), Outcome::Overflowed),
    };
}

/// ue8m0: the exponent of the power of two at or below (`.rz`) or at or above (`.rp`) the magnitude. What
/// lies below the least power, zero too, becomes that power.
fn encode_power(form: &Form, element: &mut Element, x: Exact, bias: i32, mode: Mode) {
    let floor = if x.is_zero() { i32::MIN } else { x.magnitude_exponent() + bias };
    if floor < 0 {
        element.outcome = Outcome::RoundedUp;
        return;
    }
    let between = !x.significand.is_power_of_two();
    let code = floor as u64 + u64::from(between && mode == Mode::Up);
    if code > element.result_format.max_finite() {
        return overflow(form, element, x, mode);
    }
    element.result = code;
    if between {
        note_neighbours(element, false, [floor as u64, floor as u64 + 1]);
    }
}

/// s2f6: two's complement steps, clamped to the range.
fn encode_fixed(element: &mut Element, x: Exact, fraction: u32, mode: Mode) {
    let width = element.result_format.bits();
    let (low, high) = (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1);
    let quantum = -(fraction as i32);
    let big = !x.is_zero() && x.magnitude_exponent() - quantum >= width as i32;
    let rounded = if big {
        crate::round::Rounded { steps: 1 << width, floor: 1 << width, inexact: false }
    } else {
        to_quantum(x, quantum, mode)
    };
    let sign = |steps: u64| if x.negative { -i128::from(steps) } else { i128::from(steps) };
    let code = |n: i128| n.clamp(low, high) as u64 & mask(width);
    let value = sign(rounded.steps);
    element.result = code(value);
    if !(low..=high).contains(&value) {
        element.outcome = Outcome::Saturated;
    } else if rounded.inexact {
        let ends = [code(sign(rounded.floor)), code(sign(rounded.floor + 1))];
        note_neighbours(element, x.negative, ends);
    }
}

/// `.sat` of floats: "limits the result to the range \[0.0, 1.0\]. NaN results are flushed to positive zero."
fn saturate_to_unit(element: &mut Element) {
    let value = element.result_value();
    let one = match element.result_format.parameters().kind {
        Kind::Float { fraction, bias, .. } => (bias as u64) << fraction,
        _ => return,
    };
    let clamped = match value {
        Value::Nan { .. } => {
            element.result = 0;
            element.outcome = Outcome::Nan(NanRule::SaturatedToZero);
            return;
        }
        _ if value.is_negative() => 0,
        _ => element.result.min(one),
    };
    if clamped != element.result {
        // −0 becomes +0: the sign goes, but nothing was out of range.
        if element.result != element.result_format.sign_bit() {
            element.outcome = Outcome::Saturated;
            element.neighbours = None;
        }
        element.result = clamped;
    }
}

/// `.ftz` of an f32 result: flushed where it is tiny after rounding to 24 bits with unbounded exponent.
fn flush_result(form: &Form, element: &mut Element, value: Value) {
    const LEAST_NORMAL: i32 = -126;
    let Value::Finite(x) = value else { return };
    if x.is_zero() || x.magnitude_exponent() >= LEAST_NORMAL {
        return;
    }
    let mode = form.rounding().unwrap_or(Rounding::Rn).mode(None);
    let below = x.magnitude_exponent();
    let carried = to_quantum(x, below - 23, mode).steps == 1 << 24;
    if below + i32::from(carried) < LEAST_NORMAL {
        element.flushed = true;
        element.neighbours = None;
        element.outcome = Outcome::Exact;
        element.result &= Format::F32.sign_bit();
    }
}

/// `cvt.pack`: both sources saturate to the type and fill the low bits of `d`, `a` above `b`; the low bits
/// of `c` fill the rest.
fn pack(form: &Form, operands: &[u64]) -> Explanation {
    let size = form.destination().width();
    let mut explanation = Explanation::new();
    for &operand in &operands[..2] {
        let mut element =
            Element::new(form.source().format(), operand & mask(32), form.destination().format());
        integer_to_integer(form, &mut element);
        explanation.push(element);
    }
    let rest = operands.get(2).copied().unwrap_or(0);
    explanation.result = (explanation.result | rest << (2 * size)) & mask(32);
    explanation
}

/// The code of a non-integer format nearest to a value that is not NaN, for reading literals: ties to even,
/// a finite value never to infinity where the format has a largest number to saturate to.
pub(crate) fn nearest(format: Format, value: Value) -> u64 {
    let sign = if value.is_negative() { format.sign_bit() } else { 0 };
    let largest = format.max_finite();
    let x = match (value, format.parameters().kind) {
        (Value::Finite(x), Kind::Fixed { fraction }) => {
            let mut element = Element::new(format, 0, format);
            encode_fixed(&mut element, x, fraction, Mode::NearestEven);
            return element.result;
        }
        (_, Kind::Fixed { .. }) => return if sign != 0 { sign } else { largest },
        (Value::Finite(x), _) => x,
        _ => return sign | format.infinity().unwrap_or(largest),
    };
    let code = match format.parameters().kind {
        Kind::PowerOfTwo { .. } if x.is_zero() => 0,
        Kind::PowerOfTwo { bias } => {
            // Half-way between 2^n and 2^(n+1) lies 1.5 · 2^n, whose next bit is set.
            let exponent = x.magnitude_exponent();
            let up = to_quantum(x, exponent - 1, Mode::TowardZero).steps & 1;
            (exponent + bias).max(0) as u64 + up
        }
        _ => round_to_codes(format, x, Mode::NearestEven).chosen << format.low_padding(),
    };
    if code > largest { sign | format.infinity().unwrap_or(largest) } else { sign | code }
}

/// The range of an integer format.
fn integer_range(format: Format) -> (i128, i128) {
    let width = format.bits();
    if format.is_signed() { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}
