//! The meaning of an operand's bits: one number or several of a format. It reads and prints them, and detects
//! NaN and subnormal numbers.
//!
//! PTX ISA sections 5.2.3 (alternate floating-point formats) and 5.2.5 (packed types).

use std::fmt::{self, Write as _};

use ptxcvt::forms::RegisterType;
use ptxcvt::literal::{LiteralError, Reader};
use ptxcvt::{Format, Type, mask, names};

use crate::ty::{Class, Ty};

/// Numbers of a format in a register, the first one in the upper bits.
///
/// ```
/// use ptxcvt_exec::Meaning;
/// let pair = Meaning::from_name("bf16x2").unwrap();
/// assert_eq!(pair.read("1.5,-2")?, 0x3fc0_c000);
/// assert_eq!(pair.show(0x3fc0_c000), "1.5,-2");
/// assert_eq!(Meaning::from_name("e2m1x4").unwrap().width(), 16);
/// # Ok::<(), ptxcvt::literal::LiteralError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Meaning {
    /// The format of each number.
    pub format: Format,
    /// How many numbers there are: 1, 2 or 4.
    pub lanes: u32,
}

impl Meaning {
    /// The meaning with the name of an instruction type, without the dot: `f32x2`, `e4m3x2`, `s16`.
    pub fn from_name(name: &str) -> Option<Meaning> {
        Ty::from_name(name).and_then(Meaning::of).or_else(|| Type::from_name(name).map(Meaning::from))
    }

    /// The meaning of a type; `None` for bits and predicates.
    pub fn of(ty: Ty) -> Option<Meaning> {
        let integer = |letter: char| Format::from_name(&format!("{letter}{}", ty.element().width()));
        let format = match ty.class() {
            Class::Float(format) => Some(format),
            Class::Unsigned => integer('u'),
            Class::Signed => integer('s'),
            Class::Bits | Class::Predicate => None,
        };
        format.map(|format| Meaning { format, lanes: ty.lanes() })
    }

    /// The width in bits.
    pub fn width(self) -> u32 {
        self.format.storage() * self.lanes
    }

    /// The elements of a register, the upper one first.
    pub fn elements(self, bits: u64) -> impl Iterator<Item = u64> {
        let storage = self.format.storage();
        (0..self.lanes).rev().map(move |lane| bits >> (lane * storage) & mask(storage))
    }

    /// The reader of such numbers.
    pub const fn reader(self) -> Reader {
        Reader::packed(self.format, self.lanes)
    }

    /// Reads numbers (`1.5`, `-inf`, `1.5,-2` upper first) or bits (`0x…`).
    ///
    /// # Errors
    ///
    /// Fails if the text is not a number or does not fit.
    pub fn read(self, text: &str) -> Result<u64, LiteralError> {
        self.reader().read(text).map(|read| read.bits)
    }

    /// The numbers as text.
    pub fn show(self, bits: u64) -> String {
        let mut text = String::new();
        for (at, element) in self.elements(bits).enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(text, "{}{}", if at == 0 { "" } else { "," }, self.format.decode(element));
        }
        text
    }

    /// True if an element is NaN.
    pub fn has_nan(self, bits: u64) -> bool {
        self.elements(bits).any(|e| self.is_nan(e))
    }

    /// True if the element is NaN.
    pub fn is_nan(self, element: u64) -> bool {
        self.format.decode(element).is_nan()
    }

    /// True for a format with exponents; only these have subnormal numbers.
    pub fn is_float(self) -> bool {
        self.format.is_float()
    }
}

impl From<Type> for Meaning {
    fn from(ty: Type) -> Self {
        Meaning { format: ty.format(), lanes: ty.lanes() }
    }
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            1 => write!(f, ".{}", self.format),
            lanes => write!(f, ".{}x{lanes}", self.format),
        }
    }
}

/// A type with which an operand can be declared: a register type, or a type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortType {
    /// The register.
    pub register: RegisterType,
    /// The meaning of the register's bits; `None` for plain bits.
    pub meaning: Option<Meaning>,
}

impl PortType {
    /// The type of that name: `b32`, `f16x2`, `e4m3x2`. A dot before it, blanks around it and the case of its letters
    /// do not matter.
    pub fn read(name: &str) -> Option<PortType> {
        let register = names::read("type", name, Ty::from_name, Ty::ALL.iter().map(|ty| ty.name()));
        if let Ok(ty) = register {
            return Some(ty.into());
        }
        let meaning = Meaning::from(name.parse::<Type>().ok()?);
        let bits =
            Ty::ALL.iter().find(|t| t.class() == Class::Bits && t.width() == meaning.width().max(8))?;
        Some(PortType { register: bits.register(), meaning: Some(meaning) })
    }
}

impl From<Ty> for PortType {
    fn from(ty: Ty) -> Self {
        PortType { register: ty.register(), meaning: Meaning::of(ty) }
    }
}
