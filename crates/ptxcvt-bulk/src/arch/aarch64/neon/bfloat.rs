//! f32 to bf16, rounded as integers, including the sign: a carry moves from the fraction into the exponent,
//! but never into the sign.

use core::arch::aarch64::*;

use super::half::finished;
use super::registers::{Pad, each, hidden, is_number, singles, store_words};
use crate::arch::find::bfloat_by_need;
use crate::arch::need::Conversion;
use crate::lanes::{match_mode, single};
use crate::stage::{Run, Span};

pub fn find(need: &Conversion) -> Option<Run> {
    bfloat_by_need!(need)
}

fn narrow<const R: u8, const FINITE: bool, const CODES: bool>(span: Span<'_>) {
    let k = *span.constants;
    let (limit, nan) = (each(k.limit[0] as u32), hidden(single::NAN));
    let mut pad = Pad::<64, 0, 32>::new();
    let mut steps = pad.steps(span);
    while let Some((from, to)) = steps.next() {
        let words = |j: usize| {
            let part = |j: usize| rounded::<R, FINITE>(singles(from, j), limit, nan);
            let [first, second] = [part(2 * j), part(2 * j + 1)];
            // SAFETY: NEON is part of every 64-bit Arm CPU.
            let words = unsafe { vuzp2q_u16(vreinterpretq_u16_u32(first), vreinterpretq_u16_u32(second)) };
            finished::<CODES>(words, &k)
        };
        let both = [words(0), words(1)];
        store_words(to, 0, both[0]);
        store_words(to, 1, both[1]);
    }
}

/// Four bf16 in the upper halves of the lanes.
#[inline(always)]
fn rounded<const R: u8, const FINITE: bool>(x: uint32x4_t, limit: uint32x4_t, nan: uint32x4_t) -> uint32x4_t {
    const BELOW: u32 = (1 << single::BELOW_BF16) - 1;
    // SAFETY: NEON is part of every 64-bit Arm CPU.
    unsafe {
        let magnitude = each(single::MAGNITUDE);
        let bits =
            if FINITE { vbslq_u32(magnitude, vminq_u32(vandq_u32(x, magnitude), limit), x) } else { x };
        let negative = || vreinterpretq_u32_s32(vshrq_n_s32::<31>(vreinterpretq_s32_u32(x)));
        let sum = match_mode!(R {
            RN => {
                let odd = vandq_u32(vshrq_n_u32::<16>(bits), each(1));
                vaddq_u32(vaddq_u32(bits, each(BELOW >> 1)), odd)
            },
            RM => vaddq_u32(bits, vandq_u32(negative(), each(BELOW))),
            RP => vaddq_u32(bits, vbicq_u32(each(BELOW), negative())),
            RZ => bits,
        });
        vbslq_u32(is_number(x), sum, nan)
    }
}
