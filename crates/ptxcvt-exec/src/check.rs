//! Checks whether operands fit an opcode, by the tables of instructions and forms.
//!
//! PTX ISA sections 6.1 (operand types), 6.4 (vectors), 9.4 (type information).

use ptxcvt::forms::{RegisterClass, RegisterType};

use crate::meaning::Meaning;
use crate::operand::{Operand, Reg, Register};
use crate::table::{Kind, Of, OpError, Opcode, Semantics};
use crate::ty::{Class, Ty};

/// A problem and the operand that has it; `None` if it concerns the instruction.
#[derive(Clone, Debug)]
pub(crate) struct Misfit {
    pub operand: Option<usize>,
    pub error: OpError,
}

impl Misfit {
    fn new(operand: impl Into<Option<usize>>, message: impl Into<String>) -> Self {
        Misfit { operand: operand.into(), error: OpError { message: message.into(), help: None } }
    }
}

/// The operands that a place accepts.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// An operand of the table of instructions.
    Typed {
        name: &'static str,
        ty: Ty,
        kind: Kind,
        /// The type is the same for all types of the instruction.
        fixed: bool,
    },
    /// An operand of the table of forms.
    Form(ptxcvt::forms::Operand),
    /// `{a, b, e, f}` of a form.
    Vector(Vec<ptxcvt::forms::Operand>),
    /// An operand of `mov`: a register, a vector of parts, or, as a source, a constant.
    Move { ty: Ty },
}

impl Slot {
    /// The type of an undeclared operand in this place.
    pub fn ty(&self) -> Option<Ty> {
        match self {
            Slot::Typed { ty, .. } => Some(*ty),
            Slot::Form(operand) => Some(form_type(operand)),
            Slot::Vector(_) => None,
            Slot::Move { ty } => Some(*ty),
        }
    }
}

impl Slot {
    /// The meaning of an operand in this place; `None` for plain bits.
    pub fn meaning(&self) -> Option<Meaning> {
        match self {
            Slot::Typed { ty, .. } | Slot::Move { ty } => Meaning::of(*ty),
            Slot::Form(operand) => operand.ty.map(Meaning::from),
            Slot::Vector(_) => None,
        }
    }
}

/// The instruction type for a form's operand: its own type if the table of instructions has it, otherwise bits.
fn form_type(operand: &ptxcvt::forms::Operand) -> Ty {
    let own = operand.ty.and_then(|t| Ty::from_name(t.name()));
    own.unwrap_or_else(|| {
        let bits = |t: &Ty| t.class() == Class::Bits && t.width() == operand.width.max(8);
        Ty::ALL.iter().copied().find(bits).expect("a form's operand has 8, 16, 32 or 64 bits")
    })
}

/// The operands that each place of an opcode accepts.
pub(crate) fn slots(opcode: &Opcode) -> Vec<Slot> {
    match opcode {
        Opcode::Op(op) if matches!(op.row().semantics, Semantics::Move) => {
            vec![Slot::Move { ty: op.ty(0) }; 2]
        }
        Opcode::Op(op) => {
            let typed = |o: &crate::table::Operand| Slot::Typed {
                name: o.name,
                ty: op.operand_type(o),
                kind: o.kind,
                fixed: matches!(o.of, Of::Is(_)),
            };
            op.row().operands.iter().map(typed).collect()
        }
        Opcode::Convert(form) => {
            let (vector, single): (Vec<_>, Vec<_>) = form.operands().partition(|o| o.in_vector);
            let mut slots: Vec<Slot> = single.into_iter().map(Slot::Form).collect();
            if !vector.is_empty() {
                slots.insert(1, Slot::Vector(vector));
            }
            slots
        }
    }
}

