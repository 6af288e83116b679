//! Checks that the reference's results rise with the magnitudes of the inputs, as in every conversion that
//! rounds.

use ptxcvt::Format;
use ptxcvt::formats::Kind;

/// The last result at each element of an instruction.
pub struct Order {
    format: Format,
    last: [(u32, u64); 4],
}

impl Order {
    /// There is no result yet.
    pub fn new(format: Format) -> Order {
        Order { format, last: [(0, 0); 4] }
    }

    /// Adds the next result at one element, for an input with larger bits than the last one's. Returns false
    /// if both inputs are numbers of one sign and the magnitude of the result is less than the last one's.
    pub fn takes(&mut self, lane: usize, input: u32, code: u64) -> bool {
        let (sign, now) = (input >> 31, magnitude(self.format, code));
        if input << 1 > 0xff00_0000 {
            return true;
        }
        let (last_sign, last) = std::mem::replace(&mut self.last[lane], (sign, now));
        sign != last_sign || last <= now
    }
}

/// A number that is greater if the code's magnitude is.
fn magnitude(format: Format, code: u64) -> u64 {
    match format.parameters().kind {
        Kind::Integer { signed: true } | Kind::Fixed { .. } => {
            let unused = u64::BITS - format.bits();
            ((code << unused) as i64 >> unused).unsigned_abs()
        }
        _ => code & !format.sign_bit(),
    }
}
