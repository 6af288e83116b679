//! The operands of a block: constraints, or lists of names and types.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA".

use ptxcvt_syntax::sources::{self, AsmOperand, ListItem};
use ptxcvt_syntax::{Span, cpp};

use super::error::Error;
use crate::meaning::PortType;
use crate::ty::Ty;

/// The declared operands of a block. Instructions declare those that are not declared here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Constraints in the order of the placeholders.
    pub constraints: Option<Vec<Constraint>>,
    /// Outputs and inputs by name or position, with types: `d:.b16`, `1:.f32`, `.f32`.
    pub ports: Option<(Vec<Named>, Vec<Named>)>,
    /// The function of a module to read, as PTX or as C++ names it; `None` if there is only one.
    pub function: Option<String>,
    /// Accept instructions whose result the manual does not fix, and compute the correctly rounded result.
    pub approximate: bool,
}

/// A name, or an empty string if there is none, and a type.
pub type Named = (String, PortType);

/// An operand of inline assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// `=` or `+`.
    pub output: bool,
    /// `+`, or no `=`.
    pub input: bool,
    /// The name in `[name]`, if there is one.
    pub name: Option<String>,
    /// The operand's kind.
    pub kind: ConstraintKind,
    /// The expression in C++, or an empty string.
    pub expression: String,
}

/// The kind of operand that a constraint requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// A register, or a predicate.
    Register(Ty),
    /// The register of an output: `0`.
    Tied(usize),
    /// A constant, `n` or `i`, and its value if it is known.
    Immediate(Option<u64>),
}

impl Interface {
    /// Parses a list of constraints such as `=h,f,f`. Clobbers such as `~{memory}` have no effect on a run.
    ///
    /// # Errors
    ///
    /// Fails if an element is not a constraint of NVIDIA's compilers, or its operand cannot run.
    pub fn constraints(text: &str) -> Result<Self, Error> {
        let mut constraints = Vec::new();
        for (_, item) in sources::constraint_list(text) {
            match item {
                ListItem::Operand(letters) => constraints.push(constraint(letters, Span::default())?),
                ListItem::Clobber(name) if sources::is_clobber(name) => {}
                ListItem::Clobber(name) => {
                    let message =
                        format!("`~{{{name}}}`: the assembly of NVIDIA's GPUs cannot name a register here");
                    return Err(
                        Error::new(Span::default(), message).with_help("write ~{memory} or leave it out")
                    );
                }
            }
        }
        Ok(Interface { constraints: Some(constraints), ..Self::default() })
    }

    /// Parses lists of outputs and inputs such as `d:.b16` and `a:.f32,b:.f32`.
    ///
    /// # Errors
    ///
    /// Fails if an element is not `name:.type`, `number:.type` or `.type`.
    pub fn ports(outputs: &str, inputs: &str) -> Result<Self, Error> {
        let ports = Some((named(outputs)?, named(inputs)?));
        Ok(Interface { ports, ..Self::default() })
    }

    /// True if no operand is declared.
    pub fn is_empty(&self) -> bool {
        self.constraints.is_none() && self.ports.is_none()
    }
}

fn named(list: &str) -> Result<Vec<Named>, Error> {
    let one = |item: &str| {
        let (name, ty) = item.split_once(':').unwrap_or(("", item));
        let ty = PortType::read(ty).ok_or_else(|| {
            let message = match ty.trim() {
                "" => format!("`{item}` has no type"),
                ty => format!("`{ty}` is not a type"),
            };
            Error::new(Span::default(), message).with_help(
                "write d:.b16, 0:.f32 or .f32; a type is a register's, or one of `ptxcvt format`: .e4m3x2",
            )
        })?;
        Ok((name.trim().to_owned(), ty))
    };
    list.split(',').filter(|item| !item.trim().is_empty()).map(one).collect()
}

/// Reads one constraint of inline assembly.
pub(super) fn constraint(text: &str, span: Span) -> Result<Constraint, Error> {
    let sources::Constraint { output, input, kind, .. } = sources::Constraint::of(text);
    let kind = match kind {
        sources::ConstraintKind::Register(register) => {
            match Ty::ALL.iter().find(|ty| ty.register() == register) {
                Some(ty) => ConstraintKind::Register(*ty),
                None => {
                    let message = format!(
                        "constraint `{text}`: `run` does not support operands of {} bits",
                        register.width
                    );
                    return Err(Error::new(span, message));
                }
            }
        }
        sources::ConstraintKind::Immediate => ConstraintKind::Immediate(None),
        sources::ConstraintKind::Tied(to) if !output => ConstraintKind::Tied(to),
        _ => {
            let message = match !text.is_empty() && sources::is_possible_constraint(text, true) {
                true => format!("`run` does not support the constraint `{text}`"),
                false => format!("invalid constraint `{text}`"),
            };
            return Err(Error::new(span, message).with_help(sources::CONSTRAINTS));
        }
    };
    Ok(Constraint { output, input, name: None, kind, expression: String::new() })
}

/// The constraints of an assembly's operands, with their names and the values of constants.
pub(super) fn of_operands(operands: &[AsmOperand]) -> Result<Vec<Constraint>, Error> {
    let read = |operand: &AsmOperand| {
        let mut constraint = constraint(&operand.letters, operand.span)?;
        constraint.name = operand.name.clone();
        constraint.expression = operand.expression.clone();
        if let ConstraintKind::Immediate(value) = &mut constraint.kind {
            *value = cpp::constant::value(&operand.expression).map(|value| value as u64);
        }
        Ok(constraint)
    };
    operands.iter().map(read).collect()
}

/// The constraints in a first line that is a comment with nothing else: `// =h,f,f`.
pub(super) fn of_comment(text: &str) -> Option<Interface> {
    let line = text.lines().map(str::trim).find(|l| !l.is_empty())?;
    let list = line.strip_prefix("//")?.trim();
    let interface = Interface::constraints(list).ok()?;
    list.starts_with(['=', '+']).then_some(interface)
}
