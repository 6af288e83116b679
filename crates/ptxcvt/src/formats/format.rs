//! What a format's row says, as methods: widths, signs, padding.

use super::parameters::Kind;
use super::rows::Format;

impl Format {
    /// Significant bits of a code.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.parameters().bits
    }

    /// Bits that one element takes in a register: 8 for FP6, 32 for tf32, else [`bits`](Self::bits).
    #[inline]
    pub const fn storage(self) -> u32 {
        self.parameters().storage
    }

    /// Zero bits below the code in its storage: 13 for tf32, else 0.
    #[inline]
    pub const fn low_padding(self) -> u32 {
        self.parameters().low_padding
    }

    /// True of the integer formats.
    #[inline]
    pub const fn is_integer(self) -> bool {
        matches!(self.parameters().kind, Kind::Integer { .. })
    }

    /// True where negative numbers exist.
    #[inline]
    pub const fn is_signed(self) -> bool {
        match self.parameters().kind {
            Kind::Integer { signed } | Kind::Float { signed, .. } => signed,
            Kind::PowerOfTwo { .. } => false,
            Kind::Fixed { .. } => true,
        }
    }

    /// The sign bit as it lies in a register, 0 where there is none.
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
