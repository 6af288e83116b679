//! A row of the table.
//!
//! The syntax lines of PTX ISA sections 9.7.9.21 and 9.7.9.22, and the notes below them.

use super::gates::{self, ALWAYS, Gate};
use super::modifier::Modifier;
use super::opcode::Opcode;
use super::random::has_random_fields;
use crate::round::Rounding;
use crate::types::Type;

/// Rows below the syntax lines of the manual, as a slice: `"cvt{.sat}.dtype.atype d, a;" => [Row::cvt(…), …] …`.
macro_rules! rows {
    ($($line:literal => [$($row:expr,)*])*) => {
        &[$($(Row { line: $line, ..$row },)*)*]
    };
}
pub(super) use rows;

/// Forms that share a syntax line, their types and their gate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The syntax line of the manual, which [`rows!`] fills in.
    pub line: &'static str,
    pub opcode: Opcode,
    pub rounding: &'static [(Option<Rounding>, Gate)],
    pub modifiers: &'static [(Modifier, Need, Gate)],
    pub types: &'static [(&'static [Type], &'static [Type])],
    pub shape: Shape,
    pub registers: Registers,
    pub gate: Gate,
}

/// Whether a row's modifier is optional.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Optional,
    Required,
    /// Legal only if the source has values outside the destination's range (the `.sat` of integers).
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

/// Whether registers wider than the type are accepted.
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
        Row { line: "", opcode: Opcode::Cvt, rounding, modifiers, types, shape, registers, gate }
    }

    /// A row of `cvt.pack`, which has `.sat` and no other modifier.
    pub const fn pack(types: &'static [(&'static [Type], &'static [Type])], shape: Shape, gate: Gate) -> Row {
        Row {
            line: "",
            opcode: Opcode::CvtPack,
            rounding: &[(None, ALWAYS)],
            modifiers: &[(Modifier::Sat, Need::Required, ALWAYS)],
            types,
            shape,
            registers: Registers::Relaxed,
            gate,
        }
    }

    /// Checks that the row has choices, that its operands hold the elements of its types, and that its gates name targets
    /// and versions that exist.
    // Rust 1.85 does not count the use in a constant.
    #[allow(dead_code)]
    pub const fn check(&self) {
        assert!(!self.line.is_empty(), "a row is below a line of the manual");
        assert!(!self.rounding.is_empty() && !self.types.is_empty(), "a row has choices");
        gates::check(self.gate);
        let mut at = 0;
        while at < self.modifiers.len() {
            if matches!(self.modifiers[at].1, Need::WhereRangeShrinks) {
                assert!(self.is_of_integers(), "only integers have ranges that one contains the other");
            }
            at += 1;
        }
        let mut pair = 0;
        while pair < self.types.len() {
            let (destinations, sources) = self.types[pair];
            assert!(!destinations.is_empty() && !sources.is_empty(), "a row has types");
            let mut at = 0;
            while at < destinations.len() * sources.len() {
                let fits = self.fits(destinations[at / sources.len()], sources[at % sources.len()]);
                assert!(fits, "the operands hold the elements of the types");
                self.check_meaning(destinations[at / sources.len()], sources[at % sources.len()]);
                at += 1;
            }
            pair += 1;
        }
        let mut at = 0;
        while at < self.rounding.len() {
            gates::check(self.rounding[at].1);
            at += 1;
        }
        let mut at = 0;
        while at < self.modifiers.len() {
            gates::check(self.modifiers[at].2);
            at += 1;
        }
    }

    /// Checks that the reference defines what the modifiers mean for these types.
    const fn check_meaning(&self, destination: Type, source: Type) {
        let mut at = 0;
        while at < self.rounding.len() {
            if matches!(self.rounding[at].0, Some(Rounding::Rs)) {
                assert!(
                    has_random_fields(destination),
                    "forms/random.rs has the fields of `rbits` for the type"
                );
            }
            at += 1;
        }
        let mut at = 0;
        while at < self.modifiers.len() {
            let modifier = self.modifiers[at].0;
            if matches!(modifier, Modifier::ScaledN1 | Modifier::ScaledN2) {
                let differ = source.format().bits() != destination.format().bits();
                assert!(
                    differ,
                    "a scale multiplies towards the wider format and divides towards the narrower one"
                );
            }
            if matches!(modifier, Modifier::ScaledN2) {
                assert!(destination.lanes() == 2, "the scale-factor of `n2` has the scales of two elements");
            }
            at += 1;
        }
    }

    /// True if all types are integers.
    const fn is_of_integers(&self) -> bool {
        let mut pair = 0;
        while pair < self.types.len() {
            let (destinations, sources) = self.types[pair];
            let mut at = 0;
            while at < destinations.len() * sources.len() {
                let types = (destinations[at / sources.len()], sources[at % sources.len()]);
                if !(types.0.format().is_integer() && types.1.format().is_integer()) {
                    return false;
                }
                at += 1;
            }
            pair += 1;
        }
        true
    }

    /// True if the operands hold the elements of these types.
    pub const fn fits(&self, destination: Type, source: Type) -> bool {
        let lanes = (destination.lanes(), source.lanes());
        match (self.opcode, self.shape) {
            (Opcode::Cvt, Shape::One) => lanes.0 == lanes.1,
            (Opcode::Cvt, Shape::Two) => matches!(lanes, (2, 1)),
            (Opcode::Cvt, Shape::Vector) => matches!(lanes, (4, 1)),
            (Opcode::CvtPack, Shape::Two | Shape::TwoAndRest) => matches!(lanes, (1, 1)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RN: &[(Option<Rounding>, Gate)] = &[(Some(Rounding::Rn), ALWAYS)];

    fn check(
        rounding: &'static [(Option<Rounding>, Gate)],
        modifiers: &'static [(Modifier, Need, Gate)],
        types: &'static [(&'static [Type], &'static [Type])],
        shape: Shape,
    ) {
        Row { line: "cvt;", ..Row::cvt(rounding, modifiers, types, shape, Registers::Exact, ALWAYS) }.check();
    }

    #[test]
    #[should_panic(expected = "the scales of two elements")]
    fn two_scales_for_four_elements() {
        let scaled = &[(Modifier::ScaledN2, Need::Required, ALWAYS)];
        check(RN, scaled, &[(&[Type::E4M3X4], &[Type::F32])], Shape::Vector);
    }

    #[test]
    #[should_panic(expected = "a scale multiplies towards the wider format")]
    fn a_scale_between_formats_of_one_width() {
        let scaled = &[(Modifier::ScaledN1, Need::Required, ALWAYS)];
        check(RN, scaled, &[(&[Type::E4M3X2], &[Type::E5M2X2])], Shape::One);
    }

    #[test]
    #[should_panic(expected = "the fields of `rbits`")]
    fn random_bits_for_a_format_without_a_figure() {
        check(&[(Some(Rounding::Rs), ALWAYS)], &[], &[(&[Type::S2F6X2], &[Type::F32])], Shape::Two);
    }
}