/// Checks the operands of an opcode. Returns the opcode; if instructions with different numbers of operands share a
/// spelling, the one with this number.
pub(crate) fn operands(
    opcode: Opcode,
    operands: &[Operand],
    registers: &[Register],
) -> Result<Opcode, Misfit> {
    let opcode = opcode.with_operands(operands.len());
    let slots = slots(&opcode);
    if slots.len() != operands.len() {
        let written = match &opcode {
            Opcode::Op(op) => op.operand_count(),
            Opcode::Convert(_) => slots.len(),
        };
        let message =
            format!("`{opcode}` takes {}, not {}", ptxcvt::counted(written, "operand"), operands.len());
        return Err(Misfit::new(None, message));
    }
    if let [Slot::Move { ty }, _] = slots[..] {
        move_operands(ty, operands, registers)?;
        return Ok(opcode);
    }
    for (at, (slot, operand)) in slots.iter().zip(operands).enumerate() {
        fits(&opcode, slot, operand, registers).map_err(|message| Misfit::new(at, message))?;
    }
    Ok(opcode)
}

fn ty_of(registers: &[Register], register: Reg) -> RegisterType {
    registers[register.0 as usize].ty
}

/// Checks one operand.
fn fits(opcode: &Opcode, slot: &Slot, operand: &Operand, registers: &[Register]) -> Result<(), String> {
    let wrong = |register: RegisterType, wanted: String| {
        Err(format!("a `{register}` register does not fit here: `{opcode}` takes {wanted}"))
    };
    match (slot, operand) {
        (Slot::Typed { ty, kind, fixed, .. }, Operand::Register(r)) if *kind != Kind::Constant => {
            let register = ty_of(registers, *r);
            let foreign = matches!(register.class, RegisterClass::F16x2 | RegisterClass::Float);
            match ty.accepts(register) && !(*fixed && foreign) {
                true if *kind == Kind::Predicates && is_packed(opcode) => {
                    Err("a packed comparison has two results: write `p|q`".into())
                }
                true => Ok(()),
                false => wrong(register, format!("`{ty}`")),
            }
        }
        (Slot::Typed { ty, kind: Kind::Carrying, .. }, Operand::WithCarry(d, _)) => {
            match ty_of(registers, *d) {
                register if ty.accepts(register) => Ok(()),
                register => wrong(register, format!("`{ty}`")),
            }
        }
        (Slot::Typed { ty: Ty::Pred, kind: Kind::Source, .. }, Operand::Not(r)) => {
            match ty_of(registers, *r) {
                register if Ty::Pred.accepts(register) => Ok(()),
                register => wrong(register, "`.pred`".into()),
            }
        }
        (Slot::Typed { kind: Kind::Predicates, .. }, Operand::Pair(..)) if is_half(opcode) => {
            Err(format!("`{opcode}` has one result: write `p`, not `p|q`"))
        }
        (Slot::Typed { kind: Kind::Predicates, .. }, Operand::Pair(p, q)) => {
            let mut both = p.iter().chain(q).map(|r| ty_of(registers, *r));
            both.find(|t| !Ty::Pred.accepts(*t)).map_or(Ok(()), |t| wrong(t, "`.pred`".into()))
        }
        (Slot::Typed { kind: Kind::Predicates | Kind::Discardable, .. }, Operand::Sink) => Ok(()),
        (Slot::Typed { kind: Kind::Field, .. }, Operand::Constant(bits)) if *bits > 0xff => {
            Err(format!("`{opcode}` takes constants from 0 to 255 here"))
        }
        (Slot::Typed { ty, kind: kind @ (Kind::Source | Kind::Register), .. }, Operand::Constant(_))
            if *kind == Kind::Register || !ty.takes_constants() =>
        {
            Err(format!("`{opcode}` takes no constant here: `mov` it to a register first"))
        }
        (Slot::Typed { kind: Kind::Source | Kind::Field | Kind::Constant, .. }, Operand::Constant(_)) => {
            Ok(())
        }
        (Slot::Form(form), Operand::Register(r)) => {
            let register = ty_of(registers, *r);
            let accepted: Vec<String> = form.accepted().map(|t| format!("`{t}`")).collect();
            if form.accepts(register) { Ok(()) } else { wrong(register, accepted.join(" ")) }
        }
        (Slot::Form(form), Operand::Constant(_)) if form.immediate() != ptxcvt::forms::Immediate::None => {
            Ok(())
        }
        (Slot::Vector(forms), Operand::Vector(parts)) => {
            if forms.len() != parts.len() {
                return Err(format!(
                    "a vector of {} is needed here",
                    ptxcvt::counted(forms.len(), "element")
                ));
            }
            let mut each = forms.iter().zip(parts);
            each.try_for_each(|(form, part)| fits(opcode, &Slot::Form(*form), part, registers))
        }
        (Slot::Vector(forms), _) => {
            Err(format!("a vector of {} is needed here", ptxcvt::counted(forms.len(), "element")))
        }
        (Slot::Typed { kind: Kind::Constant, name, .. }, _) => {
            Err(format!("`{name}` must be an integer constant"))
        }
        (_, Operand::Constant(_)) => Err(format!("`{opcode}` takes no constant here")),
        (_, Operand::Vector(_)) => Err("a vector is not allowed here".into()),
        (_, Operand::Not(_)) => Err("only a predicate source can be negated".into()),
        (_, Operand::WithCarry(..)) => Err(format!("`{opcode}` does not write the carry flag")),
        (_, Operand::Pair(..)) => Err("only a comparison writes two predicates".into()),
        (_, Operand::Sink) => Err("`_` is not allowed here".into()),
        (Slot::Typed { .. } | Slot::Move { .. }, Operand::Register(_)) => {
            Err("a constant is needed here".into())
        }
    }
}

