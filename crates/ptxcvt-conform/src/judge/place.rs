//! Where a source number is among the numbers of the destination, and the codes that a codec may choose there.
//!
//! All usual policies choose from the same few codes: the neighbour towards zero, the neighbour away from zero, a zero,
//! the largest number, infinity or a NaN. Which of them is correct depends on the *situation* (sign, region, position
//! between the neighbours). There are only a few hundred situations, so results are counted by situation and by the
//! choices that they equal, and every policy is judged afterwards from these counts.
//!
//! PTX ISA sections 6.5.2 (rounding) and 9.7.9.21 ("Floating Point Notes").

use ptxcvt::formats::Kind;
use ptxcvt::{Conversion, Exact, Format, NanRule, Rounding, Value, mask};

use super::choice::{CHOICES, Choice, fixed};

/// The part of the number line that a source belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Region {
    /// The source is NaN.
    Nan,
    /// The source is infinite.
    Infinity,
    /// The source is greater in magnitude than the largest number of the destination with its sign.
    Overflow,
    /// The source is zero.
    Zero,
    /// The source is not zero, but below the least power of two of a format without zero.
    Least,
    /// Any other number.
    Ordinary,
}

/// The position between the neighbour towards zero and the one away from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Position {
    /// The source is a number of the destination.
    Exact,
    /// Nearer to the neighbour towards zero.
    Below,
    /// In the middle.
    Tie,
    /// Nearer to the neighbour away from zero.
    Above,
    /// At least three quarters of the way: rounding with one more bit would reach the neighbour away from zero.
    Near,
    /// At or beyond the number that would follow the largest one.
    Beyond,
}

/// How small the two neighbours are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Size {
    /// Zero, and a subnormal number.
    Zero,
    /// Two subnormal numbers.
    Subnormal,
    /// The largest subnormal number, and the smallest normal one.
    Last,
    /// Two normal numbers; also numbers of formats without subnormals.
    Normal,
}

/// Everything that a policy needs to know about a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Situation {
    /// The source's sign.
    pub negative: bool,
    /// The part of the number line.
    pub region: Region,
    /// The position between the neighbours.
    pub position: Position,
    /// The code of the neighbour towards zero is odd. Known for ties only.
    pub odd: bool,
    /// How small the neighbours are.
    pub size: Size,
    /// The source is a subnormal number of its format.
    pub subnormal_source: bool,
}

/// A source number among the numbers of the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The property of the number that decides its result.
    pub situation: Situation,
    /// The neighbours towards zero and away from zero; equal if there is only one.
    neighbours: [u64; 2],
    /// The codes of [`Choice::Quieted`], [`Choice::Moved`] and [`Choice::AsBits`] of a NaN; of [`Choice::Wrapped`] of
    /// an integer. `None` where there is no such code.
    own: [Option<u64>; 3],
}

/// Finds the place of sources of one format among the numbers of another.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    source: Format,
    destination: Format,
    /// The codes of choices that depend on the sign only: positive, negative. `None` if the format lacks them.
    fixed: [[Option<u64>; CHOICES]; 2],
}

impl Places {
    /// Places of sources of the first format among the numbers of the second.
    pub fn new(source: Format, destination: Format) -> Places {
        let fixed = [false, true].map(|negative| {
            let mut codes = [None; CHOICES];
            for (code, choice) in codes.iter_mut().zip(Choice::ALL) {
                *code = fixed(destination, *choice, negative);
            }
            codes
        });
        Places { source, destination, fixed }
    }

    /// The source and the destination.
    pub fn formats(&self) -> (Format, Format) {
        (self.source, self.destination)
    }

    /// The place of one source.
    #[inline]
    pub fn place(&self, input: u64) -> Place {
        match self.source.decode(input) {
            Value::Finite(x) => self.finite(x, input),
            Value::Infinity { negative } => special(negative, Region::Infinity, [None; 3]),
            Value::Nan { negative, .. } => {
                let has_infinity = self.destination.infinity().is_some();
                let by = |rule| {
                    has_infinity.then(|| Conversion::new(self.source, self.destination).nan(rule).eval(input))
                };
                let own = [by(NanRule::Quieted), by(NanRule::Moved), self.rounded_as_bits(input)];
                special(negative, Region::Nan, own)
            }
        }
    }

    /// A NaN rounded as if it were a number. `None` for formats between which no library does so.
    fn rounded_as_bits(&self, input: u64) -> Option<u64> {
        match (self.source, self.destination) {
            (Format::F32, Format::Tf32) => {
                Some(Conversion::new(Format::F32, Format::Tf32).nan(NanRule::RoundedAsBits).eval(input))
            }
            (Format::F32, Format::Bf16) => Some(to_nearest_even_as_bits(input)),
            _ => None,
        }
    }

