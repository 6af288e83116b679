//! Causes of a wrong result that its place among the numbers of the destination does not show.

use ptxcvt::formats::Encoding;
use ptxcvt::{Conversion, Exact, Format, Overflow, Rounding, Value, mask};

use super::choice::{Choice, separate_sign};
use super::place::{Place, Places, Region, rounds_away};

/// A set of causes is kept in 16 bits.
const _: () = assert!(Cause::ALL.len() <= u16::BITS as usize, "the set has a bit for every cause");

/// A set of causes, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Causes(u16);

/// A possible cause of all results of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The number was first rounded to this format.
    Twice(Format),
    /// The result is correct for the number times 2 to the power of this: the bias is wrong.
    Scaled(i32),
    /// The result is a neighbour without its sign.
    SignLost,
    /// The result is a neighbour with the opposite sign.
    SignInverted,
    /// The significand became 0 where rounding carries into the exponent, but the exponent remained.
    CarryLost,
    /// The result is the code of the format with one more in the bias, neither infinity nor −0, and NaN in the place of
    /// −0: e4m3fnuz for e4m3.
    Fnuz,
    /// The result has more bits than a code.
    Wide,
}

/// The formats in between that a codec may round to first.
const BETWEEN: [Format; 4] = [Format::F64, Format::F32, Format::F16, Format::Bf16];

impl Cause {
    /// Every cause, in the order of the bits of [`Causes`].
    const ALL: [Cause; 11] = [
        Cause::Twice(BETWEEN[0]),
        Cause::Twice(BETWEEN[1]),
        Cause::Twice(BETWEEN[2]),
        Cause::Twice(BETWEEN[3]),
        Cause::Scaled(1),
        Cause::Scaled(-1),
        Cause::SignLost,
        Cause::SignInverted,
        Cause::CarryLost,
        Cause::Fnuz,
        Cause::Wide,
    ];

    /// True if this is the cause of a result. `nearest` says that the result is the number nearest to the source, which
    /// rounding twice does not explain.
    fn explains(self, places: &Places, place: &Place, input: u64, got: u64, nearest: bool) -> bool {
        let (source, destination) = places.formats();
        let number = place.situation.region == Region::Ordinary;
        match self {
            Cause::Twice(between) => {
                // f64 cannot represent every u64, nor bf16 every f16.
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
                let sign = separate_sign(destination);
                number
                    && place.situation.negative
                    && got & sign == 0
                    && is_neighbour_with_other_sign(places, place, got)
            }
            Cause::SignInverted => number && is_neighbour_with_other_sign(places, place, got),
            Cause::CarryLost => {
                let float = destination.is_float();
                let fraction = mask(destination.fraction_bits()) << destination.low_padding();
                let carries = |floor: u64| fraction != 0 && floor & fraction == fraction;
                let floor = places.code(place, Choice::Floor).filter(|floor| carries(*floor));
                number && float && floor.is_some_and(|floor| got == floor & !fraction)
            }
            Cause::Fnuz => number && !nearest && fnuz(source, destination, input) == Some(got),
            Cause::Wide => got > mask(destination.storage()),
        }
    }
}

/// True if a result is a neighbour of the source apart from its sign, in formats with a bit for the sign.
fn is_neighbour_with_other_sign(places: &Places, place: &Place, got: u64) -> bool {
    let sign = separate_sign(places.formats().1);
    let is = |choice| places.code(place, choice) == Some(got ^ sign);
    sign != 0 && (is(Choice::Floor) || is(Choice::Next))
}

/// The code of a finite number in the format with one more in the bias, neither infinity nor −0: to nearest even,
/// saturating. `None` unless the format has 8 bits, a sign and NaN, as e4m3 and e5m2 have.
fn fnuz(source: Format, destination: Format, input: u64) -> Option<u64> {
    let sign = separate_sign(destination);
    let (Value::Finite(x), 0x80, Some(_)) = (source.decode(input), sign, destination.nan()) else {
        return None;
    };
    let code = |exponent, rounding| {
        let size = Value::Finite(Exact { negative: false, exponent, ..x });
        destination.encode(size, Encoding::new(rounding).satfinite())
    };
    // A normal number has the significand of the other format, and one more in the exponent.
    let normal = code(x.exponent, Rounding::Rz) >= destination.min_normal();
    let size = match normal {
        true => (code(x.exponent, Rounding::Rn) + (1 << destination.fraction_bits())).min(sign - 1),
        false => code(x.exponent + 1, Rounding::Rn),
    };
    Some(if size != 0 && x.negative { size | sign } else { size })
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

    /// Keeps the causes that explain the result of every input. All inputs have the same place and result.
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
            let of_input = |cause: &Cause| matches!(cause, Cause::Twice(_) | Cause::Scaled(_) | Cause::Fnuz);
            // The others depend on the place and the result alone.
            if !Cause::ALL.iter().any(|cause| of_input(cause) && left.has(*cause)) {
                break;
            }
        }
        left
    }
}
