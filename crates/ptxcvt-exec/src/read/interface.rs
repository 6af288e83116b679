//! What the operands of a block are: constraint letters, or lists of names and types.

use ptxcvt_syntax::Span;

use super::Error;
use crate::meaning::PortType;
use crate::ty::Ty;

/// The operands of a block, as far as they are told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Constraints in the order of the placeholders.
    pub constraints: Option<Vec<Constraint>>,
    /// Outputs and inputs by name or position, with types: `d:.b16`, `1:.f32`, `.f32`.
    pub ports: Option<(Vec<Named>, Vec<Named>)>,
    /// Take instructions whose result the manual does not fix, and compute the correctly rounded one.
    pub approximate: bool,
}

/// A name (empty where there is none) and a type.
pub type Named = (String, PortType);

/// An operand of inline assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// `=` or `+`.
    pub output: bool,
    /// `+`, or no `=`.
    pub input: bool,
    /// Its name, where `[name]` stands before it.
    pub name: Option<String>,
    /// What the letter says.
    pub kind: ConstraintKind,
    /// The C expression, where there is one.
    pub expression: String,
}

/// What a constraint letter says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// A register: `h r l f d`, or a predicate `b`.
    Register(Ty),
    /// The same register as an output: `0`.
    Tied(usize),
    /// A constant, `n` or `i`, and its value where it is known.
    Immediate(Option<u64>),
}

impl Interface {
    /// From a constraint string: `=h,f,f`.
    ///
    /// # Errors
    ///
    /// Fails if an element is no constraint that NVIDIA's compilers take.
    pub fn constraints(text: &str) -> Result<Self, Error> {
        let constraints = text.split(',').map(|c| constraint(c.trim(), Span::default()));
        Ok(Interface { constraints: Some(constraints.collect::<Result<_, _>>()?), ..Self::default() })
    }

    /// From lists of outputs and inputs: `d:.b16` and `a:.f32,b:.f32`.
    ///
    /// # Errors
    ///
    /// Fails if an element is no `name:.type`, `number:.type` or `.type`.
    pub fn ports(outputs: &str, inputs: &str) -> Result<Self, Error> {
        let ports = Some((named(outputs)?, named(inputs)?));
        Ok(Interface { ports, ..Self::default() })
    }

    /// True where nothing is told.
    pub fn is_empty(&self) -> bool {
        self.constraints.is_none() && self.ports.is_none()
    }
}

fn named(list: &str) -> Result<Vec<Named>, Error> {
    let one = |item: &str| {
        let (name, ty) = item.split_once(':').unwrap_or(("", item));
        let ty = ty.trim().trim_start_matches('.');
        let ty = PortType::from_name(ty).ok_or_else(|| {
            Error::new(Span::default(), format!("`{item}` has no type")).help(
                "write d:.b16, 0:.f32 or .f32; a type is a register's, or one of `ptxcvt format`: .e4m3x2",
            )
        })?;
        Ok((name.trim().to_owned(), ty))
    };
    list.split(',').filter(|item| !item.trim().is_empty()).map(one).collect()
}

/// Reads one constraint.
pub(super) fn constraint(text: &str, span: Span) -> Result<Constraint, Error> {
    let output = text.starts_with(['=', '+']);
    let letters = text.trim_start_matches(['=', '+', '&', '%']);
    let kind = match letters {
        "h" => ConstraintKind::Register(Ty::B16),
        "r" => ConstraintKind::Register(Ty::B32),
        "l" => ConstraintKind::Register(Ty::B64),
        "f" => ConstraintKind::Register(Ty::F32),
        "d" => ConstraintKind::Register(Ty::F64),
        "b" => ConstraintKind::Register(Ty::Pred),
        "n" | "i" => ConstraintKind::Immediate(None),
        "q" => return Err(Error::new(span, "constraint `q`: 128-bit operands do not run here")),
        digits => match digits.parse() {
            Ok(n) if !output => ConstraintKind::Tied(n),
            _ => {
                let message = format!("`{text}` is no constraint");
                let help = "constraints are h (16 bits), r (32), l (64), f (f32), d (f64), n (a constant), \
                            =… for outputs, +… for both";
                return Err(Error::new(span, message).help(help));
            }
        },
    };
    let input = !text.starts_with('=');
    Ok(Constraint { output, input, name: None, kind, expression: String::new() })
}

/// The constraints in a first line that is a comment of nothing else: `// =h,f,f`.
pub(super) fn of_comment(text: &str) -> Option<Interface> {
    let line = text.lines().map(str::trim).find(|l| !l.is_empty())?;
    let list = line.strip_prefix("//")?.trim();
    let interface = Interface::constraints(list).ok()?;
    list.starts_with(['=', '+']).then_some(interface)
}
