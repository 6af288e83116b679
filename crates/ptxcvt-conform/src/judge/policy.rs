//! Policies: how codecs round, and what they return for NaN, numbers out of range and subnormal numbers.
//!
//! A policy is a rule from situations to choices (`place`). PTX forms follow some of the policies; libraries follow the
//! others.

use ptxcvt::formats::Kind;
use ptxcvt::{Conversion, Format, NanRule, Overflow, Rounding, Subnormals};

use super::choice::Choice;
use super::place::{Position, ROUNDINGS, Region, Situation, Size, rounds_away};
use super::rounding::between;

/// A rule for every number of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    rounding: Rounding,
    beyond: Beyond,
    nan: Choice,
    small: Small,
    negative: Negative,
    /// The destination has a sign.
    signed: bool,
    /// The destination has −0.
    two_zeros: bool,
}

/// The result for numbers beyond the range and for infinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    /// The largest number.
    Saturate,
    /// The largest number or this choice, depending on the rounding.
    Ieee(Choice),
    /// This choice for every rounding.
    Always(Choice),
    /// The low bits of an integer.
    Wrap,
}

/// The result for subnormal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Small {
    Keep,
    /// Subnormal sources become zero.
    Sources,
    /// Results that are tiny after rounding with unbounded exponent become zero.
    TinyResults,
    /// Results that are rounded to a subnormal number become zero.
    RoundedResults,
    /// Sources below the smallest normal number of the destination become zero.
    BeforeRounding,
}

/// The result for negative numbers in a floating-point format without sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Negative {
    /// For all other formats: the result for the positive number, with the sign if the format has one.
    Ordinary,
    Magnitude,
    Zero,
    Nan,
}

impl Policy {
    /// The choice in a situation.
    pub fn choose(&self, situation: Situation) -> Choice {
        let zero = match self.two_zeros && situation.negative {
            true => Choice::NegativeZero,
            false => Choice::PositiveZero,
        };
        let number = situation.region != Region::Nan && situation.region != Region::Zero;
        if number && situation.negative && !self.signed {
            match self.negative {
                Negative::Ordinary | Negative::Magnitude => {}
                Negative::Zero => return Choice::PositiveZero,
                Negative::Nan => return Choice::Nan,
            }
        }
        if self.small == Small::Sources && situation.subnormal_source {
            return zero;
        }
        match situation.region {
            Region::Nan => self.nan,
            Region::Infinity => match self.beyond {
                Beyond::Saturate | Beyond::Wrap => Choice::SignedLargest,
                Beyond::Ieee(choice) | Beyond::Always(choice) => choice,
            },
            Region::Zero | Region::Least => Choice::Floor,
            Region::Overflow => self.overflow(situation),
            Region::Ordinary => {
                let away = rounds_away(self.rounding, situation, self.signed);
                if self.flushes(situation, away) {
                    zero
                } else if away {
                    Choice::Next
                } else {
                    Choice::Floor
                }
            }
        }
    }

    fn overflow(&self, situation: Situation) -> Choice {
        let towards_zero = match self.rounding {
            Rounding::Rz => true,
            Rounding::Rm => !(situation.negative && self.signed),
            Rounding::Rp => situation.negative && self.signed,
            _ => false,
        };
        let leaves =
            situation.position == Position::Beyond || rounds_away(self.rounding, situation, self.signed);
        match self.beyond {
            Beyond::Wrap => Choice::Wrapped,
            _ if !leaves => Choice::Floor,
            Beyond::Saturate => Choice::Floor,
            Beyond::Ieee(_) if towards_zero => Choice::Floor,
            Beyond::Ieee(choice) | Beyond::Always(choice) => choice,
        }
    }

    fn flushes(&self, situation: Situation, away: bool) -> bool {
        let (size, position) = (situation.size, situation.position);
        // Numbers near the smallest normal number.
        let reaches = match self.rounding {
            Rounding::Rz => false,
            Rounding::Rn | Rounding::Rna => position == Position::Near,
            _ => away && matches!(position, Position::Above | Position::Near),
        };
        match self.small {
            Small::Keep | Small::Sources => false,
            Small::BeforeRounding => size != Size::Normal,
            Small::RoundedResults => size != Size::Normal && !(size == Size::Last && away),
            Small::TinyResults => size != Size::Normal && !(size == Size::Last && reaches),
        }
    }

