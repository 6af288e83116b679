//! The kernels that every tier has: the lane algorithms over slices, and which of them a form needs.
//!
//! A conversion is at most: widen to f32 or f64 lanes, adjust there, narrow, then the modifiers that only
//! look at the code, then two FP4 codes to a byte.

use super::lanes::{
    integer_to_f64, lanes32, lanes64, mode, power, shorten, single_to_s32, single_to_u32, sticky,
    tf32_ties_away, truncated, word_of,
};
use super::stage::{Kernel, Span, each, elements, elements_mut};
use crate::format::Format;

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
    WidenU32: |x: u32| -> u64, _k { f64::from(x).to_bits() }
    WidenS32: |x: u32| -> u64, _k { f64::from(x as i32).to_bits() }
    WidenU64: |x: u64| -> u64, _k { sticky(x).to_bits() }
    WidenS64: |x: u64| -> u64, _k { sticky((x as i64).unsigned_abs()).to_bits() | x & 1 << 63 }
    /// 64-bit integers to f64, which is no wider than they are.
    F64FromU64<const R: u8>: |x: u64| -> u64, _k { integer_to_f64::<R>(x, false) }
    F64FromS64<const R: u8>: |x: u64| -> u64, _k {
        integer_to_f64::<R>((x as i64).unsigned_abs(), (x as i64) < 0)
    }

    Adjust32<const R: u8>: |x: u32| -> u32, k { lanes32::adjust::<R, false>(x, 0, k) }
    Adjust64<const R: u8>: |x: u64| -> u64, k { lanes64::adjust::<R, false>(x, 0, k) }
    Scale: |x: u32, scale: u8| -> u32, k { lanes32::adjust::<{ mode::NONE }, true>(x, scale, k) }

    /// f32 to 8-bit floats, and FP4 a code to a byte.
    Narrow8<const D: usize, const R: u8, const FINITE: bool>: |x: u32| -> u8, k {
        lanes32::narrow::<D, R, FINITE>(x, 0, k) as u8
    }
    Narrow16<const D: usize, const R: u8, const FINITE: bool>: |x: u32| -> u16, k {
        lanes32::narrow::<D, R, FINITE>(x, 0, k) as u16
    }
    Stochastic8<const D: usize>: |x: u32, random: u16| -> u8, k {
        lanes32::narrow::<D, { mode::RS }, true>(x, random.into(), k) as u8
    }
    Stochastic16<const D: usize>: |x: u32, random: u16| -> u16, k {
        lanes32::narrow::<D, { mode::RS }, false>(x, random.into(), k) as u16
    }
    StochasticBf16: |x: u32, random: u16| -> u16, k {
        (shorten::<16, { mode::RS }>(x, random.into(), k) >> 16) as u16
    }
    Bf16<const R: u8>: |x: u32| -> u16, k { (shorten::<16, R>(x, 0, k) >> 16) as u16 }
    Tf32<const R: u8>: |x: u32| -> u32, k { shorten::<13, R>(x, 0, k) }
    Tf32TiesAway: |x: u32| -> u32, k { tf32_ties_away(x, k) }
    Power<const R: u8>: |x: u32| -> u8, k { power::<R>(x, k) as u8 }
    /// f32 to s2f6 and to 8- and 16-bit integers.
    Fixed8<const R: u8>: |x: u32| -> u8, k { lanes32::fixed::<R>(x, k) as u8 }
    Fixed16<const R: u8>: |x: u32| -> u16, k { lanes32::fixed::<R>(x, k) as u16 }
    /// f32 to 8- and 16-bit integers under `.rzi`, and to 32-bit ones.
    Truncated8: |x: u32| -> u8, k { truncated(x, k) as u8 }
    Truncated16: |x: u32| -> u16, k { truncated(x, k) as u16 }
    Signed32<const R: u8>: |x: u32| -> u32, _k { single_to_s32(lanes32::integral::<R>(x)) }
    Unsigned32<const R: u8>: |x: u32| -> u32, _k { single_to_u32(lanes32::integral::<R>(x)) }
    /// 32-bit integers to f32, to nearest.
    SingleOfU32: |x: u32| -> u32, _k { (x as f32).to_bits() }
    SingleOfS32: |x: u32| -> u32, _k { (x as i32 as f32).to_bits() }
    /// f32 to f64, NaN quieted.
    SingleToDouble: |x: u32| -> u64, _k {
        let wide = lanes64::widen::<{ Format::F32 as usize }>(x.into());
        if wide << 1 > lanes64::INFINITY << 1 { wide | 1 << 51 } else { wide }
    }
    /// f64 to narrower floats.
    Double16<const D: usize, const R: u8>: |x: u64| -> u16, k { lanes64::narrow::<D, R, false>(x, 0, k) as u16 }
    Double32<const D: usize, const R: u8>: |x: u64| -> u32, k { lanes64::narrow::<D, R, false>(x, 0, k) as u32 }
    /// f64 to integers.
    DoubleFixed8<const R: u8>: |x: u64| -> u8, k { lanes64::fixed::<R>(x, k) as u8 }
    DoubleFixed16<const R: u8>: |x: u64| -> u16, k { lanes64::fixed::<R>(x, k) as u16 }
    DoubleFixed32<const R: u8>: |x: u64| -> u32, k { lanes64::fixed::<R>(x, k) as u32 }
    Integer64<const R: u8, const SIGNED: bool>: |x: u32| -> u64, _k { lanes32::integer64::<R, SIGNED>(x) }
    DoubleInteger64<const R: u8, const SIGNED: bool>: |x: u64| -> u64, _k { lanes64::integer64::<R, SIGNED>(x) }

    /// f16 to f32, NaN becoming 0x7fffffff.
    HalfToSingle: |x: u16| -> u32, _k {
        let wide = lanes32::widen::<{ Format::F16 as usize }>(x.into());
        if wide & 0x7fff_ffff > lanes32::INFINITY { 0x7fff_ffff } else { wide }
    }
    /// FP8, FP6 and ue5m3 to f16 or bf16.
    WordOf<const S: usize, const D: usize>: |x: u8| -> u16, _k { word_of::<S, D>(x) }
    /// FP4, two to a byte, to f16 or bf16.
    WordsOfNibbles<const S: usize, const D: usize>: |x: u8| -> u32, _k {
        u32::from(word_of::<S, D>(x & 15)) | u32::from(word_of::<S, D>(x >> 4)) << 16
    }
    /// ue8m0 to bf16, 2^-127 included.
    WordOfPower: |x: u8| -> u16, _k {
        let word = if x == 0 { 0x0040 } else { u16::from(x) << 7 };
        if x == 0xff { 0x7fff } else { word }
    }

    /// `.relu` and `.pzo`, on codes: negative ones become 0, or −0 alone does.
    Post8: |x: u8| -> u8, k {
        if x > k.relu_above as u8 || x == k.positive_zero as u8 { 0 } else { x }
    }
    Post16: |x: u16| -> u16, k {
        if x > k.relu_above as u16 || x == k.positive_zero as u16 { 0 } else { x }
    }
    Post32: |x: u32| -> u32, k {
        if x > k.relu_above as u32 || x == k.positive_zero as u32 { 0 } else { x }
    }
    /// Two FP4 codes to a byte, the first one low.
    Pack4: |x: u16| -> u8, _k { (x | x >> 4) as u8 }
}

