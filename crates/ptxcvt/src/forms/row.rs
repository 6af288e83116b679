//! What a row of the table is, and which spellings it admits.
//!
//! The syntax lines of PTX ISA sections 9.7.9.21 and 9.7.9.22, and the notes below them.

use super::gates::{ALWAYS, Gate};
use super::modifier::{Modifier, Modifiers};
use super::opcode::Opcode;
use crate::formats::Kind;
use crate::round::Rounding;
use crate::types::Type;

/// A syntax line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub opcode: Opcode,
    pub rounding: &'static [(Option<Rounding>, Gate)],
    pub modifiers: &'static [(Modifier, Need, Gate)],
    pub types: &'static [(&'static [Type], &'static [Type])],
    pub shape: Shape,
    pub registers: Registers,
    pub gate: Gate,
}

/// How a row takes a modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Optional,
    Required,
    /// Legal only where the destination's range does not hold the source's (the `.sat` of integers).
    WhereRangeShrinks,
}

/// The source operands; `rbits` and `scale-factor` follow from the modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `d, a`
    One,
    /// `d, a, b`: one source register per element, the first to the upper half.
    Two,
    /// `d, {a, b, e, f}`
    Vector,
    /// `d, a, b, c` of `cvt.pack`.
    TwoAndRest,
}

/// Whether a register wider than the type will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registers {
    Relaxed,
    Exact,
}

impl Row {
    /// A row of `cvt`.
    pub const fn cvt(
        rounding: &'static [(Option<Rounding>, Gate)],
        modifiers: &'static [(Modifier, Need, Gate)],
        types: &'static [(&'static [Type], &'static [Type])],
        shape: Shape,
        registers: Registers,
        gate: Gate,
    ) -> Row {
        Row { opcode: Opcode::Cvt, rounding, modifiers, types, shape, registers, gate }
    }

    /// A row of `cvt.pack`, which takes `.sat` and nothing else.
    pub const fn pack(types: &'static [(&'static [Type], &'static [Type])], shape: Shape, gate: Gate) -> Row {
        Row {
            opcode: Opcode::CvtPack,
            rounding: &[(None, ALWAYS)],
            modifiers: &[(Modifier::Sat, Need::Required, ALWAYS)],
            types,
            shape,
            registers: Registers::Relaxed,
            gate,
        }
    }

    /// Every point of the row, earlier rows' points included.
    pub fn points(&'static self) -> impl Iterator<Item = (Option<Rounding>, Modifiers, Type, Type)> {
        let pairs = self
            .types
            .iter()
            .flat_map(|(ds, ss)| ds.iter().flat_map(move |d| ss.iter().map(move |s| (*d, *s))));
        pairs.flat_map(move |(d, s)| self.points_of(d, s).map(move |(r, m)| (r, m, d, s)))
    }

    /// Every rounding and set of modifiers that the row takes with these types.
    pub fn points_of(
        &'static self,
        destination: Type,
        source: Type,
    ) -> impl Iterator<Item = (Option<Rounding>, Modifiers)> {
        self.rounding.iter().flat_map(move |(rounding, _)| {
            let sets = self.subsets().filter(move |m| self.takes(*m, destination, source));
            sets.map(move |modifiers| (*rounding, modifiers))
        })
    }

    pub fn has_types(&self, destination: Type, source: Type) -> bool {
        self.types.iter().any(|(d, s)| d.contains(&destination) && s.contains(&source))
    }

    /// Every subset of the row's modifiers.
    fn subsets(&'static self) -> impl Iterator<Item = Modifiers> {
        (0..1_u32 << self.modifiers.len()).map(|bits| {
            let chosen = self.modifiers.iter().enumerate().filter(move |(i, _)| bits >> i & 1 != 0);
            chosen.map(|(_, (m, ..))| *m).collect()
        })
    }

    /// True where exactly these modifiers may be written for these types.
    pub fn takes(&self, modifiers: Modifiers, destination: Type, source: Type) -> bool {
        let known = self.modifiers.iter().filter(|(m, ..)| modifiers.has(*m)).count();
        known == modifiers.len() as usize
            && self.modifiers.iter().all(|(m, need, _)| match need {
                Need::Optional => true,
                Need::Required => modifiers.has(*m),
                Need::WhereRangeShrinks => !modifiers.has(*m) || range_shrinks(destination, source),
            })
    }
}

/// True where the integer type `source` has values that `destination` lacks.
fn range_shrinks(destination: Type, source: Type) -> bool {
    let parameters = |t: Type| match t.format().parameters().kind {
        Kind::Integer { signed } => (signed, t.width()),
        _ => (true, u32::MAX),
    };
    match (parameters(destination), parameters(source)) {
        ((false, _), (true, _)) => true,
        ((true, d), (false, s)) => d <= s,
        ((_, d), (_, s)) => d < s,
    }
}
