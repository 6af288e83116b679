//! The interleaved order of codes: weights are permuted once in advance, so that a kernel needs fewer instructions to
//! put the codes of a pair where f16 or bf16 has its fields.

use ptxcvt::Format;

use super::shape::Shape;
use crate::short::words::{Half, Small};

/// The places of a pair's codes: the lower element's in the lower half of the register, the upper one's in the upper half.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The lowest bit of the code without its sign, within the half.
    pub field: u32,
    /// The bit of the sign, within the half.
    pub sign: u32,
}

const fn at(field: u32, sign: u32) -> Place {
    Place { field, sign }
}

/// The place of each pair of a register, if interleaving saves instructions. The first pair is where the wide format has
/// it.
pub(super) fn places(shape: Shape) -> Option<Vec<Place>> {
    let [from, to] = [shape.form().source(), shape.form().destination()].map(|ty| ty.format());
    let places = match (from, to) {
        (Format::E2m1, Format::F16) => vec![at(9, 15), at(6, 12), at(3, 14), at(0, 13)],
        (Format::E2m1, Format::Bf16) => vec![at(6, 15), at(3, 12), at(0, 14), at(9, 13)],
        (Format::E4m3, Format::F16) => vec![at(7, 15), at(0, 14)],
        (Format::E2m3, Format::F16) => vec![at(7, 15), at(0, 14)],
        (Format::E3m2, Format::F16) => vec![at(8, 15), at(0, 14)],
        (Format::E2m3, Format::Bf16) => vec![at(4, 15), at(9, 14)],
        (Format::E3m2, Format::Bf16) => vec![at(5, 15), at(0, 14)],
        _ => return None,
    };
    Some(places)
}

/// A register of codes in memory order, permuted for [`Order::Interleaved`](super::Order::Interleaved); `None` if the
/// shape has no such order.
///
/// ```
/// use ptxcvt_lower::word::{Shape, interleave};
/// let shape = Shape::new("cvt.rn.f16x2.e4m3x2".parse()?, 4)?;
/// assert_eq!(interleave(shape, 0x0000_00ff), Some(0x0000_bf80)); // element 0: sign and field
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn interleave(shape: Shape, register: u32) -> Option<u32> {
    let places = places(shape)?;
    let format = shape.form().source().format();
    let (storage, sign) = (format.storage(), format.bits() - 1);
    let mut permuted = 0;
    for element in 0..32 / storage {
        let code = register >> (element * storage);
        let (place, half) = (places[element as usize / 2], 16 * (element % 2));
        permuted |= (code & ptxcvt::mask(sign) as u32) << (place.field + half);
        permuted |= (code >> sign & 1) << (place.sign + half);
    }
    Some(permuted)
}

/// The lines that put the pair at `place` of a register where the wide format has its fields, and the register with it.
pub(super) fn lines(shape: Shape, place: Place, source: &str) -> Option<(Vec<String>, String)> {
    let [from, to] = [shape.form().source(), shape.form().destination()].map(|ty| ty.format());
    let field = (Half::new(to)?.fraction - Small::new(from)?.fraction) as i32 - place.field as i32;
    let sign = 15 - place.sign as i32;
    let shifted = |to: &str, by: i32| match by {
        0.. => format!("shl.b32 {to}, {source}, {by};"),
        _ => format!("shr.u32 {to}, {source}, {};", -by),
    };
    if (field, sign) == (0, 0) {
        return Some((Vec::new(), source.to_owned()));
    }
    let mut lines = vec![shifted("word_t", field)];
    if sign != field {
        lines.push(shifted("word_s", sign));
        lines.push("lop3.b32 word_t, word_t, word_s, 0x80008000, 0xd8;".into());
    }
    Some((lines, "word_t".into()))
}
