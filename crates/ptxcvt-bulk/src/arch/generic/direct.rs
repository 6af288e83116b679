//! Conversions in one stage.

use crate::lane::Lane::Codes;
use crate::lane::{F32, F64, codes, pairs};
use crate::lanes::{lanes32, lanes64, match_mode, word_of};
use crate::stage::each;
use ptxcvt::formats::Format;
use ptxcvt::formats::Format::{Bf16, F16, S32, U32, Ue5m3, Ue8m0};

each! {
    /// 32-bit integers to f32, to nearest.
    SingleOfU32: Codes(U32) => F32, |x: u32| -> u32, _k { (x as f32).to_bits() }
    SingleOfS32: Codes(S32) => F32, |x: u32| -> u32, _k { (x as i32 as f32).to_bits() }
    /// f32 to f64; NaN become quiet.
    SingleToDouble [baseline]: F32 => F64, |x: u32| -> u64, _k {
        let wide = lanes64::widen::<{ Format::F32 as usize }>(x.into());
        if wide << 1 > lanes64::INFINITY << 1 { wide | 1 << 51 } else { wide }
    }
    /// f16 to f32; NaN become 0x7fffffff.
    HalfToSingle [baseline]: Codes(F16) => F32, |x: u16| -> u32, _k {
        let wide = lanes32::widen::<{ Format::F16 as usize }>(x.into());
        if wide & 0x7fff_ffff > lanes32::INFINITY { 0x7fff_ffff } else { wide }
    }
    /// FP8, FP6 and ue5m3 to f16 or bf16.
    WordOf<const S: usize, const D: usize>: codes::<S>() => codes::<D>(), |x: u8| -> u16, _k { word_of::<S, D>(x) }
    /// f16 to ue5m3, which has the same exponents and no sign: no finite number is too large.
    HalfToUe5m3<const R: u8>: Codes(F16) => Codes(Ue5m3), |x: u16| -> u8, k {
        const BELOW: u32 = 7;
        let m = x & 0x7fff;
        let add = match_mode!(R {
            RN => (1 << (BELOW - 1)) - 1 + (m >> BELOW & 1),
            RP => (1 << BELOW) - 1,
            RZ => 0,
        });
        let code = ((m + add) >> BELOW) as u8;
        let code = if m == 0x7c00 { k.infinity as u8 } else { code };
        if m > 0x7c00 { k.nan as u8 } else { code }
    }
    /// FP4, two per byte, to f16 or bf16.
    WordsOfNibbles<const S: usize, const D: usize> [baseline]: pairs::<S>() => codes::<D>(), |x: u8| -> u32, _k {
        u32::from(word_of::<S, D>(x & 15)) | u32::from(word_of::<S, D>(x >> 4)) << 16
    }
    /// ue8m0 to bf16, 2^-127 included.
    WordOfPower: Codes(Ue8m0) => Codes(Bf16), |x: u8| -> u16, _k {
        let word = if x == 0 { 0x0040 } else { u16::from(x) << 7 };
        if x == 0xff { 0x7fff } else { word }
    }
}
