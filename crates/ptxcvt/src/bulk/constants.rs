//! What a form's formats and modifiers make of its stages: numbers that stay the same over a run.

use crate::bits::mask;
use crate::exact::{Exact, Value};
use crate::formats::{Format, Kind};
use crate::forms::{Form, Modifier};
use crate::round::Rounding;

use super::lanes::single;

/// What modifiers make of a conversion, as numbers that stay the same over a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Constants {
    /// Magnitudes above this become this before they are rounded: of positive and of negative numbers.
    pub limit: [u64; 2],
    /// The code of an infinite source, without sign.
    pub infinity: u64,
    /// The code of a NaN source.
    pub nan: u64,
    /// A NaN that stays in its format: these bits of it are kept, and those set.
    pub nan_keep: u64,
    pub nan_set: u64,
    /// Magnitudes below this are flushed, of positive and of negative numbers, to these bits of themselves.
    pub flush_below: [u64; 2],
    pub flush_keep: u64,
    /// All ones where `.sat` limits to 0 to 1.
    pub sat: u64,
    /// Fixed point and integers: the ends of the range, as numbers, and 1.5 · 2^F quanta.
    pub low: f64,
    pub high: f64,
    pub magic: f64,
    /// Integers: the ends of the range.
    pub low_integer: i64,
    pub high_integer: u64,
    /// Codes that become 0 at the end: from the first of these on, so many more than one.
    pub zeroed: u64,
    pub more_zeroed: u64,
    /// `cvt.pack`: the bits of one element.
    pub pack_bits: u32,
}

/// 1.5 · 2^F: what is added to a number and taken away again leaves it rounded to an integer.
const MAGIC_F32: f64 = (3 << 22) as f64;
const MAGIC_F64: f64 = (3_u64 << 51) as f64;
/// The quiet bit of an f64.
const QUIET_F64: u64 = 1 << 51;
/// f32's canonical NaN as an f64.
const NAN_F32_AS_F64: u64 = 0x7fff_ffff_e000_0000;
/// The bits of an f64 below the last place of an f32.
const F64_BELOW_F32: u32 = 29;

impl Constants {
    /// The numbers behind a form's modifiers and formats.
    pub fn new(form: &Form) -> Constants {
        let (source, destination) = (form.source().format(), form.destination().format());
        let mut k = Constants { nan_keep: u64::MAX, ..Constants::default() };
        if form.has(Modifier::Relu) || form.has(Modifier::Pzo) {
            // −0 alone, or all that have its sign.
            k.zeroed = destination.sign_bit();
            k.more_zeroed = if form.has(Modifier::Relu) { k.zeroed - 1 } else { 0 };
        }
        if form.has(Modifier::Sat) && !destination.is_integer() {
            k.sat = u64::MAX;
        }
        flushing(form, &mut k);
        match destination.parameters().kind {
            Kind::Integer { signed } => integer_range(source, destination, signed, &mut k),
            Kind::Fixed { fraction } => {
                let unit = 1.0 / f64::from(1_u32 << fraction);
                let (low, high) = (f64::from(i8::MIN), f64::from(i8::MAX));
                (k.low, k.high, k.magic) = (low * unit, high * unit, MAGIC_F32 * unit);
                k.nan = destination.max_finite();
            }
            Kind::PowerOfTwo { .. } => {
                let nan = mask(destination.bits());
                k.limit[0] = if form.has(Modifier::Satfinite) { nan - 1 } else { nan };
            }
            Kind::Float { .. } => float_range(form, source, destination, &mut k),
        }
        k
    }
}

