//! Stages on codes: the modifiers that look only at codes, and packing.

use crate::lane::Lane::{self, Result, Stored};
use crate::stage::{Kernel, Span, each, elements, elements_mut};

each! {
    /// `.relu` and `.pzo` on codes: all negative codes become 0, or only −0 does.
    Post8: Result { bits: 8 } => Result { bits: 8 }, |x: u8| -> u8, k {
        if x.wrapping_sub(k.zeroed as u8) <= k.more_zeroed as u8 { 0 } else { x }
    }
    Post16: Result { bits: 16 } => Result { bits: 16 }, |x: u16| -> u16, k {
        if x.wrapping_sub(k.zeroed as u16) <= k.more_zeroed as u16 { 0 } else { x }
    }
    Post32: Result { bits: 32 } => Result { bits: 32 }, |x: u32| -> u32, k {
        if x.wrapping_sub(k.zeroed as u32) <= k.more_zeroed as u32 { 0 } else { x }
    }
    /// Two FP4 codes per byte, the first in the low half.
    Pack4: Result { bits: 8 } => Stored, |x: u16| -> u8, _k { (x | x >> 4) as u8 }
}

/// `cvt.pack`: `source` holds the column of `a`, then of `b`, then of `c`, each as long as the result.
pub(crate) struct CvtPack;

impl Kernel for CvtPack {
    const NAME: &'static str = "CvtPack";
    const TAKES: Lane = Lane::Columns;
    const GIVES: Lane = Lane::Columns;

    #[inline(always)]
    fn run(span: Span<'_>) {
        let k = *span.constants;
        let (low, high) = (k.low_integer as i32, k.high_integer as i32);
        let mask = (1_u32 << k.pack_bits) - 1;
        let n = span.result.len();
        let (a, rest) = span.source.split_at(n);
        let (b, c) = rest.split_at(n);
        let (a, b, c) = (elements::<4>(a), elements::<4>(b), elements::<4>(c));
        let clamp = |x: [u8; 4]| i32::from_le_bytes(x).clamp(low, high) as u32 & mask;
        for (i, result) in elements_mut::<4>(span.result).iter_mut().enumerate() {
            let packed = clamp(a[i]) << k.pack_bits | clamp(b[i]);
            // Two elements of 16 bits leave no room for `c`.
            let rest = (u64::from(u32::from_le_bytes(c[i])) << (2 * k.pack_bits)) as u32;
            *result = (packed | rest).to_le_bytes();
        }
    }
}
