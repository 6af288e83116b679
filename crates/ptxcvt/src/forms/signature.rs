//! The operands of a form, and the registers and immediates that each accepts.
//!
//! The operand types of PTX ISA sections 9.7.9.21 and 9.7.9.22, and those that ptxas accepts in addition.

use super::form::Form;
use super::modifier::Modifier;
use super::opcode::Opcode;
use super::operand::{Immediate, Operand, Role, Rule};
use super::row::{Registers, Shape};
use crate::formats::Format;
use crate::round::Rounding;
use crate::types::Type;

impl Form {
    /// The operands in PTX order, destination first, the elements of `{a, b, e, f}` one by one, then
    /// `c`, `rbits` or `scale-factor`.
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
    /// let registers: Vec<String> = form.operands().map(|o| o.register().to_string()).collect();
    /// assert_eq!(registers, [".b16", ".f32", ".f32"]);
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn operands(&self) -> impl Iterator<Item = Operand> + use<> {
        let form = *self;
        let destination = core::iter::once(form.operand(Role::Destination));
        destination.chain(form.data_operands()).chain(form.extra())
    }

    /// The source operands that hold the elements to convert, in PTX order: all but [`extra`](Self::extra).
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rs.satfinite.e4m3x4.f32".parse()?;
    /// let names: Vec<&str> = form.data_operands().map(|o| o.role.name()).collect();
    /// assert_eq!(names, ["a", "b", "e", "f"]);
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn data_operands(&self) -> impl ExactSizeIterator<Item = Operand> + use<> {
        let form = *self;
        form.data_roles().iter().map(move |role| form.operand(*role))
    }

    /// The source operand after the elements, if there is one: `rbits` of `.rs`, the `scale-factor` of `.scaled`, or
    /// `c` of `cvt.pack`. No form has two of them.
    ///
    /// ```
    /// use ptxcvt::forms::Role;
    /// use ptxcvt::Form;
    /// let extra = |opcode: &str| opcode.parse::<Form>().unwrap().extra().map(|o| (o.role, o.width));
    /// assert_eq!(extra("cvt.rs.f16x2.f32"), Some((Role::RandomBits, 32)));
    /// assert_eq!(extra("cvt.rn.scaled::n2::ue8m0.bf16x2.e2m1x2"), Some((Role::ScaleFactor, 16)));
    /// assert_eq!(extra("cvt.rn.f16x2.f32"), None);
    /// ```
    pub fn extra(&self) -> Option<Operand> {
        self.extra_role().map(|role| self.operand(role))
    }

    #[inline]
    fn data_roles(&self) -> &'static [Role] {
        match self.row().shape {
            Shape::One => &[Role::A],
            Shape::Two | Shape::TwoAndRest => &[Role::A, Role::B],
            Shape::Vector => &[Role::A, Role::B, Role::E, Role::F],
        }
    }

    #[inline]
    fn extra_role(&self) -> Option<Role> {
        if self.rounding() == Some(Rounding::Rs) {
            Some(Role::RandomBits)
        } else if self.has(Modifier::ScaledN1) || self.has(Modifier::ScaledN2) {
            Some(Role::ScaleFactor)
        } else {
            (self.row().shape == Shape::TwoAndRest).then_some(Role::Rest)
        }
    }

    /// The number of source operands of [`Form::eval`](crate::Form::eval).
    #[inline]
    pub fn source_count(&self) -> usize {
        self.data_roles().len() + usize::from(self.extra_role().is_some())
    }

    /// True if PTX accepts registers wider than the type (the notes of 9.7.9.21). It reads the low bits of a
    /// source, and extends a result.
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

    /// The registers that hold `ty` in this form.
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

    /// True if ptxas does not check the kind of a `.bf16x2` source. It accepts even a predicate, and then
    /// fails on some forms.
    fn is_unchecked(&self) -> bool {
        self.source() == Type::BF16X2 && (self.destination() == Type::E2M1X2 || self.has(Modifier::ScaledN1))
    }

    /// The width of the widest register for `ty`.
    fn widest(&self, ty: Type, destination: bool) -> u32 {
        if self.row().registers == Registers::Exact {
            return ty.width();
        }
        // For `.ftz` between f32 and 64 bits ptxas makes two instructions, with a move that must fit.
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
