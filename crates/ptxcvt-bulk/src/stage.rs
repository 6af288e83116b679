//! Stages: lane algorithms over slices, compiled for each tier.
//!
//! A [`Stage`] is a plain function over bytes, and a plan is a short list of them. A [`Kernel`] is written once, and
//! [`stage`] compiles it for a tier.

use core::cell::Cell;

use super::constants::Constants;
use super::lane::Lane;
use super::tier::Tier;

/// The arguments of a stage. Elements are adjacent, little-endian, at any alignment.
pub(crate) struct Span<'a> {
    /// The elements.
    pub source: &'a [u8],
    /// The results. Their length determines the number of elements.
    pub result: &'a mut [u8],
    /// One random field (`.rs`, 16 bits) or scale (8 bits) for each element, or nothing.
    pub extra: &'a [u8],
    /// The constants of the form.
    pub constants: &'a Constants,
    /// Whether to use non-temporal stores, if the stage can ([`Stage::streams`]) and the results start at a
    /// cache line.
    #[allow(dead_code, reason = "only the kernels of some architectures and compilers read it")]
    pub streamed: bool,
    /// Whether the elements are probably in no cache yet.
    pub cold: bool,
    /// A stage that [reports](Stage::reports) sets this if NaN or infinity may be among the elements.
    #[allow(dead_code, reason = "only the kernels of some architectures and compilers read it")]
    pub doubt: Option<&'a Cell<bool>>,
}

/// A kernel compiled for some tier, as a function.
///
/// # Safety
///
/// The CPU must have the tier's features.
pub(crate) type Run = unsafe fn(Span<'_>);

/// A kernel compiled for some tier, with its name for tables of timings.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    pub run: Run,
    pub name: &'static str,
    /// Whether it uses [`Span::streamed`].
    pub streams: bool,
    /// Whether it leaves [`Span::doubt`] unchanged only if all elements are finite.
    #[cfg_attr(not(feature = "std"), allow(dead_code))]
    pub reports: bool,
}

/// A stage and the lanes that it connects.
#[derive(Clone, Copy)]
pub(crate) struct Typed {
    pub stage: Stage,
    pub takes: Lane,
    pub gives: Lane,
}

/// An algorithm over a span. `run` must be `#[inline(always)]`, so that it is compiled with the features of the tier.
pub(crate) trait Kernel {
    const NAME: &'static str;
    /// The lanes that it reads and writes.
    const TAKES: Lane;
    const GIVES: Lane;
    /// Whether the wider tiers of x86-64 have kernels written by hand for every form that would use this one there. It is
    /// then compiled for the baseline alone, which saves a quarter of the time that this crate takes to build. A form that
    /// needs it on a wider tier all the same gets that code: slower, but right.
    const BASELINE: bool = false;

    fn run(span: Span<'_>);
}

/// The stage that runs `K` on a tier. The tier with VBMI uses that of AVX-512, because compilers do not
/// generate better code for VBMI.
pub(crate) fn stage<K: Kernel>(tier: Tier) -> Stage {
    // Constants, so that only the function in them is compiled.
    let run = match tier {
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 => {
            const { if K::BASELINE && cfg!(hand_written) { baseline::<K> as Run } else { avx2::<K> } }
        }
        #[cfg(all(target_arch = "x86_64", rustc_1_89))]
        Tier::Avx512 | Tier::Avx512Vbmi => {
            const { if K::BASELINE && cfg!(hand_written) { baseline::<K> as Run } else { avx512::<K> } }
        }
        _ => baseline::<K>,
    };
    Stage { run, name: K::NAME, streams: false, reports: false }
}

/// The stage that runs `K` on a tier, with its lanes.
pub(crate) fn typed<K: Kernel>(tier: Tier) -> Typed {
    Typed { stage: stage::<K>(tier), takes: K::TAKES, gives: K::GIVES }
}

/// Compiled for the features of the compilation target, NEON included.
unsafe fn baseline<K: Kernel>(span: Span<'_>) {
    K::run(span);
}

#[cfg(target_arch = "x86_64")]
crate::avx2! {
    unsafe fn avx2<K: Kernel>(span: Span<'_>) {
        K::run(span);
    }
}

#[cfg(all(target_arch = "x86_64", rustc_1_89))]
crate::avx512! {
    unsafe fn avx512<K: Kernel>(span: Span<'_>) {
        K::run(span);
    }
}

/// A byte slice as elements of `W` bytes, without an incomplete one at the end; empty if `W` is 0.
#[inline(always)]
pub(crate) fn elements<const W: usize>(bytes: &[u8]) -> &[[u8; W]] {
    // SAFETY: arrays of bytes need no alignment and have no padding, and that many fit.
    unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len().checked_div(W).unwrap_or(0)) }
}

/// Like [`elements`], for results.
#[inline(always)]
pub(crate) fn elements_mut<const W: usize>(bytes: &mut [u8]) -> &mut [[u8; W]] {
    // SAFETY: as above; the slice is borrowed mutably for as long as the result.
    unsafe { core::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / W) }
}

/// The number of elements between two prefetches in the generic loops. It is large because the compiler's
/// vector loops process up to 256 elements at a time.
pub(crate) const CHUNK: usize = 256;

/// The number of elements in a step of the generic loops' second, smaller size. A shorter tail is converted
/// together with the elements before it, or padded with zeros if there are none.
pub(crate) const fn few(from: usize, to: usize) -> usize {
    if from > 2 || to > 2 { 16 } else { 32 }
}

