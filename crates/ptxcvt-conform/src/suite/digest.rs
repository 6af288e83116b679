//! The digest of a conversion's results on every input.
//!
//! The results follow each other in the order of the inputs' codes, little-endian, in as many bytes as a code needs. A
//! program for `ptxcvt conform --program` writes the same bytes, so `sha256sum` of its output is the digest.

use ptxcvt::Conversion;
use sha2::{Digest, Sha256};

use crate::judge::inputs::{Inputs, bytes};
use crate::judge::place::Places;
use crate::judge::tally::gallop;

/// The SHA-256 of all results, in hexadecimal; `None` if the source has more than 32 bits.
///
/// ```
/// use ptxcvt::{Conversion, Format};
/// use ptxcvt_conform::suite::digest;
/// let digest = digest::all(&Conversion::new(Format::E2m1, Format::E2m1)).unwrap();
/// // printf '\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17' | sha256sum
/// assert!(digest.starts_with("be45cb2605bf36be"));
/// ```
pub fn all(conversion: &Conversion) -> Option<String> {
    const BLOCK: usize = 1 << 20;
    let (source, destination) = (conversion.source(), conversion.destination());
    if source.bits() > 32 {
        return None;
    }
    let inputs = Inputs::Every { source };
    let (places, width) = (Places::new(source, destination), bytes(destination));
    let mut hash = Sha256::new();
    let mut buffer = Vec::with_capacity(BLOCK * width);
    let mut first = 0;
    while first < inputs.count() {
        let count = (inputs.count() - first).min(BLOCK as u64) as usize;
        let input = |offset: usize| inputs.at(first + offset as u64);
        let mut at = 0;
        buffer.clear();
        while at < count {
            let place = places.place(input(at));
            let end = gallop(at, count, |offset| places.place(input(offset)) == place);
            let code = conversion.eval(input(at)).to_le_bytes();
            match width {
                1 => buffer.resize(end, code[0]),
                _ => (at..end).for_each(|_| buffer.extend_from_slice(&code[..width])),
            }
            at = end;
        }
        hash.update(&buffer);
        first += count as u64;
    }
    Some(format!("{:x}", hash.finalize()))
}
