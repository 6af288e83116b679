//! The loops of the fast rail, compiled once for every CPU and once for AVX2. Nothing branches on data but where
//! a NaN is met.
//!
//! `unsafe` is here for one reason: a function compiled for AVX2 may be called only where the CPU has it.
#![allow(unsafe_code)]

use crate::recipe::{Classes, Op};
use crate::reference::NAN;

/// Declares loops. `tiered! { fn f(a: A) { … } }` expands to a function of that name which runs the body
/// compiled for AVX2 where the CPU has it, and as it stands elsewhere.
macro_rules! tiered {
    ($($(#[$doc:meta])* fn $name:ident $(<$(const $n:ident: usize),+>)? ($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        pub(super) fn $name $(<$(const $n: usize),+>)? ($($arg: $ty),*) {
            #[inline(always)]
            fn plain $(<$(const $n: usize),+>)? ($($arg: $ty),*) $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,popcnt")]
                unsafe fn avx2 $(<$(const $n: usize),+>)? ($($arg: $ty),*) {
                    plain $(::<$($n),+>)? ($($arg),*)
                }
                if ptxcvt::bulk::Tier::Avx2.is_available() {
                    // SAFETY: the CPU has what the function is compiled for.
                    return unsafe { avx2 $(::<$($n),+>)? ($($arg),*) };
                }
            }
            plain $(::<$($n),+>)? ($($arg),*)
        }
    )*};
}