each! {
    /// `rbits` to one field for each element, in memory order; of bf16x2 they are that already.
    FieldsF16: |r: u32| -> u32, _k { r & 0x1fff_1fff }
    Fields8: |r: u32| -> u64, _k { fields(r) }
    Fields4: |r: u32| -> u64, _k { fields(r & 0xff00_00ff | (r & 0xff00) << 8 | (r >> 8) & 0xff00) }
    /// One scale for both elements of a pair.
    ScaleTwice: |s: u8| -> u16, _k { u16::from(s) * 0x0101 }
}

/// Elements f, e, b, a take the low half as it is, reversed, the high half as it is, reversed.
#[inline(always)]
fn fields(r: u32) -> u64 {
    let swap = |x: u32, by: u32, low: u32| (x >> by & low) | (x & low) << by;
    let reversed = swap(swap(swap(swap(r, 1, 0x5555_5555), 2, 0x3333_3333), 4, 0x0f0f_0f0f), 8, 0x00ff_00ff);
    let low = r & 0xffff | reversed << 16;
    let high = r >> 16 | reversed & 0xffff_0000;
    u64::from(low) | u64::from(high) << 32
}

/// Blocks of Philox words: `source` is the key and the counter of the first block.
pub(super) struct Philox;

impl Kernel for Philox {
    #[inline(always)]
    fn run(span: Span<'_>) {
        let number = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&span.source[at..at + 8]);
            u64::from_le_bytes(bytes)
        };
        let (key, counter) = (number(0), number(8));
        for (i, block) in elements_mut::<16>(span.result).iter_mut().enumerate() {
            let words = super::philox::philox4x32(key, counter.wrapping_add(i as u64));
            let half = |a: u32, b: u32| u128::from(u64::from(a) | u64::from(b) << 32);
            *block = (half(words[0], words[1]) | half(words[2], words[3]) << 64).to_le_bytes();
        }
    }
}

