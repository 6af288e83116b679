//! What a row of the table says.

use ptxcvt::{IsaVersion, Target};

use super::modifier::Modifier;
use crate::semantics::Call;
use crate::ty::Ty;

/// A syntax line of the manual.
#[derive(Debug)]
pub(crate) struct Row {
    /// The instruction's name.
    pub name: &'static str,
    /// The modifiers, in printed order.
    pub modifiers: &'static [Slot],
    /// What may stand at each place of the list of types.
    pub types: &'static [&'static [Ty]],
    /// The operands, destination first.
    pub operands: &'static [Operand],
    /// Where the line is legal.
    pub gate: Gate,
    /// What it computes.
    pub semantics: Semantics,
}

/// A place for one of several modifiers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub choices: &'static [Modifier],
    pub required: bool,
    pub gate: Gate,
}

impl Slot {
    /// The same, from later on.
    pub const fn from(self, gate: Gate) -> Slot {
        Slot { gate, ..self }
    }
}

/// One of these, or none.
pub(super) const fn opt(choices: &'static [Modifier]) -> Slot {
    Slot { choices, required: false, gate: ALWAYS }
}

/// One of these.
pub(super) const fn req(choices: &'static [Modifier]) -> Slot {
    Slot { choices, required: true, gate: ALWAYS }
}

/// From which architecture and ISA version on something is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gate {
    pub sm: u16,
    pub isa: IsaVersion,
}

pub(super) const fn gate(sm: u16, major: u8, minor: u8) -> Gate {
    Gate { sm, isa: IsaVersion::new(major, minor) }
}
pub(super) const ALWAYS: Gate = gate(0, 1, 0);

impl Gate {
    /// The first ISA version at which `target` passes.
    pub fn since(self, target: Target) -> Option<IsaVersion> {
        let first = target.introduced().max(self.isa);
        (target.sm() >= self.sm && target.exists_in(first)).then_some(first)
    }
}

/// What computes a result from the elements of the operands.
#[derive(Clone, Copy)]
pub(crate) enum Semantics {
    /// The manual fixes every bit.
    Exact(fn(&Call) -> u64),
    /// The manual only bounds the error; this is the result, correctly rounded.
    Approximate(fn(&Call) -> u64),
    /// `mov`: bits, packed and unpacked by the operands themselves.
    Move,
}

impl std::fmt::Debug for Semantics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Semantics::Exact(_) => "Exact",
            Semantics::Approximate(_) => "Approximate",
            Semantics::Move => "Move",
        })
    }
}

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// The instruction's n-th type.
    Type(usize),
    /// Twice the width of the first type.
    Wide,
    /// This type whatever the instruction's.
    Is(Ty),
}

/// Where an operand stands and what may stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The destination.
    Destination,
    /// A predicate destination, or two: `p|q`.
    Predicates,
    /// A destination that may be `_`.
    Discardable,
    /// A source.
    Source,
    /// A source that says where or how wide a field is: constants are 0 to 255.
    Field,
    /// A source that can only be an integer constant.
    Constant,
}

/// An operand of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operand {
    /// The manual's letter.
    pub name: &'static str,
    pub of: Of,
    pub kind: Kind,
}

pub(super) const fn d(of: Of) -> Operand {
    Operand { name: "d", of, kind: Kind::Destination }
}
pub(super) const fn s(name: &'static str, of: Of) -> Operand {
    Operand { name, of, kind: Kind::Source }
}
