//! The conversions that the stages implement.
//!
//! The types of lanes say which stages fit together, but not which modifiers they apply: a kernel for `.satfinite` fits
//! a form without it, and multiplying by a scale may already round, which a directed rounding must not follow. This
//! list therefore names what the stages implement, by formats and kinds of formats. The reference evaluates every other
//! form. A test compares the list with the table of forms: the list contains no conversion that the tests do not compare
//! with the reference.

use super::stages::Stages;
use ptxcvt::Rounding::{self, *};
use ptxcvt::formats::{Format, Kind, Parameters, Specials};
use ptxcvt::forms::Modifier::{self, Ftz, Pzo, Relu, Sat, Satfinite, ScaledN1, ScaledN2};

/// The formats and kinds of formats that the stages distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Integer,
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    /// Floats of at most 8 bits with a sign. The stages read their rows.
    Small,
    /// Floats of 8 bits without a sign.
    SmallUnsigned,
    /// ue8m0.
    Power,
    /// s2f6.
    Fixed,
}

impl Of {
    /// The kind of a format, or `None` if the stages do not implement it.
    fn format(format: Format) -> Option<Of> {
        Some(match format {
            Format::F16 => Of::F16,
            Format::Bf16 => Of::Bf16,
            Format::Tf32 => Of::Tf32,
            Format::F32 => Of::F32,
            Format::F64 => Of::F64,
            Format::Ue8m0 => Of::Power,
            Format::S2f6 => Of::Fixed,
            format => return Of::row(format.parameters()),
        })
    }

    /// The kind of a format, if its row is one that the stages read correctly.
    fn row(row: &Parameters) -> Option<Of> {
        let fills = row.bits == row.storage;
        match row.kind {
            Kind::Integer { .. } => Some(Of::Integer),
            // The bits above a narrower code are ignored, but not if they would decide what is NaN.
            Kind::Float { signed: true, specials, .. } if fills || specials == Specials::None => {
                (row.storage <= 8).then_some(Of::Small)
            }
            Kind::Float { signed: false, .. } if fills && row.bits == 8 => Some(Of::SmallUnsigned),
            _ => None,
        }
    }
}

/// Conversions with any of these sources, destinations, roundings and numbers of elements, with the modifiers `must`
/// and any of `may`.
struct Line {
    from: &'static [Of],
    to: &'static [Of],
    rounding: &'static [Option<Rounding>],
    must: &'static [Modifier],
    may: &'static [Modifier],
    elements: &'static [u32],
}

const NONE: &[Option<Rounding>] = &[None];
const FLOAT: &[Option<Rounding>] = &[Some(Rn), Some(Rz), Some(Rm), Some(Rp)];
const FLOAT_OR_NONE: &[Option<Rounding>] = &[None, Some(Rn), Some(Rz), Some(Rm), Some(Rp)];
const WHOLE: &[Option<Rounding>] = &[Some(Rni), Some(Rzi), Some(Rmi), Some(Rpi)];
const WHOLE_OR_NONE: &[Option<Rounding>] = &[None, Some(Rni), Some(Rzi), Some(Rmi), Some(Rpi)];
const NEAREST: &[Option<Rounding>] = &[Some(Rn)];
const AWAY: &[Option<Rounding>] = &[Some(Rna)];
const NEAREST_ZERO: &[Option<Rounding>] = &[Some(Rn), Some(Rz)];
const NEAREST_ZERO_UP: &[Option<Rounding>] = &[Some(Rn), Some(Rz), Some(Rp)];
const ZERO_UP: &[Option<Rounding>] = &[Some(Rz), Some(Rp)];
const RANDOM: &[Option<Rounding>] = &[Some(Rs)];
const ONE: &[u32] = &[1];
const TWO: &[u32] = &[2];
const FOUR: &[u32] = &[4];
const ONE_OR_TWO: &[u32] = &[1, 2];

const fn line(
    from: &'static [Of],
    to: &'static [Of],
    rounding: &'static [Option<Rounding>],
    must: &'static [Modifier],
    may: &'static [Modifier],
    elements: &'static [u32],
) -> Line {
    Line { from, to, rounding, must, may, elements }
}

