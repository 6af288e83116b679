//! Every source to f32 or f64 lanes, exactly, but for 64-bit integers.

use crate::bulk::lanes::{
    integer_to_f32, integer_to_f64, lanes32, lanes64, odd_of_integer, sticky, sticky_single,
};
use crate::bulk::stage::{Kernel, Span, each, elements_mut};

const BEYOND_F16: i64 = 1 << 17;

each! {
    /// A narrow float to f32.
    Widen8<const S: usize>: |x: u8| -> u32, _k { lanes32::widen::<S>(x.into()) }
    /// f16 and bf16 to f32.
    Widen16<const S: usize>: |x: u16| -> u32, _k { lanes32::widen::<S>(x.into()) }
    /// f32 to f64.
    Widen32<const S: usize>: |x: u32| -> u64, _k { lanes64::widen::<S>(x.into()) }
    /// ue8m0 to f32, 2^-127 included.
    WidenPower: |x: u8| -> u32, _k {
        let wide = if x == 0 { 0x0040_0000 } else { u32::from(x) << 23 };
        if x == 0xff { 0x7fff_ffff } else { wide }
    }
    /// s2f6 to f32.
    WidenFixed: |x: u8| -> u32, _k { (f32::from(x as i8) * 0.015_625).to_bits() }
    WidenU8: |x: u8| -> u32, _k { f32::from(x).to_bits() }
    WidenS8: |x: u8| -> u32, _k { f32::from(x as i8).to_bits() }
    WidenU16: |x: u16| -> u32, _k { f32::from(x).to_bits() }
    WidenS16: |x: u16| -> u32, _k { f32::from(x as i16).to_bits() }
    /// 32-bit integers to f32, which is no wider than they are, and to lanes of it that 16-bit floats are made of.
    SingleFromU32<const R: u8>: |x: u32| -> u32, _k { integer_to_f32::<R>(x, false) }
    SingleFromS32<const R: u8>: |x: u32| -> u32, _k {
        integer_to_f32::<R>((x as i32).unsigned_abs(), (x as i32) < 0)
    }
    StickyU32: |x: u32| -> u32, _k { sticky_single(x).to_bits() }
    StickyS32: |x: u32| -> u32, _k { sticky_single((x as i32).unsigned_abs()).to_bits() | x & 1 << 31 }
    /// Integers to f64, which holds them.
    DoubleOfU8: |x: u8| -> u64, _k { f64::from(x).to_bits() }
    DoubleOfS8: |x: u8| -> u64, _k { f64::from(x as i8).to_bits() }
    DoubleOfU16: |x: u16| -> u64, _k { f64::from(x).to_bits() }
    DoubleOfS16: |x: u16| -> u64, _k { f64::from(x as i16).to_bits() }
    WidenU32: |x: u32| -> u64, _k { f64::from(x).to_bits() }
    WidenS32: |x: u32| -> u64, _k { f64::from(x as i32).to_bits() }
    WidenU64: |x: u64| -> u64, _k { sticky(x).to_bits() }
    WidenS64: |x: u64| -> u64, _k { sticky((x as i64).unsigned_abs()).to_bits() | x & 1 << 63 }
    /// The same of what f16 is made of: what exceeds its range by far is as good as a little beyond it, which f32 holds.
    ShortU64: |x: u64| -> u32, _k {
        // Not a minimum of unsigned numbers, for which there may be no comparison.
        let short = if x >> BEYOND_F16.ilog2() != 0 { BEYOND_F16 as i32 } else { x as i32 };
        (short as f32).to_bits()
    }
    ShortS64: |x: u64| -> u32, _k { ((x as i64).clamp(-BEYOND_F16, BEYOND_F16) as i32 as f32).to_bits() }
    /// And of what bf16 is made of: f32 that round as the integers do.
    OddOfU64: |x: u64| -> u32, _k { odd_of_integer::<false>(x) }
    OddOfS64: |x: u64| -> u32, _k { odd_of_integer::<true>(x) }
    /// 64-bit integers to f64, which is no wider than they are.
    F64FromU64<const R: u8>: |x: u64| -> u64, _k { integer_to_f64::<R>(x, false) }
    F64FromS64<const R: u8>: |x: u64| -> u64, _k {
        integer_to_f64::<R>((x as i64).unsigned_abs(), (x as i64) < 0)
    }
}

/// FP4, two to a byte, to f32.
pub(in crate::bulk) struct Widen4<const S: usize>;

impl<const S: usize> Kernel for Widen4<S> {
    const NAME: &'static str = "Widen4";

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
