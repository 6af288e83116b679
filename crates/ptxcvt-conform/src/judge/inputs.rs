//! The inputs of a comparison: every code of sources of up to 32 bits, or a selection; edges, ties and random numbers of
//! wider ones.

use ptxcvt::formats::{Encoding, Kind};
use ptxcvt::inputs::{SplitMix64, edges};
use ptxcvt::{Exact, Format, Rounding, Value};

/// The most random inputs that a selection may have: they are kept in memory.
pub const MOST_RANDOM: usize = 1 << 28;

/// The inputs, in the order in which a codec receives them.
#[derive(Clone, Debug)]
pub enum Inputs {
    /// Every code of the format, in the order of their bits.
    Every {
        /// The source format.
        source: Format,
    },
    /// These codes, in the order of their bits.
    Listed(Vec<u64>),
}

impl Inputs {
    /// Every code if the source has up to `widest` bits; else edges of the source, ties of the destination with their
    /// neighbours, and `random` seeded numbers.
    pub fn new(source: Format, destination: Format, widest: u32, random: usize, seed: u64) -> Inputs {
        if source.bits() <= widest {
            return Inputs::Every { source };
        }
        let mut listed: Vec<u64> = edges(source).collect();
        listed.extend(boundaries(source, destination));
        let mut generator = SplitMix64::new(seed);
        listed.extend((0..random).map(|n| match n % 2 {
            0 => (generator.next_u64() >> (64 - source.bits())) << source.low_padding(),
            _ => random_within(source, destination, &mut generator),
        }));
        // An input counts once.
        listed.sort_unstable();
        listed.dedup();
        Inputs::Listed(listed)
    }

    /// The number of inputs.
    pub fn count(&self) -> u64 {
        match self {
            Inputs::Every { source } => 1 << source.bits(),
            Inputs::Listed(codes) => codes.len() as u64,
        }
    }

    /// The code of input number `index`.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        match self {
            Inputs::Every { source } => index << source.low_padding(),
            Inputs::Listed(codes) => codes[index as usize],
        }
    }

    /// True if consecutive inputs are consecutive codes.
    pub fn are_consecutive(&self) -> bool {
        matches!(self, Inputs::Every { .. })
    }
}

/// The bytes that a code takes in a stream: 1 for formats of up to 8 bits.
pub fn bytes(format: Format) -> usize {
    format.storage().div_ceil(8) as usize
}

/// A random number of a source within the range of the destination and a little beyond.
pub fn random_within(source: Format, destination: Format, generator: &mut SplitMix64) -> u64 {
    let bits = generator.next_u64();
    let (low, high) = match destination.parameters().kind {
        Kind::Float { fraction, .. } => {
            (destination.min_exponent() - fraction as i32 - 2, destination.max_exponent() + 2)
        }
        Kind::PowerOfTwo { .. } => (-130, 130),
        Kind::Fixed { fraction } => (-(fraction as i32) - 2, 4),
        _ => (-2, destination.bits() as i32 + 2),
    };
    let exponent = low + (generator.next_u64() % (high - low) as u64) as i32;
    let x = Exact { negative: bits & 1 != 0, significand: bits | 1 << 63, exponent: exponent - 63 };
    let rounding = Encoding::new(Rounding::Rz).satfinite();
    source.encode(Value::Finite(x), rounding)
}

/// For every two neighbours of a destination of up to 16 bits: both of them, the number in the middle, and the source
/// numbers next to it; around the end of the range, too. For wider destinations, the same for some of their numbers.
pub fn boundaries(source: Format, destination: Format) -> Vec<u64> {
    let mut found = Vec::new();
    let padding = destination.low_padding();
    let magnitudes = 1_u128 << (destination.bits() - u32::from(destination.is_signed()));
    let step = (magnitudes >> 15).max(1) as u64;
    let mut around = |value: Option<Exact>| {
        let Some(value) = value else { return };
        for negative in [false, true] {
            let Some(code) = nearest_code(source, Exact { negative, ..value }) else { continue };
            found.push(code);
            found.extend(source.next_up(code));
            found.extend(source.next_down(code));
        }
    };
    for code in (0..magnitudes).step_by(step as usize) {
        let code = code as u64;
        // With a wide step, the neighbour differs for each.
        let this = code.wrapping_add(if step > 1 { code.wrapping_mul(0x9e37_79b9) % step } else { 0 });
        if let (Value::Finite(low), Some(next)) =
            (destination.decode(this << padding), destination.next_up(this << padding))
        {
            around(Some(low));
            if let Value::Finite(high) = destination.decode(next) {
                around(middle(low, high));
            }
        }
    }
    let last = destination.max_finite();
    if let (Value::Finite(last), Some(Value::Finite(before))) =
        (destination.decode(last), destination.next_down(last).map(|code| destination.decode(code)))
    {
        // Where the number after the largest one would be, and half-way there.
        let after = sum(last, last).and_then(|twice| difference(twice, before));
        around(Some(last));
        around(after);
        around(after.and_then(|after| middle(last, after)));
    }
    let least = destination.min_positive();
    if let Value::Finite(least) = destination.decode(least) {
        around(Some(Exact { exponent: least.exponent - 1, ..least }));
    }
    found
}

/// The code of a number, if the format has it exactly.
fn nearest_code(format: Format, x: Exact) -> Option<u64> {
    let code = format.encode(Value::Finite(x), Rounding::Rz);
    matches!(format.decode(code), Value::Finite(_)).then_some(code)
}

fn aligned(a: Exact, b: Exact) -> Option<(i128, i128, i32)> {
    let exponent = a.exponent.min(b.exponent);
    let at = |x: Exact| {
        let shift = u32::try_from(x.exponent - exponent).ok().filter(|shift| *shift < 60)?;
        let wide = i128::from(x.significand) << shift;
        Some(if x.negative { -wide } else { wide })
    };
    Some((at(a)?, at(b)?, exponent))
}

fn exact(value: i128, exponent: i32) -> Option<Exact> {
    let shift = (128 - value.unsigned_abs().leading_zeros()).saturating_sub(64);
    let significand = (value.unsigned_abs() >> shift) as u64;
    Some(Exact { negative: value < 0, significand, exponent: exponent + shift as i32 })
}

fn sum(a: Exact, b: Exact) -> Option<Exact> {
    let (a, b, exponent) = aligned(a, b)?;
    exact(a + b, exponent)
}

fn difference(a: Exact, b: Exact) -> Option<Exact> {
    sum(a, Exact { negative: !b.negative, ..b })
}

/// The number half-way between two.
fn middle(a: Exact, b: Exact) -> Option<Exact> {
    sum(a, b).map(|twice| Exact { exponent: twice.exponent - 1, ..twice })
}
