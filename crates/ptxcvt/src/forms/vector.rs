//! The vector operand `{a, b, e, f}`: which elements go together.
//!
//! PTX ISA section 9.7.9.21 asks for four `.f32`; what ptxas accepts beside that is written here.

use super::register::{RegisterClass, RegisterType};

/// An element of the vector operand of the `x4` forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorElement {
    /// A register of that type.
    Register(RegisterType),
    /// An element of a vector register, of that type: `v.x`.
    Selected(RegisterType),
    /// A special register of that width.
    Special {
        /// The width in bits.
        width: u32,
    },
    /// An integer literal.
    Integer,
    /// A floating-point literal, decimal or hexadecimal.
    Float,
}

/// What is wrong with a vector operand; the elements are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorProblem {
    /// The element is not 32 bits wide, or is a predicate.
    Element(usize),
    /// The element does not go with the one before it.
    Neighbours(usize),
    /// The element is a literal, beside a special register or an element of a vector register.
    Literal(usize),
    /// All elements are integers of one type: `.f32` or `.b32` are needed.
    Integers,
}

/// What ptxas has against these elements of `{a, b, e, f}`.
///
/// It compares neighbours only, and `.b32` goes with every type: `{%b, %u, %b, %f}` passes, `{%u, %f, %b, %b}`
/// does not.
///
/// ```
/// use ptxcvt::forms::{RegisterType, VectorElement, VectorProblem, vector_problem};
/// let register = |name| VectorElement::Register(RegisterType::from_name(name).unwrap());
/// let (f32, b32, u32) = (register("f32"), register("b32"), register("u32"));
/// assert_eq!(vector_problem(&[f32, b32, VectorElement::Float, f32]), None);
/// assert_eq!(vector_problem(&[f32, u32, f32, f32]), Some(VectorProblem::Neighbours(1)));
/// assert_eq!(vector_problem(&[u32; 4]), Some(VectorProblem::Integers));
/// ```
pub fn vector_problem(elements: &[VectorElement]) -> Option<VectorProblem> {
    use VectorElement::{Float, Integer, Register, Selected, Special};
    let fits = |e: &VectorElement| match e {
        Register(r) | Selected(r) => r.width == 32 && r.class != RegisterClass::Predicate,
        Special { width } => *width == 32,
        Integer | Float => true,
    };
    if let Some(at) = elements.iter().position(|e| !fits(e)) {
        return Some(VectorProblem::Element(at));
    }
    // An integer literal is taken in the first place only.
    let apart = elements.windows(2).position(|pair| pair[1] == Integer || !agree(pair[0], pair[1]));
    if let Some(at) = apart {
        return Some(VectorProblem::Neighbours(at + 1));
    }
    if elements.iter().any(|e| matches!(e, Selected(_) | Special { .. })) {
        if let Some(at) = elements.iter().position(|e| matches!(e, Integer | Float)) {
            return Some(VectorProblem::Literal(at));
        }
    }
    let mut classes = elements.iter().map(class);
    let first = classes.next()??;
    let integer = !matches!(first, RegisterClass::Float | RegisterClass::Bits);
    (integer && classes.all(|c| c == Some(first))).then_some(VectorProblem::Integers)
}

/// Neighbours, both 32 bits wide, that may stand side by side.
fn agree(left: VectorElement, right: VectorElement) -> bool {
    use RegisterClass::{Bits, F16x2, Float as FloatRegister, Signed, Unsigned};
    use VectorElement::{Float, Integer, Special};
    match (left, right) {
        // A special register beside a literal is found by itself.
        (Special { .. }, _) | (_, Special { .. }) => true,
        (Integer, other) | (other, Integer) => matches!(class(&other), Some(Bits | Signed | Unsigned)),
        (Float, other) | (other, Float) => {
            other == Float || matches!(class(&other), Some(Bits | FloatRegister))
        }
        _ => match (class(&left), class(&right)) {
            (Some(Bits), _) | (_, Some(Bits)) => true,
            (Some(Unsigned | Signed), Some(Unsigned | Signed)) => true,
            (Some(a @ (FloatRegister | F16x2)), Some(b)) => a == b,
            _ => false,
        },
    }
}

fn class(element: &VectorElement) -> Option<RegisterClass> {
    match element {
        VectorElement::Register(r) | VectorElement::Selected(r) => Some(r.class),
        _ => None,
    }
}
