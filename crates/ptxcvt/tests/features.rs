//! Traits of other crates on the number types, as their users meet them.

#![cfg(all(
    feature = "half",
    feature = "num-traits",
    feature = "serde",
    feature = "bytemuck",
    feature = "zerocopy",
    feature = "rand_distr"
))]

use num_traits::float::FloatCore;
use num_traits::{AsPrimitive, FromPrimitive, Num, NumCast, Signed, ToPrimitive};
use ptxcvt::{Bf16, E2m1, E2m1x4, E4m3, E4m3x2, E5m2, F16, S2f6, Ue8m0};
use rand_distr::{Distribution, StandardNormal};

#[test]
fn half_has_the_same_bits() {
    for bits in 0..=u16::MAX {
        assert_eq!(half::f16::from(F16::from_bits(bits)).to_bits(), bits);
        let ours: F16 = half::f16::from_bits(bits).into();
        assert_eq!(ours.to_bits(), bits);
        let ours: Bf16 = half::bf16::from_bits(bits).into();
        assert_eq!(ours.to_bits(), bits);
        assert_eq!(half::bf16::from(Bf16::from_bits(bits)).to_bits(), bits);
    }
}

#[test]
fn plain_data() {
    let bytes = [0x38_u8, 0x3c, 0xfe, 0x7f];
    let numbers: &[E4m3] = bytemuck::cast_slice(&bytes);
    assert_eq!([numbers[0], numbers[1], numbers[2]].map(E4m3::to_f32), [1.0, 1.5, -448.0]);
    let packed: E2m1x4 = bytemuck::cast(0x4321_u16);
    assert_eq!(packed.to_f32_array(), [0.5, 1.0, 1.5, 2.0]);
    // Bits that no code has are ignored.
    let wide: E2m1 = bytemuck::cast(0xf2_u8);
    assert_eq!(wide, E2m1::ONE);
    let read: E5m2 = zerocopy::FromBytes::read_from_bytes(&[0x3c][..]).expect("one byte");
    assert_eq!((read, zerocopy::IntoBytes::as_bytes(&read)), (E5m2::ONE, &[0x3c][..]));
}

/// Bits in every encoding, as `half` has it.
#[test]
fn serde_keeps_every_bit() {
    let json = serde_json::to_string(&[E4m3::NAN, E4m3::from_f32(-1.5)]).expect("a list of numbers");
    assert_eq!(json, "[127,188]");
    let numbers: Vec<E4m3> = serde_json::from_str(&json).expect("what was written");
    assert_eq!((numbers[0].to_bits(), numbers[1].to_f32()), (0x7f, -1.5));
    let packed: E4m3x2 = serde_json::from_str("15614").expect("an integer of 16 bits");
    assert_eq!(packed.to_f32_array(), [-448.0, 1.5]);
    assert!(serde_json::from_str::<E4m3>("256").is_err());
}

#[test]
fn numbers_and_casts() {
    fn mean<N: Num + FromPrimitive + Copy>(numbers: &[N]) -> N {
        let sum = numbers.iter().fold(N::zero(), |sum, x| sum + *x);
        sum / N::from_usize(numbers.len()).expect("a small number")
    }
    assert_eq!(mean(&[E4m3::ONE, E4m3::from_f32(2.0)]).to_f32(), 1.5);
    // 2^53 + 1 is just above an f64 in the middle of two bf16: the integer itself is rounded.
    let n: i64 = (257 << 45) + 1;
    assert_eq!(
        (n as f64, AsPrimitive::<Bf16>::as_(n).to_f64()),
        (9042383626829825.0, (258_i64 << 45) as f64)
    );
    let n: i64 = (257 << 54) + 1;
    assert_eq!(AsPrimitive::<Bf16>::as_(n).to_f64(), (258_i64 << 54) as f64);
    assert_eq!(AsPrimitive::<E4m3>::as_(-1000_i32), E4m3::MIN);
    assert_eq!(AsPrimitive::<i32>::as_(E4m3::MAX), 448);
    assert_eq!((E4m3::MAX.to_u8(), E4m3::MAX.to_u16(), E4m3::NAN.to_i32()), (None, Some(448), None));
    assert_eq!(<Ue8m0 as NumCast>::from(3_u8), Some(Ue8m0::from_f32(4.0)));
    assert_eq!(
        (Signed::abs(&S2f6::NEG_ONE), S2f6::from_str_radix("0.5", 10)),
        (S2f6::ONE, Ok(S2f6::from_f32(0.5)))
    );
    assert_eq!(FloatCore::floor(F16::from_f32(-1.5)), F16::from_f32(-2.0));
    // NaN and infinity are kept, though `from_f32` of E5m2 saturates.
    for round in [FloatCore::floor, FloatCore::ceil, FloatCore::round, FloatCore::trunc] {
        let round: fn(E5m2) -> E5m2 = round;
        assert_eq!([E5m2::INFINITY, E5m2::NEG_INFINITY].map(round), [E5m2::INFINITY, E5m2::NEG_INFINITY]);
        assert_eq!(round(-E5m2::NAN).to_bits(), 0xff);
    }
    assert_eq!(FloatCore::integer_decode(E5m2::from_f32(3.0)), (3 << 51, -51, 1));
}

#[test]
fn samples_are_rounded_samples_of_f32() {
    use rand::SeedableRng;
    let generator = || rand::rngs::SmallRng::seed_from_u64(7);
    let f32s = Distribution::<f32>::sample_iter(StandardNormal, generator());
    let numbers = Distribution::<E4m3>::sample_iter(StandardNormal, generator());
    for (x, number) in f32s.zip(numbers).take(1000) {
        assert_eq!(number, E4m3::from_f32(x));
    }
}
