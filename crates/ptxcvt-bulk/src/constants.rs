//! The constants of a form's stages, derived from its formats and modifiers.

use ptxcvt::formats::{Format, Kind};
use ptxcvt::forms::{Form, Modifier};
use ptxcvt::{Exact, Rounding, Value, mask};

use super::lanes::{FloatRow, single};

/// The constants of stages. They do not change during a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Constants {
    /// Limits of the magnitudes of positive and negative numbers before rounding.
    pub limit: [u64; 2],
    /// The code of an infinite source, without sign.
    pub infinity: u64,
    /// The code of a NaN source.
    pub nan: u64,
    /// For NaN that stays in its format: a mask of the bits that are kept, and the bits that are set.
    pub nan_keep: u64,
    pub nan_set: u64,
    /// Magnitudes below this are flushed, for positive and negative numbers, and the mask of the bits that
    /// remain.
    pub flush_below: [u64; 2],
    pub flush_keep: u64,
    /// All ones if `.sat` limits to the range 0 to 1.
    pub sat: u64,
    /// For fixed point and integers: the ends of the range as numbers, and 1.5 · 2^F quanta.
    pub low: f64,
    pub high: f64,
    pub magic: f64,
    /// For integers: the ends of the range.
    pub low_integer: i64,
    pub high_integer: u64,
    /// The codes that become 0 in the last step: the first one, and how many follow it.
    pub zeroed: u64,
    pub more_zeroed: u64,
    /// For `cvt.pack`: the bits of one element.
    pub pack_bits: u32,
    /// The rows of source and destination, if they are floats.
    source_row: Option<FloatRow>,
    result_row: Option<FloatRow>,
}

/// 1.5 · 2^F. Adding and subtracting it rounds a number to an integer.
const MAGIC_F32: f64 = (3 << 22) as f64;
const MAGIC_F64: f64 = (3_u64 << 51) as f64;
/// The quiet bit of an f64.
const QUIET_F64: u64 = 1 << 51;
/// f32's canonical NaN as an f64.
const NAN_F32_AS_F64: u64 = 0x7fff_ffff_e000_0000;
/// The bits of an f64 below the last place of an f32.
const F64_BELOW_F32: u32 = 29;

impl Constants {
    /// The row of the source, for kernels that work on any small float.
    #[inline(always)]
    pub fn source_row(&self) -> FloatRow {
        self.source_row.expect("a stage from any small float is chosen for floats alone")
    }

    /// The row of the destination, for kernels that work on any small float.
    #[inline(always)]
    pub fn result_row(&self) -> FloatRow {
        self.result_row.expect("a stage to any small float is chosen for floats alone")
    }

    /// The constants of a form, or `None` if lanes cannot compute the form.
    pub fn new(form: &Form) -> Option<Constants> {
        let (source, destination) = (form.source().format(), form.destination().format());
        let (source_row, result_row) = (FloatRow::new(source), FloatRow::new(destination));
        let mut k = Constants { nan_keep: u64::MAX, source_row, result_row, ..Constants::default() };
        if form.has(Modifier::Relu) || form.has(Modifier::Pzo) {
            if !destination.is_signed() {
                return None;
            }
            // Only −0, or all codes with its sign.
            k.zeroed = destination.sign_bit();
            k.more_zeroed = if form.has(Modifier::Relu) { k.zeroed - 1 } else { 0 };
        }
        if form.has(Modifier::Sat) && !destination.is_integer() {
            k.sat = u64::MAX;
        }
        flushing(form, &mut k)?;
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
            Kind::Float { .. } => float_range(form, source, destination, &mut k)?,
            // This crate does not know the kind of format.
            _ => return None,
        }
        Some(k)
    }
}

