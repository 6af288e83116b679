//! To integers: from lanes, and from other integers.

use core::marker::PhantomData;

use crate::bulk::lanes::{float, lanes32, lanes64, single_to_s32, single_to_u32, truncated};
use crate::bulk::stage::{Kernel, Span, each, elements, elements_mut, few, in_parts};
use crate::formats::Format;

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

/// Runs `convert` over the elements of a span.
#[inline(always)]
fn run_each<const FROM: usize, const TO: usize, const FEW: usize>(
    span: Span<'_>,
    convert: impl Fn([u8; FROM]) -> [u8; TO],
) {
    let all = |from: &[[u8; FROM]], to: &mut [[u8; TO]]| {
        for (from, to) in from.iter().zip(to) {
            *to = convert(*from);
        }
    };
    in_parts::<FROM, 0, TO, FEW>(
        elements(span.source),
        &[],
        elements_mut(span.result),
        span.cold,
        |from, _, to| all(from, to),
        |from, _, to| all(from, to),
    );
}

/// Integers to floats with `.sat`, which leaves 0 and 1, as the bits `D` of a float.
pub(in crate::bulk) struct Unit<S, D>(PhantomData<(S, D)>);

/// `units! { u8 i8 … }`: a kernel from each of the types to f16, f32 and f64, with their code of 1.
macro_rules! units {
    ($($s:ident)+) => {$(
        units! { @to $s: u16 F16, u32 F32, u64 F64 }
    )+};
    (@to $s:ident: $($d:ident $format:ident),+) => {$(
        impl Kernel for Unit<$s, $d> {
            const NAME: &'static str = "Unit";

            #[inline(always)]
            fn run(span: Span<'_>) {
                const FROM: usize = size_of::<$s>();
                const TO: usize = size_of::<$d>();
                const ONE: $d = {
                    let (fraction, bias) = float::<{ Format::$format as usize }>();
                    (bias as $d) << fraction
                };
                let convert = |x| (if <$s>::from_le_bytes(x) > 0 { ONE } else { 0 }).to_le_bytes();
                run_each::<FROM, TO, { few(FROM, TO) }>(span, convert);
            }
        }
    )+};
}

units! { u8 i8 u16 i16 u32 i32 u64 i64 }

/// Integer to integer: the low bits of the sign- or zero-extended source, limited to the destination's range where `SAT`.
/// Both ends are constants, for which compilers know instructions.
pub(in crate::bulk) struct Integer<S, D, const SAT: bool>(PhantomData<(S, D)>);

/// `integers! { u8 i8 … }`: a kernel from each of the types to each of the eight.
macro_rules! integers {
    ($($s:ident)+) => {
        $(integers! { @to $s: u8 i8 u16 i16 u32 i32 u64 i64 })+
    };
    (@to $s:ident: $($d:ident)+) => {$(
        impl<const SAT: bool> Kernel for Integer<$s, $d, SAT> {
            const NAME: &'static str = concat!("Integer ", stringify!($s), " ", stringify!($d));

            #[inline(always)]
            fn run(span: Span<'_>) {
                const FROM: usize = size_of::<$s>();
                const TO: usize = size_of::<$d>();
                // The ends of the destination's range, where they are ends of the source's at all.
                const LEAST: i128 = if <$d>::MIN as i128 > <$s>::MIN as i128 { <$d>::MIN as i128 } else { <$s>::MIN as i128 };
                const MOST: i128 = if <$d>::MAX as i128 > <$s>::MAX as i128 { <$s>::MAX as i128 } else { <$d>::MAX as i128 };
                let limited = |x: $s| if SAT { x.clamp(LEAST as $s, MOST as $s) as $d } else { x as $d };
                let convert = |x| limited(<$s>::from_le_bytes(x)).to_le_bytes();
                run_each::<FROM, TO, { few(FROM, TO) }>(span, convert);
            }
        }
    )+};
}

integers! { u8 i8 u16 i16 u32 i32 u64 i64 }