#[rustfmt::skip]
const LINES: &[Line] = &[
    // Integers.
    line(&[Of::Integer], &[Of::Integer], NONE, &[], &[Sat], ONE),
    line(&[Of::Integer], &[Of::F16, Of::F64], FLOAT, &[], &[Sat], ONE),
    line(&[Of::Integer], &[Of::F32], FLOAT, &[], &[Ftz, Sat], ONE),
    line(&[Of::Integer], &[Of::Bf16], FLOAT, &[], &[], ONE),
    line(&[Of::F16, Of::F64], &[Of::Integer], WHOLE, &[], &[Sat], ONE),
    line(&[Of::F32], &[Of::Integer], WHOLE, &[], &[Ftz, Sat], ONE),
    line(&[Of::Bf16], &[Of::Integer], WHOLE, &[], &[], ONE),
    // Floats of 16 bits and more.
    line(&[Of::F16], &[Of::F16], WHOLE_OR_NONE, &[], &[Sat], ONE),
    line(&[Of::Bf16], &[Of::Bf16], WHOLE_OR_NONE, &[], &[], ONE),
    line(&[Of::F32], &[Of::F32], WHOLE_OR_NONE, &[], &[Ftz, Sat], ONE),
    line(&[Of::F64], &[Of::F64], WHOLE_OR_NONE, &[], &[Sat], ONE),
    line(&[Of::F16], &[Of::F32], NONE, &[], &[Ftz, Sat], ONE),
    line(&[Of::F32], &[Of::F64], NONE, &[], &[Ftz, Sat], ONE),
    line(&[Of::F16], &[Of::F64], NONE, &[], &[Sat], ONE),
    line(&[Of::F64], &[Of::F32], FLOAT, &[], &[Ftz, Sat], ONE),
    line(&[Of::F64], &[Of::F16], FLOAT, &[], &[Sat], ONE),
    line(&[Of::F64], &[Of::Bf16], FLOAT, &[], &[], ONE),
    line(&[Of::F16], &[Of::Bf16], FLOAT_OR_NONE, &[], &[], ONE),
    line(&[Of::Bf16], &[Of::F16, Of::F64], FLOAT_OR_NONE, &[], &[], ONE),
    line(&[Of::Bf16], &[Of::F32], FLOAT_OR_NONE, &[], &[Ftz], ONE),
    line(&[Of::F32], &[Of::F16], FLOAT, &[], &[Ftz, Sat], ONE),
    line(&[Of::F32], &[Of::Bf16], FLOAT, &[], &[Ftz], ONE),
    line(&[Of::F32], &[Of::Bf16], FLOAT, &[Ftz, Pzo], &[], ONE),
    line(&[Of::F32], &[Of::F16, Of::Bf16], NEAREST_ZERO, &[], &[Relu, Satfinite, Pzo], ONE_OR_TWO),
    line(&[Of::F32], &[Of::F16, Of::Bf16], RANDOM, &[], &[Relu, Satfinite], TWO),
    line(&[Of::F32], &[Of::Tf32], AWAY, &[], &[Satfinite], ONE),
    line(&[Of::F32], &[Of::Tf32], NEAREST_ZERO, &[], &[Relu, Satfinite, Pzo], ONE),
    // Formats of 8 bits and fewer.
    line(&[Of::F32, Of::F16, Of::Bf16], &[Of::Small], NEAREST_ZERO, &[Satfinite], &[Relu, Pzo, ScaledN1], TWO),
    line(&[Of::F32], &[Of::Small], RANDOM, &[Satfinite], &[Relu], FOUR),
    line(&[Of::Small], &[Of::F16], NEAREST, &[], &[Relu], TWO),
    line(&[Of::Small], &[Of::Bf16], NEAREST, &[], &[Relu, Satfinite, ScaledN2], TWO),
    line(&[Of::F32, Of::F16, Of::Bf16], &[Of::SmallUnsigned], NEAREST_ZERO_UP, &[], &[Satfinite], TWO),
    line(&[Of::F32, Of::F16, Of::Bf16], &[Of::SmallUnsigned], NEAREST_ZERO, &[ScaledN1], &[Satfinite], TWO),
    line(&[Of::SmallUnsigned], &[Of::F16], NEAREST, &[], &[], TWO),
    line(&[Of::SmallUnsigned], &[Of::Bf16], NEAREST, &[], &[Satfinite, ScaledN2], TWO),
    line(&[Of::F32, Of::Bf16], &[Of::Power], ZERO_UP, &[], &[Satfinite], TWO),
    line(&[Of::Power], &[Of::Bf16], NEAREST, &[], &[], TWO),
    line(&[Of::F32, Of::Bf16], &[Of::Fixed], NEAREST_ZERO, &[Satfinite], &[Relu, ScaledN2], TWO),
    line(&[Of::Fixed], &[Of::Bf16], NEAREST, &[], &[Relu, Satfinite, ScaledN2], TWO),
];

