//! `rbits` and scales: one field or scale for each element, and the words of the generator.

use crate::lane::Lane::{self, Extra};
use crate::philox::{philox4x32, started};
use crate::stage::{Kernel, Span, each, elements_mut};

each! {
    /// `rbits` to one field for each element, in memory order. For bf16x2, `rbits` has that layout already.
    FieldsF16: Extra => Extra, |r: u32| -> u32, _k { r & 0x1fff_1fff }
    Fields8 [baseline]: Extra => Extra, |r: u32| -> u64, _k { fields(r) }
    Fields4 [baseline]: Extra => Extra, |r: u32| -> u64, _k { fields(r & 0xff00_00ff | (r & 0xff00) << 8 | (r >> 8) & 0xff00) }
    /// One scale for both elements of a pair.
    ScaleTwice [baseline]: Extra => Extra, |s: u8| -> u16, _k { u16::from(s) * 0x0101 }
}

/// Elements f and e use the low half, b and a the high half; e and a use it with the bits reversed.
#[inline(always)]
fn fields(r: u32) -> u64 {
    let swap = |x: u32, by: u32, low: u32| (x >> by & low) | (x & low) << by;
    let reversed = swap(swap(swap(swap(r, 1, 0x5555_5555), 2, 0x3333_3333), 4, 0x0f0f_0f0f), 8, 0x00ff_00ff);
    let low = r & 0xffff | reversed << 16;
    let high = r >> 16 | reversed & 0xffff_0000;
    u64::from(low) | u64::from(high) << 32
}

/// Blocks of Philox words.
pub(crate) struct Philox;

impl Kernel for Philox {
    const NAME: &'static str = "Philox";
    const TAKES: Lane = Extra;
    const GIVES: Lane = Extra;

    #[inline(always)]
    fn run(span: Span<'_>) {
        let (key, counter) = started(span.source);
        for (i, block) in elements_mut::<16>(span.result).iter_mut().enumerate() {
            let words = philox4x32(key, counter.wrapping_add(i as u64));
            let half = |a: u32, b: u32| u128::from(u64::from(a) | u64::from(b) << 32);
            *block = (half(words[0], words[1]) | half(words[2], words[3]) << 64).to_le_bytes();
        }
    }
}