/// Runs `many` over chunks of 256 elements, then `few` over `FEW` at a time. Both lengths are constants, so
/// the compiler needs no loop for the tail of a vector.
#[inline(always)]
pub(crate) fn in_parts<const FROM: usize, const WITH: usize, const TO: usize, const FEW: usize>(
    source: &[[u8; FROM]],
    extra: &[[u8; WITH]],
    result: &mut [[u8; TO]],
    cold: bool,
    many: impl Fn(&[[u8; FROM]; CHUNK], &[[u8; WITH]], &mut [[u8; TO]; CHUNK]),
    few: impl Fn(&[[u8; FROM]; FEW], &[[u8; WITH]], &mut [[u8; TO]; FEW]),
) {
    let count = result.len();
    let with = |at: usize, n: usize| if WITH == 0 { extra } else { &extra[at..at + n] };
    // After the first chunk, the results start at a cache line; those after it in that chunk are computed again.
    let mut head = super::memory::before_line(result.as_ptr().cast(), count * TO) / TO;
    let mut done = 0;
    while let (Some(from), Some(to)) =
        (source[done..].first_chunk::<CHUNK>(), result[done..].first_chunk_mut::<CHUNK>())
    {
        if cold {
            super::memory::fetch_cold(from.as_ptr().cast(), FROM * CHUNK);
        }
        many(from, with(done, CHUNK), to);
        done += if head == 0 { CHUNK } else { core::mem::take(&mut head) };
    }
    while done < count {
        // A tail shorter than a vector is converted together with elements before it.
        let at = if count - done < FEW { count.saturating_sub(FEW) } else { done };
        let (mut from_pad, mut with_pad);
        let from = match source[at..].first_chunk::<FEW>() {
            Some(from) => from,
            None => {
                from_pad = [[0; FROM]; FEW];
                from_pad[..count].copy_from_slice(&source[..count]);
                &from_pad
            }
        };
        let with: &[[u8; WITH]] = match extra.get(at..at + FEW) {
            _ if WITH == 0 => extra,
            Some(with) => with,
            None => {
                with_pad = [[0; WITH]; FEW];
                with_pad[..count].copy_from_slice(&extra[..count]);
                &with_pad
            }
        };
        match result[at..].first_chunk_mut::<FEW>() {
            Some(to) => few(from, with, to),
            None => {
                let mut to = [[0; TO]; FEW];
                few(from, with, &mut to);
                result.copy_from_slice(&to[..count]);
            }
        }
        done = at + FEW;
    }
}

/// Declares kernels that convert element by element.
///
/// `each! { Double<const D: usize>: A => B, |x: u16| -> u32, k { … } }` expands to a type `Double` and an `impl Kernel` from
/// lanes `A` to lanes `B`. Its loop reads a `u16`, evaluates the block with `k: &Constants` (and, with `|x: u16, e: u8|`,
/// the element of `extra`), and writes the `u32`. A kernel whose lanes have other sizes does not compile. `[baseline]` after
/// the name sets [`Kernel::BASELINE`].
macro_rules! each {
    ($($(#[$doc:meta])* $name:ident $(<$(const $c:ident: $ct:ty),+>)? $([$baseline:ident])?: $takes:expr => $gives:expr,
        |$x:ident: $from:ty $(, $extra:ident: $with:ty)?| -> $to:ty, $k:ident $body:block)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name$(<$(const $c: $ct),+>)?;

        impl$(<$(const $c: $ct),+>)? $name$(<$($c),+>)? {
            /// Converts `N` elements, one after the other.
            #[inline(always)]
            fn lanes<const N: usize>(
                source: &[[u8; size_of::<$from>()]; N],
                extra: &[[u8; 0 $(+ size_of::<$with>())?]],
                result: &mut [[u8; size_of::<$to>()]; N],
                $k: &$crate::constants::Constants,
            ) {
                let _ = extra;
                $(let $extra: &[[u8; size_of::<$with>()]; N] =
                    extra.first_chunk().expect("a random field or a scale for each element");)?
                for i in 0..N {
                    let $x = <$from>::from_le_bytes(source[i]);
                    $(let $extra = <$with>::from_le_bytes($extra[i]);)?
                    let value: $to = $body;
                    result[i] = value.to_le_bytes();
                }
            }
        }

        impl$(<$(const $c: $ct),+>)? $crate::stage::Kernel for $name$(<$($c),+>)? {
            const NAME: &'static str = stringify!($name);
            const TAKES: $crate::lane::Lane = $takes;
            const GIVES: $crate::lane::Lane = {
                let gives = $gives;
                assert!(Self::TAKES.has_sizes(gives, size_of::<$from>(), size_of::<$to>()));
                gives
            };

            $(const BASELINE: bool = {
                let $baseline = true;
                $baseline
            };)?

            #[inline(always)]
            fn run(span: $crate::stage::Span<'_>) {
                use $crate::stage::{elements, elements_mut, few, in_parts};
                // Copied to the stack, so that the compiler knows that results do not overwrite it.
                let constants = *span.constants;
                let k = &constants;
                let result = elements_mut::<{ size_of::<$to>() }>(span.result);
                let source = elements::<{ size_of::<$from>() }>(span.source);
                let extra = elements::<{ 0 $(+ size_of::<$with>())? }>(span.extra);
                const FEW: usize = few(size_of::<$from>(), size_of::<$to>());
                in_parts::<{ size_of::<$from>() }, { 0 $(+ size_of::<$with>())? }, { size_of::<$to>() }, FEW>(
                    source, extra, result, span.cold,
                    |from, extra, to| Self::lanes(from, extra, to, k),
                    |from, extra, to| Self::lanes(from, extra, to, k),
                );
            }
        }
    )*};
}
pub(crate) use each;
