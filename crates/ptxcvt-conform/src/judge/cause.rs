//! Causes of a wrong result that its place among the numbers of the destination does not show.

use ptxcvt::formats::Encoding;
use ptxcvt::{Conversion, Exact, Format, Overflow, Rounding, Value};

use super::choice::{Choice, sign_bit};
use super::place::{Place, Places, Region, rounds_away};

/// A set of causes, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Causes(u16);

/// What can be the cause of every result of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The number was first rounded to this format.
    Twice(Format),
    /// The result is that of the number times 2 to the power of this: the exponent's bias is another.
    Scaled(i32),
    /// The result is a neighbour without its sign.
    SignLost,
    /// The result has more bits than a code.
    Wide,
}

/// The formats in between that a codec may round to first.
const BETWEEN: [Format; 4] = [Format::F64, Format::F32, Format::F16, Format::Bf16];

impl Cause {
    /// Every cause, in the order of the bits of [`Causes`].
    const ALL: [Cause; 8] = [
        Cause::Twice(BETWEEN[0]),
        Cause::Twice(BETWEEN[1]),
        Cause::Twice(BETWEEN[2]),
        Cause::Twice(BETWEEN[3]),
        Cause::Scaled(1),
        Cause::Scaled(-1),
        Cause::SignLost,
        Cause::Wide,
    ];

    /// True if this is the cause of a result. `nearest` says that the result is the number nearest to the source, which
    /// rounding twice does not explain.
    fn explains(self, places: &Places, place: &Place, input: u64, got: u64, nearest: bool) -> bool {
        let (source, destination) = places.formats();
        let number = place.situation.region == Region::Ordinary;
        match self {
            Cause::Twice(between) => {
                // f64 lacks some of the u64, bf16 some of the f16.
                let fits = between != source
                    && between.bits() <= source.bits()
                    && between.bits() > destination.bits();
                let first = || Conversion::new(source, between).eval(input);
                let second = |x| Conversion::new(between, destination).overflow(Overflow::Saturate).eval(x);
                number && fits && !nearest && second(first()) == got
            }
            Cause::Scaled(power) => {
                let Value::Finite(x) = source.decode(input) else { return false };
                let scaled = Value::Finite(Exact { exponent: x.exponent + power, ..x });
                number
                    && !nearest
                    && destination.encode(scaled, Encoding::new(Rounding::Rn).satfinite()) == got
            }
            Cause::SignLost => {
                let sign = sign_bit(destination);
                let is = |choice| places.code(place, choice) == Some(got | sign);
                let lost = place.situation.negative && sign != 0 && got & sign == 0;
                number && lost && (is(Choice::Floor) || is(Choice::Next))
            }
            Cause::Wide => got > u64::MAX >> (64 - destination.storage()),
        }
    }
}

impl Causes {
    /// Every cause.
    pub const ALL: Causes = Causes((1 << Cause::ALL.len()) - 1);

    /// True if the cause is one of the set.
    pub fn has(self, cause: Cause) -> bool {
        Cause::ALL.iter().position(|known| *known == cause).is_some_and(|n| self.0 >> n & 1 != 0)
    }

    /// The formats in between which explain every result.
    pub fn between(self) -> impl Iterator<Item = Format> {
        BETWEEN.into_iter().filter(move |between| self.has(Cause::Twice(*between)))
    }

    /// The causes in both sets.
    pub fn and(self, other: Causes) -> Causes {
        Causes(self.0 & other.0)
    }

    /// The causes of this set that explain the result of every input, which have one place and one result.
    pub fn that_explain(
        self,
        places: &Places,
        place: &Place,
        inputs: impl Iterator<Item = u64>,
        got: u64,
    ) -> Causes {
        if self.0 == 0 {
            return self;
        }
        let away = rounds_away(Rounding::Rn, place.situation, places.formats().1.is_signed());
        let nearest = places.code(place, if away { Choice::Next } else { Choice::Floor }) == Some(got);
        let mut left = self;
        for input in inputs {
            for (n, cause) in Cause::ALL.iter().enumerate() {
                if left.0 >> n & 1 != 0 && !cause.explains(places, place, input, got, nearest) {
                    left.0 &= !(1 << n);
                }
            }
            let of_input = |cause: &Cause| matches!(cause, Cause::Twice(_) | Cause::Scaled(_));
            // The others depend on the place and the result alone.
            if !Cause::ALL.iter().any(|cause| of_input(cause) && left.has(*cause)) {
                break;
            }
        }
        left
    }
}
