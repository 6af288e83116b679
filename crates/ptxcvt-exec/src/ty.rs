//! The types that an instruction's name can end in: `.b32`, `.s16x2`, `.bf16`, `.f32x2`, `.pred`.
//!
//! PTX ISA sections 5.2.1 (fundamental types), 5.2.3 (alternate floating-point formats), 5.2.5 (packed types).

use std::fmt;

use ptxcvt::Format;
use ptxcvt::forms::{Contents, RegisterClass, RegisterType};

/// The meaning of the bits of a type's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `.bN`: bits without a meaning.
    Bits,
    /// `.uN`
    Unsigned,
    /// `.sN`
    Signed,
    /// A floating-point format.
    Float(Format),
    /// `.pred`
    Predicate,
}

/// Declares [`Ty`]. `types! { U16x2 "u16x2" Unsigned 16 * 2; }` expands to the variant `U16x2` and a row of the
/// table that [`Ty::name`], [`Ty::class`], [`Ty::width`] and [`Ty::lanes`] read.
macro_rules! types {
    ($($variant:ident $name:literal $class:expr, $element:literal * $lanes:literal;)*) => {
        /// An instruction type.
        ///
        /// ```
        /// use ptxcvt_exec::Ty;
        /// let ty = Ty::from_name("bf16x2").unwrap();
        /// assert_eq!((ty.width(), ty.lanes(), ty.element()), (32, 2, Ty::Bf16));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // the variant's row documents it
        pub enum Ty { $($variant),* }

        impl Ty {
            /// Every type, in the order of the table.
            pub const ALL: &'static [Ty] = &[$(Ty::$variant),*];
        }

        /// Name, class, bits of an element, elements.
        const ROWS: &[(&str, Class, u32, u32)] = &[$(($name, $class, $element, $lanes)),*];
    };
}

types! {
    Pred "pred" Class::Predicate, 1 * 1;
    B8 "b8" Class::Bits, 8 * 1;
    B16 "b16" Class::Bits, 16 * 1;
    B32 "b32" Class::Bits, 32 * 1;
    B64 "b64" Class::Bits, 64 * 1;
    U8 "u8" Class::Unsigned, 8 * 1;
    U16 "u16" Class::Unsigned, 16 * 1;
    U32 "u32" Class::Unsigned, 32 * 1;
    U64 "u64" Class::Unsigned, 64 * 1;
    S8 "s8" Class::Signed, 8 * 1;
    S16 "s16" Class::Signed, 16 * 1;
    S32 "s32" Class::Signed, 32 * 1;
    S64 "s64" Class::Signed, 64 * 1;
    U16x2 "u16x2" Class::Unsigned, 16 * 2;
    S16x2 "s16x2" Class::Signed, 16 * 2;
    F16 "f16" Class::Float(Format::F16), 16 * 1;
    F16x2 "f16x2" Class::Float(Format::F16), 16 * 2;
    Bf16 "bf16" Class::Float(Format::Bf16), 16 * 1;
    Bf16x2 "bf16x2" Class::Float(Format::Bf16), 16 * 2;
    F32 "f32" Class::Float(Format::F32), 32 * 1;
    F32x2 "f32x2" Class::Float(Format::F32), 32 * 2;
    F64 "f64" Class::Float(Format::F64), 64 * 1;
}

impl Ty {
    const fn row(self) -> (&'static str, Class, u32, u32) {
        ROWS[self as usize]
    }

    /// PTX's name, without the dot.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The type of that name, without the dot.
    pub fn from_name(name: &str) -> Option<Ty> {
        Self::ALL.iter().copied().find(|t| t.name() == name)
    }

    /// The meaning of the bits of an element.
    pub const fn class(self) -> Class {
        self.row().1
    }

    /// The floating-point format of an element; `None` for other types.
    pub const fn format(self) -> Option<Format> {
        match self.class() {
            Class::Float(format) => Some(format),
            _ => None,
        }
    }

    /// True for the signed integers.
    pub const fn is_signed(self) -> bool {
        matches!(self.class(), Class::Signed)
    }

    /// The width in bits; 1 for predicates.
    pub const fn width(self) -> u32 {
        self.row().2 * self.row().3
    }

    /// How many elements are packed: 1 or 2.
    pub const fn lanes(self) -> u32 {
        self.row().3
    }

    /// The type of one element.
    pub fn element(self) -> Ty {
        self.split(self.lanes())
    }

    /// The type of one of `lanes` parts: `.f16` for `.f16x2`, and `.u16` if an instruction fills the halves of a `.u32`
    /// one by one.
    pub(crate) fn split(self, lanes: u32) -> Ty {
        // A predicate applies to every element.
        if self == Ty::Pred {
            return self;
        }
        let (class, width) = (self.class(), self.width() / lanes);
        let part = |t: &Ty| t.class() == class && t.width() == width && t.lanes() == 1;
        Self::ALL.iter().copied().find(part).expect("every type of several elements has the type of one")
    }

    /// The integer type of twice the width, which `.wide` returns.
    pub(crate) fn doubled(self) -> Ty {
        let wanted = |t: &Ty| t.class() == self.class() && t.width() == 2 * self.width() && t.lanes() == 1;
        Self::ALL.iter().copied().find(wanted).expect("`.wide` multiplies 16 or 32 bits")
    }

    /// The register type of the same width and class.
    pub fn register(self) -> RegisterType {
        let class = match self.class() {
            Class::Unsigned if self.lanes() == 1 => RegisterClass::Unsigned,
            Class::Signed if self.lanes() == 1 => RegisterClass::Signed,
            Class::Float(Format::F16 | Format::F32 | Format::F64) if self.lanes() == 1 => {
                RegisterClass::Float
            }
            Class::Predicate => RegisterClass::Predicate,
            _ if self == Ty::F16x2 => RegisterClass::F16x2,
            _ => RegisterClass::Bits,
        };
        RegisterType { class, width: self.width() }
    }

    /// The type of a register's declaration; `None` for `.b128`, which no instruction here accepts.
    pub fn of_register(register: RegisterType) -> Option<Ty> {
        Ty::from_name(register.name())
    }

    /// True if a source of this type may be a constant. 16-bit floats and packed elements must be in registers.
    pub(crate) fn takes_constants(self) -> bool {
        self.lanes() == 1 && !matches!(self.class(), Class::Float(Format::F16 | Format::Bf16))
    }

    /// True if a register declared as `register` may hold this type: it has the same width, and its class
    /// [holds](RegisterClass::holds) the contents.
    pub fn accepts(self, register: RegisterType) -> bool {
        let contents = match self.class() {
            Class::Predicate => Contents::Predicate,
            Class::Bits => Contents::Bits,
            Class::Unsigned | Class::Signed if self.lanes() == 1 => Contents::Integer,
            Class::Unsigned | Class::Signed => Contents::Packed,
            Class::Float(Format::F16) if self.lanes() == 2 => Contents::Packed,
            Class::Float(Format::F16 | Format::F32 | Format::F64) if self.lanes() == 1 => Contents::Float,
            Class::Float(_) => Contents::Alternate,
        };
        register.width == self.width() && register.class.holds(contents)
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A type that registers are declared with is the same in both tables, and accepts such registers.
    #[test]
    fn types_of_registers_are_those_of_declarations() {
        for register in RegisterType::all() {
            match Ty::of_register(register) {
                Some(ty) => assert!(ty.register() == register && ty.accepts(register), "{register}"),
                None => assert_eq!(register.name(), "b128"),
            }
        }
    }
}
