//! Conversions that take one stage.

use crate::bulk::lanes::{lanes32, lanes64, mode, word_of};
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
    /// f16 to ue5m3, which has its exponents and no sign: no finite number is too large.
    HalfToUe5m3<const R: u8>: |x: u16| -> u8, k {
        const BELOW: u32 = 7;
        let m = x & 0x7fff;
        let add = match R {
            mode::RN => (1 << (BELOW - 1)) - 1 + (m >> BELOW & 1),
            mode::RP => (1 << BELOW) - 1,
            _ => 0,
        };
        let code = ((m + add) >> BELOW) as u8;
        let code = if m == 0x7c00 { k.infinity as u8 } else { code };
        if m > 0x7c00 { k.nan as u8 } else { code }
    }
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