/// `.ftz`, and the flushing before a division by an n1 scale. `None` for other formats than floats.
fn flushing(form: &Form, k: &mut Constants) -> Option<()> {
    let (source, destination) = (form.source().format(), form.destination().format());
    let least = |format: Format| match format.parameters().kind {
        Kind::Float { bias, .. } => Some(f64::from_bits(((1024 - bias) as u64) << 52)),
        _ => None,
    };
    if form.has(Modifier::Ftz) {
        k.flush_keep = if source == Format::F64 || destination == Format::F64 { 1 << 63 } else { 1 << 31 };
        k.flush_below = match (source, destination) {
            // Flushes numbers that are subnormal after rounding to 24 bits, but not those that round to the
            // least normal number.
            (Format::F64, _) => {
                let least = least(Format::F32)?.to_bits();
                let carried = |halves: u64| least - (halves << (F64_BELOW_F32 - 1));
                let away = carried(2) + 1;
                match form.rounding() {
                    Some(Rounding::Rn) => [carried(1); 2],
                    Some(Rounding::Rp) => [away, least],
                    Some(Rounding::Rm) => [least, away],
                    Some(Rounding::Rz) => [least; 2],
                    // No form from f64 has another rounding.
                    _ => return None,
                }
            }
            (_, Format::F64) => [least(Format::F32)?.to_bits(); 2],
            (Format::F32, _) | (_, Format::F32) => [u64::from(single::LEAST_NORMAL); 2],
            // `.ftz` flushes only numbers that are subnormal in f32.
            _ => return None,
        };
    }
    if form.has(Modifier::ScaledN1) {
        k.flush_below = [u64::from((least(source)? as f32).to_bits()); 2];
    }
    Some(())
}

/// The range of an integer format, and the result for NaN.
fn integer_range(source: Format, destination: Format, signed: bool, k: &mut Constants) {
    let width = destination.bits();
    k.high_integer = mask(width - u32::from(signed));
    k.low_integer = if signed { (-1_i64) << (width - 1) } else { 0 };
    (k.low, k.high) = (k.low_integer as f64, k.high_integer as f64);
    k.magic = if source == Format::F64 { MAGIC_F64 } else { MAGIC_F32 };
    k.nan = if source == Format::F64 { 1 << (width - 1) } else { 0 };
    k.pack_bits = width;
}

/// The range of a float format, and the results for infinity and NaN. `None` if NaN keeps its payload, for which a
/// format without infinity has no codes.
fn float_range(form: &Form, source: Format, destination: Format, k: &mut Constants) -> Option<()> {
    let satfinite = form.has(Modifier::Satfinite);
    // 32-bit integers go through f32 unless the destination is f64, and so do all sources of 16-bit
    // destinations.
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
            None | Some(Rounding::Rn | Rounding::Rna | Rounding::Rs) => [away; 2],
            // Integral numbers do not leave the range.
            Some(rounding) if rounding.is_integer() => [away; 2],
            _ => return None,
        };
    }
    let same_exponent = matches!(destination, Format::Bf16 | Format::Tf32) && !wide_lanes;
    if same_exponent && !satfinite {
        k.limit = [u64::from(u32::MAX); 2];
    }
    match destination {
        Format::Tf32 if form.rounding() == Some(Rounding::Rna) => {
            // The difference from an infinite result: one step or zero.
            k.infinity = if satfinite { 1 << destination.low_padding() } else { 0 };
        }
        // These formats are rounded in place, in the upper bits of an f32.
        Format::Bf16 if !wide_lanes => k.nan = all << single::BELOW_BF16,
        Format::F32 if !wide_lanes => (k.nan_keep, k.nan_set) = (0, single::NAN.into()),
        Format::F64 if form.has(Modifier::Ftz) => (k.nan_keep, k.nan_set) = (0, NAN_F32_AS_F64),
        Format::F64 => k.nan_set = QUIET_F64,
        _ => {}
    }
    // A NaN of f64 keeps the upper bits of its payload, in addition to the quiet bit.
    if let (Format::F64, Kind::Float { fraction, .. }) = (source, destination.parameters().kind) {
        k.nan = destination.infinity()? | 1 << (fraction - 1);
    }
    Some(())
}
