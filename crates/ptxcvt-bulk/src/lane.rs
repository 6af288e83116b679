//! The types of elements between two stages. Each stage declares its input and its output; stages that do not
//! fit cannot be combined.

use ptxcvt::formats::{Format, Kind};

/// The input or output elements of a stage, stored one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Codes of a format, each in its storage; 4-bit codes occupy a byte each.
    Codes(Format),
    /// Codes of a 4-bit format, two per byte, the first in the low half.
    Pairs(Format),
    /// f32 numbers that round to `bits` or fewer significant bits as the source does.
    Single { bits: u32 },
    /// f64 numbers that round to `bits` or fewer significant bits as the source does.
    Double { bits: u32 },
    /// f32 numbers that round to f16 as the source does.
    Half,
    /// f64 numbers rounded to odd, as f32. NaN keeps the upper bits of its payload.
    Odd,
    /// Codes of the source, any float format of at most 8 bits, a byte each.
    Source,
    /// The source's integers of this many bits, signed or not.
    SourceInteger { bits: u32 },
    /// Codes of the destination in this many bits, for any format.
    Result { bits: u32 },
    /// Codes of the destination in this many bits, which is an integer or fixed point.
    Integer { bits: u32 },
    /// Codes of the destination as they are stored in arrays.
    Stored,
    /// The operands of `cvt.pack`, one column after the other; also its results.
    Columns,
    /// Random fields or scales, which a stage reads in addition to elements.
    Extra,
}

/// f32 and f64 numbers.
pub(crate) const F32: Lane = Lane::Codes(Format::F32);
pub(crate) const F64: Lane = Lane::Codes(Format::F64);

/// Codes of format number `F`.
pub(crate) const fn codes<const F: usize>() -> Lane {
    Lane::Codes(Format::ALL[F])
}

/// Codes of format number `F`, two per byte.
pub(crate) const fn pairs<const F: usize>() -> Lane {
    Lane::Pairs(Format::ALL[F])
}

impl Lane {
    /// A format's codes as they are stored in arrays: 4-bit codes two per byte.
    pub const fn stored(format: Format) -> Lane {
        if format.storage() == 4 { Lane::Pairs(format) } else { Lane::Codes(format) }
    }

    /// This lane in a conversion from `source` to `destination`, as a lane that names a format. `None` if the
    /// lane does not fit these formats.
    pub const fn of(self, source: Format, destination: Format) -> Option<Lane> {
        let storage = if destination.storage() < 8 { 8 } else { destination.storage() };
        let is_whole = matches!(destination.parameters().kind, Kind::Integer { .. } | Kind::Fixed { .. });
        match self {
            Lane::Result { bits } if bits == storage => Some(Lane::Codes(destination)),
            Lane::Integer { bits } if bits == storage && is_whole => Some(Lane::Codes(destination)),
            Lane::Source if source.storage() == 8 && source.is_float() => Some(Lane::Codes(source)),
            Lane::SourceInteger { bits } if source.is_integer() && source.storage() == bits => {
                Some(Lane::Codes(source))
            }
            Lane::Result { .. } | Lane::Integer { .. } | Lane::Source | Lane::SourceInteger { .. } => None,
            Lane::Stored => Some(Lane::stored(destination)),
            lane => Some(lane),
        }
    }

    /// Whether a stage with input `self` may read the output `given`, on the way to `destination`.
    pub const fn reads(self, given: Lane, destination: Format) -> bool {
        // The significant bits of a float are its fraction bits and the hidden bit.
        let significant = destination.fraction_bits() + 1;
        let is_float = destination.is_float();
        match (self, given) {
            (Lane::Codes(Format::F32), Lane::Single { bits }) => is_float && significant <= bits,
            (Lane::Codes(Format::F64), Lane::Double { bits }) => is_float && significant <= bits,
            (Lane::Codes(Format::F32), Lane::Half) => matches!(destination, Format::F16),
            (Lane::Codes(a), Lane::Codes(b)) | (Lane::Pairs(a), Lane::Pairs(b)) => a as u8 == b as u8,
            (Lane::Odd, Lane::Odd) | (Lane::Columns, Lane::Columns) => true,
            _ => false,
        }
    }

    /// The size of an element in half bytes.
    pub const fn half_bytes(self) -> usize {
        match self {
            Lane::Source => 2,
            Lane::Codes(format) if format.storage() < 8 => 2,
            Lane::Codes(format) => format.storage() as usize / 4,
            Lane::Result { bits } | Lane::Integer { bits } | Lane::SourceInteger { bits } => {
                bits as usize / 4
            }
            Lane::Pairs(_) | Lane::Stored => 1,
            Lane::Single { .. } | Lane::Half | Lane::Odd | Lane::Columns => 8,
            Lane::Double { .. } => 16,
            Lane::Extra => 0,
        }
    }

    /// Whether a kernel from `from` to `to` bytes per element fits the input `self` and the output `given`.
    pub const fn has_sizes(self, given: Lane, from: usize, to: usize) -> bool {
        self.half_bytes() * to == given.half_bytes() * from
    }
}
