//! The vector operand `{a, b, e, f}`: the elements that ptxas accepts together.
//!
//! PTX ISA section 9.7.9.21 requires four `.f32`; ptxas also accepts `.b32` and some mixtures, which this file lists.

use core::fmt;

use super::operand::Role;
use super::register::{RegisterClass, RegisterType};

/// An element of the vector operand of the `x4` forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorElement {
    /// A register of that type.
    Register(RegisterType),
    /// An element of a vector register, of that type: `v.x`.
    Selected(RegisterType),
    /// A special register.
    Special {
        /// The width in bits; `None` for a predicate.
        width: Option<u32>,
    },
    /// An integer literal.
    Integer,
    /// A floating-point literal, decimal or hexadecimal.
    Float,
}

/// Why a vector operand is invalid. Elements are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VectorProblem {
    /// The element is not 32 bits wide, or is a predicate.
    Element(usize),
    /// The element is incompatible with the one before it.
    Neighbours(usize),
    /// The element is a literal, and another one is a special register or an element of a vector register.
    Literal(usize),
    /// All elements are integers of one type: `.f32` or `.b32` are needed.
    Integers,
}

impl VectorProblem {
    /// The rejected element; `None` if the reason is not one element.
    ///
    /// ```
    /// assert_eq!(ptxcvt::forms::VectorProblem::Neighbours(2).position(), Some(2));
    /// ```
    pub const fn position(self) -> Option<usize> {
        match self {
            VectorProblem::Element(at) | VectorProblem::Neighbours(at) | VectorProblem::Literal(at) => {
                Some(at)
            }
            VectorProblem::Integers => None,
        }
    }
}

impl fmt::Display for VectorProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VectorProblem::Element(_) => f.write_str("an element must be 32 bits wide"),
            VectorProblem::Neighbours(at) => {
                f.write_str("element ")?;
                match ROLES.get(*at) {
                    Some(role) => write!(f, "`{}`", role.name())?,
                    None => write!(f, "{at}")?,
                }
                f.write_str(" and the one before it have different types")
            }
            VectorProblem::Literal(_) => f.write_str(
                "a literal cannot be combined with a special register or an element of a vector register",
            ),
            VectorProblem::Integers => f.write_str("all elements are integers"),
        }
    }
}

impl core::error::Error for VectorProblem {}

/// The elements of the vector operand.
const ROLES: [Role; 4] = [Role::A, Role::B, Role::E, Role::F];

/// The reason why ptxas rejects these elements of `{a, b, e, f}`; `None` if it accepts them.
///
/// It compares only neighbours, and `.b32` agrees with every type: `{%b, %u, %b, %f}` is accepted, `{%u, %f,
/// %b, %b}` is not.
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
        Special { width } => *width == Some(32),
        Integer | Float => true,
    };
    if let Some(at) = elements.iter().position(|e| !fits(e)) {
        return Some(VectorProblem::Element(at));
    }
    // An integer literal is accepted only as the first element.
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

/// True if ptxas accepts these neighbours, both 32 bits wide.
fn agree(left: VectorElement, right: VectorElement) -> bool {
    use RegisterClass::{Bits, F16x2, Float as FloatRegister, Signed, Unsigned};
    use VectorElement::{Float, Integer, Special};
    match (left, right) {
        // A special register together with a literal is reported by the caller.
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
