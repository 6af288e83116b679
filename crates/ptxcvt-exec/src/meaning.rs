//! What the bits of an operand are: numbers of a format, one or several; for reading and printing them, and for
//! questions about NaN or subnormals that bits alone do not answer.

use std::fmt::{self, Write as _};

use ptxcvt::formats::Kind;
use ptxcvt::forms::RegisterType;
use ptxcvt::literal::{self, LiteralError};
use ptxcvt::{Format, Type, Value};

use crate::semantics::mask;
use crate::ty::{Class, Ty};

/// Numbers of a format in a register, the first of them in the upper bits.
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
    /// The format of each.
    pub format: Format,
    /// How many: 1, 2 or 4.
    pub lanes: u32,
}

impl Meaning {
    /// By the name of an instruction type, without the dot: `f32x2`, `e4m3x2`, `s16`.
    pub fn from_name(name: &str) -> Option<Meaning> {
        Ty::from_name(name).and_then(Meaning::of).or_else(|| Type::from_name(name).map(Meaning::from))
    }

    /// Of a type that says more than "bits".
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

    /// The elements of a register, the upper first.
    pub fn elements(self, bits: u64) -> impl Iterator<Item = u64> {
        let storage = self.format.storage();
        (0..self.lanes).rev().map(move |lane| bits >> (lane * storage) & mask(storage))
    }

    /// Reads numbers (`1.5`, `-inf`, `1.5,-2` upper first) or bits (`0x…`).
    ///
    /// # Errors
    ///
    /// Fails where the text is no such number, or does not fit.
    pub fn read(self, text: &str) -> Result<u64, LiteralError> {
        if text.starts_with("0x") || text.starts_with("0X") {
            return literal::integer_of_width(text, self.width());
        }
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() != self.lanes as usize {
            return Err(LiteralError::Elements { wanted: self.lanes });
        }
        parts.iter().try_fold(0, |bits, part| {
            Ok(bits << self.format.storage() | literal::element_of(self.format, part.trim())?)
        })
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

    /// True where an element is NaN.
    pub fn has_nan(self, bits: u64) -> bool {
        self.elements(bits).any(|e| self.is_nan(e))
    }

    /// True where the element is NaN.
    pub fn is_nan(self, element: u64) -> bool {
        matches!(self.format.decode(element), Value::Nan { .. })
    }

    /// True of a format with exponents: the only ones that have subnormals.
    pub fn is_float(self) -> bool {
        matches!(self.format.parameters().kind, Kind::Float { .. })
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

/// A type that an operand can be told to have: a register's, or one that names numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortType {
    /// The register.
    pub register: RegisterType,
    /// What it holds, where that is told.
    pub meaning: Option<Meaning>,
}

impl PortType {
    /// By name, without the dot: `b32`, `f16x2`, `e4m3x2`.
    pub fn from_name(name: &str) -> Option<PortType> {
        if let Some(ty) = Ty::from_name(name) {
            return Some(ty.into());
        }
        let meaning = Meaning::from(Type::from_name(name)?);
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
