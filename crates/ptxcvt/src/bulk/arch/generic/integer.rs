//! To integers: from lanes, and from other integers.

use crate::bulk::lanes::{lanes32, lanes64, single_to_s32, single_to_u32, truncated};
use crate::bulk::stage::{Kernel, Span, each, elements, elements_mut};

each! {
    /// f32 to s2f6 and to 8- and 16-bit integers.
    Fixed8<const R: u8>: |x: u32| -> u8, k { lanes32::fixed::<R>(x, k) as u8 }
    Fixed16<const R: u8>: |x: u32| -> u16, k { lanes32::fixed::<R>(x, k) as u16 }
    /// f32 to 8- and 16-bit integers under `.rzi`, and to 32-bit ones.
    Truncated8: |x: u32| -> u8, k { truncated(x, k) as u8 }
    Truncated16: |x: u32| -> u16, k { truncated(x, k) as u16 }
    Signed32<const R: u8>: |x: u32| -> u32, _k { single_to_s32(lanes32::integral::<R>(x)) }
    Unsigned32<const R: u8>: |x: u32| -> u32, _k { single_to_u32(lanes32::integral::<R>(x)) }
    /// f64 to integers.
    DoubleFixed8<const R: u8>: |x: u64| -> u8, k { lanes64::fixed::<R>(x, k) as u8 }
    DoubleFixed16<const R: u8>: |x: u64| -> u16, k { lanes64::fixed::<R>(x, k) as u16 }
    DoubleFixed32<const R: u8>: |x: u64| -> u32, k { lanes64::fixed::<R>(x, k) as u32 }
    Integer64<const R: u8, const SIGNED: bool>: |x: u32| -> u64, _k { lanes32::integer64::<R, SIGNED>(x) }
    DoubleInteger64<const R: u8, const SIGNED: bool>: |x: u64| -> u64, _k { lanes64::integer64::<R, SIGNED>(x) }
}

/// A 64-bit integer to the low `W` bytes of itself, limited to the ends of the range where `SAT`.
pub(in crate::bulk) struct Chop<const FROM: usize, const TO: usize, const SIGNED: bool, const SAT: bool>;

impl<const FROM: usize, const TO: usize, const SIGNED: bool, const SAT: bool> Kernel
    for Chop<FROM, TO, SIGNED, SAT>
{
    #[inline(always)]
    fn run(span: Span<'_>) {
        let k = *span.constants;
        let result = elements_mut::<TO>(span.result);
        let source = &elements::<FROM>(span.source)[..result.len()];
        for i in 0..result.len() {
            let mut wide = [0; 8];
            wide[..FROM].copy_from_slice(&source[i]);
            let shift = 64 - 8 * FROM as u32;
            let x = u64::from_le_bytes(wide) << shift;
            let value = if SIGNED {
                let x = x as i64 >> shift;
                (if SAT { x.clamp(k.low_integer, k.high_integer.min(i64::MAX as u64) as i64) } else { x })
                    as u64
            } else {
                let x = x >> shift;
                if SAT { x.min(k.high_integer) } else { x }
            };
            let mut narrow = [0; TO];
            narrow.copy_from_slice(&value.to_le_bytes()[..TO]);
            result[i] = narrow;
        }
    }
}
