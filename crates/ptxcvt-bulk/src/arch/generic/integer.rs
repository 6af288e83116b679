//! To integers: from lanes, and from other integers.

use core::marker::PhantomData;

use crate::lane::Lane::{self, Codes};
use crate::lane::{F32, F64};
use crate::lanes::{float, lanes32, lanes64, single_to_s32, single_to_u32, truncated};
use crate::stage::{Kernel, Span, each, elements, elements_mut, few, in_parts};
use ptxcvt::formats::Format;

each! {
    /// f32 to s2f6 and to 8- and 16-bit integers.
    Fixed8<const R: u8> [baseline]: F32 => Lane::Integer { bits: 8 }, |x: u32| -> u8, k { lanes32::fixed::<R>(x, k) as u8 }
    Fixed16<const R: u8> [baseline]: F32 => Lane::Integer { bits: 16 }, |x: u32| -> u16, k { lanes32::fixed::<R>(x, k) as u16 }
    /// f32 to 8- and 16-bit integers under `.rzi`, and to 32-bit ones.
    Truncated8 [baseline]: F32 => Lane::Integer { bits: 8 }, |x: u32| -> u8, k { truncated(x, k) as u8 }
    Truncated16 [baseline]: F32 => Lane::Integer { bits: 16 }, |x: u32| -> u16, k { truncated(x, k) as u16 }
    Signed32<const R: u8> [baseline]: F32 => Codes(Format::S32), |x: u32| -> u32, _k { single_to_s32(lanes32::integral::<R>(x)) }
    Unsigned32<const R: u8>: F32 => Codes(Format::U32), |x: u32| -> u32, _k { single_to_u32(lanes32::integral::<R>(x)) }
    /// f64 to integers.
    DoubleFixed8<const R: u8> [baseline]: F64 => Lane::Integer { bits: 8 }, |x: u64| -> u8, k { lanes64::fixed::<R>(x, k) as u8 }
    DoubleFixed16<const R: u8> [baseline]: F64 => Lane::Integer { bits: 16 }, |x: u64| -> u16, k { lanes64::fixed::<R>(x, k) as u16 }
    DoubleFixed32<const R: u8> [baseline]: F64 => Lane::Integer { bits: 32 }, |x: u64| -> u32, k { lanes64::fixed::<R>(x, k) as u32 }
    Integer64<const R: u8, const SIGNED: bool>: F32 => Codes(if SIGNED { Format::S64 } else { Format::U64 }), |x: u32| -> u64, _k { lanes32::integer64::<R, SIGNED>(x) }
    DoubleInteger64<const R: u8, const SIGNED: bool>: F64 => Codes(if SIGNED { Format::S64 } else { Format::U64 }), |x: u64| -> u64, _k { lanes64::integer64::<R, SIGNED>(x) }
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

/// An integer of Rust and its format.
trait Element {
    const FORMAT: Format;
}

/// `elements! { u8 U8 … }`: the format of each type.
macro_rules! elements_of {
    ($($type:ident $format:ident),+) => {$(
        impl Element for $type {
            const FORMAT: Format = Format::$format;
        }
    )+};
}

elements_of! { u8 U8, i8 S8, u16 U16, i16 S16, u32 U32, i32 S32, u64 U64, i64 S64 }

/// Integers to floats with `.sat`, whose results are 0 and 1, as the bits `D` of a float.
pub(crate) struct Unit<S, D>(PhantomData<(S, D)>);

/// `units! { u8 i8 … }` declares kernels from each of the types to f16, f32 and f64, with the code of 1.
macro_rules! units {
    ($($s:ident)+) => {$(
        units! { @to $s: u16 F16, u32 F32, u64 F64 }
    )+};
    (@to $s:ident: $($d:ident $format:ident),+) => {$(
        impl Kernel for Unit<$s, $d> {
            const NAME: &'static str = "Unit";
            const TAKES: Lane = Codes(<$s as Element>::FORMAT);
            const GIVES: Lane = Codes(Format::$format);

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

/// Integer to a shorter integer: the low bits, whether signed or not.
pub(crate) struct Truncate<S, D>(PhantomData<(S, D)>);

/// Integer to a longer integer, sign- or zero-extended. The sign of the destination does not matter.
pub(crate) struct Extend<S, D>(PhantomData<(S, D)>);

/// Integer to integer, limited to the destination's range. Both ends are constants, for which CPUs have
/// instructions.
pub(crate) struct Limit<S, D>(PhantomData<(S, D)>);

/// Declares kernels between pairs of types.
///
/// `integers! { Extend, takes, gives, |x: S, D| x.into(); u8 to u16 u32; }` expands to `impl Kernel for Extend<u8, u16>` and
/// `impl Kernel for Extend<u8, u32>`. In the three expressions, `S` and `D` are the types of the pair.
macro_rules! integers {
    ($kernel:ident, $takes:expr, $gives:expr, |$x:ident: $s:ident, $d:ident| $convert:expr;
        $($from:ident to $($to:ident)+;)+) => {$($(
        impl Kernel for $kernel<$from, $to> {
            const NAME: &'static str =
                concat!(stringify!($kernel), " ", stringify!($from), " ", stringify!($to));
            const TAKES: Lane = {
                type $s = $from;
                $takes
            };
            const GIVES: Lane = {
                type $d = $to;
                $gives
            };

            #[inline(always)]
            fn run(span: Span<'_>) {
                #[allow(dead_code, reason = "not every conversion names both types")]
                type $s = $from;
                #[allow(dead_code, reason = "not every conversion names both types")]
                type $d = $to;
                const FROM: usize = size_of::<$from>();
                const TO: usize = size_of::<$to>();
                let convert = |x| {
                    let $x = <$from>::from_le_bytes(x);
                    let result: $to = $convert;
                    result.to_le_bytes()
                };
                run_each::<FROM, TO, { few(FROM, TO) }>(span, convert);
            }
        }
    )+)+};
}

integers! {
    Truncate, Lane::SourceInteger { bits: S::BITS }, Lane::Integer { bits: D::BITS }, |x: S, D| x as D;
    u16 to u8;
    u32 to u8 u16;
    u64 to u8 u16 u32;
}

integers! {
    Extend, Codes(S::FORMAT), Lane::Integer { bits: D::BITS }, |x: S, D| x.into();
    u8 to u16 u32 u64;
    i8 to i16 i32 i64;
    u16 to u32 u64;
    i16 to i32 i64;
    u32 to u64;
    i32 to i64;
}

/// The number of type `S` that is nearest to `end`, which is an end of the range of another type.
macro_rules! end {
    ($s:ident, $end:expr) => {
        if $end > $s::MAX as i128 {
            $s::MAX
        } else if $end < $s::MIN as i128 {
            $s::MIN
        } else {
            $end as $s
        }
    };
}

// Pairs whose destination does not hold the source's range. PTX has `.sat` only for these.
integers! {
    Limit, Codes(S::FORMAT), Codes(D::FORMAT), |x: S, D| {
        x.clamp(const { end!(S, D::MIN as i128) }, const { end!(S, D::MAX as i128) }) as D
    };
    u8 to i8;
    i8 to u8 u16 u32 u64;
    u16 to u8 i8 i16;
    i16 to u8 i8 u16 u32 u64;
    u32 to u8 i8 u16 i16 i32;
    i32 to u8 i8 u16 i16 u32 u64;
    u64 to u8 i8 u16 i16 u32 i32 i64;
    i64 to u8 i8 u16 i16 u32 i32 u64;
}