fn is_packed(opcode: &Opcode) -> bool {
    matches!(opcode, Opcode::Op(op) if op.lanes() > 1)
}

/// True for a comparison of single 16-bit floats.
fn is_half(opcode: &Opcode) -> bool {
    matches!(opcode, Opcode::Op(op) if matches!(op.ty(0), Ty::F16 | Ty::Bf16))
}

/// Checks `mov`: a register or constant to a register, parts to a register, or a register to parts.
fn move_operands(ty: Ty, operands: &[Operand], registers: &[Register]) -> Result<(), Misfit> {
    let whole = |at: usize, r| match ty_of(registers, r) {
        register if ty.accepts(register) => Ok(()),
        register => {
            Err(Misfit::new(at, format!("a `{register}` register does not fit here: `mov{ty}` takes `{ty}`")))
        }
    };
    let parts = |at: usize, parts: &[Operand]| {
        if ty.class() != Class::Bits {
            return Err(Misfit::new(
                at,
                format!("only `mov.b16`, `.b32`, `.b64` pack and unpack, not `mov{ty}`"),
            ));
        }
        let width = ty.width() / parts.len().max(1) as u32;
        if !matches!(parts.len(), 2 | 4) || width < 8 {
            return Err(Misfit::new(at, format!("`mov{ty}` has no {} parts", parts.len())));
        }
        for part in parts {
            match part {
                Operand::Register(r) if ty_of(registers, *r).width == width => {}
                Operand::Register(r) => {
                    let register = ty_of(registers, *r);
                    let message = format!(
                        "a part of `mov{ty}` has {width} bits here, a `{register}` register does not"
                    );
                    return Err(Misfit::new(at, message));
                }
                Operand::Sink if at == 0 => {}
                _ => return Err(Misfit::new(at, "the parts of `mov` are registers")),
            }
        }
        Ok(())
    };
    match operands {
        [Operand::Register(d), Operand::Register(a)] => whole(0, *d).and_then(|()| whole(1, *a)),
        [Operand::Register(d), Operand::Constant(_)] => whole(0, *d),
        [Operand::Register(d), Operand::Not(a)] if ty == Ty::Pred => whole(0, *d).and_then(|()| whole(1, *a)),
        [Operand::Register(d), Operand::Vector(sources)] => whole(0, *d).and_then(|()| parts(1, sources)),
        [Operand::Vector(targets), Operand::Register(a)] => whole(1, *a).and_then(|()| parts(0, targets)),
        [Operand::Vector(_), _] => Err(Misfit::new(1, "only a register can be unpacked")),
        [Operand::Register(_), _] => {
            Err(Misfit::new(1, "`mov` takes a register, a constant or a vector here"))
        }
        _ => Err(Misfit::new(0, "the destination must be a register or a vector")),
    }
}
