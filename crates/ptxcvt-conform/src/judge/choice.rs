//! The codes that a codec may choose, and which of them depend only on the source's sign.

use ptxcvt::Format;
use ptxcvt::formats::Kind;

/// Declares [`Choice`], the list of all choices and their descriptions.
macro_rules! choices {
    ($($(#[doc = $doc:literal])* $name:ident $text:literal,)*) => {
        /// A code that a codec may choose.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Choice { $($(#[doc = $doc])* $name),* }

        impl Choice {
            /// Every choice.
            pub const ALL: &'static [Choice] = &[$(Choice::$name),*];

            /// The choice in words, as a result.
            pub const fn describe(self) -> &'static str {
                match self { $(Choice::$name => $text),* }
            }
        }
    };
}

choices! {
    /// The neighbour towards zero; beyond the range, the largest number with the source's sign.
    Floor "the neighbour towards zero",
    /// The neighbour away from zero.
    Next "the neighbour away from zero",
    /// +0; the least number of a format without zero.
    PositiveZero "zero",
    /// −0.
    NegativeZero "negative zero",
    /// Infinity with the source's sign.
    Infinity "infinity",
    /// The canonical NaN: all bits but the sign set.
    Nan "NaN",
    /// The canonical NaN with the source's sign.
    SignedNan "NaN with the source's sign",
    /// The NaN whose fraction has only its top bit set.
    QuietNan "the quiet NaN without payload",
    /// The NaN whose fraction has only its top bit set, with the source's sign.
    SignedQuietNan "the quiet NaN without payload, with the source's sign",
    /// NaN with the payload of the source, quieted.
    Quieted "NaN with the source's sign and payload, quieted",
    /// NaN with the payload of the source.
    Moved "NaN with the source's sign and payload",
    /// The bits of a NaN rounded as if they were a number.
    AsBits "the rounded bits of the NaN",
    /// The largest positive number.
    Largest "the largest number",
    /// The largest number with the source's sign.
    SignedLargest "the largest number with the source's sign",
    /// The top bit of an integer alone.
    TopBit "the top bit alone",
    /// The low bits of an integer.
    Wrapped "the low bits",
}

/// The number of choices.
pub const CHOICES: usize = Choice::ALL.len();

/// The bit of a code that only changes the sign of its number: 0 for formats without a sign, and for two's complement.
pub fn separate_sign(format: Format) -> u64 {
    match format.parameters().kind {
        Kind::Float { signed: true, .. } => format.sign_bit(),
        Kind::Float { signed: false, .. }
        | Kind::Integer { .. }
        | Kind::PowerOfTwo { .. }
        | Kind::Fixed { .. } => 0,
        kind => unreachable!("no format is of the kind {kind:?}"),
    }
}

/// The code of a choice that depends on the sign only.
pub fn fixed(format: Format, choice: Choice, negative: bool) -> Option<u64> {
    let sign = if negative { separate_sign(format) } else { 0 };
    let quiet = format
        .infinity()
        .map(|infinity| infinity | 1 << (format.fraction_bits() - 1) << format.low_padding());
    match choice {
        Choice::PositiveZero => Some(0),
        Choice::NegativeZero => Some(separate_sign(format)).filter(|sign| *sign != 0),
        Choice::Infinity => format.infinity().map(|infinity| sign | infinity),
        Choice::Nan => format.nan(),
        Choice::SignedNan => format.nan().map(|nan| sign | nan),
        Choice::QuietNan => quiet,
        Choice::SignedQuietNan => quiet.map(|quiet| sign | quiet),
        Choice::Largest => Some(format.max_finite()),
        Choice::SignedLargest if negative && (format.is_signed() || format.is_integer()) => {
            Some(format.min_finite())
        }
        Choice::SignedLargest => Some(format.max_finite()),
        Choice::TopBit => format.is_integer().then(|| 1 << (format.bits() - 1)),
        Choice::Floor | Choice::Next | Choice::Quieted | Choice::Moved | Choice::AsBits | Choice::Wrapped => {
            None
        }
    }
}
