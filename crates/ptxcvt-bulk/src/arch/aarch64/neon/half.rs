//! f32 to f16 (to nearest) and back by the conversion instructions, which round as PTX does; NaN has its own
//! rules. The intrinsics for them are not stable in all supported compilers, so this file uses assembly.

use core::arch::aarch64::*;
use core::arch::asm;

use super::registers::{Pad, hidden, is_number, load, singles, store, store_words};
use crate::arch::need::Conversion;
use crate::constants::Constants;
use crate::lanes::{mode, single};
use crate::stage::{Run, Span, elements, elements_mut};
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
    // The largest magnitude, and the code of NaN.
    // SAFETY: NEON is part of every 64-bit Arm CPU; the bits of one vector are those of another.
    let most = unsafe { vreinterpretq_u16_u32(hidden(0x7fff_7fff)) };
    let mut pad = Pad::<64, 0, 32>::new();
    let mut steps = pad.steps(span);
    while let Some((from, to)) = steps.next() {
        let part = |j: usize| {
            let [first, second] = [2 * j, 2 * j + 1].map(|j| limited::<FINITE>(singles(from, j)));
            finished::<CODES>(eight(first, second, most), &k)
        };
        let both = [part(0), part(1)];
        store_words(to, 0, both[0]);
        store_words(to, 1, both[1]);
    }
}

/// Eight f16; `most` is the largest magnitude and the code of NaN.
#[inline(always)]
fn eight(first: float32x4_t, second: float32x4_t, most: uint16x8_t) -> uint16x8_t {
    let both: uint16x8_t;
    // SAFETY: NEON is part of every 64-bit Arm CPU; the instructions read two registers and write another. A NaN becomes
    // some NaN.
    unsafe {
        asm!("fcvtn {both:v}.4h, {first:v}.4s", "fcvtn2 {both:v}.8h, {second:v}.4s",
            both = out(vreg) both, first = in(vreg) first, second = in(vreg) second,
            options(pure, nomem, nostack, preserves_flags));
        let nan = vcgtq_u16(vandq_u16(both, most), vdupq_n_u16(0x7c00));
        vbslq_u16(nan, most, both)
    }
}

/// Four numbers, with `.satfinite` at most the largest f16.
#[inline(always)]
fn limited<const FINITE: bool>(x: uint32x4_t) -> float32x4_t {
    // SAFETY: NEON is part of every 64-bit Arm CPU.
    unsafe {
        let x = vreinterpretq_f32_u32(x);
        if FINITE { vmaxq_f32(vminq_f32(x, vdupq_n_f32(LARGEST)), vdupq_n_f32(-LARGEST)) } else { x }
    }
}

fn widen(span: Span<'_>) {
    let nan = hidden(single::NAN);
    let mut pad = Pad::<32, 0, 64>::new();
    let mut steps = pad.steps(span);
    while let Some((from, to)) = steps.next() {
        let [first, second] = [0, 1].map(|j| numbers(load(&elements::<16>(from)[j]), nan));
        store_numbers(to, 0, first);
        store_numbers(to, 1, second);
    }
}

/// Eight f32.
#[inline(always)]
fn numbers(words: uint8x16_t, nan: uint32x4_t) -> [uint32x4_t; 2] {
    let (first, second): (uint32x4_t, uint32x4_t);
    // SAFETY: NEON is part of every 64-bit Arm CPU; the instructions read one register and write two.
    unsafe {
        asm!("fcvtl {first:v}.4s, {words:v}.4h", "fcvtl2 {second:v}.4s, {words:v}.8h",
            first = out(vreg) first, second = lateout(vreg) second, words = in(vreg) words,
            options(pure, nomem, nostack, preserves_flags));
    }
    // Not an intrinsic, of which the compiler makes a copy and a selection.
    [first, second].map(|mut x| {
        // SAFETY: NEON is part of every 64-bit Arm CPU; the instruction replaces lanes of one register by another's.
        unsafe {
            asm!("bif {x:v}.16b, {nan:v}.16b, {number:v}.16b", x = inlateout(vreg) x, nan = in(vreg) nan,
                number = in(vreg) is_number(x), options(pure, nomem, nostack, preserves_flags));
        }
        x
    })
}

/// Stores eight f32 as part `j` of a step's results.
#[inline(always)]
fn store_numbers(to: &mut [u8; 64], j: usize, numbers: [uint32x4_t; 2]) {
    let parts = elements_mut::<16>(to);
    // SAFETY: NEON is part of every 64-bit Arm CPU; the bits of one vector are those of another.
    let [first, second] = numbers.map(|x| unsafe { vreinterpretq_u8_u32(x) });
    store(&mut parts[2 * j], first);
    store(&mut parts[2 * j + 1], second);
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
