//! The table of formats: one row each, as plain const data.
//!
//! PTX ISA sections 5.2.1, 5.2.3 and 5.2.4. The columns of a row: PTX's name, other names, the layout of the
//! bits, a description. [`Parameters`] describes them.

use super::parameters::Specials::{self, Ieee, NanOnly};
use super::parameters::{Kind, NanCode, Parameters};

/// Declares [`Format`] and its rows. `formats! { U8 => integer(...), }` expands to an enum with the variant
/// `U8`, the list `Format::ALL`, and the table that [`Format::parameters`] indexes.
macro_rules! formats {
    ($($variant:ident => $row:expr,)*) => {
        /// A number format: the meaning of one element's bits.
        ///
        /// Codes are bits as a register holds them (`u64`, [`storage`](Format::storage) bits wide).
        ///
        /// ```
        /// use ptxcvt::Format;
        /// let e4m3 = Format::from_name("e4m3").unwrap();
        /// assert_eq!(e4m3.bits(), 8);
        /// assert_eq!(e4m3.decode(e4m3.max_finite()).to_f64(), 448.0);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // documented by its row
        #[non_exhaustive]
        #[rustfmt::skip]
        pub enum Format { $($variant),* }

        impl Format {
            /// Every format, in the order of the table.
            pub const ALL: &'static [Format] = &[$(Format::$variant),*];
        }

        const ROWS: &[Parameters] = &[$($row),*];

        // Inconsistent rows do not compile.
        const _: () = {
            $($row.check();)*
        };
    };
}

const fn integer(
    name: &'static str,
    aliases: &'static [&'static str],
    layout: (u32, bool),
    about: &'static str,
) -> Parameters {
    Parameters::integer(name, aliases, layout, about)
}
const fn float(
    name: &'static str,
    aliases: &'static [&'static str],
    layout: (u32, u32, i32),
    specials: Specials,
    about: &'static str,
) -> Parameters {
    Parameters::float(name, aliases, layout, specials, about)
}

#[rustfmt::skip]
formats! {
    //            name   other names    (bits, signed)
    U2  => integer("u2", &["uint2"],    (2, false),  "unsigned 2-bit integer (cvt.pack only)"),
    S2  => integer("s2", &["int2"],     (2, true),   "signed 2-bit integer (cvt.pack only)"),
    U4  => integer("u4", &["uint4"],    (4, false),  "unsigned 4-bit integer (cvt.pack only)"),
    S4  => integer("s4", &["int4"],     (4, true),   "signed 4-bit integer (cvt.pack only)"),
    U8  => integer("u8", &["uint8"],    (8, false),  "unsigned 8-bit integer"),
    U16 => integer("u16", &["uint16"],  (16, false), "unsigned 16-bit integer"),
    U32 => integer("u32", &["uint32"],  (32, false), "unsigned 32-bit integer"),
    U64 => integer("u64", &["uint64"],  (64, false), "unsigned 64-bit integer"),
    S8  => integer("s8", &["int8", "i8"],    (8, true),  "signed 8-bit integer"),
    S16 => integer("s16", &["int16", "i16"], (16, true), "signed 16-bit integer"),
    S32 => integer("s32", &["int32", "i32", "int"], (32, true), "signed 32-bit integer"),
    S64 => integer("s64", &["int64", "i64"], (64, true), "signed 64-bit integer"),
    //            name    other names    (exponent, fraction, bias)  specials
    F16  => float("f16", &["float16", "fp16", "half"], (5, 10, 15), Ieee, "IEEE 754 binary16 (half precision)"),
    Bf16 => float("bf16", &["bfloat16"], (8, 7, 127), Ieee, "bfloat16: the upper half of an f32"),
    Tf32 => float("tf32", &["tensorfloat32"], (8, 10, 127), Ieee,
        "f32 with 10 fraction bits, kept in the upper 19 bits of a register").stored(32, 13),
    F32  => float("f32", &["float32", "fp32", "float", "single"], (8, 23, 127), Ieee, "IEEE 754 binary32 (single precision)"),
    F64  => float("f64", &["float64", "fp64", "double"], (11, 52, 1023), Ieee, "IEEE 754 binary64 (double precision)"),
    E4m3 => float("e4m3", &["fp8", "fp8_e4m3", "f8_e4m3", "f8_e4m3fn", "f8e4m3fn", "e4m3fn", "float8_e4m3fn"], (4, 3, 7), NanOnly,
        "FP8 with 4 exponent bits; no infinity"),
    E5m2 => float("e5m2", &["fp8_e5m2", "f8_e5m2", "f8e5m2", "float8_e5m2"], (5, 2, 15), Ieee, "FP8 with 5 exponent bits"),
    E2m3 => float("e2m3", &["fp6_e2m3", "f6_e2m3", "f6e2m3fn", "e2m3fn", "float6_e2m3fn"], (2, 3, 1), Specials::None,
        "FP6 with 2 exponent bits; every code is finite").stored(8, 0),
    E3m2 => float("e3m2", &["fp6_e3m2", "f6_e3m2", "f6e3m2fn", "e3m2fn", "float6_e3m2fn"], (3, 2, 3), Specials::None,
        "FP6 with 3 exponent bits; every code is finite").stored(8, 0),
    E2m1 => float("e2m1", &["fp4", "f4", "fp4_e2m1", "f4_e2m1", "f4e2m1fn", "e2m1fn", "float4_e2m1fn"], (2, 1, 1), Specials::None,
        "FP4; every code is finite"),
    Ue8m0 => Parameters {
        name: "ue8m0", aliases: &["e8m0", "f8_e8m0", "f8e8m0fnu", "e8m0fnu", "float8_e8m0fnu"],
        bits: 8, storage: 8, low_padding: 0, kind: Kind::PowerOfTwo { bias: 127 }, nan: NanCode::Canonical,
        about: "unsigned power of two, the scale of block formats; no zero, no infinity",
    },
    Ue5m3 => Parameters {
        name: "ue5m3", aliases: &["fp8_ue5m3"], bits: 8, storage: 8, low_padding: 0,
        kind: Kind::Float { signed: false, exponent: 5, fraction: 3, bias: 15, specials: NanOnly },
        nan: NanCode::Canonical, about: "unsigned FP8 with 5 exponent bits; no infinity (ISA 9.4)",
    },
    S2f6 => Parameters {
        name: "s2f6", aliases: &[], bits: 8, storage: 8, low_padding: 0, kind: Kind::Fixed { fraction: 6 },
        nan: NanCode::Largest, about: "8-bit two's complement fixed point with 6 fraction bits, -2 to 1.984375",
    },
}

impl Format {
    /// The format's row of the table.
    #[inline]
    pub const fn parameters(self) -> &'static Parameters {
        &ROWS[self as usize]
    }
}
