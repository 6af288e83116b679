//! The loops of the fast rail, compiled for every CPU, for AVX2 and for AVX-512. Nothing branches on data but where
//! a NaN is met.
//!
//! `unsafe` is here for these reasons: a function compiled for AVX2 may be called only where the CPU has it;
//! instructions that ask for memory ahead of time or store around the caches take pointers; a conversion to an integer
//! is one instruction only where the number is known to fit.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
use ptxcvt::bulk::Tier;

use crate::input::Input;
use crate::layout;
use crate::recipe::{Classes, Layout, Op};
use crate::reference::NAN;

/// Declares loops. `tiered! { fn f(a: A) { … } }` expands to a function of that name which runs the body
/// compiled for AVX-512 or AVX2 where the CPU has it, and as it stands elsewhere.
macro_rules! tiered {
    ($($(#[$doc:meta])* fn $name:ident ($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        pub(super) fn $name ($($arg: $ty),*) {
            #[inline(always)]
            fn plain ($($arg: $ty),*) $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,popcnt")]
                unsafe fn avx2 ($($arg: $ty),*) {
                    plain ($($arg),*)
                }
                #[cfg(rust_1_89)]
                #[allow(clippy::incompatible_msrv)] // The build script asked.
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi1,bmi2,f16c,fma,lzcnt,popcnt")]
                unsafe fn avx512 ($($arg: $ty),*) {
                    plain ($($arg),*)
                }
                match *TIER {
                    // SAFETY: the CPU has what the function is compiled for.
                    #[cfg(rust_1_89)]
                    Some(Tier::Avx512 | Tier::Avx512Vbmi) => return unsafe { avx512 ($($arg),*) },
                    // SAFETY: as above.
                    Some(_) => return unsafe { avx2 ($($arg),*) },
                    None => {}
                }
            }
            plain ($($arg),*)
        }
    )*};
}

/// The tier to run, if one of these loops is compiled for it.
#[cfg(target_arch = "x86_64")]
static TIER: LazyLock<Option<Tier>> = LazyLock::new(|| {
    [Tier::Avx512Vbmi, Tier::Avx512, Tier::Avx2].into_iter().find(|tier| tier.is_available())
});

