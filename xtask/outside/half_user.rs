//! A program for `half`, compiled for the types of `half` and for those of ptxcvt, with every feature: one text, one output.
//!
//! `cargo xtask test packages` builds it against the packaged crate.

use std::fmt::Write;

use num_traits::float::FloatCore;
use num_traits::{AsPrimitive, Bounded, FromPrimitive, Num, One, Signed, ToPrimitive, Zero};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

/// The program for a number type of 16 bits.
macro_rules! program {
    ($number:ty, $sample:expr) => {{
        type N = $number;
        let mut out = String::new();
        let numbers: Vec<N> = [0.1, -2.5, 1e-7, 65519.0, 0.0, -0.0, f32::INFINITY].map(N::from_f32).to_vec();
        for x in &numbers {
            let x = *x;
            write!(out, "{x} {x:?} {x:e} {x:E} {x:x} {x:X} {x:b} {x:o} {x:8.2} ").unwrap();
            write!(out, "{:?} {:?} {:?} ", x.to_bits(), x.to_f32(), x.to_f64()).unwrap();
            write!(out, "{:?} {:?} {:?} ", x.to_le_bytes(), x.to_be_bytes(), x.to_ne_bytes()).unwrap();
            assert!(N::from_le_bytes(x.to_le_bytes()).total_cmp(&x).is_eq());
            assert!(N::from_be_bytes(x.to_be_bytes()) == x && N::from_ne_bytes(x.to_ne_bytes()) == x);
            assert_eq!((f32::from(x), f64::from(x)), (x.to_f32(), x.to_f64()));
            write!(out, "{:?} {} {} {} ", x.classify(), x.is_nan(), x.is_infinite(), x.is_finite()).unwrap();
            write!(out, "{} {} {} ", x.is_normal(), x.is_sign_negative(), x.is_sign_positive()).unwrap();
            write!(out, "{} {} {} ", x.signum(), x.copysign(N::NEG_ONE), -x).unwrap();
            write!(out, "{} {} {} ", x.max(N::ONE), x.min(N::ONE), x.clamp(N::NEG_ONE, N::ONE)).unwrap();
            for y in &numbers {
                let y = *y;
                write!(out, "{:?} {:?} {} ", x.partial_cmp(&y), x.total_cmp(&y), x == y).unwrap();
                for z in [x + y, &x - &y, &x * y, x / &y, x % y] {
                    // The sign and the payload of NaN are others in PTX.
                    write!(out, "{} ", if z.is_nan() { N::NAN } else { z }).unwrap();
                }
                let mut z = x;
                z += y;
                z *= &N::ONE;
                z -= N::ZERO;
                z /= N::ONE;
                z %= N::MAX;
                write!(out, "{z} ").unwrap();
            }
        }
        write!(out, "{:?} {:?} ", N::from_f64(0.3), "0.3".parse::<N>()).unwrap();
        write!(out, "{:?} {:?} ", "x".parse::<N>().is_err(), N::default()).unwrap();
        write!(out, "{} {} {} ", N::MAX, N::MIN, N::MIN_POSITIVE).unwrap();
        write!(out, "{} {} {} {} ", N::MIN_POSITIVE_SUBNORMAL, N::EPSILON, N::INFINITY, N::NEG_INFINITY).unwrap();
        write!(out, "{} {} {} ", N::DIGITS, N::MANTISSA_DIGITS, N::RADIX).unwrap();
        write!(out, "{} {} {} {} ", N::MAX_EXP, N::MIN_EXP, N::MAX_10_EXP, N::MIN_10_EXP).unwrap();
        write!(out, "{} {} ", N::NAN.is_nan(), N::NAN == N::NAN).unwrap();
        let few: [N; 3] = [0.5, 1.5, -4.0].map(N::from_f32);
        let (sum, product): (N, N) = (few.iter().sum(), few.iter().copied().product());
        write!(out, "{sum} {product} ").unwrap();

        // num-traits
        fn mean<T: Num + FromPrimitive + Copy>(numbers: &[T]) -> T {
            numbers.iter().fold(T::zero(), |sum, x| sum + *x) / T::from_usize(numbers.len()).unwrap()
        }
        write!(out, "{} {} {} ", mean(&few), <N as Bounded>::max_value(), <N as FloatCore>::epsilon()).unwrap();
        // Ours are those of an f64, theirs of an f32: the same number.
        let (integer, exponent, sign) = FloatCore::integer_decode(few[1]);
        let value = f64::from(sign) * integer as f64 * 2_f64.powi(exponent.into());
        write!(out, "{} {value} ", FloatCore::floor(few[0])).unwrap();
        write!(out, "{:?} {:?} ", few[2].to_i32(), num_traits::cast::<f64, N>(3.7)).unwrap();
        let (integer, number): (i32, N) = (few[2].as_(), 7_i32.as_());
        write!(out, "{integer} {number} {} {} ", Signed::abs(&few[2]), N::one() == N::ONE && N::zero().is_zero()).unwrap();

        // bytemuck, zerocopy
        let bytes: &[u8] = bytemuck::cast_slice(&few);
        let read: N = zerocopy::FromBytes::read_from_bytes(&bytes[..2]).unwrap();
        write!(out, "{bytes:?} {read} {:?} ", zerocopy::IntoBytes::as_bytes(&read)).unwrap();

        // serde
        let json = serde_json::to_string(&few).unwrap();
        let back: Vec<N> = serde_json::from_str(&json).unwrap();
        write!(out, "{json} {} ", back == few).unwrap();

        // rand_distr
        let mut generator = rand::rngs::SmallRng::seed_from_u64(1);
        let sample: fn(&mut rand::rngs::SmallRng) -> N = $sample;
        write!(out, "{:?}", [(); 5].map(|()| sample(&mut generator))).unwrap();
        out
    }};
}

fn main() {
    // That feature of `half` needs more of `rand`; it rounds samples of f32, too.
    let ours = program!(ptxcvt::F16, |generator| StandardNormal.sample(generator));
    let expected = program!(half::f16, |generator| N::from_f32(StandardNormal.sample(generator)));
    assert_eq!(ours, expected);
    let ours = program!(ptxcvt::Bf16, |generator| StandardNormal.sample(generator));
    let expected = program!(half::bf16, |generator| N::from_f32(StandardNormal.sample(generator)));
    assert_eq!(ours, expected);
    // The types of `half` and ours are converted without a word.
    let expected: half::f16 = ptxcvt::F16::from_f32(1.5).into();
    assert_eq!(ptxcvt::F16::from(expected).to_f32(), 1.5);
}