tiered! {
    /// bf16 to f32: a shift.
    fn widen_bf16(from: &[u8], to: &mut [f32]) {
        for (bytes, x) in from.chunks_exact(2).zip(to) {
            *x = f32::from_bits(u32::from(u16::from_le_bytes([bytes[0], bytes[1]])) << 16);
        }
    }

    /// Little-endian f32.
    fn load_f32(from: &[u8], to: &mut [f32]) {
        for (bytes, x) in from.chunks_exact(4).zip(to) {
            *x = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
    }

    /// The largest magnitude of each block of `N`, as bits that order NaN above all; joined with what is there.
    fn amax_of<const N: usize>(x: &[f32], amax: &mut [f32]) {
        for (block, most) in x.chunks_exact(N).zip(amax) {
            let mut lanes = [0_i32; 8];
            for part in block.chunks_exact(8) {
                for (lane, x) in lanes.iter_mut().zip(part) {
                    *lane = (*lane).max((x.to_bits() & 0x7fff_ffff) as i32);
                }
            }
            let block = lanes.into_iter().fold(0, i32::max);
            *most = f32::from_bits((most.to_bits() as i32).max(block) as u32);
        }
    }

    /// The same for blocks of any width, the last of which may be short.
    fn amax_any(x: &[f32], width: usize, amax: &mut [f32]) {
        for (block, most) in x.chunks(width).zip(amax) {
            let block = block.iter().fold(0, |m, x| (x.to_bits() & 0x7fff_ffff).max(m));
            *most = f32::from_bits(most.to_bits().max(block));
        }
    }

    /// The same for blocks of one column.
    fn amax_columns(x: &[f32], amax: &mut [f32]) {
        for (x, most) in x.iter().zip(amax) {
            *most = f32::from_bits((most.to_bits() as i32).max((x.to_bits() & 0x7fff_ffff) as i32) as u32);
        }
    }

    /// Each element times its block's factor.
    fn scale_of<const N: usize>(x: &[f32], factor: &[f32], y: &mut [f32]) {
        for ((x, y), f) in x.chunks_exact(N).zip(y.chunks_exact_mut(N)).zip(factor) {
            for (x, y) in x.iter().zip(y) {
                *y = x * f;
            }
        }
    }

    /// Each element divided by its block's divisor.
    fn divide_of<const N: usize>(x: &[f32], divisor: &[f32], y: &mut [f32]) {
        for ((x, y), d) in x.chunks_exact(N).zip(y.chunks_exact_mut(N)).zip(divisor) {
            // Eight at a time: of longer loops compilers make single divisions.
            for (x, y) in x.chunks_exact(8).zip(y.chunks_exact_mut(8)) {
                for i in 0..8 {
                    y[i] = x[i] / d;
                }
            }
        }
    }

    /// Each block's value for all of its elements.
    fn spread(values: &[f32], width: usize, y: &mut [f32]) {
        for (y, value) in y.chunks_mut(width).zip(values) {
            y.fill(*value);
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
        match op {
            Op::Add => each!(|a, b| a + b),
            Op::Sub => each!(|a, b| a - b),
            Op::Mul => each!(|a, b| a * b),
            Op::Div => each!(|a, b| a / b),
            Op::Min => each!(|a: f32, b: f32| if b.is_nan() || a < b { a } else { b }),
            Op::Max => each!(|a: f32, b: f32| if b.is_nan() || a > b { a } else { b }),
            Op::MinNan => each!(|a: f32, b: f32| if a.is_nan() || a < b { a } else { b }),
            Op::MaxNan => each!(|a: f32, b: f32| if a.is_nan() || a > b { a } else { b }),
            Op::AddBits => each!(|a: f32, b: f32| f32::from_bits(a.to_bits().wrapping_add(b.to_bits()))),
            _ => each!(|a: f32, b: f32| f32::from_bits(a.to_bits() & b.to_bits())),
        }
    }

    /// `yes` where the subject is of one of the classes, else `no`.
    fn select(classes: Classes, subject: &[f32], yes: &[f32], no: &[f32], to: &mut [f32]) {
        let (zero, nan, infinite) = (classes.zero, classes.nan, classes.infinite);
        for (((s, yes), no), to) in subject.iter().zip(yes).zip(no).zip(to) {
            let is = zero & (*s == 0.0) | nan & s.is_nan() | infinite & s.is_infinite();
            *to = if is { *yes } else { *no };
        }
    }

    /// The powers of two that codes of ue8m0 are.
    fn powers(codes: &[u8], to: &mut [f32]) {
        for (code, to) in codes.iter().zip(to) {
            let bits = if *code == 0 { 1 << 22 } else { u32::from(*code) << 23 };
            *to = f32::from_bits(if *code == 0xff { NAN } else { bits });
        }
    }

    /// The codes whose values are nearest, ties toward zero: how many of the boundaries are below; a negative
    /// sign where that is not 0.
    fn argmin(boundaries: &[f32; 7], y: &[f32], codes: &mut [u8]) {
        for (y, code) in y.iter().zip(codes) {
            let magnitude = y.abs();
            let mut steps = 0_u32;
            for boundary in boundaries {
                steps += u32::from(magnitude > *boundary);
            }
            let steps = if magnitude.is_infinite() { 0 } else { steps };
            let sign = (y.to_bits() >> 31) & u32::from(steps != 0);
            *code = (steps | sign << 3) as u8;
        }
    }

    /// bf16 codes of decoded elements to f32.
    fn widen_words(from: &[u16], to: &mut [f32]) {
        for (word, x) in from.iter().zip(to) {
            *x = f32::from_bits(u32::from(*word) << 16);
        }
    }

    /// f32 to bytes, every NaN as PTX arithmetic returns it.
    fn store_f32(from: &[f32], to: &mut [u8]) {
        for (x, bytes) in from.iter().zip(to.chunks_exact_mut(4)) {
            let bits = if x.is_nan() { NAN } else { x.to_bits() };
            bytes.copy_from_slice(&bits.to_le_bytes());
        }
    }
}

/// The largest magnitude of each block, joined with what `amax` holds.
pub(super) fn amax(x: &[f32], width: usize, amax: &mut [f32]) {
    match width {
        1 => amax_columns(x, amax),
        16 if x.len() % 16 == 0 => amax_of::<16>(x, amax),
        32 if x.len() % 32 == 0 => amax_of::<32>(x, amax),
        128 if x.len() % 128 == 0 => amax_of::<128>(x, amax),
        _ => amax_any(x, width, amax),
    }
}

/// `x * factor` or `x / factor`, the factor being the block's.
pub(super) fn by_block(divides: bool, x: &[f32], factor: &[f32], width: usize, y: &mut [f32]) -> bool {
    match (width, divides) {
        _ if x.len() % width != 0 => return false,
        (1, false) => binary(Op::Mul, x, &factor[..x.len()], y),
        (1, true) => binary(Op::Div, x, &factor[..x.len()], y),
        (16, false) => scale_of::<16>(x, factor, y),
        (32, false) => scale_of::<32>(x, factor, y),
        (128, false) => scale_of::<128>(x, factor, y),
        (16, true) => divide_of::<16>(x, factor, y),
        (32, true) => divide_of::<32>(x, factor, y),
        (128, true) => divide_of::<128>(x, factor, y),
        _ => return false,
    }
    true
}

/// The f32 nearest to the logarithm of each.
pub(super) fn log2(a: &[f32], to: &mut [f32]) {
    for (a, to) in a.iter().zip(to) {
        *to = f64::from(*a).log2() as f32;
    }
}
