//! Conversions that take one stage.

use crate::bulk::lanes::{lanes32, lanes64, word_of};
use crate::bulk::stage::each;
use crate::formats::Format;

each! {
    /// 32-bit integers to f32, to nearest.
    SingleOfU32: |x: u32| -> u32, _k { (x as f32).to_bits() }
    SingleOfS32: |x: u32| -> u32, _k { (x as i32 as f32).to_bits() }
    /// f32 to f64, NaN quieted.
    SingleToDouble: |x: u32| -> u64, _k {
        let wide = lanes64::widen::<{ Format::F32 as usize }>(x.into());
        if wide << 1 > lanes64::INFINITY << 1 { wide | 1 << 51 } else { wide }
    }
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
}
