//! The operands of a form: how many, of which register types, and which immediates they take.
//!
//! PTX ISA section 9.4.1 (operand size exceeding instruction-type size), the operand types prescribed in
//! 9.7.9.21 and 9.7.9.22, and what ptxas accepts where the text is silent.

use super::form::{Form, Opcode};
use super::modifier::Modifier;
use super::rows::{Registers, Shape};
use crate::format::Format;
use crate::round::Rounding;
use crate::types::Type;

/// What an operand is for, by the manual's letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// `d`
    Destination,
    /// `a`: the source, the upper element's where there are several.
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

/// The class of a register's declared type (PTX ISA section 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// A register's declared type.
///
/// ```
/// use ptxcvt::{RegisterClass, RegisterType};
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
        REGISTER_TYPES.iter().find(|(_, t)| *t == self).map_or("", |(n, _)| n)
    }
}

impl core::fmt::Display for RegisterType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, ".{}", self.name())
    }
}

/// Which immediates an operand takes.
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

/// Which registers an operand takes; `widest` is the width of the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
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
    /// What it is for.
    pub role: Role,
    /// The element type that it carries; `None` for `c`, `rbits` and `scale-factor`.
    pub ty: Option<Type>,
    /// The bits that the instruction reads or writes.
    pub width: u32,
    /// It is an element of the vector operand `{a, b, e, f}`.
    pub in_vector: bool,
    rule: Rule,
    immediate: Immediate,
    special: bool,
}

impl Operand {
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

    /// True where a register declared as `register` may stand here.
    pub fn accepts(&self, register: RegisterType) -> bool {
        use RegisterClass::{Bits, F16x2, Float, Predicate, Signed, Unsigned};
        let fits = |widest: u32| (self.width..=widest).contains(&register.width);
        match (self.rule, register.class) {
            (_, Predicate) => false,
            (Rule::AnyWide, _) => fits(128),
            (Rule::IntegerLike { widest }, Unsigned | Signed | Bits | F16x2) => fits(widest),
            (Rule::FloatLike { .. }, Float) => fits(self.width),
            (Rule::FloatLike { widest } | Rule::PackedHalf { widest }, Bits) => fits(widest),
            (Rule::PackedHalf { .. }, F16x2) => true,
            (Rule::BitsOnly, Bits) => fits(self.width),
            (Rule::AnyExact, _) => fits(self.width),
            _ => false,
        }
    }

    /// Which immediates may stand here.
    pub fn immediate(&self) -> Immediate {
        self.immediate
    }

    /// True where a special register such as `%tid.x`, of that width, may stand here: the source of a
    /// conversion from integer to integer. ([`vector_problem`](crate::vector_problem) judges the elements of
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

    /// Which registers may stand here, as a list for messages: every type of [`RegisterType::all`] that
    /// the operand accepts.
    pub fn accepted(&self) -> impl Iterator<Item = RegisterType> + '_ {
        RegisterType::all().filter(|r| self.accepts(*r))
    }
}

impl Form {
    /// The operands in PTX order, destination first, the elements of `{a, b, e, f}` one by one, then
    /// `c`, `rbits` or `scale-factor`.
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
    /// let registers: Vec<String> = form.operands().map(|o| o.register().to_string()).collect();
    /// assert_eq!(registers, [".b16", ".f32", ".f32"]);
    /// # Ok::<(), ptxcvt::SpellingError>(())
    /// ```
    pub fn operands(&self) -> impl Iterator<Item = Operand> + use<> {
        let form = *self;
        let sources: &[Role] = match form.row().shape {
            Shape::One => &[Role::A],
            Shape::Two | Shape::TwoAndRest => &[Role::A, Role::B],
            Shape::Vector => &[Role::A, Role::B, Role::E, Role::F],
        };
        let extra = |role, present: bool| present.then_some(role);
        core::iter::once(Role::Destination)
            .chain(sources.iter().copied())
            .chain(extra(Role::Rest, form.row().shape == Shape::TwoAndRest))
            .chain(extra(Role::RandomBits, form.rounding() == Some(Rounding::Rs)))
            .chain(extra(Role::ScaleFactor, form.modifiers().iter().any(Modifier::is_scale)))
            .map(move |role| form.operand(role))
    }

