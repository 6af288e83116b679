//! Random bits to one field for each element: the low half of `rbits`, the same reversed, the high half, the same
//! reversed. Nibbles are reversed by a shuffle of sixteen bytes.

use core::arch::x86_64::*;

use super::super::tables::{BACKWARDS, FORWARDS, LOWER_REVERSED, REVERSED, UPPER_REVERSED};
use super::registers::{load, load_quarter, store_both};
use crate::bulk::features;
use crate::bulk::stage::{Span, Stage};
use crate::formats::Format;

pub fn find(to: Format) -> Option<Stage> {
    match to {
        Format::E2m1 => Some(spread::<true>),
        Format::E4m3 | Format::E5m2 | Format::E2m3 | Format::E3m2 => Some(spread::<false>),
        _ => None,
    }
}

features::avx512! {
    fn spread<const FP4: bool>(span: Span<'_>) {
        let table = |bytes: &[u8; 16]| _mm512_broadcast_i32x4(load_quarter(bytes));
        let (upper, lower) = (table(&UPPER_REVERSED), table(&LOWER_REVERSED));
        let forwards = table(&FORWARDS);
        let backwards = table(if FP4 { &BACKWARDS } else { &REVERSED });
        let order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
        let nibble = _mm512_set1_epi8(15);
        let (steps, rest) = span.steps::<64, 128>();
        for (from, to) in steps {
            // Interleaving works in lanes of 128 bits; so ordered, its results are contiguous.
            let word = _mm512_permutexvar_epi64(order, load(from));
            let back = _mm512_shuffle_epi8(word, backwards);
            let word = if FP4 { _mm512_shuffle_epi8(word, forwards) } else { word };
            let low = _mm512_and_si512(back, nibble);
            let high = _mm512_and_si512(_mm512_srli_epi16::<4>(back), nibble);
            let back = _mm512_or_si512(_mm512_shuffle_epi8(upper, low), _mm512_shuffle_epi8(lower, high));
            store_both(to, [_mm512_unpacklo_epi16(word, back), _mm512_unpackhi_epi16(word, back)]);
        }
        rest.pad::<64, 128>(spread::<FP4>);
    }
}