/// `.ftz`, and the flushing that comes before a division by an n1 scale.
fn flushing(form: &Form, k: &mut Constants) {
    let (source, destination) = (form.source().format(), form.destination().format());
    let least = |format: Format| match format.parameters().kind {
        Kind::Float { bias, .. } => f64::from_bits(((1024 - bias) as u64) << 52),
        _ => 0.0,
    };
    if form.has(Modifier::Ftz) {
        k.flush_keep = if source == Format::F64 || destination == Format::F64 { 1 << 63 } else { 1 << 31 };
        k.flush_below = match (source, destination) {
            // Tiny after rounding to 24 bits: what that carries to the least normal number stays.
            (Format::F64, _) => {
                let least = least(Format::F32).to_bits();
                let carried = |halves: u64| least - (halves << (F64_BELOW_F32 - 1));
                let away = carried(2) + 1;
                match form.rounding() {
                    Some(Rounding::Rn) => [carried(1); 2],
                    Some(Rounding::Rp) => [away, least],
                    Some(Rounding::Rm) => [least, away],
                    _ => [least; 2],
                }
            }
            (_, Format::F64) => [least(Format::F32).to_bits(); 2],
            _ => [u64::from(single::LEAST_NORMAL); 2],
        };
    }
    if form.has(Modifier::ScaledN1) {
        k.flush_below = [u64::from((least(source) as f32).to_bits()); 2];
    }
}

/// The ends of an integer format, and what NaN becomes.
fn integer_range(source: Format, destination: Format, signed: bool, k: &mut Constants) {
    let width = destination.bits();
    k.high_integer = mask(width - u32::from(signed));
    k.low_integer = if signed { (-1_i64) << (width - 1) } else { 0 };
    (k.low, k.high) = (k.low_integer as f64, k.high_integer as f64);
    k.magic = if source == Format::F64 { MAGIC_F64 } else { MAGIC_F32 };
    k.nan = if source == Format::F64 { 1 << (width - 1) } else { 0 };
    k.pack_bits = width;
}

/// Where a float format ends, and what infinity and NaN become.
fn float_range(form: &Form, source: Format, destination: Format, k: &mut Constants) {
    let satfinite = form.has(Modifier::Satfinite);
    // 32-bit integers go through f32, but for f64; so does all that has 16 bits in the end.
    let narrow_lanes = if destination == Format::F64 { 16 } else { 32 };
    let is_wide = source == Format::F64 || source.is_integer() && source.bits() > narrow_lanes;
    let wide_lanes = is_wide && destination.bits() > 16;
    let bits = |x: f64| if wide_lanes { x.to_bits() } else { u64::from((x as f32).to_bits()) };
    let all = mask(destination.bits() - u32::from(destination.is_signed())) << destination.low_padding();
    k.nan = all;
    k.infinity = if satfinite { destination.max_finite() } else { destination.infinity().unwrap_or(all) };
    if let Value::Finite(largest) = destination.decode(destination.max_finite()) {
        let beyond = Exact { significand: largest.significand + 1, ..largest };
        let (largest, beyond) = (bits(largest.to_f64()), bits(beyond.to_f64()));
        let (towards, away) = if satfinite { (largest, largest) } else { (largest, beyond) };
        k.limit = match form.rounding() {
            Some(Rounding::Rz) => [towards; 2],
            Some(Rounding::Rm) => [towards, away],
            Some(Rounding::Rp) => [away, towards],
            _ => [away; 2],
        };
    }
    let same_exponent = matches!(destination, Format::Bf16 | Format::Tf32) && !wide_lanes;
    if same_exponent && !satfinite {
        k.limit = [u64::from(u32::MAX); 2];
    }
    match destination {
        Format::Tf32 if form.rounding() == Some(Rounding::Rna) => {
            // What is taken off an infinite result: a step, or nothing.
            k.infinity = if satfinite { 1 << destination.low_padding() } else { 0 };
        }
        // Rounded in place, at the top of an f32.
        Format::Bf16 if !wide_lanes => k.nan = all << single::BELOW_BF16,
        Format::F32 if !wide_lanes => (k.nan_keep, k.nan_set) = (0, single::NAN.into()),
        Format::F64 if form.has(Modifier::Ftz) => (k.nan_keep, k.nan_set) = (0, NAN_F32_AS_F64),
        Format::F64 => k.nan_set = QUIET_F64,
        _ => {}
    }
    // From f64 the payload joins the quiet bit.
    if let (Format::F64, Kind::Float { fraction, .. }) = (source, destination.parameters().kind) {
        k.nan = destination.infinity().unwrap_or(0) | 1 << (fraction - 1);
    }
}
