//! The C types of a form's operands.

use ptxcvt::Form;
use ptxcvt::forms::{Operand, RegisterClass};

use crate::interface::Interface;

/// The C types of the result and of the parameters of a form's function.
///
/// ```
/// let form = "cvt.rn.satfinite.e2m1x2.f32".parse().unwrap();
/// assert_eq!(ptxcvt_lower::render::parameter_types(form), ["unsigned char", "float", "float"]);
/// ```
pub fn parameter_types(form: Form) -> Vec<&'static str> {
    form.operands().map(|operand| c_type(&operand)).collect()
}

/// The type of a parameter.
pub(super) fn c_type(operand: &Operand) -> &'static str {
    let signed = operand.register().class == RegisterClass::Signed;
    match (operand.width, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        _ => register_type(operand),
    }
}

/// The C type of a variable that is an operand of inline assembly.
///
/// ```
/// let form: ptxcvt::Form = "cvt.rn.satfinite.e2m1x2.f32".parse().unwrap();
/// let types: Vec<_> = form.operands().map(|operand| ptxcvt_lower::render::register_type(&operand)).collect();
/// assert_eq!(types, ["unsigned short", "float", "float"]);
/// ```
pub fn register_type(operand: &Operand) -> &'static str {
    let signed = operand.register().class == RegisterClass::Signed;
    match (Interface::letter(operand), signed) {
        ('f', _) => "float",
        ('d', _) => "double",
        ('l', true) => "long long",
        ('l', false) => "unsigned long long",
        ('r', true) => "int",
        ('r', false) => "unsigned int",
        (_, true) => "short",
        (_, false) => "unsigned short",
    }
}
