//! The columns of the table of formats.
//!
//! PTX ISA sections 5.2.1, 5.2.3 and 5.2.4.

/// The meaning of the bits of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Binary integer; `signed` is two's complement.
    Integer {
        /// Two's complement rather than unsigned.
        signed: bool,
    },
    /// Sign (if any), biased exponent and fraction, from the top bit down.
    Float {
        /// Has a sign bit.
        signed: bool,
        /// Width of the exponent field in bits.
        exponent: u32,
        /// Width of the fraction field in bits, without the hidden bit.
        fraction: u32,
        /// The number to subtract from the exponent field.
        bias: i32,
        /// The codes that are not finite numbers.
        specials: Specials,
    },
    /// An unsigned power of two: code `c` is 2^(c − bias). There is no zero, and all ones is NaN.
    PowerOfTwo {
        /// The number to subtract from the code.
        bias: i32,
    },
    /// Two's complement with `fraction` bits right of the binary point.
    Fixed {
        /// Bits right of the binary point.
        fraction: u32,
    },
}

/// The codes of a floating-point format that are infinities or NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Specials {
    /// As IEEE 754: an all-ones exponent is infinity (fraction 0) or NaN.
    Ieee,
    /// No infinity. The one NaN of each sign has all magnitude bits set.
    NanOnly,
    /// Every code is finite.
    None,
}

/// The result of a conversion of NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NanCode {
    /// The canonical NaN: every bit but the sign is set.
    Canonical,
    /// The largest number, because the format has no NaN. All bits except the sign are set in it, too.
    Largest,
    /// An integer of up to 32 bits: 0.
    Zero,
    /// An integer of 64 bits: the top bit alone.
    TopBit,
}

/// The parameters of a [`Format`](super::Format).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameters {
    /// PTX's name, without the dot.
    pub name: &'static str,
    /// Other names of the format, in lower case; see [`Format::from_name`](super::Format::from_name).
    pub aliases: &'static [&'static str],
    /// Significant bits of a code.
    pub bits: u32,
    /// Bits that one element occupies in a register: FP6 uses the low bits of a byte, tf32 the upper bits of 32.
    pub storage: u32,
    /// Zero bits below the code in its storage.
    pub low_padding: u32,
    /// The meaning of the bits.
    pub kind: Kind,
    /// The result of a conversion of NaN.
    pub nan: NanCode,
    /// One line for readers who do not know the format.
    pub about: &'static str,
}

impl Parameters {
    pub(super) const fn integer(
        name: &'static str,
        aliases: &'static [&'static str],
        (bits, signed): (u32, bool),
        about: &'static str,
    ) -> Parameters {
        let nan = if bits == 64 { NanCode::TopBit } else { NanCode::Zero };
        let kind = Kind::Integer { signed };
        Parameters { name, aliases, bits, storage: bits, low_padding: 0, kind, nan, about }
    }

    /// A signed format of (exponent bits, fraction bits, bias), whose codes fill their storage.
    pub(super) const fn float(
        name: &'static str,
        aliases: &'static [&'static str],
        (exponent, fraction, bias): (u32, u32, i32),
        specials: Specials,
        about: &'static str,
    ) -> Parameters {
        let kind = Kind::Float { signed: true, exponent, fraction, bias, specials };
        let nan = match specials {
            Specials::None => NanCode::Largest,
            Specials::Ieee | Specials::NanOnly => NanCode::Canonical,
        };
        let bits = 1 + exponent + fraction;
        Parameters { name, aliases, bits, storage: bits, low_padding: 0, kind, nan, about }
    }

    /// Checks that the columns of a row agree; every row is checked at compile time.
    ///
    /// ```
    /// const ROW: ptxcvt::formats::Parameters = *ptxcvt::Format::E4m3.parameters();
    /// const _: () = ROW.check();
    /// ```
    ///
    /// A format of 9 bits with 1 + 4 + 3 bits in its fields does not compile:
    ///
    /// ```compile_fail,E0080
    /// const ROW: ptxcvt::formats::Parameters = {
    ///     let mut row = *ptxcvt::Format::E4m3.parameters();
    ///     row.bits = 9;
    ///     row
    /// };
    /// const _: () = ROW.check();
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the row contradicts itself:
    ///
    /// - sign, exponent and fraction do not add up to the width;
    /// - the code does not fit its storage, or the storage is not a power of two of at most 64 bits;
    /// - NaN has a code that the format does not have.
    pub const fn check(&self) {
        assert!(self.storage.is_power_of_two() && self.storage <= 64, "storage is 1, 2, 4, … or 64 bits");
        assert!(self.bits >= 1 && self.bits + self.low_padding <= self.storage, "the code fits its storage");
        assert!(!self.name.is_empty() && !self.about.is_empty(), "a format has a name and a description");
        let nan = self.nan;
        match self.kind {
            Kind::Integer { .. } => {
                assert!(self.bits == self.storage, "an integer fills its storage");
                let top = self.bits == 64;
                assert!(matches!(nan, NanCode::TopBit) == top, "64 bits: NaN is the top bit");
                assert!(matches!(nan, NanCode::Zero) != top, "up to 32 bits: NaN is 0");
            }
            Kind::Float { signed, exponent, fraction, bias, specials } => {
                assert!(signed as u32 + exponent + fraction == self.bits, "the fields fill the code");
                assert!(exponent >= 1 && fraction >= 1, "both fields have bits");
                assert!(bias >= 1 && bias < 1 << exponent, "1 has an exponent field");
                let finite = matches!(specials, Specials::None);
                assert!(matches!(nan, NanCode::Largest) == finite, "without NaN it is the largest number");
                assert!(matches!(nan, NanCode::Canonical) != finite, "NaN has a code");
            }
            Kind::PowerOfTwo { bias } => {
                assert!(bias >= 0 && bias < 1 << self.bits, "1 has a code");
                assert!(matches!(nan, NanCode::Canonical), "all ones is NaN");
            }
            Kind::Fixed { fraction } => {
                assert!(fraction + 1 < self.bits, "1 is a number of the format");
                assert!(matches!(nan, NanCode::Largest), "there is no NaN");
            }
        }
    }

    /// Stores the codes in `storage` bits, with `low_padding` zeros below.
    pub(super) const fn stored(self, storage: u32, low_padding: u32) -> Parameters {
        Parameters { storage, low_padding, ..self }
    }
}
