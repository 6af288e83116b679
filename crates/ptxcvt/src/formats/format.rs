//! The columns of a format's row as methods: widths, signs, padding.
//!
//! PTX ISA sections 5.2.1, 5.2.3 and 5.2.4.

use super::parameters::Kind;
use super::rows::Format;

impl Format {
    /// The significant bits of a code.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.parameters().bits
    }

    /// The bits that one element occupies in a register: 8 for FP6, 32 for tf32, otherwise
    /// [`bits`](Self::bits).
    #[inline]
    pub const fn storage(self) -> u32 {
        self.parameters().storage
    }

    /// The number of zero bits below the code in its storage: 13 for tf32, otherwise 0.
    #[inline]
    pub const fn low_padding(self) -> u32 {
        self.parameters().low_padding
    }

    /// True for integer formats.
    #[inline]
    pub const fn is_integer(self) -> bool {
        matches!(self.parameters().kind, Kind::Integer { .. })
    }

    /// True for floating-point formats, which have an exponent and a fraction: not for integers, fixed-point formats, and
    /// ue8m0, which has only powers of two.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// let floats = Format::ALL.iter().filter(|format| format.is_float());
    /// assert!(floats.clone().any(|format| *format == Format::Ue5m3));
    /// assert!(floats.clone().all(|format| ![Format::S2f6, Format::Ue8m0, Format::S8].contains(format)));
    /// ```
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self.parameters().kind, Kind::Float { .. })
    }

    /// True if the format has negative numbers.
    #[inline]
    pub const fn is_signed(self) -> bool {
        match self.parameters().kind {
            Kind::Integer { signed } | Kind::Float { signed, .. } => signed,
            Kind::PowerOfTwo { .. } => false,
            Kind::Fixed { .. } => true,
        }
    }

    /// The sign bit as a register holds it, 0 if the format has none.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::E2m3.sign_bit(), 0x20);
    /// assert_eq!(Format::Tf32.sign_bit(), 0x8000_0000);
    /// assert_eq!(Format::Ue8m0.sign_bit(), 0);
    /// ```
    #[inline]
    pub const fn sign_bit(self) -> u64 {
        if self.is_signed() { 1 << (self.bits() + self.low_padding() - 1) } else { 0 }
    }
}
