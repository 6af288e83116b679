//! The possible outcomes of a conversion.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes" and "Integer Notes".

/// The relation of an element's result to its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The result equals the source, after any flushing, scaling and clamping at zero.
    Exact,
    /// Rounded to the neighbour above.
    RoundedUp,
    /// Rounded to the neighbour below.
    RoundedDown,
    /// Beyond the destination's range, and limited to its end.
    Saturated,
    /// Beyond the destination's range: infinity, or NaN if the format has no infinity.
    Overflowed,
    /// High bits of an integer were discarded.
    Wrapped,
    /// The source is NaN, or a scale is.
    Nan(NanRule),
}

impl Outcome {
    /// A short name, as data: `exact`, `rounded-up`, `saturated`.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Exact => "exact",
            Outcome::RoundedUp => "rounded-up",
            Outcome::RoundedDown => "rounded-down",
            Outcome::Saturated => "saturated",
            Outcome::Overflowed => "overflowed",
            Outcome::Wrapped => "wrapped",
            Outcome::Nan(_) => "nan",
        }
    }
}

/// The result for NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NanRule {
    /// The destination's canonical NaN: every magnitude bit set.
    Canonical,
    /// The destination has no NaN: its largest positive number.
    MaxNorm,
    /// The canonical NaN of the source, with zeros below its fraction.
    Widened,
    /// Sign and payload kept, the quiet bit set.
    Quieted,
    /// Sign and payload kept as they are, signalling or not.
    Moved,
    /// `.sat` makes it +0.
    SaturatedToZero,
    /// To an integer: 0.
    IntegerZero,
    /// To an integer from f64, or to a 64-bit one: the top bit alone.
    IntegerTopBit,
    /// `.rna.tf32` rounds the bits of NaN like those of a number.
    RoundedAsBits,
}

impl NanRule {
    /// The rule in a sentence.
    pub const fn describe(self) -> &'static str {
        match self {
            NanRule::Canonical => "NaN becomes the canonical NaN, every bit but the sign set",
            NanRule::MaxNorm => "NaN becomes the largest positive number: the format has no NaN",
            NanRule::Widened => {
                "NaN becomes the canonical NaN of the source format, with zeros below its fraction"
            }
            NanRule::Quieted => "NaN keeps sign and payload and is quieted",
            NanRule::Moved => "NaN is not changed",
            NanRule::SaturatedToZero => "NaN becomes +0 under .sat",
            NanRule::IntegerZero => "NaN becomes 0",
            NanRule::IntegerTopBit => {
                "NaN becomes 1 << (width - 1): the source is f64 or the integer has 64 bits"
            }
            NanRule::RoundedAsBits => ".rna.tf32 rounds the bits of NaN like those of a number",
        }
    }
}
