//! An instruction's name, modifiers and types: one legal point of the table, and its spelling.
//!
//! PTX ISA section 9.1 (format of instructions).

use std::fmt;

use ptxcvt::{Form, IsaVersion, Target};

use super::candidates::{self, Candidate};
use super::row::{Of, Operand, Row, Semantics, Slot, complete};
use super::rows;
use crate::modifier::Modifiers;
use crate::semantics::MAX_TYPES;
use crate::ty::Ty;

/// An instruction without its operands: name, modifiers and types.
///
/// ```
/// use ptxcvt_exec::Opcode;
/// let opcode: Opcode = "fma.rn.relu.bf16x2".parse()?;
/// assert_eq!(opcode.since("sm_80".parse()?).unwrap().to_string(), "7.0");
/// assert_eq!(opcode.since("sm_75".parse()?), None);
/// let opcode: Opcode = "cvt.rn.f16x2.f32".parse()?;
/// assert!(matches!(opcode, Opcode::Convert(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opcode {
    /// `cvt` or `cvt.pack`.
    Convert(Form),
    /// Any other instruction.
    Op(Op),
}

/// [`Op`] stores the index of its row in 16 bits.
const _: () = assert!(ROWS.len() <= 1 + u16::MAX as usize, "the table fits its index type");

/// The table. An incomplete row does not compile.
const ROWS: &[Row] = complete(rows::ROWS);

impl Opcode {
    /// The first ISA version at which `target` accepts the instruction; `None` if no version does.
    pub fn since(&self, target: Target) -> Option<IsaVersion> {
        match self {
            Opcode::Convert(form) => form.since(target),
            Opcode::Op(op) => op.since(target),
        }
    }

    /// The instruction of the same spelling with this number of operands, if there is one; otherwise this one.
    pub(crate) fn with_operands(self, count: usize) -> Opcode {
        match self {
            Opcode::Convert(form) => Opcode::Convert(form),
            Opcode::Op(op) => Opcode::Op(op.with_operands(count)),
        }
    }

    /// True if the manual does not define every bit of the result.
    pub fn is_approximate(&self) -> bool {
        matches!(self, Opcode::Op(op) if matches!(op.row().semantics, Semantics::Approximate(_)))
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Opcode::Convert(form) => form.fmt(f),
            Opcode::Op(op) => op.fmt(f),
        }
    }
}

/// A legal point of the table of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Op {
    row: u16,
    modifiers: Modifiers,
    types: Types,
}

/// The types of an instruction in written order; the rest is `None`.
pub(super) type Types = [Option<Ty>; MAX_TYPES];

