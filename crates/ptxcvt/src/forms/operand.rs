//! One operand of a form: its role, and the registers and immediates that it accepts.
//!
//! PTX ISA section 9.4.1 (operand size exceeding instruction-type size).

use super::register::{Contents, RegisterClass, RegisterType};
use crate::formats::Format;
use crate::types::Type;

/// The purpose of an operand, by the manual's letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// `d`
    Destination,
    /// `a`: the source; with several sources, that of the upper element.
    A,
    /// `b`
    B,
    /// `e`
    E,
    /// `f`
    F,
    /// `c` of `cvt.pack`: the bits that fill the rest of `d`.
    Rest,
    /// `rbits`
    RandomBits,
    /// `scale-factor`
    ScaleFactor,
}

impl Role {
    /// The manual's name of the operand.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Destination => "d",
            Role::A => "a",
            Role::B => "b",
            Role::E => "e",
            Role::F => "f",
            Role::Rest => "c",
            Role::RandomBits => "rbits",
            Role::ScaleFactor => "scale-factor",
        }
    }
}

/// The immediates that an operand accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Immediate {
    /// None: a register is needed.
    None,
    /// Integer literals and constant expressions.
    Integer,
    /// Floating-point literals, `1.5`, `0f…` or `0d…`.
    Float,
    /// Only `0f…`.
    FloatBits,
    /// Integers, and `0f…` for its 32 bits.
    IntegerOrFloatBits,
}

/// The registers that an operand accepts; `widest` is the width of the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// An integer type: `.u .s .b` and `.f16x2`.
    IntegerLike { widest: u32 },
    /// A float type: that type itself, or `.b`.
    FloatLike { widest: u32 },
    /// `.b` of the exact width.
    BitsOnly,
    /// Any kind of the exact width.
    AnyExact,
    /// `.f16x2` or `.b`.
    PackedHalf { widest: u32 },
    /// Anything but a predicate, as wide or wider: `c` of `cvt.pack`.
    AnyWide,
}

/// An operand of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its purpose.
    pub role: Role,
    /// The type of the elements that it holds; `None` for `c`, `rbits` and `scale-factor`.
    pub ty: Option<Type>,
    /// The bits that the instruction reads or writes.
    pub width: u32,
    /// It is an element of the vector operand `{a, b, e, f}`.
    pub in_vector: bool,
    pub(super) rule: Rule,
    pub(super) immediate: Immediate,
    pub(super) special: bool,
}

impl Operand {
    /// The format of the numbers that the operand holds, and their count; `None` for `c` and `rbits`, which are plain bits.
    ///
    /// ```
    /// use ptxcvt::{Form, Format};
    /// let form: Form = "cvt.rn.scaled::n2::ue8m0.bf16x2.e2m1x2".parse()?;
    /// let numbers: Vec<_> = form.operands().map(|operand| operand.numbers()).collect();
    /// assert_eq!(numbers, [Some((Format::Bf16, 2)), Some((Format::E2m1, 2)), Some((Format::Ue8m0, 2))]);
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn numbers(&self) -> Option<(Format, u32)> {
        match (self.role, self.ty) {
            (_, Some(ty)) => Some((ty.format(), ty.lanes())),
            (Role::ScaleFactor, None) => Some((Format::Ue8m0, self.width / Format::Ue8m0.storage())),
            (_, None) => None,
        }
    }

    /// The register type that fits exactly, as the manual would declare it.
    pub fn register(&self) -> RegisterType {
        let class = match (self.rule, self.ty.map(|t| t.format())) {
            (Rule::IntegerLike { .. }, Some(f)) if f.is_signed() => RegisterClass::Signed,
            (Rule::IntegerLike { .. }, _) => RegisterClass::Unsigned,
            (Rule::FloatLike { .. }, _) => RegisterClass::Float,
            _ => RegisterClass::Bits,
        };
        RegisterType { class, width: self.width }
    }

    /// True if a register declared as `register` is accepted here.
    pub fn accepts(&self, register: RegisterType) -> bool {
        let (contents, widest) = match self.rule {
            Rule::AnyWide => (Contents::Bits, 128),
            Rule::AnyExact => (Contents::Bits, self.width),
            Rule::IntegerLike { widest } => (Contents::Integer, widest),
            Rule::BitsOnly => (Contents::Alternate, self.width),
            // Only registers of bits may be wider than a float.
            Rule::FloatLike { .. } if register.class == RegisterClass::Float => (Contents::Float, self.width),
            Rule::FloatLike { widest } => (Contents::Float, widest),
            Rule::PackedHalf { widest } => (Contents::Packed, widest),
        };
        register.class.holds(contents) && (self.width..=widest).contains(&register.width)
    }

    /// The immediates that are accepted here.
    pub fn immediate(&self) -> Immediate {
        self.immediate
    }

    /// True if a special register such as `%tid.x`, of that width, is accepted here: as the source of a conversion
    /// from integer to integer. ([`vector_problem`](crate::forms::vector_problem) judges the elements of
    /// a vector.)
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let source = |opcode: &str| opcode.parse::<Form>().unwrap().operands().nth(1).unwrap();
    /// assert!(source("cvt.u16.u32").accepts_special(32));
    /// assert!(!source("cvt.u32.u64").accepts_special(32));
    /// assert!(!source("cvt.rn.f32.u32").accepts_special(32));
    /// ```
    pub fn accepts_special(&self, width: u32) -> bool {
        self.special && width >= self.width
    }

    /// The register types that are accepted here, in the order of [`RegisterType::all`], for messages.
    pub fn accepted(&self) -> impl Iterator<Item = RegisterType> + '_ {
        RegisterType::all().filter(|r| self.accepts(*r))
    }
}