    /// Every policy between two formats, the usual ones first.
    pub fn all(source: Format, destination: Format) -> Vec<Policy> {
        let kind = destination.parameters().kind;
        let float = destination.is_float();
        let signed = destination.is_signed();
        let two_zeros = float && signed;
        let whole = source.is_integer() && destination.is_integer();
        let mut specials = Vec::new();
        let has = |choice: Choice, there: bool| there.then_some(choice);
        specials.extend(has(Choice::Infinity, destination.infinity().is_some()));
        specials.extend(has(Choice::Nan, destination.nan().is_some()));
        specials.extend(has(Choice::SignedNan, signed && destination.nan().is_some()));
        specials.extend(has(Choice::TopBit, destination.is_integer() && !whole));
        let beyond = std::iter::once(if whole { Beyond::Wrap } else { Beyond::Saturate })
            .chain(whole.then_some(Beyond::Saturate))
            .chain(specials.iter().map(|choice| Beyond::Ieee(*choice)))
            .chain(specials.iter().map(|choice| Beyond::Always(*choice)));
        let small: &[Small] = match float {
            true => &[
                Small::Keep,
                Small::Sources,
                Small::TinyResults,
                Small::RoundedResults,
                Small::BeforeRounding,
            ],
            false => &[Small::Keep, Small::Sources],
        };
        let negative: &[Negative] = match kind {
            Kind::Float { signed: false, .. } | Kind::PowerOfTwo { .. } => {
                &[Negative::Magnitude, Negative::Zero, Negative::Nan]
            }
            _ => &[Negative::Ordinary],
        };
        let mut all = Vec::new();
        for beyond in beyond {
            for rounding in ROUNDINGS {
                for small in small.iter().copied() {
                    for negative in negative.iter().copied() {
                        for nan in nans(destination).iter().copied() {
                            all.push(Policy { rounding, beyond, nan, small, negative, signed, two_zeros });
                        }
                    }
                }
            }
        }
        all
    }

    /// The conversion that follows the policy; `None` if no [`Conversion`] does.
    pub fn conversion(&self, source: Format, destination: Format) -> Option<Conversion> {
        let rounding = between(self.rounding, source, destination);
        let special = match (destination.infinity(), destination.nan()) {
            (Some(_), _) => Choice::Infinity,
            (None, _) => Choice::Nan,
        };
        let overflow = match self.beyond {
            Beyond::Saturate => Overflow::Saturate,
            Beyond::Ieee(choice) if choice == special => Overflow::Ieee,
            Beyond::Always(choice) if choice == special => Overflow::InfinityOrNan,
            Beyond::Wrap => Overflow::Wrap,
            Beyond::Ieee(_) | Beyond::Always(_) => return None,
        };
        let nan = match self.nan {
            Choice::Nan => NanRule::Canonical,
            Choice::Largest if !destination.is_integer() => NanRule::MaxNorm,
            Choice::Quieted => NanRule::Quieted,
            Choice::Moved => NanRule::Moved,
            // Saturation changes the rounded bits, too.
            Choice::AsBits if self.beyond == Beyond::Saturate => return None,
            Choice::AsBits if (source, destination) == (Format::F32, Format::Tf32) => NanRule::RoundedAsBits,
            Choice::PositiveZero if destination.is_integer() => NanRule::IntegerZero,
            Choice::TopBit => NanRule::IntegerTopBit,
            _ => return None,
        };
        // f16 has a random field of 13 bits, which the conversions of forms carry with every rounding.
        let plain = match destination {
            Format::F16 => Conversion::new(source, destination).stochastic(13),
            _ => Conversion::new(source, destination),
        };
        let conversion = plain.rounding(rounding).overflow(overflow).nan(nan);
        match (self.small, self.negative) {
            (_, Negative::Zero | Negative::Nan) => None,
            (Small::Keep, _) => Some(conversion),
            (Small::Sources, _) => Some(conversion.source_subnormals(Subnormals::Zero)),
            (Small::TinyResults, _) => Some(conversion.result_subnormals(Subnormals::Zero)),
            (Small::RoundedResults | Small::BeforeRounding, _) => None,
        }
    }
}

/// The result for NaN.
fn nans(destination: Format) -> &'static [Choice] {
    use Choice::*;
    match (destination.infinity(), destination.nan()) {
        (Some(_), _) => &[Nan, Quieted, QuietNan, SignedQuietNan, SignedNan, Moved, AsBits],
        (None, Some(_)) if !destination.is_signed() => &[Nan],
        (None, Some(_)) => &[Nan, SignedNan],
        (None, None) if destination.is_integer() => &[PositiveZero, TopBit, Largest, SignedLargest],
        (None, None) => &[Largest, SignedLargest, PositiveZero],
    }
}

