//! Lanes to narrower floats, and what modifiers do to lanes before.

use crate::bulk::lanes::{
    lanes32, lanes64, mode, odd_single, power, scaled, shorten, single, tf32_ties_away,
};
use crate::bulk::stage::each;
use crate::formats::Format;

each! {
    Adjust32<const R: u8>: |x: u32| -> u32, k { lanes32::adjust::<R>(x, k) }
    Adjust64<const R: u8>: |x: u64| -> u64, k { lanes64::adjust::<R>(x, k) }
    Scale<const DIVIDED: bool, const FINITE: bool>: |x: u32, scale: u8| -> u32, k {
        scaled::<DIVIDED, FINITE>(x, scale, k)
    }
    ScaleBf16<const DIVIDED: bool, const FINITE: bool>: |x: u16, scale: u8| -> u32, k {
        scaled::<DIVIDED, FINITE>(u32::from(x) << 16, scale, k)
    }

    /// f32 to 8-bit floats, and FP4 a code to a byte.
    Narrow8<const D: usize, const R: u8, const FINITE: bool>: |x: u32| -> u8, k {
        lanes32::narrow::<D, R, FINITE, false>(x, 0, k) as u8
    }
    Narrow16<const D: usize, const R: u8, const FINITE: bool>: |x: u32| -> u16, k {
        lanes32::narrow::<D, R, FINITE, false>(x, 0, k) as u16
    }
    Stochastic8<const D: usize>: |x: u32, random: u16| -> u8, k {
        lanes32::narrow::<D, { mode::RS }, true, false>(x, random.into(), k) as u8
    }
    Stochastic16<const D: usize>: |x: u32, random: u16| -> u16, k {
        lanes32::narrow::<D, { mode::RS }, false, false>(x, random.into(), k) as u16
    }
    StochasticBf16: |x: u32, random: u16| -> u16, k {
        (shorten::<16, { mode::RS }>(x, random.into(), k) >> 16) as u16
    }
    Bf16<const R: u8>: |x: u32| -> u16, k { (shorten::<16, R>(x, 0, k) >> 16) as u16 }
    Tf32<const R: u8>: |x: u32| -> u32, k { shorten::<13, R>(x, 0, k) }
    Tf32TiesAway: |x: u32| -> u32, k { tf32_ties_away(x, k) }
    Power<const R: u8>: |x: u32| -> u8, k { power::<R>(x, k) as u8 }
    /// f64 to narrower floats; to those of 16 bits through f32, which has bits enough not to round twice.
    SinglesOfDoubles: |x: u64| -> u32, _k { odd_single(x) }
    DoubleHalf<const R: u8>: |x: u32| -> u16, k {
        lanes32::narrow::<{ Format::F16 as usize }, R, false, true>(x, 0, k) as u16
    }
    DoubleBf16<const R: u8>: |x: u32| -> u16, k {
        let nan = x | 1 << (single::FRACTION_BITS - 1);
        let is_nan = x & single::MAGNITUDE > single::INFINITY;
        (if is_nan { nan } else { shorten::<{ single::BELOW_BF16 }, R>(x, 0, k) } >> single::BELOW_BF16) as u16
    }
    Double32<const R: u8>: |x: u64| -> u32, k {
        lanes64::narrow::<{ Format::F32 as usize }, R, false, true>(x, 0, k) as u32
    }
}