    /// How many source operands [`Form::eval`](crate::Form::eval) takes.
    #[inline]
    pub fn source_count(&self) -> usize {
        let sources = match self.row().shape {
            Shape::One => 1,
            Shape::Two => 2,
            Shape::TwoAndRest => 3,
            Shape::Vector => 4,
        };
        sources
            + usize::from(self.rounding() == Some(Rounding::Rs))
            + usize::from(self.has(Modifier::ScaledN1) || self.has(Modifier::ScaledN2))
    }

    /// True where PTX admits registers wider than the type (the notes of 9.7.9.21): their low bits are
    /// read, and a result is extended into them.
    pub fn takes_wider_registers(&self) -> bool {
        self.row().registers == Registers::Relaxed
    }

    fn operand(&self, role: Role) -> Operand {
        let bits = |width| (None, width, Rule::BitsOnly, Immediate::None);
        let (ty, width, rule, immediate) = match role {
            Role::RandomBits => bits(32),
            Role::ScaleFactor if self.has(Modifier::ScaledN1) => bits(8),
            Role::ScaleFactor => bits(16),
            Role::Rest => (None, 32, Rule::AnyWide, Immediate::IntegerOrFloatBits),
            Role::Destination if self.opcode() == Opcode::CvtPack => {
                (None, 32, Rule::IntegerLike { widest: 128 }, Immediate::None)
            }
            Role::Destination => {
                let ty = self.destination();
                (Some(ty), ty.width(), self.rule(ty, true), Immediate::None)
            }
            _ => {
                let ty = self.source();
                (Some(ty), ty.width(), self.rule(ty, false), self.source_immediate())
            }
        };
        let in_vector =
            self.row().shape == Shape::Vector && matches!(role, Role::A | Role::B | Role::E | Role::F);
        let special = role == Role::A
            && self.opcode() == Opcode::Cvt
            && self.source().format().is_integer()
            && self.destination().format().is_integer();
        Operand { role, ty, width, in_vector, rule, immediate, special }
    }

    /// The registers that carry `ty` in this form.
    fn rule(&self, ty: Type, destination: bool) -> Rule {
        let widest = self.widest(ty, destination);
        match ty.format() {
            format if format.is_integer() => Rule::IntegerLike { widest },
            Format::S2f6 if destination => Rule::AnyExact,
            Format::F16 if ty.lanes() == 2 => Rule::PackedHalf { widest },
            Format::F16 | Format::F32 | Format::F64 => Rule::FloatLike { widest },
            Format::Bf16 if !destination && self.is_unchecked() => Rule::AnyExact,
            _ => Rule::BitsOnly,
        }
    }

    /// Where ptxas does not look at the kind of a `.bf16x2` source. (It takes a predicate there, too, and then
    /// fails on some forms.)
    fn is_unchecked(&self) -> bool {
        self.source() == Type::BF16X2 && (self.destination() == Type::E2M1X2 || self.has(Modifier::ScaledN1))
    }

    /// The width of the widest register for `ty`.
    fn widest(&self, ty: Type, destination: bool) -> u32 {
        if self.row().registers == Registers::Exact {
            return ty.width();
        }
        // `.ftz` between f32 and 64 bits: ptxas makes two instructions of it, with a move that must fit.
        let wide = |t: Type| t.width() == 64 && !t.format().is_integer();
        if !self.has(Modifier::Ftz) || !(self.destination().width() == 64 || wide(self.source())) {
            return 128;
        }
        match self.rounding() {
            Some(Rounding::Rz | Rounding::Rm | Rounding::Rp) if destination && ty == Type::F32 => 32,
            _ => 64,
        }
    }

    fn source_immediate(&self) -> Immediate {
        match self.source() {
            ty if ty.format().is_integer() => Immediate::Integer,
            Type::F32 | Type::F64 if self.rounding() == Some(Rounding::Rna) => Immediate::FloatBits,
            Type::F32 | Type::F64 => Immediate::Float,
            Type::BF16X2 if self.is_unchecked() => Immediate::FloatBits,
            _ => Immediate::None,
        }
    }
}