    /// The code of a choice at a place; `None` if there is none.
    #[inline]
    pub fn code(&self, place: &Place, choice: Choice) -> Option<u64> {
        let Situation { negative, region, .. } = place.situation;
        let number = !matches!(region, Region::Nan | Region::Infinity);
        let nan = region == Region::Nan;
        match choice {
            Choice::Floor => number.then_some(place.neighbours[0]),
            Choice::Next => (region == Region::Ordinary).then_some(place.neighbours[1]),
            Choice::Quieted => place.own[0].filter(|_| nan),
            Choice::Moved => place.own[1],
            Choice::AsBits => place.own[2],
            Choice::Wrapped => place.own[0].filter(|_| !nan),
            _ => self.fixed[usize::from(negative)][choice as usize],
        }
    }

    /// The choices that a code equals, a bit for each.
    #[inline]
    pub fn choices(&self, place: &Place, code: u64) -> u32 {
        Choice::ALL.iter().fold(0, |set, choice| {
            set | u32::from(self.code(place, *choice) == Some(code)) << (*choice as u32)
        })
    }

    #[inline]
    fn finite(&self, x: Exact, input: u64) -> Place {
        let is_wrapped = self.source.is_integer() && self.destination.is_integer();
        let wrapped = is_wrapped.then(|| input & mask(self.destination.bits()));
        let mut place = match self.destination.parameters().kind {
            Kind::Float { fraction, bias, .. } => self.float(x, fraction, bias),
            Kind::PowerOfTwo { bias } => self.power(x, bias),
            Kind::Fixed { fraction } => self.steps(x, -(fraction as i32)),
            _ => self.steps(x, 0),
        };
        place.own[0] = wrapped;
        place.situation.subnormal_source = self.source.is_subnormal(input);
        place
    }

    /// A floating-point destination. Codes count quanta from the smallest subnormal up.
    #[inline]
    fn float(&self, x: Exact, fraction: u32, bias: i32) -> Place {
        let format = self.destination;
        let padding = format.low_padding();
        let sign = if x.negative { format.sign_bit() } else { 0 };
        if x.is_zero() {
            return ordinary(x.negative, Region::Zero, (Position::Exact, false), Size::Zero, [sign; 2]);
        }
        let least = 1 - bias;
        let binade = exponent_of(x).max(least);
        let (steps, position) = split(x, binade - fraction as i32);
        let base = ((binade - least) as u64) << fraction;
        let (floor, largest) = (base + steps, format.max_finite() >> padding);
        if floor > largest || floor == largest && position != Position::Exact {
            let position = if floor > largest { Position::Beyond } else { position.without_near() };
            let end = sign | format.max_finite();
            let tie = (position, largest & 1 != 0);
            return ordinary(x.negative, Region::Overflow, tie, Size::Normal, [end; 2]);
        }
        let normal = 1 << fraction;
        let size = match floor {
            _ if floor >= normal => Size::Normal,
            _ if floor == normal - 1 => Size::Last,
            0 => Size::Zero,
            _ => Size::Subnormal,
        };
        let position = if size == Size::Last { position } else { position.without_near() };
        let next = floor + u64::from(position != Position::Exact);
        let codes = [floor, next].map(|steps| sign | steps << padding);
        ordinary(x.negative, Region::Ordinary, (position, floor & 1 != 0), size, codes)
    }

    /// The place of a number in a format of powers of two. Ties go to the power above, as in the reference.
    fn power(&self, x: Exact, bias: i32) -> Place {
        if x.is_zero() {
            return ordinary(x.negative, Region::Zero, (Position::Exact, false), Size::Normal, [0; 2]);
        }
        let exponent = exponent_of(x);
        if exponent < -bias {
            return ordinary(x.negative, Region::Least, (Position::Below, false), Size::Normal, [0; 2]);
        }
        let (_, position) = split(x, exponent);
        let position = position.without_near();
        let (floor, largest) = ((exponent + bias) as u64, self.destination.max_finite());
        if floor > largest || floor == largest && position != Position::Exact {
            let position = if floor > largest { Position::Beyond } else { position };
            return ordinary(x.negative, Region::Overflow, (position, true), Size::Normal, [largest; 2]);
        }
        let codes = [floor, floor + u64::from(position != Position::Exact)];
        ordinary(x.negative, Region::Ordinary, (position, true), Size::Normal, codes)
    }

