//! Stages: a lane algorithm run over a slice, compiled for each tier.
//!
//! A [`Stage`] is a plain function over bytes, so that a plan is a short list of them. [`Kernel`] is how one
//! is written: once, generically; [`stage`] wraps it in the function of the tier.

use super::constants::Constants;
#[cfg(target_arch = "x86_64")]
use super::features;
use super::tier::Tier;

/// What a stage works on. Elements lie one after the other, little-endian, at any alignment.
pub(super) struct Span<'a> {
    /// The elements.
    pub source: &'a [u8],
    /// Where the results go; its length decides how many.
    pub result: &'a mut [u8],
    /// One random field (`.rs`, 16 bits) or scale (8 bits) for each element, or nothing.
    pub extra: &'a [u8],
    /// What the form's modifiers are made of.
    pub constants: &'a Constants,
    /// Results shall go around the caches, if the stage knows how ([`Stage::streams`]) and they begin with a cache line.
    pub streamed: bool,
    /// The elements are in no cache yet, as far as is known.
    pub cold: bool,
}

/// A kernel compiled for some tier, as a function.
///
/// # Safety
///
/// The CPU must have the tier's features.
pub(super) type Run = unsafe fn(Span<'_>);

/// A kernel compiled for some tier, and what it is called in tables of timings.
#[derive(Clone, Copy)]
pub(super) struct Stage {
    pub run: Run,
    pub name: &'static str,
    /// It heeds [`Span::streamed`].
    pub streams: bool,
}

/// An algorithm over a span. `run` must be `#[inline(always)]`, to be compiled with the tier's features.
pub(super) trait Kernel {
    const NAME: &'static str;

    fn run(span: Span<'_>);
}

/// The stage that runs `K` on that tier. What compilers make of the lane algorithms is no better for VBMI, so that
/// tier shares AVX-512's.
pub(super) fn stage<K: Kernel>(tier: Tier) -> Stage {
    let run = match tier {
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 => avx2::<K> as Run,
        #[cfg(all(target_arch = "x86_64", rust_1_89))]
        Tier::Avx512 | Tier::Avx512Vbmi => avx512::<K>,
        _ => baseline::<K>,
    };
    Stage { run, name: K::NAME, streams: false }
}

/// What the compilation target promises, NEON included.
unsafe fn baseline<K: Kernel>(span: Span<'_>) {
    K::run(span);
}

#[cfg(target_arch = "x86_64")]
features::avx2! {
    unsafe fn avx2<K: Kernel>(span: Span<'_>) {
        K::run(span);
    }
}

#[cfg(all(target_arch = "x86_64", rust_1_89))]
features::avx512! {
    unsafe fn avx512<K: Kernel>(span: Span<'_>) {
        K::run(span);
    }
}

/// A byte slice as elements of `W` bytes; what is left over is dropped.
#[inline(always)]
pub(super) fn elements<const W: usize>(bytes: &[u8]) -> &[[u8; W]] {
    // SAFETY: arrays of bytes need no alignment and have no padding, and that many fit.
    unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len().checked_div(W).unwrap_or(0)) }
}

/// As [`elements`].
#[inline(always)]
pub(super) fn elements_mut<const W: usize>(bytes: &mut [u8]) -> &mut [[u8; W]] {
    // SAFETY: as above; the slice is borrowed mutably for as long as the result.
    unsafe { core::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / W) }
}

/// Elements between two calls of [`fetch`](super::memory::fetch) in the generic loops: many, for the compiler's vector
/// loops take up to 256 at a time.
pub(super) const CHUNK: usize = 256;

/// Elements of the generic loops' second size, from which on nothing is left: the last few are done with those
/// before them once more, or padded with zeros where there are none.
pub(super) const fn few(from: usize, to: usize) -> usize {
    if from > 2 || to > 2 { 16 } else { 32 }
}