impl Stages<'_> {
    /// Whether the stages implement the form, which is one of `cvt`.
    pub(super) fn is_covered(&self) -> bool {
        let form = self.form;
        let (Some(from), Some(to)) = (Of::format(self.source), Of::format(self.destination)) else {
            return false;
        };
        // A code beyond the largest number of a format without infinity and NaN has no meaning.
        let small = matches!(to, Of::Small | Of::SmallUnsigned) && !form.has(Modifier::Satfinite);
        if small && self.destination.infinity().or(self.destination.nan()).is_none() {
            return false;
        }
        LINES.iter().any(|line| {
            let modifiers = form.modifiers();
            line.from.contains(&from)
                && line.to.contains(&to)
                && line.rounding.contains(&form.rounding())
                && line.elements.contains(&form.lanes())
                && line.must.iter().all(|modifier| modifiers.has(*modifier))
                && modifiers
                    .iter()
                    .all(|modifier| line.must.contains(&modifier) || line.may.contains(&modifier))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, vec::Vec};
    use ptxcvt::{Form, Modifiers, Opcode};

    /// A new format whose row the stages would misread is left to the reference: another power of two, another fixed
    /// point, or codes that do not fill their byte (unless all codes are finite).
    #[test]
    fn formats_that_the_stages_would_misread_are_not_covered() {
        let row = |of: Format, bits: u32, specials: Specials| {
            let mut row = *of.parameters();
            row.bits = bits;
            if let Kind::Float { specials: own, .. } = &mut row.kind {
                *own = specials;
            }
            Of::row(&row)
        };
        let made_up = [
            (Format::E4m3, 8, Specials::Ieee, Some(Of::Small)),
            (Format::E4m3, 7, Specials::Ieee, None),
            (Format::E4m3, 7, Specials::NanOnly, None),
            (Format::E4m3, 7, Specials::None, Some(Of::Small)),
            (Format::Ue5m3, 8, Specials::None, Some(Of::SmallUnsigned)),
            (Format::Ue5m3, 7, Specials::None, None),
            (Format::Ue8m0, 8, Specials::None, None),
            (Format::S2f6, 8, Specials::None, None),
            (Format::F16, 16, Specials::Ieee, None),
        ];
        for (of, bits, specials, kind) in made_up {
            assert_eq!(row(of, bits, specials), kind, "{of} with {bits} bits, {specials:?}");
        }
    }

    /// Each line admits only what some form of an assembler has, so the tests of every form compare all of it with the
    /// reference.
    #[test]
    fn nothing_is_covered_that_no_form_has() {
        let forms: Vec<Form> =
            Form::all().filter(|form| form.opcode() == Opcode::Cvt && !form.is_announced()).collect();
        let mut unknown = Vec::new();
        for line in LINES {
            for bits in 0..1_u32 << line.may.len() {
                let may = line.may.iter().enumerate().filter(|(at, _)| bits >> at & 1 != 0).map(|(_, m)| *m);
                let modifiers: Modifiers = line.must.iter().copied().chain(may).collect();
                for (from, to) in line.from.iter().flat_map(|from| line.to.iter().map(move |to| (from, to))) {
                    for (rounding, elements) in
                        line.rounding.iter().flat_map(|r| line.elements.iter().map(move |n| (*r, *n)))
                    {
                        let is_it = |form: &Form| {
                            Of::format(form.source().format()) == Some(*from)
                                && Of::format(form.destination().format()) == Some(*to)
                                && form.rounding() == rounding
                                && form.modifiers() == modifiers
                                && form.lanes() == elements
                        };
                        if !forms.iter().any(is_it) {
                            unknown
                                .push(format!("{from:?} to {to:?}: {rounding:?} {modifiers:?} {elements}"));
                        }
                    }
                }
            }
        }
        assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    }
}
