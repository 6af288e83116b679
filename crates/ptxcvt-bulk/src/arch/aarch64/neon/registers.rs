//! Loads, stores and constants of registers of 16 bytes.

use core::arch::aarch64::*;

use crate::stage::elements;
use crate::steps::{self, Copied};

/// The padding buffers of this tier.
pub type Pad<const FROM: usize, const WITH: usize, const TO: usize> = steps::Pad<Copied, FROM, WITH, TO>;

#[inline(always)]
pub fn load(bytes: &[u8; 16]) -> uint8x16_t {
    // SAFETY: NEON is part of every 64-bit Arm CPU; 16 bytes are read, which need no alignment.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}

#[inline(always)]
pub fn store(bytes: &mut [u8; 16], register: uint8x16_t) {
    // SAFETY: as above; 16 bytes are written.
    unsafe { vst1q_u8(bytes.as_mut_ptr(), register) }
}

/// Stores words as part `j` of a step's results.
#[inline(always)]
pub fn store_words(to: &mut [u8], j: usize, words: uint16x8_t) {
    // SAFETY: NEON is part of every 64-bit Arm CPU; the bits of one vector are those of another.
    let bytes = unsafe { vreinterpretq_u8_u16(words) };
    if let Some(part) = to[16 * j..].first_chunk_mut() {
        store(part, bytes);
    }
}

/// The bits of four f32: part `j` of a step.
#[inline(always)]
pub fn singles(step: &[u8], j: usize) -> uint32x4_t {
    // SAFETY: NEON is part of every 64-bit Arm CPU; the bits of one vector are those of another.
    unsafe { vreinterpretq_u32_u8(load(&elements::<16>(step)[j])) }
}

/// Broadcasts these bits to each lane.
#[inline(always)]
pub fn each(bits: u32) -> uint32x4_t {
    // SAFETY: NEON is part of every 64-bit Arm CPU.
    unsafe { vdupq_n_u32(bits) }
}

/// These bits in each lane, hidden from the compiler, which would select between a register and a known constant by four
/// operations instead of one. For use outside a loop.
#[inline(always)]
pub fn hidden(bits: u32) -> uint32x4_t {
    let mut register = each(bits);
    // SAFETY: there is no instruction.
    unsafe {
        core::arch::asm!("/* {0:v} */", inlateout(vreg) register, options(pure, nomem, nostack, preserves_flags));
    }
    register
}

/// All ones in the lanes that are numbers.
#[inline(always)]
pub fn is_number(x: uint32x4_t) -> uint32x4_t {
    // SAFETY: NEON is part of every 64-bit Arm CPU.
    unsafe {
        let x = vreinterpretq_f32_u32(x);
        vceqq_f32(x, x)
    }
}
