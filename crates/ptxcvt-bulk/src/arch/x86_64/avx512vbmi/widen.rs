//! FP8, FP6 and FP4 to f16 and bf16 by tables in registers. One byte permute looks up the upper bytes of the
//! results, another the lower bytes, and they are interleaved to words. For FP4 a permute looks up words.

use core::arch::x86_64::*;

use super::super::avx512::registers::{Pad, load, load_quarter, store, store_both};
use crate::arch::find::by_formats;
use crate::arch::need::Conversion;
use crate::arch::tables::table;
use crate::lanes::{match_format, word_of};
use crate::stage::{Run, Span, elements};
use ptxcvt::formats::Format;

pub fn find(need: &Conversion) -> Option<Run> {
    match need.from {
        _ if !need.only(&[]) => None,
        Format::E2m1 => by_formats!(nibbles, need, [E2m1]),
        _ => by_formats!(bytes, need, [E4m3, E5m2, E2m3, E3m2]),
    }
}

/// The largest unsigned code that is not a negative NaN; NaN has no sign in the result.
const fn last_signed<const S: usize>() -> u8 {
    match_format!(S { E4m3 => 0xfe, E5m2 => 0xfc, E2m3 | E3m2 => 0xff })
}

crate::avx512vbmi! {
    fn bytes<const S: usize, const D: usize>(span: Span<'_>) {
        // The index has seven bits: the magnitude of FP8, the whole code of FP6.
        let both = |table: &[u8; 128]| [load(&elements::<64>(table)[0]), load(&elements::<64>(table)[1])];
        let low = both(const { &table::<S, D, 128>(0) });
        let high = both(const { &table::<S, D, 128>(1) });
        // Interleaving works in lanes of 128 bits; in this order, its results are contiguous.
        let order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
        let last = _mm512_set1_epi8(const { last_signed::<S>() } as i8);
        let sign = _mm512_set1_epi8(i8::MIN);
        let mut pad = Pad::<64, 0, 128>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let codes = _mm512_permutexvar_epi64(order, load(from));
            let (lower, upper) = match_format!(S {
                E4m3 | E5m2 => {
                    let lower = _mm512_permutex2var_epi8(low[0], codes, low[1]);
                    let upper = _mm512_permutex2var_epi8(high[0], codes, high[1]);
                    let signed = _mm512_cmple_epu8_mask(codes, last);
                    // upper | (codes & sign)
                    let with_sign = _mm512_ternarylogic_epi64::<0xf8>(upper, codes, sign);
                    (lower, _mm512_mask_mov_epi8(upper, signed, with_sign))
                },
                // A permute of one register uses six bits of the index.
                E2m3 | E3m2 => {
                    (_mm512_permutexvar_epi8(codes, low[0]), _mm512_permutexvar_epi8(codes, high[0]))
                },
            });
            store_both(to, [_mm512_unpacklo_epi8(lower, upper), _mm512_unpackhi_epi8(lower, upper)]);
        }
    }

    /// Sixteen pairs of FP4 codes: four codes in each 64 bits, one in each word, for a permute of words.
    fn nibbles<const S: usize, const D: usize>(span: Span<'_>) {
        // The permute uses five bits of the index; the fifth is part of the next code.
        let words: [[u8; 2]; 32] = core::array::from_fn(|i| word_of::<S, D>(i as u8 & 15).to_le_bytes());
        let words = load(&elements::<64>(words.as_flattened())[0]);
        let places = _mm512_set1_epi64(0x000c_0008_0004_0000);
        let mut pad = Pad::<16, 0, 64>::new();
        let mut steps = pad.steps(span);
        while let Some((from, to)) = steps.next() {
            let pairs = _mm512_cvtepu16_epi64(load_quarter(from));
            let codes = _mm512_multishift_epi64_epi8(places, pairs);
            store(to, _mm512_permutexvar_epi16(codes, words));
        }
    }
}
