//! The types of register declarations.
//!
//! PTX ISA section 5.2.1 (fundamental types) and section 5.2.5 (packed data types).

use core::fmt;

/// The class of a register's declared type (PTX ISA section 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RegisterClass {
    /// `.uN`
    Unsigned,
    /// `.sN`
    Signed,
    /// `.bN`
    Bits,
    /// `.fN`
    Float,
    /// `.f16x2`
    F16x2,
    /// `.pred`
    Predicate,
}

/// The kind of data that an operand has for an instruction. It decides which classes of registers are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Contents {
    /// Bits without a meaning, `.bN`.
    Bits,
    /// An integer.
    Integer,
    /// A float of a format that registers can be declared with: `.f16`, `.f32` or `.f64`.
    Float,
    /// Two packed elements of 16 bits: `.f16x2`, or integers.
    Packed,
    /// Numbers of a format that no register is declared with, such as `.bf16`.
    Alternate,
    /// A predicate.
    Predicate,
}

impl RegisterClass {
    /// True if a register of this class may hold such an operand (PTX ISA section 9.4.1, Table 27). The widths have rules
    /// of their own.
    ///
    /// ```
    /// use ptxcvt::forms::{Contents, RegisterClass};
    /// assert!(RegisterClass::Bits.holds(Contents::Alternate));
    /// assert!(!RegisterClass::Unsigned.holds(Contents::Alternate));
    /// ```
    pub const fn holds(self, contents: Contents) -> bool {
        use RegisterClass::{Bits, F16x2, Float, Predicate, Signed, Unsigned};
        match (contents, self) {
            (Contents::Predicate, Predicate) => true,
            (Contents::Predicate, _) | (_, Predicate) => false,
            (Contents::Bits, _) | (_, Bits) => true,
            (Contents::Integer, class) => matches!(class, Unsigned | Signed | F16x2),
            (Contents::Float, class) => matches!(class, Float),
            (Contents::Packed, class) => matches!(class, F16x2),
            (Contents::Alternate, _) => false,
        }
    }
}

/// A register's declared type.
///
/// ```
/// use ptxcvt::forms::{RegisterClass, RegisterType};
/// let b32 = RegisterType::from_name("b32").unwrap();
/// assert_eq!((b32.class, b32.width), (RegisterClass::Bits, 32));
/// assert_eq!(b32.to_string(), ".b32");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterType {
    /// Its class.
    pub class: RegisterClass,
    /// Its width in bits; 1 for predicates.
    pub width: u32,
}

#[rustfmt::skip]
const REGISTER_TYPES: &[(&str, RegisterType)] = {
    use RegisterClass::{Bits as B, F16x2, Float as F, Predicate, Signed as S, Unsigned as U};
    const fn t(class: RegisterClass, width: u32) -> RegisterType { RegisterType { class, width } }
    &[
        ("u8", t(U, 8)), ("u16", t(U, 16)), ("u32", t(U, 32)), ("u64", t(U, 64)),
        ("s8", t(S, 8)), ("s16", t(S, 16)), ("s32", t(S, 32)), ("s64", t(S, 64)),
        ("b8", t(B, 8)), ("b16", t(B, 16)), ("b32", t(B, 32)), ("b64", t(B, 64)), ("b128", t(B, 128)),
        ("f16", t(F, 16)), ("f32", t(F, 32)), ("f64", t(F, 64)), ("f16x2", t(F16x2, 32)), ("pred", t(Predicate, 1)),
    ]
};

impl RegisterType {
    /// Every register type.
    pub fn all() -> impl Iterator<Item = RegisterType> {
        REGISTER_TYPES.iter().map(|(_, t)| *t)
    }

    /// The type of that name (without the dot).
    pub fn from_name(name: &str) -> Option<RegisterType> {
        REGISTER_TYPES.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
    }

    /// PTX's name, without the dot.
    pub fn name(self) -> &'static str {
        let row = REGISTER_TYPES.iter().find(|(_, t)| *t == self);
        row.expect("every register type has a row").0
    }
}

impl fmt::Display for RegisterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}
