//! The largest magnitude of a block, and the NaN of results.

use crate::recipe::AmaxNan;

/// The NaN of f32 results, as PTX arithmetic returns it.
pub(crate) const NAN: u32 = 0x7fff_ffff;

/// The largest magnitude of f32 numbers, as bits.
pub(crate) fn amax(rule: AmaxNan, numbers: impl Iterator<Item = u32>) -> u32 {
    let mut most = 0;
    for x in numbers {
        let magnitude = x & 0x7fff_ffff;
        match (magnitude > 0x7f80_0000, rule) {
            (true, AmaxNan::Propagates) => return NAN,
            (true, AmaxNan::Ignored) => {}
            _ => most = most.max(magnitude),
        }
    }
    most
}

/// The bits of a number, with [`NAN`] for every NaN.
pub(crate) fn canonical(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { NAN } else { bits }
}