/// Fewer than 64 FP4 elements, two to a byte: what the kernel `K`, a code to a byte, leaves of a vector.
#[cfg(all(target_arch = "x86_64", rust_1_89))]
pub(super) struct TwoToAByte<K>(core::marker::PhantomData<K>);

#[cfg(all(target_arch = "x86_64", rust_1_89))]
impl<K: Kernel> Kernel for TwoToAByte<K> {
    #[inline(always)]
    fn run(span: Span<'_>) {
        let mut codes = [0; 64];
        let codes = &mut codes[..2 * span.result.len()];
        K::run(Span { result: codes, ..span });
        for (byte, pair) in span.result.iter_mut().zip(codes.chunks_exact(2)) {
            *byte = pair[0] | pair[1] << 4;
        }
    }
}

/// FP4, two to a byte, to f32.
pub(super) struct Widen4<const S: usize>;

impl<const S: usize> Kernel for Widen4<S> {
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

/// `cvt.pack`: `source` holds the column of `a`, then of `b`, then of `c`, each as long as the result.
pub(super) struct CvtPack;

impl Kernel for CvtPack {
    #[inline(always)]
    fn run(span: Span<'_>) {
        let k = *span.constants;
        let (low, high) = (k.low_integer as i32, k.high_integer as i32);
        let mask = (1_u32 << k.pack_bits) - 1;
        let n = span.result.len();
        let (a, rest) = span.source.split_at(n);
        let (b, c) = rest.split_at(n);
        let (a, b, c) = (elements::<4>(a), elements::<4>(b), elements::<4>(c));
        let clamp = |x: [u8; 4]| i32::from_le_bytes(x).clamp(low, high) as u32 & mask;
        for (i, result) in elements_mut::<4>(span.result).iter_mut().enumerate() {
            let packed = clamp(a[i]) << k.pack_bits | clamp(b[i]);
            // Two elements of 16 bits leave no room for `c`.
            let rest = (u64::from(u32::from_le_bytes(c[i])) << (2 * k.pack_bits)) as u32;
            *result = (packed | rest).to_le_bytes();
        }
    }
}

/// A 64-bit integer to the low `W` bytes of itself, limited to the ends of the range where `SAT`.
pub(super) struct Chop<const FROM: usize, const TO: usize, const SIGNED: bool, const SAT: bool>;

impl<const FROM: usize, const TO: usize, const SIGNED: bool, const SAT: bool> Kernel
    for Chop<FROM, TO, SIGNED, SAT>
{
    #[inline(always)]
    fn run(span: Span<'_>) {
        let k = *span.constants;
        let result = elements_mut::<TO>(span.result);
        let source = &elements::<FROM>(span.source)[..result.len()];
        for i in 0..result.len() {
            let mut wide = [0; 8];
            wide[..FROM].copy_from_slice(&source[i]);
            let shift = 64 - 8 * FROM as u32;
            let x = u64::from_le_bytes(wide) << shift;
            let value = if SIGNED {
                let x = x as i64 >> shift;
                (if SAT { x.clamp(k.low_integer, k.high_integer.min(i64::MAX as u64) as i64) } else { x })
                    as u64
            } else {
                let x = x >> shift;
                if SAT { x.min(k.high_integer) } else { x }
            };
            let mut narrow = [0; TO];
            narrow.copy_from_slice(&value.to_le_bytes()[..TO]);
            result[i] = narrow;
        }
    }
}
