//! The lists of the Rust types: a row for each floating-point, fixed-point and power-of-two format of at most 32 bits,
//! and for each packed type.
//!
//! Widths, exponents and biases come from the table of formats; a row adds what Rust needs in order to declare a type.

/// Passes every row to the macro `$with`; for the crates of this project, and not a part of the API that is kept
/// stable. A row is
///
/// ```text
/// E4m3: u8 = "cvt.rn.satfinite.e4m3x2.f32" (Rn, Saturate), [signed zero nan random];
/// ```
///
/// - the type, which is the format's name,
/// - its storage,
/// - the form whose results `from_f32` returns, and that form's rounding and overflow,
/// - `[]`: the features of the format: negative numbers, zero, NaN, infinity, and stochastic rounding in PTX.
#[doc(hidden)]
#[macro_export]
macro_rules! number_types {
    ($with:ident) => {
        $with! {
            /// IEEE 754 binary16, half precision: up to 65504, 11 significant bits.
            ///
            /// ```
            /// use ptxcvt::F16;
            /// assert_eq!(F16::from_f32(0.1).to_f32(), 0.099975586);
            /// assert_eq!(F16::from_f32(1e6), F16::INFINITY); // `cvt.rn.f16.f32` does not saturate
            /// ```
            F16: u16 = "cvt.rn.f16.f32" (Rn, Ieee), [signed zero nan infinity random];
            /// bfloat16, the upper half of an f32: the range of f32, 8 significant bits.
            ///
            /// ```
            /// use ptxcvt::Bf16;
            /// assert_eq!(Bf16::from_f32(1.0 / 3.0).to_f32(), 0.33398438);
            /// assert_eq!(Bf16::MAX.to_f32(), 3.3895314e38);
            /// ```
            Bf16: u16 = "cvt.rn.bf16.f32" (Rn, Ieee), [signed zero nan infinity random];
            /// The operand of tensor cores that is an f32 with 10 fraction bits, in the upper 19 bits of a register.
            ///
            /// ```
            /// use ptxcvt::Tf32;
            /// let x = Tf32::from_f32(1.0 / 3.0);
            /// assert_eq!(x.to_f32(), 0.33325195);
            /// assert_eq!(x.to_bits(), x.to_f32().to_bits()); // it is an f32
            /// ```
            Tf32: u32 = "cvt.rn.tf32.f32" (Rn, Ieee), [signed zero nan infinity];
            /// FP8 with 5 exponent bits: up to 57344, 3 significant bits. The upper half of an [`F16`].
            ///
            /// ```
            /// use ptxcvt::{E5m2, Overflow, Rounding};
            /// assert_eq!(E5m2::from_f32(0.3).to_f32(), 0.3125);
            /// assert_eq!(E5m2::from_f32(f32::INFINITY), E5m2::MAX); // `.satfinite`
            /// assert_eq!(E5m2::from_f32_with(1e6, Rounding::Rn, Overflow::Ieee), E5m2::INFINITY);
            /// ```
            E5m2: u8 = "cvt.rn.satfinite.e5m2x2.f32" (Rn, Saturate), [signed zero nan infinity random];
            /// FP8 with 4 exponent bits: up to 448, 4 significant bits, no infinity.
            ///
            /// ```
            /// use ptxcvt::{E4m3, Overflow, Rounding};
            /// assert_eq!(E4m3::from_f32(1.55).to_f32(), 1.5);
            /// assert_eq!(E4m3::from_f32(1000.0), E4m3::MAX); // 448
            /// assert!(E4m3::from_f32_with(1000.0, Rounding::Rn, Overflow::Nan).is_nan());
            /// ```
            E4m3: u8 = "cvt.rn.satfinite.e4m3x2.f32" (Rn, Saturate), [signed zero nan random];
            /// FP6 with 3 exponent bits: up to 28, 3 significant bits. Every code is a number.
            ///
            /// ```
            /// use ptxcvt::E3m2;
            /// assert_eq!(E3m2::from_f32(0.3).to_f32(), 0.3125);
            /// assert_eq!(E3m2::from_f32(f32::NAN), E3m2::MAX); // there is no NaN
            /// ```
            E3m2: u8 = "cvt.rn.satfinite.e3m2x2.f32" (Rn, Saturate), [signed zero random];
            /// FP6 with 2 exponent bits: up to 7.5, 4 significant bits. Every code is a number.
            ///
            /// ```
            /// use ptxcvt::E2m3;
            /// assert_eq!(E2m3::from_f32(0.3).to_f32(), 0.25);
            /// assert_eq!(E2m3::from_f32(-100.0), E2m3::MIN); // -7.5
            /// ```
            E2m3: u8 = "cvt.rn.satfinite.e2m3x2.f32" (Rn, Saturate), [signed zero random];
            /// FP4: ±0, ±0.5, ±1, ±1.5, ±2, ±3, ±4, ±6. One code in the low half of a byte; [`E2m1x2`](super::E2m1x2)
            /// has two.
            ///
            /// ```
            /// use ptxcvt::E2m1;
            /// assert_eq!([0.25, 0.75, 2.5, 5.0].map(|x| E2m1::from_f32(x).to_f32()), [0.0, 1.0, 2.0, 4.0]); // ties to even
            /// assert_eq!(E2m1::from_f32(f32::NAN).to_f32(), 6.0); // there is no NaN
            /// ```
            E2m1: u8 = "cvt.rn.satfinite.e2m1x2.f32" (Rn, Saturate), [signed zero random];
            /// Fixed point in two's complement with 6 fraction bits: −2 to 1.984375 in steps of 1/64.
            ///
            /// ```
            /// use ptxcvt::S2f6;
            /// assert_eq!(S2f6::from_f32(0.3).to_bits(), 19); // 19/64
            /// assert_eq!(S2f6::from_f32(-5.0).to_f32(), -2.0);
            /// ```
            S2f6: u8 = "cvt.rn.satfinite.s2f6x2.f32" (Rn, Saturate), [signed zero];
            /// FP8 without sign, with 5 exponent bits: 2^−17 to 114688, 4 significant bits. A scale of block formats
            /// (ISA 9.4).
            ///
            /// ```
            /// use ptxcvt::Ue5m3;
            /// assert_eq!(Ue5m3::from_f32(0.3).to_f32(), 0.3125);
            /// assert_eq!(Ue5m3::from_f32(-1.5).to_f32(), 1.5); // the sign is dropped
            /// ```
            Ue5m3: u8 = "cvt.rn.satfinite.ue5m3x2.f32" (Rn, Saturate), [zero nan];
            /// A power of two from 2^−127 to 2^127, the scale of block formats. There is neither zero nor sign.
            ///
            /// `from_f32` rounds up, as `__nv_fp8_e8m0` does: a quotient by such a scale does not overflow. PTX has no
            /// rounding to nearest here; the other one that it has is `.rz`.
            ///
            /// ```
            /// use ptxcvt::{Overflow, Rounding, Ue8m0};
            /// assert_eq!(Ue8m0::from_f32(3.0).to_f32(), 4.0);
            /// assert_eq!(Ue8m0::from_f32_with(3.0, Rounding::Rz, Overflow::Saturate).to_f32(), 2.0);
            /// assert_eq!(Ue8m0::from_f32(0.0), Ue8m0::MIN); // 2^-127
            /// ```
            Ue8m0: u8 = "cvt.rp.satfinite.ue8m0x2.f32" (Rp, Saturate), [nan];
        }
    };
}

