//! Stages: a lane algorithm run over a slice, compiled for each tier.
//!
//! A [`Stage`] is a plain function over bytes, so that a plan is a short list of them. [`Kernel`] is how one
//! is written: once, generically; [`stage`] wraps it in the function of the tier.

use super::constants::Constants;
#[cfg(target_arch = "x86_64")]
use super::features;
#[cfg(hand_written)]
use super::memory::fetch_step;
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
}

/// A kernel compiled for some tier.
///
/// # Safety
///
/// The CPU must have the tier's features.
pub(super) type Stage = unsafe fn(Span<'_>);

/// An algorithm over a span. `run` must be `#[inline(always)]`, to be compiled with the tier's features.
pub(super) trait Kernel {
    fn run(span: Span<'_>);
}

/// The stage that runs `K` on that tier. What compilers make of the lane algorithms is no better for VBMI, so that
/// tier shares AVX-512's.
pub(super) fn stage<K: Kernel>(tier: Tier) -> Stage {
    match tier {
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 => avx2::<K>,
        #[cfg(all(target_arch = "x86_64", rust_1_89))]
        Tier::Avx512 | Tier::Avx512Vbmi => avx512::<K>,
        _ => baseline::<K>,
    }
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

/// What a step reads, what lies beside it, and what it writes.
#[cfg(hand_written)]
type StepWithExtra<'a, const FROM: usize, const EXTRA: usize, const TO: usize> =
    (&'a [u8; FROM], &'a [u8; EXTRA], &'a mut [u8; TO]);

#[cfg(hand_written)]
impl<'a> Span<'a> {
    /// Whole steps of `FROM` bytes to `TO` bytes, for kernels that work on registers, and what is left of the run,
    /// which such a kernel hands over to the generic one.
    #[inline(always)]
    pub fn steps<const FROM: usize, const TO: usize>(
        self,
    ) -> (impl Iterator<Item = (&'a [u8; FROM], &'a mut [u8; TO])>, Span<'a>) {
        let whole = self.result.len() / TO;
        let (source, source_rest) = self.source.split_at(whole * FROM);
        let (result, result_rest) = self.result.split_at_mut(whole * TO);
        let steps =
            elements::<FROM>(source).iter().zip(elements_mut::<TO>(result)).enumerate().map(|(i, step)| {
                fetch_step(i, step.0);
                step
            });
        (steps, Span { source: source_rest, result: result_rest, ..self })
    }

    /// Less than a step, by the stage that the caller is: padded with zeros, whose results are dropped.
    #[inline(always)]
    pub fn pad<const FROM: usize, const TO: usize>(self, stage: Stage) {
        let (from, to) = (self.result.len() * FROM / TO, self.result.len());
        if to == 0 {
            return;
        }
        let (mut source, mut result) = ([0; FROM], [0; TO]);
        source[..from].copy_from_slice(&self.source[..from]);
        // SAFETY: the caller runs, so this machine has its features.
        unsafe {
            stage(Span { source: &source, result: &mut result, extra: &[], constants: self.constants })
        };
        self.result.copy_from_slice(&result[..to]);
    }

    /// As [`steps`](Self::steps), and with each step `EXTRA` bytes of what lies beside the elements.
    #[inline(always)]
    pub fn steps_with_extra<const FROM: usize, const EXTRA: usize, const TO: usize>(
        self,
    ) -> (impl Iterator<Item = StepWithExtra<'a, FROM, EXTRA, TO>>, Span<'a>) {
        let whole = self.result.len() / TO;
        let (extra, extra_rest) = self.extra.split_at(whole * EXTRA);
        let (steps, rest) = self.steps::<FROM, TO>();
        let steps = steps.zip(elements::<EXTRA>(extra)).map(|((from, to), extra)| (from, extra, to));
        (steps, Span { extra: extra_rest, ..rest })
    }
}

/// A byte slice as elements of `W` bytes; what is left over is dropped.
#[inline(always)]
pub(super) fn elements<const W: usize>(bytes: &[u8]) -> &[[u8; W]] {
    // SAFETY: arrays of bytes need no alignment and have no padding, and that many fit.
    unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / W) }
}

/// As [`elements`].
#[inline(always)]
pub(super) fn elements_mut<const W: usize>(bytes: &mut [u8]) -> &mut [[u8; W]] {
    // SAFETY: as above; the slice is borrowed mutably for as long as the result.
    unsafe { core::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / W) }
}

/// Elements between two calls of [`fetch`] in the generic loops: many, for the compiler's vector loops take up to
/// 256 at a time.
pub(super) const CHUNK: usize = 256;

/// Declares kernels that convert element by element. `each! { Double<const D: usize>: |x: u16| -> u32, k { … } }`
/// expands to a type `Double` and an `impl Kernel` whose loop reads a `u16`, evaluates the block with `k:
/// &Constants` (and, where the head says `|x: u16, e: u8|`, the element of `extra`), and writes the `u32`.
macro_rules! each {
    ($($(#[$doc:meta])* $name:ident $(<$(const $c:ident: $ct:ty),+>)?:
        |$x:ident: $from:ty $(, $extra:ident: $with:ty)?| -> $to:ty, $k:ident $body:block)*) => {$(
        $(#[$doc])*
        pub(in $crate::bulk) struct $name$(<$(const $c: $ct),+>)?;

        impl$(<$(const $c: $ct),+>)? $name$(<$($c),+>)? {
            /// One element.
            #[inline(always)]
            fn lane(
                $x: [u8; size_of::<$from>()],
                $($extra: [u8; size_of::<$with>()],)?
                $k: &$crate::bulk::constants::Constants,
            ) -> [u8; size_of::<$to>()] {
                let $x = <$from>::from_le_bytes($x);
                $(let $extra = <$with>::from_le_bytes($extra);)?
                let value: $to = $body;
                value.to_le_bytes()
            }
        }

        impl$(<$(const $c: $ct),+>)? $crate::bulk::stage::Kernel for $name$(<$($c),+>)? {
            #[inline(always)]
            fn run(span: $crate::bulk::stage::Span<'_>) {
                use $crate::bulk::memory::fetch;
                use $crate::bulk::stage::{CHUNK, elements, elements_mut};
                let constants = *span.constants;
                let k = &constants;
                let result = elements_mut::<{ size_of::<$to>() }>(span.result);
                let count = result.len();
                let source = &elements::<{ size_of::<$from>() }>(span.source)[..count];
                $(let $extra = &elements::<{ size_of::<$with>() }>(span.extra)[..count];)?
                for start in (0..count).step_by(CHUNK) {
                    let end = (start + CHUNK).min(count);
                    fetch(source[start..end].as_flattened());
                    let (source, result) = (&source[start..end], &mut result[start..end]);
                    $(let $extra = &$extra[start..end];)?
                    for i in 0..result.len() {
                        result[i] = Self::lane(source[i], $($extra[i],)? k);
                    }
                }
            }
        }
    )*};
}
pub(super) use each;
