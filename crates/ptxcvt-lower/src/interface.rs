//! The operands of a form as operands of inline assembly.
//!
//! PTX ISA section 9.7.9.21 for the operands, "Inline PTX Assembly in CUDA" for the constraint letters.

use std::fmt;

use ptxcvt::Form;
use ptxcvt::forms::{Operand, RegisterClass, Role};

/// The operands of a form in inline assembly: `%0` is the destination, the sources follow in PTX order, the elements of a
/// vector one by one.
///
/// There is no constraint for 8 bits, so such an operand is in the low byte of a 16-bit one. The upper byte of a source is
/// ignored. The upper byte of the destination extends the sign of a signed integer, and is zero otherwise.
///
/// ```
/// use ptxcvt_lower::Interface;
/// let letters = |opcode: &str| Interface::new(opcode.parse().unwrap()).to_string();
/// assert_eq!(letters("cvt.rn.satfinite.e4m3x2.f32"), "=h,f,f");
/// assert_eq!(letters("cvt.rn.satfinite.e2m1x2.f32"), "=h,f,f");
/// assert_eq!(letters("cvt.rs.satfinite.e2m1x4.f32"), "=h,f,f,f,f,r");
/// assert_eq!(letters("cvt.rn.f64.s64"), "=d,l");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface {
    form: Form,
}

impl Interface {
    /// The interface of a form.
    pub fn new(form: Form) -> Self {
        Interface { form }
    }

    /// The operands in the order of their placeholders, destination first.
    pub fn operands(self) -> impl Iterator<Item = Operand> {
        self.form.operands()
    }

    /// The constraint letter of an operand.
    pub fn letter(operand: &Operand) -> char {
        let register = operand.register();
        match (register.class, register.width) {
            (RegisterClass::Float, 32) => 'f',
            (RegisterClass::Float, 64) => 'd',
            (_, 64) => 'l',
            (_, 32) => 'r',
            (_, 8 | 16) => 'h',
            (class, width) => {
                unreachable!("no conversion has an operand of {width} bits and class {class:?}")
            }
        }
    }
}

impl Interface {
    /// The register type for an operand's letter, without the dot.
    pub(crate) fn register(operand: &Operand) -> &'static str {
        match Self::letter(operand) {
            'f' => "f32",
            'd' => "f64",
            'l' => "b64",
            'r' => "b32",
            _ => "b16",
        }
    }
}

impl fmt::Display for Interface {
    /// The constraint string: `=h,f,f`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.operands().try_for_each(|operand| match operand.role {
            Role::Destination => write!(f, "={}", Self::letter(&operand)),
            _ => write!(f, ",{}", Self::letter(&operand)),
        })
    }
}