/// Passes the row of every packed type to the macro `$with`. `E4m3x2: u16 = 2 of E4m3, E4M3X2, halves E4m3, [];` is
///
/// - the type and its register,
/// - how many numbers it has, of which type,
/// - its name in the table of [`Type`](crate::Type),
/// - the type of its upper and lower half,
/// - `[random]`: PTX has stochastic rounding to the type.
#[doc(hidden)]
#[macro_export]
macro_rules! packed_types {
    ($with:ident) => {
        $with! {
            F16x2: u32 = 2 of F16, F16X2, halves F16, [random];
            Bf16x2: u32 = 2 of Bf16, BF16X2, halves Bf16, [random];
            E4m3x2: u16 = 2 of E4m3, E4M3X2, halves E4m3, [];
            E5m2x2: u16 = 2 of E5m2, E5M2X2, halves E5m2, [];
            E2m3x2: u16 = 2 of E2m3, E2M3X2, halves E2m3, [];
            E3m2x2: u16 = 2 of E3m2, E3M2X2, halves E3m2, [];
            E2m1x2: u8 = 2 of E2m1, E2M1X2, halves E2m1, [];
            Ue8m0x2: u16 = 2 of Ue8m0, UE8M0X2, halves Ue8m0, [];
            Ue5m3x2: u16 = 2 of Ue5m3, UE5M3X2, halves Ue5m3, [];
            S2f6x2: u16 = 2 of S2f6, S2F6X2, halves S2f6, [];
            E4m3x4: u32 = 4 of E4m3, E4M3X4, halves E4m3x2, [random];
            E5m2x4: u32 = 4 of E5m2, E5M2X4, halves E5m2x2, [random];
            E2m3x4: u32 = 4 of E2m3, E2M3X4, halves E2m3x2, [random];
            E3m2x4: u32 = 4 of E3m2, E3M2X4, halves E3m2x2, [random];
            E2m1x4: u16 = 4 of E2m1, E2M1X4, halves E2m1x2, [random];
        }
    };
}

pub(crate) use number_types as numbers;
pub(crate) use packed_types;
