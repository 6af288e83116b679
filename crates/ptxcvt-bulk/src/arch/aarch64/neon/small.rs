//! f32 to FP8, FP6 and FP4: 16 elements at a time, four registers of f32 to one of bytes.

use core::arch::aarch64::*;

use super::registers::{Pad, each, is_number, singles, store};
use crate::arch::find::small_by_need;
use crate::arch::need::Conversion;
use crate::arch::small::Small;
use crate::constants::Constants;
use crate::lanes::{match_const, match_mode, single};
use crate::stage::{Run, Span};

pub fn find(need: &Conversion) -> Option<Run> {
    small_by_need!(need)
}

fn narrow8<const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
    let k = *span.constants;
    let mut pad = Pad::<64, 0, 16>::new();
    let mut steps = pad.steps(span);
    while let Some((from, to)) = steps.next() {
        store(to, finished::<CODES>(rounded::<D, R>(from), &k));
    }
}

fn narrow4<const D: usize, const R: u8, const CODES: bool>(span: Span<'_>) {
    let k = *span.constants;
    let mut pad = Pad::<64, 0, 8>::new();
    let mut steps = pad.steps(span);
    while let Some((from, to)) = steps.next() {
        let codes = finished::<CODES>(rounded::<D, R>(from), &k);
        // SAFETY: NEON is part of every 64-bit Arm CPU; 8 bytes are written.
        unsafe {
            // Two codes per byte, the first in the low half.
            let words = vreinterpretq_u16_u8(codes);
            vst1_u8(to.as_mut_ptr(), vmovn_u16(vsraq_n_u16::<4>(words, words)));
        }
    }
}

/// 16 signed codes.
#[inline(always)]
fn rounded<const D: usize, const R: u8>(from: &[u8; 64]) -> uint8x16_t {
    let f = const { Small::new::<D>() };
    let x = [0, 1, 2, 3].map(|j| singles(from, j));
    let codes = x.map(|x| codes::<D, R>(x));
    // SAFETY: NEON is part of every 64-bit Arm CPU.
    unsafe {
        // Clears the sign of NaN.
        let x = x.map(|x| vandq_u32(x, is_number(x)));
        let words = |lanes: [uint32x4_t; 4]| lanes.map(|lane| vreinterpretq_u16_u32(lane));
        let [x, codes] = [words(x), words(codes)];
        let bytes = |words: uint16x8_t| vreinterpretq_u8_u16(words);
        let codes = vuzp1q_u8(bytes(vuzp1q_u16(codes[0], codes[1])), bytes(vuzp1q_u16(codes[2], codes[3])));
        let signs = vuzp2q_u8(bytes(vuzp2q_u16(x[0], x[1])), bytes(vuzp2q_u16(x[2], x[3])));
        let signs = match_const!(Small::new::<D>().bits, {
            8 => signs,
            6 => vshrq_n_u8::<2>(signs),
            4 => vshrq_n_u8::<4>(signs),
        });
        let codes = vbslq_u8(vdupq_n_u8(1 << (f.bits - 1)), signs, codes);
        if f.bits == 8 { codes } else { vandq_u8(codes, vdupq_n_u8((1 << f.bits) - 1)) }
    }
}

/// Four codes plus a multiple of their range, in the low bytes. The sum m + c · 2^(F − P) rounds, and its
/// exponent counts binades. Shifted down, the exponent is added to the count of quanta in the last places.
/// Rounding towards zero first truncates normal numbers, and subtracts nearly half a quantum from subnormal
/// ones, which changes no other number.
#[inline(always)]
fn codes<const D: usize, const R: u8>(x: uint32x4_t) -> uint32x4_t {
    let f = const { Small::new::<D>() };
    // SAFETY: NEON is part of every 64-bit Arm CPU.
    unsafe {
        let m = vminq_u32(vandq_u32(x, each(single::MAGNITUDE)), each(f.largest));
        let m = if f.nan == f.largest { m } else { vbslq_u32(is_number(x), m, each(f.nan)) };
        let c = vmaxq_u32(vandq_u32(m, each(single::INFINITY)), each(f.least));
        let one = vreinterpretq_f32_u32(vaddq_u32(c, each(f.quanta)));
        let m = match_mode!(R {
            RN => vreinterpretq_f32_u32(m),
            RZ => {
                let cut = vreinterpretq_f32_u32(vandq_u32(m, each(f.cut)));
                vsubq_f32(cut, vreinterpretq_f32_u32(each(f.half)))
            }
        });
        let sum = vreinterpretq_u32_f32(vaddq_f32(m, one));
        match_const!(Small::new::<D>().fraction, {
            3 => vsraq_n_u32::<20>(sum, sum),
            2 => vsraq_n_u32::<21>(sum, sum),
            1 => vsraq_n_u32::<22>(sum, sum),
        })
    }
}

/// `.relu` and `.pzo`, if the form has them: some codes become 0.
#[inline(always)]
fn finished<const CODES: bool>(codes: uint8x16_t, k: &Constants) -> uint8x16_t {
    if !CODES {
        return codes;
    }
    // SAFETY: NEON is part of every 64-bit Arm CPU.
    unsafe {
        let offset = vsubq_u8(codes, vdupq_n_u8(k.zeroed as u8));
        vandq_u8(codes, vcgtq_u8(offset, vdupq_n_u8(k.more_zeroed as u8)))
    }
}