/// An operand of elements.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg<'a> {
    /// The same for all.
    All(f32),
    /// One for each block of so many elements.
    Block(&'a [f32], usize),
    /// One for each element.
    Each(&'a [f32]),
}

#[inline(always)]
fn bf16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Asks for the cache lines that lie `ahead` bytes from here, so that memory is busy while these loops compute.
#[inline(always)]
fn fetch(from: &[u8], ahead: isize) {
    #[cfg(target_arch = "x86_64")]
    for line in from.chunks(64) {
        use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        let place = line.as_ptr().wrapping_offset(ahead);
        // SAFETY: a prefetch has no effect but on the cache, wherever it points; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(place.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, ahead);
}

/// Keeps a loop whose body works on whole vectors as it is: compilers otherwise make one across its rounds, which gathers
/// single elements.
#[inline(always)]
fn apart() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: there is no instruction.
    unsafe {
        core::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}

/// Elements of a round of such a loop.
pub(super) const ROUND: usize = 16;

/// Each element by its block's factor: `$f` of the two.
macro_rules! blockwise {
    ($from:ident, $ahead:ident, $bits:ty, $number:expr, $factors:ident, $width:ident, $to:ident, $f:expr) => {{
        const SIZE: usize = size_of::<$bits>();
        if $width % ROUND == 0 && $to.len() % $width == 0 {
            let blocks = $from.chunks_exact($width * SIZE).zip($to.chunks_exact_mut($width));
            for ((from, to), factor) in blocks.zip($factors) {
                let rounds = from.chunks_exact(ROUND * SIZE).zip(to.chunks_exact_mut(ROUND));
                for (from, to) in rounds {
                    apart();
                    fetch(from, $ahead);
                    let from: [$bits; ROUND] = bytemuck::pod_read_unaligned(from);
                    for i in 0..ROUND {
                        to[i] = $f($number(<$bits>::from_le(from[i])), *factor);
                    }
                }
            }
        } else {
            let blocks = $from.chunks($width * SIZE).zip($to.chunks_mut($width)).zip($factors);
            for ((from, to), factor) in blocks {
                for (x, to) in from.chunks_exact(SIZE).zip(to) {
                    let x: $bits = bytemuck::pod_read_unaligned(x);
                    *to = $f($number(<$bits>::from_le(x)), *factor);
                }
            }
        }
    }};
}

/// The result of an operation of two numbers.
macro_rules! of_two {
    ($op:expr, $run:ident) => {
        match $op {
            Op::Add => $run!(|a: f32, b: f32| a + b),
            Op::Sub => $run!(|a: f32, b: f32| a - b),
            Op::Mul => $run!(|a: f32, b: f32| a * b),
            Op::Div => $run!(|a: f32, b: f32| a / b),
            Op::Min => $run!(|a: f32, b: f32| if b.is_nan() || a < b { a } else { b }),
            Op::Max => $run!(|a: f32, b: f32| if b.is_nan() || a > b { a } else { b }),
            Op::MinNan => $run!(|a: f32, b: f32| if a.is_nan() || a < b { a } else { b }),
            Op::MaxNan => $run!(|a: f32, b: f32| if a.is_nan() || a > b { a } else { b }),
            Op::AddBits => $run!(|a: f32, b: f32| f32::from_bits(a.to_bits().wrapping_add(b.to_bits()))),
            _ => $run!(|a: f32, b: f32| f32::from_bits(a.to_bits() & b.to_bits())),
        }
    };
}

tiered! {
    /// bf16 to f32: a shift.
    fn widen_bf16(from: &[u8], to: &mut [f32]) {
        for (bytes, x) in from.chunks_exact(2).zip(to) {
            *x = bf16(u16::from_le_bytes([bytes[0], bytes[1]]));
        }
    }

    /// The same, times or over each block's factor.
    fn widen_bf16_by(divides: bool, from: &[u8], ahead: isize, factors: &[f32], width: usize, to: &mut [f32]) {
        if divides {
            blockwise!(from, ahead, u16, bf16, factors, width, to, |x: f32, f: f32| x / f);
        } else {
            blockwise!(from, ahead, u16, bf16, factors, width, to, |x: f32, f: f32| x * f);
        }
    }

    /// bf16 numbers times each block's factor, rounded to bf16 again; every NaN as the conversion returns it. Blocks are
    /// whole rounds.
    fn scale_bf16(from: &[u8], factors: &[f32], width: usize, to: &mut [u8]) {
        let blocks = from.chunks_exact(2 * width).zip(to.chunks_exact_mut(2 * width)).zip(factors);
        for ((from, to), factor) in blocks {
            for (from, to) in from.chunks_exact(2 * ROUND).zip(to.chunks_exact_mut(2 * ROUND)) {
                apart();
                let from: [u16; ROUND] = bytemuck::pod_read_unaligned(from);
                let mut made = [0_u16; ROUND];
                for i in 0..ROUND {
                    let bits = (bf16(u16::from_le(from[i])) * factor).to_bits();
                    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
                    // All ones for NaN: without a branch.
                    let nan = (0x7f80_0000_i32.wrapping_sub((bits & 0x7fff_ffff) as i32) >> 31) as u32;
                    made[i] = ((rounded & !nan | 0x7fff & nan) as u16).to_le();
                }
                to.copy_from_slice(bytemuck::bytes_of(&made));
            }
        }
    }

    /// Little-endian f32.
    fn load_f32(from: &[u8], to: &mut [f32]) {
        for (bytes, x) in from.chunks_exact(4).zip(to) {
            *x = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
    }

    /// The same, times or over each block's factor.
    fn load_f32_by(divides: bool, from: &[u8], ahead: isize, factors: &[f32], width: usize, to: &mut [f32]) {
        if divides {
            blockwise!(from, ahead, u32, f32::from_bits, factors, width, to, |x: f32, f: f32| x / f);
        } else {
            blockwise!(from, ahead, u32, f32::from_bits, factors, width, to, |x: f32, f: f32| x * f);
        }
    }

    /// Arithmetic on equal slices.
    fn binary(op: Op, a: &[f32], b: &[f32], to: &mut [f32]) {
        macro_rules! each {
            ($f:expr) => {
                for ((a, b), to) in a.iter().zip(b).zip(to) {
                    *to = $f(*a, *b);
                }
            };
        }
        of_two!(op, each);
    }

    /// Arithmetic on a slice and one number.
    fn binary_all(op: Op, a: &[f32], b: f32, to: &mut [f32]) {
        macro_rules! each {
            ($f:expr) => {
                for (a, to) in a.iter().zip(to) {
                    *to = $f(*a, b);
                }
            };
        }
        of_two!(op, each);
    }

    /// Each block's value for all of its elements.
    fn spread(values: &[f32], width: usize, y: &mut [f32]) {
        if width % 16 == 0 && y.len() % width == 0 {
            for (y, value) in y.chunks_exact_mut(width).zip(values) {
                for y in y.chunks_exact_mut(16) {
                    y.copy_from_slice(&[*value; 16]);
                }
            }
        } else {
            for (y, value) in y.chunks_mut(width).zip(values) {
                y.fill(*value);
            }
        }
    }

    /// `yes` where the subject is of one of the classes, else `no`.
    fn select(classes: Classes, subject: &[f32], yes: &[f32], no: &[f32], to: &mut [f32]) {
        let masks = masks(classes);
        for (((s, yes), no), to) in subject.iter().zip(yes).zip(no).zip(to) {
            *to = choose(masks, *s, *yes, *no);
        }
    }

    /// The same with one number for `yes`.
    fn select_all(classes: Classes, subject: &[f32], yes: f32, no: &[f32], to: &mut [f32]) {
        let masks = masks(classes);
        for ((s, no), to) in subject.iter().zip(no).zip(to) {
            *to = choose(masks, *s, yes, *no);
        }
    }

    /// `yes` where the code is that one.
    fn select_code(code: u8, subject: &[u8], yes: &[f32], no: &[f32], to: &mut [f32]) {
        for (((s, yes), no), to) in subject.iter().zip(yes).zip(no).zip(to) {
            *to = if *s == code { *yes } else { *no };
        }
    }

    fn floor(from: &[f32], to: &mut [f32]) {
        for (x, to) in from.iter().zip(to) {
            *to = x.floor();
        }
    }

    fn ceil(from: &[f32], to: &mut [f32]) {
        for (x, to) in from.iter().zip(to) {
            *to = x.ceil();
        }
    }

    /// Codes as the integers that they are.
    fn numbers_of_codes(codes: &[u8], to: &mut [f32]) {
        for (code, to) in codes.iter().zip(to) {
            *to = f32::from(*code);
        }
    }

    /// Integers as the codes that they are: cut to 64 bits, then to 8.
    fn codes_of_numbers(from: &[f32], codes: &mut [u8]) {
        for (x, code) in from.iter().zip(codes) {
            // From 2^31 on the low byte is 0, from 2^63 on that of the largest integer.
            let large = if *x >= 9.223_372e18 { 0xff } else { 0 };
            let small = x.abs() < 2_147_483_648.0;
            let within = if small { *x } else { 0.0 };
            // SAFETY: it is within the range of the type.
            let whole = unsafe { within.to_int_unchecked::<i32>() };
            *code = if small { whole as u8 } else { large };
        }
    }

    /// The f32 nearest to the logarithm of each, by a series whose error is below 2^-46 of the result; `unsure` counts
    /// those where that decides, and those that are no positive normal numbers.
    fn log2_series(from: &[f32], to: &mut [f32], unsure: &mut [bool]) {
        for ((x, to), unsure) in from.iter().zip(to).zip(unsure) {
            let bits = x.to_bits();
            // x = m * 2^e, m from sqrt(1/2) to sqrt(2); the logarithm of m is 2 artanh((m - 1) / (m + 1)) / ln 2.
            let shifted = bits.wrapping_sub(0x3f35_04f3);
            let exponent = (shifted as i32) >> 23;
            let m = f64::from(f32::from_bits((shifted & 0x007f_ffff) + 0x3f35_04f3));
            let s = (m - 1.0) / (m + 1.0);
            let square = s * s;
            let mut sum = 0.0;
            for n in (0..13).rev() {
                sum = sum * square + 1.0 / f64::from(2 * n + 1);
            }
            let l = f64::from(exponent) + s * sum * (2.0 * core::f64::consts::LOG2_E);
            let (low, high) = ((l * (1.0 - 1e-14)) as f32, (l * (1.0 + 1e-14)) as f32);
            *unsure = bits.wrapping_sub(0x0080_0000) >= 0x7f00_0000 || low != high;
            *to = low;
        }
    }

    /// The powers of two that codes of ue8m0 are.
    fn powers(codes: &[u8], to: &mut [f32]) {
        for (code, to) in codes.iter().zip(to) {
            let bits = if *code == 0 { 1 << 22 } else { u32::from(*code) << 23 };
            *to = f32::from_bits(if *code == 0xff { NAN } else { bits });
        }
    }

    /// The codes whose values are nearest, ties toward zero: how many of the boundaries are below. `by_sign`: the
    /// sign is set unless the number is positive; else it is set where it is negative and not nearest to 0, and what is
    /// infinite gets 0.
    fn nearest(boundaries: &[f32; 7], by_sign: bool, y: &[f32], codes: &mut [u8]) {
        for (y, code) in y.iter().zip(codes) {
            let magnitude = y.abs();
            let mut steps = 0_u32;
            for boundary in boundaries {
                steps += u32::from(magnitude > *boundary);
            }
            let steps = if magnitude.is_infinite() & !by_sign { 0 } else { steps };
            let positive = *y > 0.0;
            let negative = if by_sign { !positive } else { (*y < 0.0) & (steps != 0) };
            *code = (steps | u32::from(negative) << 3) as u8;
        }
    }

    /// Magnitudes of the input's type as f32.
    fn widen_bits(input: Input, from: &[u32], to: &mut [f32]) {
        match input {
            Input::F32 => from.iter().zip(to).for_each(|(x, to)| *to = f32::from_bits(*x)),
            Input::Bf16 => from.iter().zip(to).for_each(|(x, to)| *to = f32::from_bits(x << 16)),
            Input::F16 => from.iter().zip(to).for_each(|(x, to)| *to = f32::from_bits(input.widen(*x))),
        }
    }

    /// Codes to where the layout has them.
    fn store_row(layout: Layout, storage: u32, codes: &[u8], scales: &[u8], out: &mut [u8]) {
        layout::store_row(layout, storage, codes, scales, out);
    }

    /// The reverse.
    fn load_row(layout: Layout, storage: u32, bytes: &[u8], codes: &mut [u8], scales: &mut [u8]) {
        layout::load_row(layout, storage, bytes, codes, scales);
    }

    /// f32 to bytes, every NaN as PTX arithmetic returns it.
    fn store_f32(from: &[f32], to: &mut [u8]) {
        for (x, bytes) in from.iter().zip(to.chunks_exact_mut(4)) {
            let bits = if x.is_nan() { NAN } else { x.to_bits() };
            bytes.copy_from_slice(&bits.to_le_bytes());
        }
    }
}

/// Whether a number is of one of the classes; codes are none.
pub(super) fn holds(classes: Classes, x: f32) -> bool {
    choose(masks(classes), x, 1.0, 0.0) == 1.0
}

/// The classes zero, NaN, infinity and negative as masks, so that a loop over them does not branch.
#[inline(always)]
fn masks(classes: Classes) -> [u32; 4] {
    [classes.zero, classes.nan, classes.infinite, classes.negative]
        .map(|wanted| 0_u32.wrapping_sub(wanted.into()))
}

#[inline(always)]
fn choose([zero, nan, infinite, negative]: [u32; 4], x: f32, yes: f32, no: f32) -> f32 {
    let mask = |holds: bool| 0_u32.wrapping_sub(holds.into());
    let magnitude = (x.to_bits() & 0x7fff_ffff) as i32;
    let is = zero & mask(magnitude == 0)
        | nan & mask(magnitude > 0x7f80_0000)
        | infinite & mask(magnitude == 0x7f80_0000)
        | negative & mask(x < 0.0);
    f32::from_bits(yes.to_bits() & is | no.to_bits() & !is)
}

/// The f32 nearest to the logarithm of each.
pub(super) fn log2(from: &[f32], to: &mut [f32]) {
    let mut unsure = [false; 64];
    for (from, to) in from.chunks(64).zip(to.chunks_mut(64)) {
        log2_series(from, to, &mut unsure);
        for i in (0..from.len()).filter(|i| unsure[*i]) {
            to[i] = f64::from(from[i]).log2() as f32;
        }
    }
}

/// Copies with stores that go around the caches.
pub(super) fn stream(from: &[u8], to: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        // Whole cache lines: one that is written in parts goes to memory twice.
        const LINE: usize = 64;
        let head = to.as_ptr().align_offset(LINE).min(to.len());
        to[..head].copy_from_slice(&from[..head]);
        let (from, to) = (&from[head..], &mut to[head..]);
        let whole = to.len() / LINE * LINE;
        for (from, to) in from[..whole].chunks_exact(LINE).zip(to[..whole].chunks_exact_mut(LINE)) {
            let (from, to) = (from.as_ptr().cast::<__m128i>(), to.as_mut_ptr().cast::<__m128i>());
            // SAFETY: both hold 64 bytes, `to` is aligned to 64, and SSE2 is part of x86-64.
            unsafe {
                let line = [0, 1, 2, 3].map(|i| _mm_loadu_si128(from.add(i)));
                for (i, part) in line.into_iter().enumerate() {
                    _mm_stream_si128(to.add(i), part);
                }
            }
        }
        to[whole..].copy_from_slice(&from[whole..]);
    }
    #[cfg(not(target_arch = "x86_64"))]
    to.copy_from_slice(from);
}

/// Orders such stores before whatever comes next.
pub(super) fn fence() {
    // SAFETY: SSE is part of x86-64.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}
