//! A format as masks and limits of its codes, for loops without branches.

use ptxcvt::formats::Kind;
use ptxcvt::{Format, mask};

/// Masks and limits of a format. Comparisons that do not apply to the format have limits that no code reaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// All bits of an element.
    pub storage: u64,
    /// The bits that have a meaning; the others are padding.
    pub meant: u64,
    /// The bits below the sign. All bits of a format without a sign bit, or in two's complement.
    pub magnitude: u64,
    /// The sign bit of floats.
    pub sign: u64,
    /// The sign bit of two's complement.
    pub flip: u64,
    /// The bits below the code.
    pub padding: u32,
    /// The step between two codes.
    pub unit: u64,
    /// The largest magnitude that is not NaN.
    pub end: u64,
    pub infinity: u64,
    /// The smallest magnitude of a normal number.
    pub normal: u64,
    /// How many codes after the first are subnormal, times `unit`.
    pub subnormals: u64,
    /// A result overflows if these bits are at least `largest`.
    pub compared_to_largest: u64,
    pub largest: u64,
    /// The bits of a normal number's significand: those of its code, and the one above them.
    pub fraction: u64,
    pub leading: u64,
    pub is_float: bool,
}

impl Limits {
    pub fn new(format: Format) -> Limits {
        let storage = mask(format.storage());
        let padding = format.low_padding();
        let meant = mask(format.bits()) << padding;
        let whole = Limits {
            storage,
            meant,
            magnitude: meant,
            sign: 0,
            flip: 0,
            padding,
            unit: 1 << padding,
            end: u64::MAX,
            infinity: u64::MAX,
            normal: u64::MAX,
            subnormals: 0,
            compared_to_largest: 0,
            largest: 1,
            fraction: u64::MAX,
            leading: 0,
            is_float: false,
        };
        match format.parameters().kind {
            Kind::Float { fraction, .. } => Limits {
                magnitude: meant & !format.sign_bit(),
                sign: format.sign_bit(),
                end: format.infinity().unwrap_or(format.max_finite()),
                infinity: format.infinity().unwrap_or(u64::MAX),
                normal: format.min_normal(),
                subnormals: format.min_normal() - (1 << padding),
                compared_to_largest: storage & !format.sign_bit(),
                largest: format.max_finite(),
                fraction: mask(fraction),
                leading: 1 << fraction,
                is_float: true,
                ..whole
            },
            Kind::PowerOfTwo { .. } => {
                Limits { end: format.max_finite(), normal: 0, fraction: 0, leading: 1, ..whole }
            }
            _ => Limits { flip: format.sign_bit(), ..whole },
        }
    }
}
