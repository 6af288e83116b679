//! The operations of the reference, each computed exactly and then rounded by the evaluator.

use std::sync::LazyLock;

use ptxcvt::{Form, Format, Rounding, mask};

use crate::input::Input;
use crate::magnitude::NAN;
use crate::recipe::{Classes, Two, ZeroSign};

static ROUND: LazyLock<Form> = LazyLock::new(|| form("cvt.rn.f32.f64"));
static TO_BF16: LazyLock<Form> = LazyLock::new(|| form("cvt.rn.bf16.f32"));
static TO_F16: LazyLock<Form> = LazyLock::new(|| form("cvt.rn.f16.f32"));

fn form(opcode: &str) -> Form {
    opcode.parse().unwrap_or_else(|e| unreachable!("{opcode}: {e}"))
}

/// Evaluates a form for operands that it accepts.
fn eval(form: &Form, operands: &[u64]) -> u64 {
    form.eval(operands).unwrap_or_else(|e| unreachable!("{form}: {e}"))
}

/// Arithmetic on two numbers.
pub(super) fn two(op: Two, a: f32, b: f32) -> u32 {
    let (x, y) = (f64::from(a), f64::from(b));
    match op {
        Two::Add => add(x, y),
        Two::Sub => add(x, -y),
        Two::Mul => round(x * y),
        Two::Div => round(x / y),
        Two::Min => pick(a, b, a < b, false),
        Two::Max => pick(a, b, a > b, false),
        Two::MinNan => pick(a, b, a < b, true),
        Two::MaxNan => pick(a, b, a > b, true),
    }
}

/// PTX's `min` or `max`; `first` says whether the first operand is the result. If one operand is NaN, the
/// result is the other one, or NaN if `nan` is set.
fn pick(a: f32, b: f32, first: bool, nan: bool) -> u32 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => NAN,
        (true, false) | (false, true) if nan => NAN,
        (true, false) => b.to_bits(),
        (false, true) => a.to_bits(),
        (false, false) if first => a.to_bits(),
        (false, false) => b.to_bits(),
    }
}

/// The f32 nearest to `x`.
pub(super) fn round(x: f64) -> u32 {
    if x.is_nan() { NAN } else { eval(&ROUND, &[x.to_bits()]) as u32 }
}

/// x + y for numbers that are f32, rounded to f32.
pub(super) fn add(x: f64, y: f64) -> u32 {
    // The sum is rounded to odd in f64, so that rounding to f32 is correct.
    let s = x + y;
    let back = s - x;
    let error = (x - (s - back)) + (y - back);
    let even = s.to_bits() & 1 == 0;
    if !s.is_finite() || error == 0.0 || !even {
        return round(s);
    }
    // The neighbour on the side of the error is odd.
    let away = (error > 0.0) == (s > 0.0);
    round(f64::from_bits(if away { s.to_bits() + 1 } else { s.to_bits() - 1 }))
}

/// A number rounded to the input's type, as an f32.
pub(super) fn to_input(input: Input, x: f32) -> u32 {
    let (form, format) = match input {
        Input::F32 => return if x.is_nan() { NAN } else { x.to_bits() },
        Input::Bf16 => (&*TO_BF16, Format::Bf16),
        Input::F16 => (&*TO_F16, Format::F16),
    };
    round(format.decode(eval(form, &[x.to_bits().into()])).to_f64())
}

/// One element of a packed conversion, the lowest; the other elements are zero. `random` converts under
/// `.rs`.
pub(super) fn convert(form: &Form, x: f32, random: &mut dyn FnMut(&Form, f32) -> u32) -> u32 {
    if form.rounding() == Some(Rounding::Rs) {
        return random(form, x);
    }
    let mut operands = [0; 4];
    let count = form.source_count();
    operands[count - 1] = x.to_bits().into();
    let bits = eval(form, &operands[..count]);
    (bits & mask(form.destination().format().storage())) as u32
}

/// The code of the value nearest to `x`.
pub(super) fn nearest(format: Format, sign: ZeroSign, x: f32) -> u32 {
    match sign {
        ZeroSign::Never => argmin(format, x),
        ZeroSign::UnlessPositive => count(format, x),
    }
}

/// The code of the value nearest to `x`; at a tie the lower code. NaN and infinities are equally far from
/// every value, so they give the first code.
fn argmin(format: Format, x: f32) -> u32 {
    if !x.is_finite() {
        return 0;
    }
    let largest = format.decode(format.max_finite()).to_f64();
    // The largest number is nearest to all numbers beyond it. Without the clamp, rounding could make
    // distances equal.
    let x = f64::from(x).clamp(-largest, largest);
    let distance = |code: u32| (format.decode(code.into()).to_f64() - x).abs();
    let codes = 0..1_u32 << format.bits();
    codes.min_by(|a, b| distance(*a).total_cmp(&distance(*b))).expect("a format has codes")
}

/// The code of the nearest magnitude, ties toward zero: the number of midpoints below the magnitude of `x`.
/// The sign is set unless `x` is positive.
fn count(format: Format, x: f32) -> u32 {
    let value = |code: u32| format.decode(code.into()).to_f64();
    let largest = format.max_finite() as u32;
    let below = (0..largest).filter(|c| f64::from(x.abs()) > (value(*c) + value(c + 1)) / 2.0).count() as u32;
    if x > 0.0 { below } else { below | format.sign_bit() as u32 }
}

/// True if a number is in one of the classes.
pub(super) fn is_in(classes: Classes, x: f32) -> bool {
    classes.negative && x < 0.0
        || classes.zero && x == 0.0
        || classes.nan && x.is_nan()
        || classes.infinite && x.is_infinite()
}
