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
    let mut shapes: Vec<(usize, Vec<Operand>)> = Vec::new();
    for row in rows() {
        // The carry flag is not an operand in the text.
        let written = |o: &Operand| match o.kind {
            Kind::Carry => None,
            Kind::Carrying => Some(Operand { kind: Kind::Destination, ..*o }),
            _ => Some(*o),
        };
        let shape = (row.types.len(), row.operands.iter().filter_map(written).collect());
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    let last: Vec<Modifier> = rows()
        .flat_map(|r| r.modifiers)
        .filter(|slot| slot.last)
        .flat_map(|slot| slot.choices)
        .copied()
        .collect();
    let mut found = Vec::new();
    for (arity, operands) in shapes {
        for set in &sets {
            let (after, before): (Vec<Modifier>, Vec<Modifier>) = set.iter().partition(|m| last.contains(m));
            let of = |types: &Vec<Ty>| {
                let words = before.iter().map(|m| m.name()).chain(types.iter().map(|t| t.name()));
                let words: Vec<&str> =
                    [name].into_iter().chain(words).chain(after.iter().map(|m| m.name())).collect();
                candidate(words.join("."), types, &operands)
            };
            found.extend(types(arity).iter().filter_map(of));
        }
    }
    found
}

/// The types to try for an instruction with `count` types.
fn types(count: usize) -> Vec<Vec<Ty>> {
    let all = || Ty::ALL.iter().copied();
    match count {
        1 => all().map(|a| vec![a]).collect(),
        2 => all().flat_map(|a| all().map(move |b| vec![a, b])).collect(),
        // All products of three types would be more than all other candidates together.
        _ => {
            let mixed = |n: usize| (0..count).map(|at| [Ty::U32, Ty::S32][n >> at & 1]).collect();
            let equal = all().filter(|ty| !matches!(ty, Ty::U32 | Ty::S32)).map(|ty| vec![ty; count]);
            (0..1 << count).map(mixed).chain(equal).collect()
        }
    }
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
    ptxcvt::order_by(&mut groups, |group| u64::from(!group.contains(&Modifier::Approx)));
    let mut sets = groups.iter().fold(vec![Vec::new()], |sets: Vec<Vec<Modifier>>, group| {
        let with = |set: &Vec<Modifier>, m: Modifier| set.iter().copied().chain([m]).collect();
        let more: Vec<Vec<Modifier>> =
            sets.iter().flat_map(|set| group.iter().map(move |m| with(set, *m))).collect();
        sets.into_iter().chain(more).collect()
    });
    // `.cc` is for integers alone. With the words of floats it would double the number of candidates.
    let is_common = |m: &Modifier| common.iter().any(|group| group.contains(m) && *m != Modifier::Sat);
    sets.retain(|set| !set.contains(&Modifier::Cc) || !set.iter().any(is_common));
    sets
}

fn candidate(opcode: String, types: &[Ty], operands: &[Operand]) -> Option<Candidate> {
    let of = |operand: &Operand| match operand.of {
        Of::Type(n) => types[n],
        Of::Wide => types[0].doubled(),
        Of::Is(ty) => ty,
    };
    let packed = types.iter().any(|t| t.lanes() > 1);
    let mut letters = ["a", "b", "c", "e"].into_iter();
    let mut written = Vec::new();
    for operand in operands {
        let ty = of(operand);
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
