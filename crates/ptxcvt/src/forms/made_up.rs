//! Forms that PTX does not have, for tests: an engine must compute a new form correctly or refuse it.

use super::form::Form;
use super::modifier::{Modifier, Modifiers};
use super::opcode::Opcode;
use super::random::has_random_fields;
use super::table::TABLE;
use crate::formats::Format;
use crate::round::Rounding;
use crate::types::Type;

impl Form {
    /// Every form of `cvt` that the tables lack but whose meaning the reference defines: other types, roundings and
    /// modifiers with the operands of an existing form. Their gates and spellings are not their own.
    #[doc(hidden)]
    pub fn made_up() -> impl Iterator<Item = Form> {
        let of_cvt = || TABLE.iter().enumerate().filter(|(_, row)| row.opcode == Opcode::Cvt);
        // The last row of each shape, whose gates few targets pass.
        let rows = of_cvt()
            .filter(move |(at, row)| of_cvt().skip(at + 1).all(|(_, later)| later.shape != row.shape));
        rows.flat_map(|(at, row)| {
            let pairs = Type::ALL.iter().flat_map(|d| Type::ALL.iter().map(move |s| (*d, *s)));
            pairs.filter(move |(d, s)| row.fits(*d, *s)).flat_map(move |(destination, source)| {
                let roundings = core::iter::once(None).chain(Rounding::ALL.iter().copied().map(Some));
                roundings.flat_map(move |rounding| {
                    let sets = sets().filter(move |set| has_meaning(rounding, *set, destination, source));
                    sets.map(move |set| Form::in_row(at, rounding, set, destination, source))
                })
            })
        })
        .filter(|form| {
            Form::new(Opcode::Cvt, form.rounding(), form.modifiers(), form.destination(), form.source())
                .is_none()
        })
    }
}

/// Every set of modifiers.
fn sets() -> impl Iterator<Item = Modifiers> {
    let all = Modifier::ALL;
    (0..1_u32 << all.len()).map(move |bits| {
        all.iter()
            .enumerate()
            .filter(move |(at, _)| bits >> at & 1 != 0)
            .map(|(_, modifier)| *modifier)
            .collect()
    })
}

/// True if the reference defines what these parts mean together.
fn has_meaning(rounding: Option<Rounding>, set: Modifiers, destination: Type, source: Type) -> bool {
    let [from, to] = [source, destination].map(Type::format);
    let has = |modifier| set.has(modifier);
    let scaled = has(Modifier::ScaledN1) || has(Modifier::ScaledN2);
    let of_floats = scaled || has(Modifier::Satfinite) || has(Modifier::Relu) || has(Modifier::Pzo);
    let integers = from.is_integer() || to.is_integer();
    let rounding_fits = match rounding {
        _ if from.is_integer() && to.is_integer() => rounding.is_none(),
        Some(rounding) if to.is_integer() => rounding.is_integer(),
        Some(Rounding::Rs) => from == Format::F32 && has_random_fields(destination) && !scaled,
        Some(rounding) => !(rounding.is_integer() && from.is_integer()),
        None => !to.is_integer(),
    };
    rounding_fits
        && !(integers && of_floats)
        && !(has(Modifier::Sat) && (has(Modifier::Relu) || has(Modifier::Satfinite)))
        && !(has(Modifier::ScaledN1) && has(Modifier::ScaledN2))
        && !(scaled && from.bits() == to.bits())
        && !(has(Modifier::ScaledN2) && destination.lanes() != 2)
        && (!has(Modifier::Ftz) || from == Format::F32 || to == Format::F32)
}
