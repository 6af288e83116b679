//! The parts of a row of the table: modifiers, operands, gate, semantics.
//!
//! PTX ISA chapter 9.

pub(super) use ptxcvt::targets::Targets;
use ptxcvt::{IsaVersion, Target};

use crate::modifier::Modifier;
use crate::semantics::call::{Call, MAX_TYPES};
use crate::ty::Ty;

/// A syntax line of the manual.
#[derive(Debug)]
pub(crate) struct Row {
    /// The instruction's name.
    pub name: &'static str,
    /// The modifiers, in printed order.
    pub modifiers: &'static [Slot],
    /// The choices for each type.
    pub types: &'static [&'static [Ty]],
    /// The operands, destination first.
    pub operands: &'static [Operand],
    /// The targets and ISA versions that accept the line.
    pub gate: Gate,
    /// The function that computes it.
    pub semantics: Semantics,
    /// What `prove` may assume about the bits of the result.
    pub dependence: Dependence,
}

/// Checks rows at compile time: each has a name, a type and an operand, no list of choices is empty, and each operand
/// names one of the row's types.
pub(super) const fn complete(rows: &'static [Row]) -> &'static [Row] {
    let mut at = 0;
    while at < rows.len() {
        let Row { name, modifiers, types, operands, .. } = &rows[at];
        assert!(!name.is_empty() && !types.is_empty() && types.len() <= MAX_TYPES && !operands.is_empty());
        let mut n = 0;
        while n < types.len() {
            assert!(!types[n].is_empty(), "a type has a choice");
            n += 1;
        }
        n = 0;
        while n < modifiers.len() {
            assert!(!modifiers[n].choices.is_empty(), "a modifier has a choice");
            n += 1;
        }
        n = 0;
        while n < operands.len() {
            if let Of::Type(ty) = operands[n].of {
                assert!(ty < types.len(), "an operand's type is one of the row's");
            }
            n += 1;
        }
        at += 1;
    }
    rows
}

impl Row {
    /// The row, with a more specific dependence of result bits on source bits.
    pub const fn depends(self, dependence: Dependence) -> Row {
        Row { dependence, ..self }
    }

    /// The number of operands in the text.
    pub fn operand_count(&self) -> usize {
        self.operands.iter().filter(|operand| operand.kind != Kind::Carry).count()
    }
}

/// A choice among modifiers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub choices: &'static [Modifier],
    pub required: bool,
    /// Written after the types.
    pub last: bool,
    pub gate: Gate,
}

impl Slot {
    /// The choice with a further gate.
    pub const fn from(self, gate: Gate) -> Slot {
        Slot { gate, ..self }
    }

    /// The choice, written after the types.
    pub const fn last(self) -> Slot {
        Slot { last: true, ..self }
    }
}

/// Accepts one of these modifiers or none.
pub(super) const fn opt(choices: &'static [Modifier]) -> Slot {
    Slot { choices, required: false, last: false, gate: ALWAYS }
}

/// Needs one of these modifiers.
pub(super) const fn req(choices: &'static [Modifier]) -> Slot {
    Slot { choices, required: true, last: false, gate: ALWAYS }
}

/// The targets and ISA versions that accept something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gate {
    targets: Targets,
    isa: IsaVersion,
}

/// Every target from `sm` on, from this ISA version on.
pub(super) const fn gate(sm: u16, major: u8, minor: u8) -> Gate {
    Gate::new(Targets::From(sm), major, minor)
}
pub(super) const ALWAYS: Gate = gate(0, 1, 0);

impl Gate {
    /// These targets, from this ISA version on.
    ///
    /// # Panics
    ///
    /// Panics if a target or the version does not exist: such a row does not compile.
    pub const fn new(targets: Targets, major: u8, minor: u8) -> Gate {
        let isa = IsaVersion::new(major, minor);
        assert!(targets.exist() && isa.exists(), "the targets and the version of a gate exist");
        Gate { targets, isa }
    }

    /// The first ISA version at which `target` passes; `None` if no version does.
    pub fn since(self, target: Target) -> Option<IsaVersion> {
        self.targets.since(self.isa, target)
    }
}

/// The computation of a result from the elements of the operands.
#[derive(Clone, Copy)]
pub(crate) enum Semantics {
    /// The manual fixes every bit.
    Exact(fn(&Call) -> u64),
    /// The manual only bounds the error; this returns the correctly rounded result.
    Approximate(fn(&Call) -> u64),
    /// Every bit of the result, and the carry.
    Carrying(fn(&Call) -> u64, fn(&Call) -> u64),
    /// Every bit, for an instruction without packed types that computes this number of parts of a word separately.
    Simd(u32, fn(&Call) -> u64),
    /// `mov`: moves bits; the operands decide whether it packs or unpacks.
    Move,
}

impl std::fmt::Debug for Semantics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Semantics::Exact(_) => "Exact",
            Semantics::Carrying(..) => "Carrying",
            Semantics::Simd(..) => "Simd",
            Semantics::Approximate(_) => "Approximate",
            Semantics::Move => "Move",
        })
    }
}

/// Which source bits a bit of the result depends on. Every statement must hold for all modifiers and types of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependence {
    /// All bits of all sources; for packed types, all bits of the same element.
    Everything,
    /// The bits in its own place, and sources of one bit. The instruction has a truth table.
    Bitwise,
    /// `Moved(n)`: if all sources after the first `n` are constants, each result bit is a constant or the XOR of bits
    /// of the first `n` sources.
    Moved(usize),
    /// The bits in its own place and the carry from lower places.
    Sum,
    /// The bits in its own place and the borrow from lower places.
    Difference,
    /// With `.lo`, the bits in its own and in lower places; otherwise everything.
    Product,
}

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// The instruction's n-th type.
    Type(usize),
    /// Twice the width of the first type.
    Wide,
    /// This type, for all types of the instruction.
    Is(Ty),
}

/// The role of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The destination.
    Destination,
    /// A predicate destination, or two: `p|q`.
    Predicates,
    /// The destination of an instruction that also writes the carry flag.
    Carrying,
    /// A destination that may be `_`.
    Discardable,
    /// A source.
    Source,
    /// A source that must be a register.
    Register,
    /// A source that is the position or length of a bit field: constants are 0 to 255.
    Field,
    /// A source that must be an integer constant.
    Constant,
    /// The carry flag as a source, which is not written in the text.
    Carry,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_name_targets_with_letters() {
        let since = |gate: Gate, target: &str| {
            gate.since(target.parse().expect("a target")).map(|isa| isa.to_string())
        };
        let specific = Gate::new(Targets::Specific(&[100, 103]), 8, 6);
        assert_eq!(since(specific, "sm_100"), None);
        assert_eq!(since(specific, "sm_100a").as_deref(), Some("8.6"));
        // Targets with `f` exist from ISA 8.8 on.
        assert_eq!(since(specific, "sm_100f").as_deref(), Some("8.8"));
        assert_eq!(since(specific, "sm_120a"), None);
        let architecture = Gate::new(Targets::Architecture(&[100]), 9, 1);
        assert_eq!(since(architecture, "sm_100a").as_deref(), Some("9.1"));
        assert_eq!(since(architecture, "sm_100f"), None);
        assert_eq!(since(gate(100, 9, 1), "sm_120").as_deref(), Some("9.1"));
    }
}
