//! The packed types against the forms of PTX: order of operands and memory, stochastic rounding, bits that no code has.

use ptxcvt::inputs::{SplitMix64, edges};
use ptxcvt::types::*;
use ptxcvt::{Form, Format};

/// f32 operands: edges, each with random partners.
fn operands<const N: usize>() -> impl Iterator<Item = [f32; N]> {
    let mut random = SplitMix64::new(5);
    edges(Format::F32).step_by(5).map(move |bits| {
        let mut array = [f32::from_bits(bits as u32); N];
        for x in array[1..].iter_mut() {
            // Exponents near that of 1, where most formats have numbers.
            let word = random.next_u64();
            *x = f32::from_bits((word as u32 & 0x81ff_ffff) + 0x3c00_0000);
        }
        array.rotate_right(random.below(N));
        array
    })
}

/// PTX's operands are in the opposite order of memory.
fn evaluate<const N: usize>(form: &Form, array: [f32; N], extra: Option<u32>) -> u64 {
    let mut operands: Vec<u64> = array.iter().rev().map(|x| x.to_bits().into()).collect();
    operands.extend(extra.map(u64::from));
    form.eval(&operands).expect("one operand for each element")
}

macro_rules! packed_tests {
    ($($name:ident $count:literal $form:literal;)*) => {
        /// Two numbers as the form converts them.
        #[test]
        fn from_f32() {
            $({
                let form: Form = $form.parse().expect("the form is legal");
                for array in operands::<$count>() {
                    let packed = $name::from_f32_array(array);
                    assert_eq!(u64::from(packed.to_bits()), evaluate(&form, array, None), "{form} {array:?}");
                }
            })*
        }
    };
}

packed_tests! {
    F16x2 2 "cvt.rn.f16x2.f32";
    Bf16x2 2 "cvt.rn.bf16x2.f32";
    E4m3x2 2 "cvt.rn.satfinite.e4m3x2.f32";
    E5m2x2 2 "cvt.rn.satfinite.e5m2x2.f32";
    E2m3x2 2 "cvt.rn.satfinite.e2m3x2.f32";
    E3m2x2 2 "cvt.rn.satfinite.e3m2x2.f32";
    E2m1x2 2 "cvt.rn.satfinite.e2m1x2.f32";
    Ue8m0x2 2 "cvt.rp.satfinite.ue8m0x2.f32";
    Ue5m3x2 2 "cvt.rn.satfinite.ue5m3x2.f32";
    S2f6x2 2 "cvt.rn.satfinite.s2f6x2.f32";
}

macro_rules! random_tests {
    ($($name:ident $count:literal $form:literal;)*) => {
        /// Each number with its field of `rbits`, as the form takes them.
        #[test]
        fn from_f32_random() {
            $({
                let (form, mut random): (Form, _) = ($form.parse().expect("the form is legal"), SplitMix64::new(9));
                for array in operands::<$count>() {
                    let rbits = random.next_u64() as u32;
                    let packed = $name::from_f32_array_random(array, rbits);
                    assert_eq!(u64::from(packed.to_bits()), evaluate(&form, array, Some(rbits)), "{form} {array:?} {rbits:#x}");
                }
            })*
        }
    };
}

random_tests! {
    F16x2 2 "cvt.rs.f16x2.f32";
    Bf16x2 2 "cvt.rs.bf16x2.f32";
    E4m3x4 4 "cvt.rs.satfinite.e4m3x4.f32";
    E5m2x4 4 "cvt.rs.satfinite.e5m2x4.f32";
    E2m3x4 4 "cvt.rs.satfinite.e2m3x4.f32";
    E3m2x4 4 "cvt.rs.satfinite.e3m2x4.f32";
    E2m1x4 4 "cvt.rs.satfinite.e2m1x4.f32";
}

macro_rules! layouts {
    ($($name:ident)*) => {
        /// Halves and arrays are parts of the register; foreign bits are ignored.
        #[test]
        fn halves_and_arrays() {
            let mut random = SplitMix64::new(1);
            $(for _ in 0..1000 {
                let bits = random.next_u64() as _;
                let packed = $name::from_bits(bits);
                assert_eq!(packed.to_bits() & !bits, 0);
                assert_eq!($name::from_hi_lo(packed.hi(), packed.lo()).to_bits(), packed.to_bits());
                assert_eq!($name::from_array(packed.to_array()).to_bits(), packed.to_bits());
                let format = $name::TYPE.format();
                for (i, number) in packed.to_array().into_iter().enumerate() {
                    let code = u64::from(bits) >> (format.storage() * i as u32) & ((1 << format.bits()) - 1);
                    assert_eq!(u64::from(number.to_bits()), code, "{packed:?}");
                }
            })*
        }

        /// Every packed type that instructions name is a Rust type.
        #[test]
        fn every_packed_type_exists() {
            let mut types = vec![$($name::TYPE),*];
            types.sort();
            let mut expected: Vec<Type> = Type::ALL.iter().copied().filter(|ty| ty.lanes() > 1).collect();
            expected.sort();
            assert_eq!(types, expected);
        }
    };
}
layouts!(
    F16x2 Bf16x2 E4m3x2 E5m2x2 E2m3x2 E3m2x2 E2m1x2 Ue8m0x2 Ue5m3x2 S2f6x2 E4m3x4 E5m2x4 E2m3x4 E3m2x4 E2m1x4
);

#[test]
fn in_constants_and_as_text() {
    const PACKED: E2m1x4 = E2m1x4::from_f32_array([0.5, 1.0, 1.5, -6.0]);
    const _: () = assert!(PACKED.to_bits() == 0xf321 && PACKED.hi().lo().to_f32() == 1.5);
    assert_eq!(format!("{:?}", PACKED.hi()), "E2m1x2 { hi: -6.0, lo: 1.5 }");
    assert_eq!(E2m1x2::from([PACKED.lo().lo(), PACKED.lo().hi()]), PACKED.lo());
}
