//! What a row of the table of formats says.

/// What the bits of a format mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Binary integer; `signed` is two's complement.
    Integer {
        /// Two's complement rather than unsigned.
        signed: bool,
    },
    /// Sign (where there is one), biased exponent, fraction, from the top bit down.
    Float {
        /// Has a sign bit.
        signed: bool,
        /// Width of the exponent field in bits.
        exponent: u32,
        /// Width of the fraction field in bits, without the hidden bit.
        fraction: u32,
        /// What is subtracted from the exponent field.
        bias: i32,
        /// Which codes are not finite numbers.
        specials: Specials,
    },
    /// An unsigned power of two: code `c` is 2^(c − bias); no zero; all ones is NaN.
    PowerOfTwo {
        /// What is subtracted from the code.
        bias: i32,
    },
    /// Two's complement with `fraction` bits right of the binary point.
    Fixed {
        /// Bits right of the binary point.
        fraction: u32,
    },
}

/// Which codes of a floating-point format are infinities and NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Specials {
    /// As IEEE 754: an all-ones exponent is infinity (fraction 0) or NaN.
    Ieee,
    /// No infinity; the one NaN of each sign has every magnitude bit set.
    NanOnly,
    /// Every code is finite.
    None,
}

/// What NaN becomes on its way into a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NanCode {
    /// The canonical NaN: every bit but the sign is set.
    Canonical,
    /// The format has no NaN: its largest number, which has every bit but the sign set, too.
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
    /// What others call it, in small letters; see [`Format::from_name`](super::Format::from_name).
    pub aliases: &'static [&'static str],
    /// Significant bits of a code.
    pub bits: u32,
    /// Bits that one element takes in a register: FP6 lies in the low bits of a byte, tf32 in the upper bits
    /// of 32.
    pub storage: u32,
    /// Zero bits below the code in its storage.
    pub low_padding: u32,
    /// The meaning of the bits.
    pub kind: Kind,
    /// What NaN becomes.
    pub nan: NanCode,
    /// One line for a reader who meets the format for the first time.
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

    /// The same row with codes that lie in `storage` bits, with `low_padding` zeros below.
    pub(super) const fn stored(self, storage: u32, low_padding: u32) -> Parameters {
        Parameters { storage, low_padding, ..self }
    }
}