impl Op {
    #[inline]
    pub(crate) fn row(&self) -> &'static Row {
        &ROWS[usize::from(self.row)]
    }

    /// The instruction's name.
    pub fn name(&self) -> &'static str {
        self.row().name
    }

    /// The modifiers.
    pub fn modifiers(&self) -> Modifiers {
        self.modifiers
    }

    /// The number of operands in the text.
    pub fn operand_count(&self) -> usize {
        self.row().operand_count()
    }

    /// The types, in written order.
    pub fn types(&self) -> impl Iterator<Item = Ty> {
        self.types.into_iter().flatten()
    }

    /// The n-th type, or the first one if there are fewer.
    pub(crate) fn ty(&self, n: usize) -> Ty {
        self.types.get(n).copied().flatten().or(self.types[0]).expect("every row has a type")
    }

    /// The number of elements, which are computed one by one.
    pub(crate) fn lanes(&self) -> u32 {
        self.types().map(Ty::lanes).max().expect("every row has a type")
    }

    /// The type of an operand of the row.
    pub(crate) fn operand_type(&self, operand: &Operand) -> Ty {
        match operand.of {
            Of::Type(n) => self.types[n].expect("every operand of a row has a type"),
            Of::Wide => self.ty(0).doubled(),
            Of::Is(ty) => ty,
        }
    }

    /// The first ISA version at which `target` accepts the instruction; `None` if no version does.
    pub fn since(&self, target: Target) -> Option<IsaVersion> {
        let row = self.row();
        let chosen = row.modifiers.iter().filter(|slot| slot.choices.iter().any(|m| self.modifiers.has(*m)));
        std::iter::once(row.gate)
            .chain(chosen.map(|slot| slot.gate))
            .try_fold(target.introduced(), |first, gate| Some(first.max(gate.since(target)?)))
    }

    /// Every legal point of the table: each row's types with each choice of modifiers. A spelling that accepts two
    /// numbers of operands, such as `min.f32`, appears twice.
    pub fn all() -> impl Iterator<Item = Op> {
        ROWS.iter().enumerate().flat_map(|(at, row)| {
            row.points().filter_map(move |(modifiers, types)| {
                let owns = |earlier: &Row| {
                    earlier.name == row.name
                        && earlier.operand_count() == row.operand_count()
                        && earlier.has_types(types)
                        && earlier.takes(modifiers)
                };
                let op = Op { row: at as u16, modifiers, types };
                (row.takes(modifiers) && !ROWS[..at].iter().any(owns)).then_some(op)
            })
        })
    }

    /// Every combination of the table's words, legal or not, with operands, for an assembler to judge.
    pub fn candidates() -> impl Iterator<Item = Candidate> {
        candidates::all()
    }

    /// The instruction with the same spelling and this number of operands (`min` and `max` of f32 exist with two
    /// numbers), or this instruction if there is none.
    fn with_operands(self, count: usize) -> Op {
        let fits = |r: &Row| {
            r.name == self.name()
                && r.has_types(self.types)
                && r.takes(self.modifiers)
                && r.operand_count() == count
        };
        match ROWS.iter().position(fits) {
            Some(row) => Op { row: row as u16, ..self },
            None => self,
        }
    }

    /// The op of this name, modifiers and types, if it is legal.
    pub(super) fn new(name: &str, modifiers: Modifiers, types: Types) -> Option<Op> {
        let row = ROWS.iter().position(|r| r.name == name && r.has_types(types) && r.takes(modifiers))?;
        Some(Op { row: row as u16, modifiers, types })
    }
}

impl Row {
    /// True if this is a legal choice of types.
    pub(super) fn has_types(&self, types: Types) -> bool {
        let given = types.iter().flatten().count();
        given == self.types.len() && types.iter().flatten().zip(self.types).all(|(t, may)| may.contains(t))
    }

    /// True if this is a legal set of modifiers.
    fn takes(&self, modifiers: Modifiers) -> bool {
        let of = |slot: &Slot| slot.choices.iter().filter(|m| modifiers.has(**m)).count();
        let used: usize = self.modifiers.iter().map(of).sum();
        used == modifiers.len() as usize
            && self.modifiers.iter().all(|slot| of(slot) == 1 || (of(slot) == 0 && !slot.required))
    }

    /// Every choice of modifiers and types.
    pub(super) fn points(&self) -> impl Iterator<Item = (Modifiers, Types)> + '_ {
        let mut sets = vec![Modifiers::default()];
        for slot in self.modifiers {
            let none = if slot.required { &[][..] } else { &sets[..] };
            let with = slot.choices.iter().flat_map(|m| sets.iter().map(|set| set.with(*m)));
            sets = none.iter().copied().chain(with).collect();
        }
        self.type_lists()
            .into_iter()
            .flat_map(move |types| sets.clone().into_iter().map(move |set| (set, types)))
    }
}

impl Row {
    /// Every choice of types.
    pub(super) fn type_lists(&self) -> Vec<Types> {
        self.types.iter().enumerate().fold(vec![[None; MAX_TYPES]], |lists, (at, choices)| {
            let with = |mut types: Types, ty: Ty| {
                types[at] = Some(ty);
                types
            };
            lists.iter().flat_map(|types| choices.iter().map(|ty| with(*types, *ty))).collect()
        })
    }
}

impl fmt::Display for Op {
    /// The canonical spelling: modifiers and types in the order of the manual's syntax line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modifiers = |f: &mut fmt::Formatter<'_>, last: bool| {
            let slots = self.row().modifiers.iter().filter(|slot| slot.last == last);
            let mut chosen = slots.flat_map(|slot| slot.choices).filter(|m| self.modifiers.has(**m));
            chosen.try_for_each(|m| write!(f, "{m}"))
        };
        f.write_str(self.name())?;
        modifiers(f, false)?;
        self.types().try_for_each(|ty| write!(f, "{ty}"))?;
        modifiers(f, true)
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Op({self})")
    }
}
