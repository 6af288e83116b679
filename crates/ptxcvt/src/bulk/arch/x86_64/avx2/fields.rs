//! Random bits to one field for each element: the low half of `rbits`, the same reversed, the high half, the same
//! reversed. Nibbles are reversed by a shuffle of sixteen bytes.

use core::arch::x86_64::*;

use super::super::tables::{BACKWARDS, FORWARDS, LOWER_REVERSED, REVERSED, UPPER_REVERSED};
use super::registers::{each_byte, load, shuffle_table, store_both};
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

features::avx2! {
    fn spread<const FP4: bool>(span: Span<'_>) {
        let (upper, lower) = (shuffle_table(&UPPER_REVERSED), shuffle_table(&LOWER_REVERSED));
        let forwards = shuffle_table(&FORWARDS);
        let backwards = shuffle_table(if FP4 { &BACKWARDS } else { &REVERSED });
        let (steps, rest) = span.steps::<32, 64>();
        for (from, to) in steps {
            // Interleaving works in halves; so ordered, its results are contiguous.
            let word = _mm256_permute4x64_epi64::<0b11_01_10_00>(load(from));
            let back = _mm256_shuffle_epi8(word, backwards);
            let word = if FP4 { _mm256_shuffle_epi8(word, forwards) } else { word };
            let low = _mm256_and_si256(back, each_byte(15));
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(back), each_byte(15));
            let back = _mm256_or_si256(_mm256_shuffle_epi8(upper, low), _mm256_shuffle_epi8(lower, high));
            store_both(to, [_mm256_unpacklo_epi16(word, back), _mm256_unpackhi_epi16(word, back)]);
        }
        rest.pad::<32, 64>(spread::<FP4>);
    }
}
