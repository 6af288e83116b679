//! Lanes to narrower floats, and the modifiers that change lanes before that.

use crate::lane::Lane::{Codes, Odd, Result};
use crate::lane::{F32, F64, codes};
use crate::lanes::{lanes32, lanes64, mode, odd_single, power, scaled, shorten, single, tf32_ties_away};
use crate::stage::each;
use ptxcvt::formats::Format;

each! {
    Adjust32<const R: u8> [baseline]: F32 => F32, |x: u32| -> u32, k { lanes32::adjust::<R>(x, k) }
    Adjust64<const R: u8>: F64 => F64, |x: u64| -> u64, k { lanes64::adjust::<R>(x, k) }
    Scale<const DIVIDED: bool, const FINITE: bool>: F32 => F32, |x: u32, scale: u8| -> u32, k {
        scaled::<DIVIDED, FINITE>(x, scale, k)
    }
    ScaleBf16<const DIVIDED: bool, const FINITE: bool> [baseline]: Codes(Format::Bf16) => F32, |x: u16, scale: u8| -> u32, k {
        scaled::<DIVIDED, FINITE>(u32::from(x) << 16, scale, k)
    }

    /// f32 to 8-bit floats, and to FP4 with one code per byte.
    Narrow8<const D: usize, const R: u8, const FINITE: bool>: F32 => codes::<D>(), |x: u32| -> u8, k {
        lanes32::narrow::<D, R, FINITE, false>(x, 0, k) as u8
    }
    /// f32 to any other float of at most 8 bits, by the row of the destination.
    NarrowAny8<const R: u8>: F32 => Result { bits: 8 }, |x: u32| -> u8, k {
        lanes32::narrow_to::<R, false, false>(k.result_row(), x, 0, k) as u8
    }
    Narrow16<const D: usize, const R: u8, const FINITE: bool> [baseline]: F32 => codes::<D>(), |x: u32| -> u16, k {
        lanes32::narrow::<D, R, FINITE, false>(x, 0, k) as u16
    }
    Stochastic8<const D: usize> [baseline]: F32 => codes::<D>(), |x: u32, random: u16| -> u8, k {
        lanes32::narrow::<D, { mode::RS }, true, false>(x, random.into(), k) as u8
    }
    Stochastic16<const D: usize>: F32 => codes::<D>(), |x: u32, random: u16| -> u16, k {
        lanes32::narrow::<D, { mode::RS }, false, false>(x, random.into(), k) as u16
    }
    StochasticBf16: F32 => Codes(Format::Bf16), |x: u32, random: u16| -> u16, k {
        (shorten::<16, { mode::RS }>(x, random.into(), k) >> 16) as u16
    }
    Bf16<const R: u8> [baseline]: F32 => Codes(Format::Bf16), |x: u32| -> u16, k { (shorten::<16, R>(x, 0, k) >> 16) as u16 }
    Tf32<const R: u8>: F32 => Codes(Format::Tf32), |x: u32| -> u32, k { shorten::<13, R>(x, 0, k) }
    Tf32TiesAway: F32 => Codes(Format::Tf32), |x: u32| -> u32, k { tf32_ties_away(x, k) }
    Power<const R: u8>: F32 => Codes(Format::Ue8m0), |x: u32| -> u8, k { power::<R>(x, k) as u8 }
    /// f64 to narrower floats; to 16-bit floats through f32 rounded to odd, which avoids double rounding.
    SinglesOfDoubles [baseline]: F64 => Odd, |x: u64| -> u32, _k { odd_single(x) }
    DoubleHalf<const R: u8> [baseline]: Odd => Codes(Format::F16), |x: u32| -> u16, k {
        lanes32::narrow::<{ Format::F16 as usize }, R, false, true>(x, 0, k) as u16
    }
    DoubleBf16<const R: u8> [baseline]: Odd => Codes(Format::Bf16), |x: u32| -> u16, k {
        let nan = x | 1 << (single::FRACTION_BITS - 1);
        let is_nan = x & single::MAGNITUDE > single::INFINITY;
        (if is_nan { nan } else { shorten::<{ single::BELOW_BF16 }, R>(x, 0, k) } >> single::BELOW_BF16) as u16
    }
    Double32<const R: u8> [baseline]: F64 => F32, |x: u64| -> u32, k {
        lanes64::narrow::<{ Format::F32 as usize }, R, false, true>(x, 0, k) as u32
    }
}
