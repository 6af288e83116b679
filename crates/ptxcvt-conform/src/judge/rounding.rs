//! The rounding modifier of a conversion between two formats: a direction has a modifier of its own for results that are
//! integers.

use ptxcvt::{Format, Rounding};

/// The modifier that rounds in the direction of `rounding` between two formats: `.rni` for `.rn` if a float becomes an
/// integer. Between integers nothing is rounded, and the result is `.rn`.
pub(crate) fn between(rounding: Rounding, source: Format, destination: Format) -> Rounding {
    match (source.is_integer(), destination.is_integer()) {
        (true, true) => Rounding::Rn,
        (false, true) => match rounding {
            Rounding::Rn => Rounding::Rni,
            Rounding::Rz => Rounding::Rzi,
            Rounding::Rm => Rounding::Rmi,
            Rounding::Rp => Rounding::Rpi,
            other => other,
        },
        (_, false) => rounding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_integers_have_modifiers_of_their_own() {
        for (rounding, integer) in [
            (Rounding::Rn, Rounding::Rni),
            (Rounding::Rz, Rounding::Rzi),
            (Rounding::Rm, Rounding::Rmi),
            (Rounding::Rp, Rounding::Rpi),
            (Rounding::Rna, Rounding::Rna),
        ] {
            assert_eq!(between(rounding, Format::F32, Format::S8), integer);
            assert_eq!(between(rounding, Format::S32, Format::F16), rounding);
            assert_eq!(between(rounding, Format::F32, Format::F16), rounding);
            assert_eq!(between(rounding, Format::S32, Format::U8), Rounding::Rn);
        }
    }
}
