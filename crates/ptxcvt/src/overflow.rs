//! The treatment of numbers out of a format's range.
//!
//! PTX ISA section 9.7.9.21 (`.satfinite`) and IEEE 754 section 7.4.

/// The treatment of a number beyond the largest finite number of the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overflow {
    /// It becomes the largest finite number, and so does infinity (PTX's `.satfinite`).
    Saturate,
    /// The largest finite number or infinity, depending on the rounding (IEEE 754 section 7.4). A format
    /// without infinity uses NaN instead, or the largest number if it has no NaN.
    Ieee,
    /// Infinity for every rounding; NaN if the format has no infinity; the largest number if it has neither.
    InfinityOrNan,
    /// The low bits of an integer remain. A conversion from a floating-point format to an integer saturates instead, and one
    /// to a floating-point format is as [`Ieee`](Self::Ieee).
    Wrap,
}

impl Overflow {
    /// Another name of [`InfinityOrNan`](Self::InfinityOrNan), for formats without infinity.
    #[allow(non_upper_case_globals)] // it is used like the variants
    pub const Nan: Overflow = Overflow::InfinityOrNan;
}
