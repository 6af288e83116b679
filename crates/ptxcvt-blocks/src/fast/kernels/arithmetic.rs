//! Loops for arithmetic and for `where`.

use ptxcvt_bulk::tiered;

use crate::magnitude::canonical;
use crate::recipe::{Bits, Classes, Two};

/// The second operand of a loop.
#[derive(Clone, Copy, Debug)]
pub(in crate::fast) enum Arg<'a> {
    /// One number for all elements.
    All(f32),
    /// One number for each element.
    Each(&'a [f32]),
}

/// Expands `$run` once for each operation, so that the operation is chosen outside of the loop.
macro_rules! of_two {
    ($op:expr, $run:ident) => {
        match $op {
            Two::Add => $run!(|a: f32, b: f32| a + b),
            Two::Sub => $run!(|a: f32, b: f32| a - b),
            Two::Mul => $run!(|a: f32, b: f32| a * b),
            Two::Div => $run!(|a: f32, b: f32| a / b),
            Two::Min => $run!(|a: f32, b: f32| if b.is_nan() || a < b { a } else { b }),
            Two::Max => $run!(|a: f32, b: f32| if b.is_nan() || a > b { a } else { b }),
            Two::MinNan => $run!(|a: f32, b: f32| if a.is_nan() || a < b { a } else { b }),
            Two::MaxNan => $run!(|a: f32, b: f32| if a.is_nan() || a > b { a } else { b }),
        }
    };
}

tiered! {
    /// Arithmetic on two slices.
    pub(in crate::fast) fn two_slices(op: Two, a: &[f32], b: &[f32], to: &mut [f32]) {
        let (a, b) = (&a[..to.len()], &b[..to.len()]);
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
    pub(in crate::fast) fn slice_and_number(op: Two, a: &[f32], b: f32, to: &mut [f32]) {
        let a = &a[..to.len()];
        macro_rules! each {
            ($f:expr) => {
                for (a, to) in a.iter().zip(to) {
                    *to = $f(*a, b);
                }
            };
        }
        of_two!(op, each);
    }

    /// Operations on bits. If `clean`, every NaN counts as the canonical NaN.
    pub(in crate::fast) fn bits(op: Bits, clean: [bool; 2], a: &[f32], b: &[f32], to: &mut [f32]) {
        let (a, b) = (&a[..to.len()], &b[..to.len()]);
        let bits = |clean: bool, x: f32| if clean { canonical(x.to_bits()) } else { x.to_bits() };
        for ((a, b), to) in a.iter().zip(b).zip(to) {
            let (a, b) = (bits(clean[0], *a), bits(clean[1], *b));
            *to = f32::from_bits(match op {
                Bits::Add => a.wrapping_add(b),
                Bits::And => a & b,
            });
        }
    }

    /// `yes` if the subject is in one of the classes, otherwise `no`.
    pub(in crate::fast) fn select(classes: Classes, subject: &[f32], yes: &[f32], no: &[f32], to: &mut [f32]) {
        let n = to.len();
        let (subject, yes, no, masks) = (&subject[..n], &yes[..n], &no[..n], masks(classes));
        for (((s, yes), no), to) in subject.iter().zip(yes).zip(no).zip(to) {
            *to = choose(masks, *s, *yes, *no);
        }
    }

    /// Like [`select`], with one number for `yes`.
    pub(in crate::fast) fn select_number(classes: Classes, subject: &[f32], yes: f32, no: &[f32], to: &mut [f32]) {
        let (subject, no, masks) = (&subject[..to.len()], &no[..to.len()], masks(classes));
        for ((s, no), to) in subject.iter().zip(no).zip(to) {
            *to = choose(masks, *s, yes, *no);
        }
    }

    /// `yes` if the subject is this code, otherwise `no`.
    pub(in crate::fast) fn select_code(code: u8, subject: &[u8], yes: &[f32], no: &[f32], to: &mut [f32]) {
        let n = to.len();
        let (subject, yes, no) = (&subject[..n], &yes[..n], &no[..n]);
        for (((s, yes), no), to) in subject.iter().zip(yes).zip(no).zip(to) {
            *to = if *s == code { *yes } else { *no };
        }
    }

    pub(in crate::fast) fn floor(from: &[f32], to: &mut [f32]) {
        let from = &from[..to.len()];
        for (x, to) in from.iter().zip(to) {
            *to = x.floor();
        }
    }

    pub(in crate::fast) fn ceil(from: &[f32], to: &mut [f32]) {
        let from = &from[..to.len()];
        for (x, to) in from.iter().zip(to) {
            *to = x.ceil();
        }
    }

    /// The f32 nearest to the logarithm, by a series with an error below 2^-46 of the result. `unsure` marks
    /// the numbers whose rounding depends on that error, and those that are not positive normal numbers.
    pub(in crate::fast) fn log2_series(from: &[f32], to: &mut [f32], unsure: &mut [bool]) {
        let (from, unsure) = (&from[..to.len()], &mut unsure[..to.len()]);
        for ((x, to), unsure) in from.iter().zip(to).zip(unsure) {
            let bits = x.to_bits();
            // x = m * 2^e with m from sqrt(1/2) to sqrt(2). The logarithm of m is 2 artanh((m - 1) / (m + 1))
            // / ln 2.
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
}

/// Arithmetic on a slice and a second operand.
pub(in crate::fast) fn two(op: Two, a: &[f32], b: Arg<'_>, to: &mut [f32]) {
    match b {
        Arg::All(b) => slice_and_number(op, a, b, to),
        Arg::Each(b) => two_slices(op, a, b, to),
    }
}

/// The f32 nearest to the logarithm of each number.
pub(in crate::fast) fn log2(from: &[f32], to: &mut [f32]) {
    let mut unsure = [false; 64];
    for (from, to) in from[..to.len()].chunks(64).zip(to.chunks_mut(64)) {
        log2_series(from, to, &mut unsure);
        for i in (0..from.len()).filter(|i| unsure[*i]) {
            to[i] = f64::from(from[i]).log2() as f32;
        }
    }
}

/// True if a number is in one of the classes.
pub(in crate::fast) fn is_in(classes: Classes, x: f32) -> bool {
    choose(masks(classes), x, 1.0, 0.0) == 1.0
}

/// Masks for the classes zero, NaN, infinity and negative, so that a loop over them has no branch.
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
