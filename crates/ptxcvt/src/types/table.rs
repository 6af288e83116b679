//! Instruction types: one, two or four elements of a [`Format`] in a register.
//!
//! PTX ISA section 5.2.5 (packed data types) and the register types that section 9.7.9.21 prescribes.

use crate::bits::mask;
use crate::formats::Format;
#[cfg(feature = "alloc")]
use crate::names::UnknownName;

/// The type of an instruction: `.f32`, `.f16x2`, `.e4m3x4`.
///
/// The first element in PTX's operand order is in the **upper** bits.
///
/// ```
/// use ptxcvt::{Format, Type};
/// let t = Type::from_name("e2m3x2").unwrap();
/// assert_eq!((t.format(), t.lanes(), t.width()), (Format::E2m3, 2, 16));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    format: Format,
    lanes: u8,
}

/// Declares the constants of [`Type`] and `Type::ALL`. `types! { F16X2 "f16x2" = F16 * 2; }` expands to
/// `pub const F16X2: Type = Type { format: Format::F16, lanes: 2 }` and an entry of the name table.
macro_rules! types {
    ($($constant:ident $name:literal = $format:ident * $lanes:literal;)*) => {
        #[allow(missing_docs)] // documented by its name
        impl Type {
            $(pub const $constant: Type = Type { format: Format::$format, lanes: $lanes };)*

            /// Every type that a `cvt` or `cvt.pack` names, in the manual's order.
            pub const ALL: &'static [Type] = &[$(Type::$constant),*];
        }
        const NAMES: &[&str] = &[$($name),*];

        // A register holds 64 bits, and an instruction names 1, 2 or 4 elements.
        const _: () = {
            $(assert!(matches!($lanes, 1 | 2 | 4), "1, 2 or 4 elements");
            assert!(Format::$format.storage() * $lanes <= 64, "a type fits a register");)*
        };
    };
}

#[rustfmt::skip]
types! {
    U2 "u2" = U2 * 1;       S2 "s2" = S2 * 1;       U4 "u4" = U4 * 1;       S4 "s4" = S4 * 1;
    U8 "u8" = U8 * 1;       U16 "u16" = U16 * 1;    U32 "u32" = U32 * 1;    U64 "u64" = U64 * 1;
    S8 "s8" = S8 * 1;       S16 "s16" = S16 * 1;    S32 "s32" = S32 * 1;    S64 "s64" = S64 * 1;
    F16 "f16" = F16 * 1;    BF16 "bf16" = Bf16 * 1; TF32 "tf32" = Tf32 * 1; F32 "f32" = F32 * 1;
    F64 "f64" = F64 * 1;    F16X2 "f16x2" = F16 * 2;           BF16X2 "bf16x2" = Bf16 * 2;
    E4M3X2 "e4m3x2" = E4m3 * 2;      E5M2X2 "e5m2x2" = E5m2 * 2;
    E2M3X2 "e2m3x2" = E2m3 * 2;      E3M2X2 "e3m2x2" = E3m2 * 2;      E2M1X2 "e2m1x2" = E2m1 * 2;
    UE8M0X2 "ue8m0x2" = Ue8m0 * 2;   UE5M3X2 "ue5m3x2" = Ue5m3 * 2;   S2F6X2 "s2f6x2" = S2f6 * 2;
    E4M3X4 "e4m3x4" = E4m3 * 4;      E5M2X4 "e5m2x4" = E5m2 * 4;
    E2M3X4 "e2m3x4" = E2m3 * 4;      E3M2X4 "e3m2x4" = E3m2 * 4;      E2M1X4 "e2m1x4" = E2m1 * 4;
}

impl Type {
    /// The format of one element.
    #[inline]
    pub const fn format(self) -> Format {
        self.format
    }

    /// The number of elements: 1, 2 or 4.
    #[inline]
    pub const fn lanes(self) -> u32 {
        self.lanes as u32
    }

    /// The width in bits, equal to that of the exactly fitting register.
    #[inline]
    pub const fn width(self) -> u32 {
        self.format.storage() * self.lanes as u32
    }

    /// PTX's name, without the dot.
    pub fn name(self) -> &'static str {
        let at = Self::ALL.iter().position(|&t| t == self);
        NAMES[at.expect("every type is in the table")]
    }

    /// The type of that PTX name (without the dot).
    pub fn from_name(name: &str) -> Option<Type> {
        NAMES.iter().position(|&n| n == name).map(|i| Self::ALL[i])
    }

    /// The format that a name means: the name of a format, or of a packed type, which has elements of the format.
    ///
    /// ```
    /// use ptxcvt::{Format, Type};
    /// assert_eq!(Type::read_format(".e4m3x2"), Ok(Format::E4m3));
    /// assert_eq!(Type::read_format("float8_e4m3fn"), Ok(Format::E4m3));
    /// ```
    ///
    /// # Errors
    ///
    /// Fails as parsing a [`Format`] does.
    #[cfg(feature = "alloc")]
    pub fn read_format(name: &str) -> Result<Format, UnknownName> {
        name.parse().map(Type::format).or_else(|_| name.parse())
    }

    /// The bits of element `lane`, counted from the upper end, of a register of this type.
    #[inline]
    pub(crate) const fn element(self, register: u64, lane: u32) -> u64 {
        let storage = self.format.storage();
        (register >> (storage * (self.lanes as u32 - 1 - lane))) & mask(storage)
    }
}

#[cfg(feature = "alloc")]
impl core::str::FromStr for Type {
    type Err = UnknownName;

    /// Reads a name that a person wrote: a dot before it, blanks around it and the case of its letters do not matter. Names
    /// that other libraries use for a format name its type, too, unless it exists only packed.
    ///
    /// ```
    /// use ptxcvt::Type;
    /// assert_eq!("half".parse(), Ok(Type::F16));
    /// let error = "fp8".parse::<Type>().unwrap_err().to_string();
    /// assert_eq!(error, "no type `fp8`; types of e4m3 are e4m3x2 e4m3x4");
    /// ```
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let of = |name: &str| Some(Type { format: Format::from_name(name)?, lanes: 1 });
        let find =
            |name: &str| Type::from_name(name).or_else(|| of(name).filter(|ty| Type::ALL.contains(ty)));
        let format = text.parse::<Format>().ok();
        let packed = |ty: &Type| format.is_some_and(|format| ty.format == format);
        let format = format.filter(|_| Type::ALL.iter().any(packed));
        let known = Type::ALL.iter().filter(|ty| format.is_none() || packed(ty));
        crate::names::read_of("type", format.map(Format::name), text, find, known.map(|ty| ty.name()))
    }
}

impl core::fmt::Display for Type {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name belongs to one type and says its format and how many elements it has.
    #[test]
    fn names_describe_their_types() {
        for ty in Type::ALL {
            assert_eq!(Type::from_name(ty.name()), Some(*ty));
            let elements =
                if ty.lanes() == 1 { std::string::String::new() } else { std::format!("x{}", ty.lanes()) };
            assert_eq!(ty.name(), std::format!("{}{elements}", ty.format()));
        }
    }
}
