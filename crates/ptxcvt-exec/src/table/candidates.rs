//! Spellings that might be instructions: every product of the table's words, for an assembler to judge.
//!
//! The rows say which words may be combined. Here all combinations are made, so the comparison with the assembler finds
//! both missing and superfluous rows of the table.

use super::row::{Kind, Of, Operand, Row, Slot};
use super::rows::ROWS;
use crate::modifier::Modifier;
use crate::ty::Ty;

/// A spelling, legal or not, with operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The opcode.
    pub opcode: String,
    /// The instruction, without semicolon. Registers are named by a letter (`d` for the destination; `a`, `b`, `c`, `e` for
    /// sources in order) and a width in bits: `d32`, `a16`. Predicates are `p0`, `p1` and `p2`.
    pub instruction: String,
}

/// Modifiers that any floating-point instruction might take.
const ARITHMETIC: [&[Modifier]; 5] = {
    use Modifier::*;
    [&[Rn, Rz, Rm, Rp], &[Ftz], &[Sat], &[Relu], &[NaN]]
};

/// Every combination of the table's words, with the operands of each row of that name.
pub(super) fn all() -> impl Iterator<Item = Candidate> {
    let mut names: Vec<&'static str> = Vec::new();
    for row in ROWS {
        if !names.contains(&row.name) {
            names.push(row.name);
        }
    }
    names.into_iter().flat_map(of_name)
}

fn of_name(name: &'static str) -> Vec<Candidate> {
    let rows = || ROWS.iter().filter(move |r| r.name == name);
    let sets = modifier_sets(rows());
    // The operands of rows with this name and number of types.
    let mut shapes: Vec<(usize, &[Operand])> = Vec::new();
    for row in rows() {
        let shape = (row.types.len(), row.operands);
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    let types = || Ty::ALL.iter().copied().map(Some);
    let mut found = Vec::new();
    for (arity, operands) in shapes {
        let second: Vec<Option<Ty>> = if arity == 1 { vec![None] } else { types().collect() };
        for (set, a) in sets.iter().flat_map(|set| types().map(move |a| (set, a))) {
            for b in &second {
                found.extend(candidate(name, set, [a, *b], operands));
            }
        }
    }
    found
}

/// Every choice of modifiers, in the order in which the rows print them.
fn modifier_sets<'r>(rows: impl Iterator<Item = &'r Row> + Clone) -> Vec<Vec<Modifier>> {
    let mut groups: Vec<Vec<Modifier>> = Vec::new();
    let slots = rows.clone().flat_map(|r| r.modifiers).map(|slot: &Slot| slot.choices);
    let is_float = rows.clone().any(|r| r.types.iter().flat_map(|t| *t).any(|t| t.format().is_some()));
    let compares = rows.into_iter().flat_map(|r| r.modifiers).any(|s| s.choices.contains(&Modifier::Eq));
    let common = if is_float && !compares { &ARITHMETIC[..] } else { &[] };
    for choices in slots.chain(common.iter().copied()) {
        // Groups that share a word are one group.
        match groups.iter_mut().find(|g| g.iter().any(|m| choices.contains(m))) {
            Some(group) => {
                group.extend(choices.iter().filter(|m| !group.contains(m)).copied().collect::<Vec<_>>())
            }
            None => groups.push(choices.to_vec()),
        }
    }
    // ptxas accepts `.ftz` only after `.full`.
    groups.sort_by_key(|group| !group.contains(&Modifier::Approx));
    groups.iter().fold(vec![Vec::new()], |sets, group| {
        let with = |set: &Vec<Modifier>, m: Modifier| set.iter().copied().chain([m]).collect();
        let more: Vec<Vec<Modifier>> =
            sets.iter().flat_map(|set| group.iter().map(move |m| with(set, *m))).collect();
        sets.into_iter().chain(more).collect()
    })
}

fn candidate(
    name: &str,
    modifiers: &[Modifier],
    types: [Option<Ty>; 2],
    operands: &[Operand],
) -> Option<Candidate> {
    let mut opcode = name.to_owned();
    for part in modifiers.iter().map(|m| m.name()).chain(types.iter().flatten().map(|t| t.name())) {
        opcode.push('.');
        opcode.push_str(part);
    }
    let of = |operand: &Operand| match operand.of {
        Of::Type(n) => types.get(n).copied().flatten().or(types[0]),
        Of::Wide => types[0].map(Ty::doubled),
        Of::Is(ty) => Some(ty),
    };
    let packed = types.iter().flatten().any(|t| t.lanes() > 1);
    let mut letters = ["a", "b", "c", "e"].into_iter();
    let mut written = Vec::new();
    for operand in operands {
        let ty = of(operand)?;
        written.push(match (operand.kind, ty) {
            (Kind::Predicates, _) if packed => "p0|p1".to_owned(),
            (Kind::Predicates | Kind::Destination | Kind::Discardable, Ty::Pred) => "p0".to_owned(),
            (Kind::Destination | Kind::Discardable, ty) => format!("d{}", ty.width()),
            (Kind::Constant, _) => "0xe8".to_owned(),
            (_, Ty::Pred) => "p2".to_owned(),
            (_, ty) => format!("{}{}", letters.next()?, ty.width()),
        });
    }
    Some(Candidate { instruction: format!("{opcode} {}", written.join(", ")), opcode })
}