/// Runs `part` over chunks of 256 elements, then over `FEW` at a time; the lengths of both are constants, so that the
/// compiler needs no loop for what is left of a vector.
#[inline(always)]
pub(super) fn in_parts<const FROM: usize, const WITH: usize, const TO: usize, const FEW: usize>(
    source: &[[u8; FROM]],
    extra: &[[u8; WITH]],
    result: &mut [[u8; TO]],
    cold: bool,
    many: impl Fn(&[[u8; FROM]; CHUNK], &[[u8; WITH]], &mut [[u8; TO]; CHUNK]),
    few: impl Fn(&[[u8; FROM]; FEW], &[[u8; WITH]], &mut [[u8; TO]; FEW]),
) {
    let count = result.len();
    let with = |at: usize, n: usize| if WITH == 0 { extra } else { &extra[at..at + n] };
    let mut done = 0;
    while let (Some(from), Some(to)) =
        (source[done..].first_chunk::<CHUNK>(), result[done..].first_chunk_mut::<CHUNK>())
    {
        if cold {
            super::memory::fetch_cold(from.as_ptr().cast(), FROM * CHUNK);
        } else {
            super::memory::fetch(from.as_flattened(), super::memory::AHEAD);
        }
        many(from, with(done, CHUNK), to);
        done += CHUNK;
    }
    while done < count {
        // Where less is left than a vector takes, what lies before is done again.
        let at = if count - done < FEW { count.saturating_sub(FEW) } else { done };
        let (mut from_pad, mut beside_pad);
        let from = match source[at..].first_chunk::<FEW>() {
            Some(from) => from,
            None => {
                from_pad = [[0; FROM]; FEW];
                from_pad[..count].copy_from_slice(&source[..count]);
                &from_pad
            }
        };
        let beside: &[[u8; WITH]] = match extra.get(at..at + FEW) {
            _ if WITH == 0 => extra,
            Some(beside) => beside,
            None => {
                beside_pad = [[0; WITH]; FEW];
                beside_pad[..count].copy_from_slice(&extra[..count]);
                &beside_pad
            }
        };
        match result[at..].first_chunk_mut::<FEW>() {
            Some(to) => few(from, beside, to),
            None => {
                let mut to = [[0; TO]; FEW];
                few(from, beside, &mut to);
                result.copy_from_slice(&to[..count]);
            }
        }
        done = at + FEW;
    }
}

/// Declares kernels that convert element by element. `each! { Double<const D: usize>: |x: u16| -> u32, k { … } }`
/// expands to a type `Double` and an `impl Kernel` whose loop reads a `u16`, evaluates the block with `k:
/// &Constants` (and, where the head says `|x: u16, e: u8|`, the element of `extra`), and writes the `u32`.
macro_rules! each {
    ($($(#[$doc:meta])* $name:ident $(<$(const $c:ident: $ct:ty),+>)?:
        |$x:ident: $from:ty $(, $extra:ident: $with:ty)?| -> $to:ty, $k:ident $body:block)*) => {$(
        $(#[$doc])*
        pub(in $crate::bulk) struct $name$(<$(const $c: $ct),+>)?;

        impl$(<$(const $c: $ct),+>)? $name$(<$($c),+>)? {
            /// So many elements, one after the other.
            #[inline(always)]
            fn lanes<const N: usize>(
                source: &[[u8; size_of::<$from>()]; N],
                extra: &[[u8; 0 $(+ size_of::<$with>())?]],
                result: &mut [[u8; size_of::<$to>()]; N],
                $k: &$crate::bulk::constants::Constants,
            ) {
                let _ = extra;
                $(let $extra: &[[u8; size_of::<$with>()]; N] = match extra.first_chunk() {
                    Some(extra) => extra,
                    None => return,
                };)?
                for i in 0..N {
                    let $x = <$from>::from_le_bytes(source[i]);
                    $(let $extra = <$with>::from_le_bytes($extra[i]);)?
                    let value: $to = $body;
                    result[i] = value.to_le_bytes();
                }
            }
        }

        impl$(<$(const $c: $ct),+>)? $crate::bulk::stage::Kernel for $name$(<$($c),+>)? {
            const NAME: &'static str = stringify!($name);

            #[inline(always)]
            fn run(span: $crate::bulk::stage::Span<'_>) {
                use $crate::bulk::stage::{elements, elements_mut, few, in_parts};
                // A copy, which no result can overwrite.
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
pub(super) use each;
