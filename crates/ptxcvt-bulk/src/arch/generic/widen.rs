//! Every source to f32 or f64 lanes. All conversions except those of 64-bit integers are exact.

use crate::lane::Lane::{self, Codes, Double, Half, Single, Source};
use crate::lane::{F32, F64, codes, pairs};
use crate::lanes::{integer_to_f32, integer_to_f64, lanes32, lanes64, odd_of_integer, sticky, sticky_single};
use crate::stage::{Kernel, Span, each, elements_mut};
use ptxcvt::formats::Format::{S2f6, S8, S16, S32, S64, U8, U16, U32, U64, Ue8m0};

const BEYOND_F16: i64 = 1 << 17;

each! {
    /// A narrow float to f32.
    Widen8<const S: usize>: codes::<S>() => F32, |x: u8| -> u32, _k { lanes32::widen::<S>(x.into()) }
    /// Any other narrow float of 8 bits to f32, by the row of the source.
    WidenAny8: Source => F32, |x: u8| -> u32, k { lanes32::widen_from(k.source_row(), x.into()) }
    /// f16 and bf16 to f32.
    Widen16<const S: usize>: codes::<S>() => F32, |x: u16| -> u32, _k { lanes32::widen::<S>(x.into()) }
    /// f32 to f64.
    Widen32<const S: usize>: codes::<S>() => F64, |x: u32| -> u64, _k { lanes64::widen::<S>(x.into()) }
    /// ue8m0 to f32, 2^-127 included.
    WidenPower: Codes(Ue8m0) => F32, |x: u8| -> u32, _k {
        let wide = if x == 0 { 0x0040_0000 } else { u32::from(x) << 23 };
        if x == 0xff { 0x7fff_ffff } else { wide }
    }
    /// s2f6 to f32.
    WidenFixed: Codes(S2f6) => F32, |x: u8| -> u32, _k { (f32::from(x as i8) * 0.015_625).to_bits() }
    WidenU8: Codes(U8) => F32, |x: u8| -> u32, _k { f32::from(x).to_bits() }
    WidenS8: Codes(S8) => F32, |x: u8| -> u32, _k { f32::from(x as i8).to_bits() }
    WidenU16: Codes(U16) => F32, |x: u16| -> u32, _k { f32::from(x).to_bits() }
    WidenS16: Codes(S16) => F32, |x: u16| -> u32, _k { f32::from(x as i16).to_bits() }
    /// 32-bit integers to f32, and to f32 lanes for 16-bit floats.
    SingleFromU32<const R: u8>: Codes(U32) => F32, |x: u32| -> u32, _k { integer_to_f32::<R>(x, false) }
    SingleFromS32<const R: u8>: Codes(S32) => F32, |x: u32| -> u32, _k {
        integer_to_f32::<R>((x as i32).unsigned_abs(), (x as i32) < 0)
    }
    StickyU32: Codes(U32) => Single { bits: 16 }, |x: u32| -> u32, _k { sticky_single(x).to_bits() }
    StickyS32 [baseline]: Codes(S32) => Single { bits: 16 }, |x: u32| -> u32, _k { sticky_single((x as i32).unsigned_abs()).to_bits() | x & 1 << 31 }
    /// Integers to f64, which represents them exactly.
    DoubleOfU8: Codes(U8) => F64, |x: u8| -> u64, _k { f64::from(x).to_bits() }
    DoubleOfS8: Codes(S8) => F64, |x: u8| -> u64, _k { f64::from(x as i8).to_bits() }
    DoubleOfU16: Codes(U16) => F64, |x: u16| -> u64, _k { f64::from(x).to_bits() }
    DoubleOfS16: Codes(S16) => F64, |x: u16| -> u64, _k { f64::from(x as i16).to_bits() }
    WidenU32: Codes(U32) => F64, |x: u32| -> u64, _k { f64::from(x).to_bits() }
    WidenS32: Codes(S32) => F64, |x: u32| -> u64, _k { f64::from(x as i32).to_bits() }
    WidenU64: Codes(U64) => Double { bits: 40 }, |x: u64| -> u64, _k { sticky(x).to_bits() }
    WidenS64: Codes(S64) => Double { bits: 40 }, |x: u64| -> u64, _k { sticky((x as i64).unsigned_abs()).to_bits() | x & 1 << 63 }
    /// 64-bit integers to f32 lanes for f16. Integers far beyond the range of f16 are replaced by one
    /// slightly beyond it, which f32 represents.
    ShortU64: Codes(U64) => Half, |x: u64| -> u32, _k {
        // A comparison instead of a minimum of unsigned 64-bit numbers, which CPUs may lack.
        let short = if x >> BEYOND_F16.ilog2() != 0 { BEYOND_F16 as i32 } else { x as i32 };
        (short as f32).to_bits()
    }
    ShortS64: Codes(S64) => Half, |x: u64| -> u32, _k { ((x as i64).clamp(-BEYOND_F16, BEYOND_F16) as i32 as f32).to_bits() }
    /// 64-bit integers to f32 lanes for bf16. The lanes round as the integers do.
    OddOfU64: Codes(U64) => Single { bits: 22 }, |x: u64| -> u32, _k { odd_of_integer::<false>(x) }
    OddOfS64: Codes(S64) => Single { bits: 22 }, |x: u64| -> u32, _k { odd_of_integer::<true>(x) }
    /// 64-bit integers to f64.
    F64FromU64<const R: u8>: Codes(U64) => F64, |x: u64| -> u64, _k { integer_to_f64::<R>(x, false) }
    F64FromS64<const R: u8>: Codes(S64) => F64, |x: u64| -> u64, _k {
        integer_to_f64::<R>((x as i64).unsigned_abs(), (x as i64) < 0)
    }
}

/// FP4, two per byte, to f32.
pub(crate) struct Widen4<const S: usize>;

impl<const S: usize> Kernel for Widen4<S> {
    const NAME: &'static str = "Widen4";
    const TAKES: Lane = pairs::<S>();
    const GIVES: Lane = F32;
    const BASELINE: bool = true;

    #[inline(always)]
    fn run(span: Span<'_>) {
        let result = elements_mut::<8>(span.result);
        for (result, byte) in result.iter_mut().zip(span.source) {
            let (low, high) = (u32::from(byte & 15), u32::from(byte >> 4));
            let (low, high) = (lanes32::widen::<S>(low), lanes32::widen::<S>(high));
            *result = (u64::from(low) | u64::from(high) << 32).to_le_bytes();
        }
    }
}
