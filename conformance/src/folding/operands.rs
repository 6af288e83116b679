//! Constants that distinguish rounding modes, saturation and special values. They are few, because each one costs machine
//! code and space in the record.

use ptxcvt::forms::Role;
use ptxcvt::{Form, Format, Type};

/// Values around which `f32` conversions change behaviour: zeros, subnormals, ties of integers, bf16 and f16,
/// ranges of integers and of f16, the largest finite, infinities, NaN.
const F32: [u32; 30] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x807f_ffff,
    0x0080_0000,
    0x3f00_0000,
    0xbf00_0000,
    0x3fc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x3f80_0001,
    0x3f80_1000,
    0xbf80_3000,
    0x3f80_8000,
    0xbf81_8000,
    0x42ff_0000,
    0x437f_8000,
    0xc300_8000,
    0x4f00_0000,
    0xcf00_0001,
    0x5f80_0000,
    0x477f_f000,
    0x3300_0000,
    0x3300_0001,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    0xff80_0001,
];

/// Additional values for f64: ties of f32 and their neighbours, subnormals and overflow of f32, NaN payloads.
const F64: [u64; 14] = [
    0x3ff0_0000_1000_0000,
    0xbff0_0000_3000_0000,
    0x3ff0_0000_1000_0001,
    0x36a0_0000_0000_0000,
    0x3690_0000_0000_0000,
    0xb690_0000_0000_0001,
    0x380f_ffff_e000_0000,
    0xb80f_ffff_f000_0000,
    0x47ef_ffff_efff_ffff,
    0x47ef_ffff_f000_0000,
    0x0000_0000_0000_0001,
    0x7fef_ffff_ffff_ffff,
    0x7ff8_1234_5678_9abc,
    0xfff0_0000_0000_0001,
];

const F16: [u64; 20] = [
    0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3800, 0xb800, 0x3e00, 0x4100, 0xc100, 0x3c01, 0x57f0, 0xd808,
    0x5bfc, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfe55,
];

const INTEGERS: [i128; 24] = [
    0,
    1,
    127,
    128,
    255,
    257,
    259,
    2049,
    2051,
    32767,
    65519,
    65520,
    16_777_217,
    16_777_219,
    2_147_483_647,
    2_147_483_648,
    4_294_967_295,
    9_007_199_254_740_993,
    i64::MAX as i128,
    u64::MAX as i128,
    -1,
    -129,
    -32769,
    i64::MIN as i128,
];

/// The tuples on which a form is folded, in PTX order.
pub fn tuples(form: &Form) -> Vec<Vec<u64>> {
    let values = values(form.source());
    let roles: Vec<Role> = form.operands().map(|o| o.role).filter(|r| *r != Role::Destination).collect();
    let tuple = |i: usize| {
        let operand = |(k, role): (usize, &Role)| match role {
            Role::RandomBits => 0x1234_9abc,
            // 2^1 in the upper byte, 2^-2 in the lower byte. A single factor reads the lower byte.
            Role::ScaleFactor if form.source().lanes() == 2 || form.has(ptxcvt::Modifier::ScaledN2) => 0x807d,
            Role::ScaleFactor => 0x7d,
            Role::Rest => 0x89ab_cdef,
            // Different neighbours, so that the halves of the result differ.
            _ => values[(i + 7 * k) % values.len()],
        };
        roles.iter().enumerate().map(operand).collect()
    };
    (0..values.len()).map(tuple).collect()
}

/// The constants of a source type.
fn values(source: Type) -> Vec<u64> {
    let width = source.width();
    let mask = u64::MAX >> (64 - width);
    let bf16 = || F32.iter().map(|bits| u64::from(bits >> 16));
    match (source.format(), source.lanes()) {
        (Format::F32, _) => F32.iter().map(|bits| u64::from(*bits)).collect(),
        // f64 has its own NaN constants, because a host may change NaNs when converting.
        (Format::F64, _) => {
            let exact = F32.iter().map(|bits| f64::from(f32::from_bits(*bits))).filter(|x| !x.is_nan());
            exact.map(f64::to_bits).chain(F64).collect()
        }
        (Format::F16, 1) => F16.to_vec(),
        (Format::Bf16, 1) => unique(bf16().collect()),
        (Format::F16, _) => F16.iter().zip(F16.iter().rev()).map(|(hi, lo)| hi << 16 | lo).collect(),
        (Format::Bf16, _) => bf16().zip(bf16().rev()).map(|(hi, lo)| hi << 16 | lo).collect(),
        (format, 1) if format.is_integer() => unique(INTEGERS.iter().map(|i| *i as u64 & mask).collect()),
        // Small codes: every fifth, paired with the same list reversed.
        _ => (0..=mask).step_by(mask as usize / 16).collect(),
    }
}

fn unique(mut values: Vec<u64>) -> Vec<u64> {
    values.sort_unstable();
    values.dedup();
    values
}
