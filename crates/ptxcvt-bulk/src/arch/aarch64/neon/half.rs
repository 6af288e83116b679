//! f32 to f16 (to nearest) and back by the conversion instructions, which round as PTX does; NaN has its own
//! rules. The intrinsics for them are not stable in all supported compilers, so this file uses assembly.

use core::arch::aarch64::*;
use core::arch::asm;

use super::registers::{Pad, each, is_number, load, singles, store, store_words};
use crate::arch::need::Conversion;
use crate::constants::Constants;
use crate::lanes::{mode, single};
use crate::stage::{Run, Span};
use ptxcvt::formats::Format;
use ptxcvt::forms::Modifier;

const LARGEST: f32 = 65_504.0;

pub fn find(need: &Conversion) -> Option<Run> {
    match (need.from, need.to) {
        // `.ftz` has nothing to flush: f16's subnormals are normal in f32.
        (Format::F16, Format::F32) if need.only(&[Modifier::Ftz]) => Some(widen),
        (Format::F32, Format::F16) if need.rounding == mode::RN => {
            match (
                need.modifiers.has(Modifier::Satfinite),
                need.without_idle_flushing().is_plain_but_for_codes()?,
            ) {
                (false, false) => Some(narrow::<false, false>),
                (false, true) => Some(narrow::<false, true>),
                (true, false) => Some(narrow::<true, false>),
                (true, true) => Some(narrow::<true, true>),
            }
        }
        _ => None,
    }
}

fn narrow<const FINITE: bool, const CODES: bool>(span: Span<'_>) {
    let k = *span.constants;
    let mut pad = Pad::<32, 0, 16>::new();
    let mut steps = pad.steps(span);
    while let Some((from, to)) = steps.next() {
        // SAFETY: NEON is part of every 64-bit Arm CPU.
        let words = unsafe {
            let both = vcombine_u16(four::<FINITE>(singles(from, 0)), four::<FINITE>(singles(from, 1)));
            let nan = vcgtq_u16(vandq_u16(both, vdupq_n_u16(0x7fff)), vdupq_n_u16(0x7c00));
            vbslq_u16(nan, vdupq_n_u16(0x7fff), both)
        };
        store_words(to, 0, finished::<CODES>(words, &k));
    }
}

/// Four f16. A NaN becomes some NaN, which the caller replaces.
#[inline(always)]
fn four<const FINITE: bool>(x: uint32x4_t) -> uint16x4_t {
    // SAFETY: NEON is part of every 64-bit Arm CPU; the instruction reads one register and writes another.
    unsafe {
        let x = vreinterpretq_f32_u32(x);
        let x = if FINITE { vmaxq_f32(vminq_f32(x, vdupq_n_f32(LARGEST)), vdupq_n_f32(-LARGEST)) } else { x };
        let words: uint16x4_t;
        asm!("fcvtn {words:v}.4h, {x:v}.4s", words = lateout(vreg) words, x = in(vreg) x,
            options(pure, nomem, nostack, preserves_flags));
        words
    }
}

fn widen(span: Span<'_>) {
    let mut pad = Pad::<16, 0, 32>::new();
    let mut steps = pad.steps(span);
    while let Some((from, to)) = steps.next() {
        let (first, second): (uint32x4_t, uint32x4_t);
        // SAFETY: NEON is part of every 64-bit Arm CPU; the instructions read one register and write two.
        unsafe {
            asm!("fcvtl {first:v}.4s, {words:v}.4h", "fcvtl2 {second:v}.4s, {words:v}.8h",
                first = out(vreg) first, second = lateout(vreg) second, words = in(vreg) load(from),
                options(pure, nomem, nostack, preserves_flags));
        }
        let (low, high) = to.split_at_mut(16);
        for (x, part) in [first, second].into_iter().zip([low, high]) {
            // SAFETY: NEON is part of every 64-bit Arm CPU.
            let x = unsafe { vreinterpretq_u8_u32(vbslq_u32(is_number(x), x, each(single::NAN))) };
            if let Some(part) = part.first_chunk_mut() {
                store(part, x);
            }
        }
    }
}

/// `.relu` and `.pzo`, if the form has them: some codes become 0.
#[inline(always)]
pub fn finished<const CODES: bool>(codes: uint16x8_t, k: &Constants) -> uint16x8_t {
    if !CODES {
        return codes;
    }
    // SAFETY: NEON is part of every 64-bit Arm CPU.
    unsafe {
        let offset = vsubq_u16(codes, vdupq_n_u16(k.zeroed as u16));
        vandq_u16(codes, vcgtq_u16(offset, vdupq_n_u16(k.more_zeroed as u16)))
    }
}
