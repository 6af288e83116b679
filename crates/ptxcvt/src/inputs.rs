//! Inputs for tests: every code of small formats, edge cases of wide ones, seeded random numbers.
//!
//! Comparisons with hardware, with other implementations, and between the two implementations here use the
//! same inputs. Everything is deterministic.

use crate::bits::mask;
use crate::formats::{Format, Kind};
use crate::forms::{Form, Role};
use crate::types::Type;

/// SplitMix64 (Steele, Lea, Flood 2014): a small seeded random generator for this workspace's crates; not part of the
/// public API.
///
/// Its numbers for a seed never change: [`operands`], the random bits of stochastic rounding, and recorded vectors
/// depend on them.
///
/// ```
/// use ptxcvt::inputs::SplitMix64;
/// assert_eq!(SplitMix64::new(0).next_u64(), 0xe220a8397b1dcdaf);
/// ```
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator with this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A random number below `n`, or 0 if `n` is 0; the bias is at most `n` in 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next_u64() % n.max(1) as u64) as usize
    }
}

/// The edge codes of a format; some may repeat. Up to 16 bits these are all codes. Wider floats have every
/// sign and exponent, with fractions at, just below and just above every power of two; integers have values
/// around ±2^k.
///
/// ```
/// use ptxcvt::{Format, inputs};
/// assert_eq!(inputs::edges(Format::Bf16).count(), 65_536);
/// assert!(inputs::edges(Format::F32).any(|bits| bits == 0x7f80_0001));
/// ```
pub fn edges(format: Format) -> impl Iterator<Item = u64> + Clone {
    let bits = format.bits();
    // (count, function): the function returns code n of the lattice.
    let (prefixes, low_bits) = match format.parameters().kind {
        _ if bits <= 16 => (1, 0),
        Kind::Float { exponent, fraction, .. } => (2 << exponent, fraction),
        _ => (1, bits),
    };
    let tails = if bits <= 16 { 1 << bits } else { 2 + 6 * u64::from(low_bits) };
    let padding = format.low_padding();
    (0..prefixes).flat_map(move |prefix: u64| {
        (0..tails).map(move |n| {
            let low = if bits <= 16 { n } else { tail(n, low_bits) };
            (if low_bits == bits { low } else { prefix << low_bits | low }) << padding
        })
    })
}

/// The n-th edge pattern of `width` bits: 0, all ones, then 2^k − 1, 2^k, 2^k + 1 and their complements.
fn tail(n: u64, width: u32) -> u64 {
    let Some(n) = n.checked_sub(2) else { return if n == 0 { 0 } else { mask(width) } };
    let power = 1_u64 << (n / 6);
    let pattern = match n % 3 {
        0 => power,
        1 => power - 1,
        _ => power + 1,
    };
    (if n % 6 < 3 { pattern } else { !pattern }) & mask(width)
}

/// The most source operands that a form has: `{a, b, e, f}` and `rbits`.
pub const MAX_OPERANDS: usize = 5;

/// Operands for `form`: its edge lattice, then `random` seeded ones. Several operands start at different
/// places of the lattice. Only the first [`Form::source_count`] entries are used.
///
/// ```
/// use ptxcvt::{Form, inputs};
/// let form: Form = "cvt.rn.f16x2.e4m3x2".parse()?;
/// assert_eq!(inputs::operands(&form, 10, 1).count(), 65_536 + 10); // every pair of codes
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
pub fn operands(form: &Form, random: usize, seed: u64) -> impl Iterator<Item = [u64; MAX_OPERANDS]> + use<> {
    let form = *form;
    let lattice = lattice_size(form.source());
    let mut generator = SplitMix64::new(seed);
    let mut roles = [Role::A; MAX_OPERANDS];
    for (slot, operand) in roles.iter_mut().zip(form.operands().skip(1)) {
        *slot = operand.role;
    }
    let count = form.source_count();
    // Each further operand starts at another place, and its step is coprime to the lattice's size.
    let mut walks: [_; MAX_OPERANDS] = core::array::from_fn(|i| {
        let start = lattice / MAX_OPERANDS * i;
        source_edges(form.source()).cycle().skip(if i == 0 { 0 } else { start + i })
    });
    (0..lattice + random).map(move |n| {
        core::array::from_fn(|i| match roles[i] {
            _ if i >= count => 0,
            Role::RandomBits => match n % 8 {
                0 => 0,
                1 => 0xffff_ffff,
                _ => generator.next_u64() & mask(32),
            },
            Role::ScaleFactor => match n % 4 {
                0 => 0x7f7f,
                _ => generator.next_u64() & mask(16),
            },
            Role::Rest => generator.next_u64() & mask(32),
            _ if n < lattice => walks[i].next().expect("a cycle does not end"),
            _ => generator.next_u64() & mask(form.source().width()),
        })
    })
}

/// The number of entries in a source type's lattice.
fn lattice_size(ty: Type) -> usize {
    source_edges(ty).count()
}

/// The lattice of a source register: that of its format, or every pair of small codes, or every 16-bit code with a
/// scrambled partner.
fn source_edges(ty: Type) -> impl Iterator<Item = u64> + Clone {
    let (format, lanes) = (ty.format(), ty.lanes());
    let pairs_of_small = lanes == 2 && format.storage() <= 8;
    let count = if pairs_of_small { 1 << ty.width() } else { 0 };
    let single = edges(format).take(if pairs_of_small { 0 } else { usize::MAX });
    (0..count).chain(
        single.map(
            move |x| {
                if lanes == 2 { x << 16 | (x.wrapping_mul(0x9e35) + 0x79b9) & mask(16) } else { x }
            },
        ),
    )
}