    /// Integers and fixed point: whole steps in two's complement.
    fn steps(&self, x: Exact, quantum: i32) -> Place {
        let format = self.destination;
        let bits = format.bits();
        let limit = match (x.negative, format.is_signed()) {
            (true, true) => 1 << (bits - 1),
            (true, false) => 0,
            (false, _) => format.max_finite(),
        };
        let code = |steps: u64| {
            let value = if x.negative { steps.wrapping_neg() } else { steps };
            value & mask(bits)
        };
        if x.is_zero() {
            return ordinary(x.negative, Region::Zero, (Position::Exact, false), Size::Normal, [0; 2]);
        }
        let beyond = exponent_of(x) - quantum >= 64;
        let (steps, position) = if beyond { (u64::MAX, Position::Beyond) } else { split(x, quantum) };
        let position = position.without_near();
        if beyond || steps > limit || steps == limit && position != Position::Exact {
            let position = if beyond || steps > limit { Position::Beyond } else { position };
            let tie = (position, limit & 1 != 0);
            return ordinary(x.negative, Region::Overflow, tie, Size::Normal, [code(limit); 2]);
        }
        let next = steps + u64::from(position != Position::Exact);
        let codes = [code(steps), code(next)];
        ordinary(x.negative, Region::Ordinary, (position, steps & 1 != 0), Size::Normal, codes)
    }
}

impl Position {
    /// Near counts as above unless the size is [`Size::Last`].
    fn without_near(self) -> Position {
        if self == Position::Near { Position::Above } else { self }
    }
}

fn special(negative: bool, region: Region, own: [Option<u64>; 3]) -> Place {
    let place = ordinary(negative, region, (Position::Exact, false), Size::Normal, [0; 2]);
    Place { own, ..place }
}

fn ordinary(
    negative: bool,
    region: Region,
    (position, odd): (Position, bool),
    size: Size,
    neighbours: [u64; 2],
) -> Place {
    let odd = odd && position == Position::Tie;
    let situation = Situation { negative, region, position, odd, size, subnormal_source: false };
    Place { situation, neighbours, own: [None; 3] }
}

/// Whole quanta of 2^`quantum` in |x|, which must be fewer than 2^64, and the position between two of them.
#[inline]
fn split(x: Exact, quantum: i32) -> (u64, Position) {
    if quantum <= x.exponent {
        return (x.significand << (x.exponent - quantum), Position::Exact);
    }
    let shift = (quantum - x.exponent) as u32;
    if shift > 66 {
        return (0, if x.is_zero() { Position::Exact } else { Position::Below });
    }
    let wide = u128::from(x.significand);
    let (steps, rest, half) = ((wide >> shift) as u64, wide & ((1 << shift) - 1), 1_u128 << (shift - 1));
    let position = match rest {
        0 => Position::Exact,
        _ if rest < half => Position::Below,
        _ if rest == half => Position::Tie,
        _ if rest < half + half / 2 => Position::Above,
        _ => Position::Near,
    };
    (steps, position)
}

/// The e of 2^e ≤ |x| < 2^(e+1), for x other than zero.
#[inline]
fn exponent_of(x: Exact) -> i32 {
    x.exponent + 63 - x.significand.leading_zeros() as i32
}

/// The upper half of the 32 bits, which are rounded to nearest even as one integer. A NaN may become infinity, and a
/// NaN whose bits are all ones becomes zero.
fn to_nearest_even_as_bits(input: u64) -> u64 {
    let bits = input as u32;
    u64::from(bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16)
}

/// The roundings that policies have.
pub const ROUNDINGS: [Rounding; 5] = [Rounding::Rn, Rounding::Rz, Rounding::Rna, Rounding::Rm, Rounding::Rp];

/// True if `rounding` takes the neighbour away from zero. An unsigned format rounds magnitudes.
#[inline]
pub fn rounds_away(rounding: Rounding, situation: Situation, signed: bool) -> bool {
    let negative = situation.negative && signed;
    match (rounding, situation.position) {
        (_, Position::Exact) => false,
        (Rounding::Rz | Rounding::Rzi, _) => false,
        (Rounding::Rm | Rounding::Rmi, _) => negative,
        (Rounding::Rp | Rounding::Rpi, _) => !negative,
        (_, Position::Below) => false,
        (Rounding::Rna, Position::Tie) => true,
        (_, Position::Tie) => situation.odd,
        (_, Position::Above | Position::Near | Position::Beyond) => true,
    }
}