/// The part of a policy that applies to some inputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decided {
    rounding: bool,
    beyond: bool,
    nan: bool,
    negative: bool,
}

impl Decided {
    /// The part of the policy that applies to inputs in these situations.
    pub fn about(situations: impl Iterator<Item = Situation>) -> Decided {
        situations.fold(Decided::default(), |decided, Situation { negative, region, position, .. }| {
            let rounded = region == Region::Ordinary && position != Position::Exact;
            Decided {
                rounding: decided.rounding || rounded || region == Region::Least,
                beyond: decided.beyond || matches!(region, Region::Overflow | Region::Infinity),
                nan: decided.nan || region == Region::Nan,
                negative: decided.negative || negative && region != Region::Nan,
            }
        })
    }
}

impl Policy {
    /// `to nearest even, saturating, NaN to NaN with the source's sign`; usual parts, and parts that the
    /// inputs leave open, are left out.
    pub fn describe(&self, decided: Decided) -> String {
        let rounding = match self.rounding {
            // Codecs differ in ties.
            Rounding::Rn => "to nearest even",
            other => other.direction(),
        };
        let beyond = match self.beyond {
            Beyond::Saturate => "saturating".to_owned(),
            Beyond::Ieee(choice) => format!("overflow to {}", choice.describe()),
            Beyond::Always(choice) => format!("overflow to {} whatever the rounding", choice.describe()),
            Beyond::Wrap => "wrapping".to_owned(),
        };
        let nan = (self.nan != Choice::Nan).then(|| format!("NaN to {}", self.nan.describe()));
        let small = match self.small {
            Small::Keep => None,
            Small::Sources => Some("subnormal sources to zero"),
            Small::TinyResults => Some("subnormal results to zero"),
            Small::RoundedResults => Some("subnormal results to zero after rounding"),
            Small::BeforeRounding => Some("subnormal results to zero before rounding"),
        };
        let negative = match self.negative {
            Negative::Ordinary => None,
            Negative::Magnitude => Some("sign dropped"),
            Negative::Zero => Some("negative numbers to the least number"),
            Negative::Nan => Some("negative numbers to NaN"),
        };
        let parts = [
            decided.rounding.then(|| rounding.to_owned()),
            decided.beyond.then_some(beyond),
            nan.filter(|_| decided.nan),
            small.map(str::to_owned),
            negative.filter(|_| decided.negative).map(str::to_owned),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { "exact".to_owned() } else { parts.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use ptxcvt::inputs::{SplitMix64, edges};

    use super::*;
    use crate::judge::inputs::boundaries;
    use crate::judge::place::Places;

    /// Policies that a [`Conversion`] follows choose the code that it returns.
    #[test]
    fn policies_are_conversions() {
        use Format::*;
        let pairs = [F16, Bf16, E4m3, E5m2, E2m3, E3m2, E2m1, Ue8m0, Ue5m3, S2f6, S8, U8, S32, Tf32, F64];
        let pairs = pairs.into_iter().flat_map(|destination| {
            [F32, F64, F16, E5m2, S32].into_iter().map(move |source| (source, destination))
        });
        let mut compared = 0;
        for (source, destination) in pairs.chain([(F64, F32), (S32, F32), (U8, S8), (S64, U4)]) {
            let places = Places::new(source, destination);
            let step = if destination.bits() > 8 { 4001 } else { 1 };
            let mut inputs: Vec<u64> = edges(source).step_by(7).collect();
            inputs.extend(boundaries(source, destination).iter().step_by(step));
            let mut random = SplitMix64::new(1);
            inputs.extend((0..2000).map(|_| random.next_u64() & ptxcvt::mask(source.storage())));
            let known: Vec<_> = Policy::all(source, destination)
                .into_iter()
                .filter_map(|policy| Some((policy, policy.conversion(source, destination)?)))
                .collect();
            for input in inputs {
                let place = places.place(input);
                for (policy, conversion) in &known {
                    let chosen = places.code(&place, policy.choose(place.situation));
                    let expected = conversion.eval(input);
                    assert_eq!(
                        chosen,
                        Some(expected),
                        "{source} {input:#x} {policy:?}: {conversion} {place:?}"
                    );
                    compared += 1;
                }
            }
        }
        assert!(compared > 1_000_000, "{compared}");
    }
}
