//! Unpacks a library in a web page: LZMA, because browsers unpack only gzip, which makes the page a quarter larger, and
//! code that was split before ([`code`]).
//!
//! Without the standard library this is a few kB of WebAssembly. The format is that of `.lzma` files (LZMA SDK,
//! `lzma-specification.txt`) whose header has the length and whose data has no end marker.

#![cfg_attr(target_arch = "wasm32", no_std)]

pub mod code;
mod range;

use range::{Prob, Range, item, reverse, tree};

/// The bytes of the header: one of parameters, four of the dictionary's length, eight of the output's length.
pub const HEADER: usize = 13;

/// Unpacks a file; `None` if the output is not as long as the header says or the data is damaged.
pub fn unpack(file: &[u8], output: &mut [u8]) -> Option<()> {
    let (header, data) = file.split_first_chunk::<HEADER>()?;
    let [_, _, _, _, _, length @ ..] = *header;
    let length = u64::from_le_bytes(length);
    if length != output.len() as u64 || header[0] >= 9 * 5 * 5 {
        return None;
    }
    let (lc, rest) = (header[0] % 9, header[0] / 9);
    let (lp, pb) = (rest % 5, rest / 5);
    // More are allowed, but nothing uses them, and the table of literals would be larger.
    if lc + lp > 4 {
        return None;
    }
    Decoder::new(lc.into(), lp.into(), pb.into()).run(&mut Range::new(data)?, output)
}

/// The probabilities of one kind of length.
struct Lengths {
    choice: [Prob; 2],
    low: [[Prob; 8]; 16],
    mid: [[Prob; 8]; 16],
    high: [Prob; 256],
}

impl Lengths {
    const NEW: Lengths = Lengths {
        choice: [Prob::NEW; 2],
        low: [[Prob::NEW; 8]; 16],
        mid: [[Prob::NEW; 8]; 16],
        high: [Prob::NEW; 256],
    };

    fn read(&mut self, range: &mut Range<'_>, place: usize) -> usize {
        if !range.bit(&mut self.choice, 0) {
            2 + tree(range, item::<[Prob; 8]>(&mut self.low, place), 3)
        } else if !range.bit(&mut self.choice, 1) {
            10 + tree(range, item::<[Prob; 8]>(&mut self.mid, place), 3)
        } else {
            18 + tree(range, &mut self.high, 8)
        }
    }
}

/// The state of the decoder: what the last symbols were, and the probabilities of the next.
struct Decoder {
    lc: usize,
    lp: usize,
    pb: usize,
    /// Below 7 if the last symbol was a literal.
    state: usize,
    /// The last four distances, less one.
    distances: [usize; 4],
    is_match: [[Prob; 16]; 12],
    is_repeat: [Prob; 12],
    /// Not the last distance; not the second; not the third.
    is_older: [[Prob; 12]; 3],
    is_long: [[Prob; 16]; 12],
    slots: [[Prob; 64]; 4],
    middle: [Prob; 128],
    align: [Prob; 16],
    lengths: Lengths,
    repeated: Lengths,
    literals: [[Prob; 0x300]; 16],
}

impl Decoder {
    fn new(lc: usize, lp: usize, pb: usize) -> Self {
        Decoder {
            lc,
            lp,
            pb,
            state: 0,
            distances: [0; 4],
            is_match: [[Prob::NEW; 16]; 12],
            is_repeat: [Prob::NEW; 12],
            is_older: [[Prob::NEW; 12]; 3],
            is_long: [[Prob::NEW; 16]; 12],
            slots: [[Prob::NEW; 64]; 4],
            middle: [Prob::NEW; 128],
            align: [Prob::NEW; 16],
            lengths: Lengths::NEW,
            repeated: Lengths::NEW,
            literals: [[Prob::NEW; 0x300]; 16],
        }
    }

    fn run(&mut self, range: &mut Range<'_>, output: &mut [u8]) -> Option<()> {
        let mut at = 0;
        while at < output.len() {
            let place = at & ((1 << self.pb) - 1);
            if !range.bit(item::<[Prob; 16]>(&mut self.is_match, self.state), place) {
                *item(output, at) = self.literal(range, output, at)?;
                at += 1;
                self.state = match self.state {
                    0..4 => 0,
                    4..10 => self.state - 3,
                    _ => self.state - 6,
                };
                continue;
            }
            let length = self.length(range, place);
            let from = at.checked_sub(self.distances[0] + 1)?;
            if length > output.len() - at {
                return None;
            }
            // The parts may overlap: what was just copied is copied again.
            for i in 0..length {
                *item(output, at + i) = *item(output, from + i);
            }
            at += length;
        }
        (!range.is_short()).then_some(())
    }

    /// A byte, which depends on the one before it and, after a match, on the one that the match would have had.
    fn literal(&mut self, range: &mut Range<'_>, output: &[u8], at: usize) -> Option<u8> {
        let before = if at > 0 { usize::from(*output.get(at - 1)?) } else { 0 };
        let row = ((at & ((1 << self.lp) - 1)) << self.lc) + (before >> (8 - self.lc));
        let probs = item(&mut self.literals, row);
        let mut symbol = 1;
        if self.state >= 7 {
            let mut expected = usize::from(*output.get(at.checked_sub(self.distances[0] + 1)?)?);
            while symbol < 0x100 {
                expected <<= 1;
                let wanted = expected & 0x100;
                let bit = usize::from(range.bit(probs, 0x100 + wanted + symbol));
                symbol = symbol << 1 | bit;
                if wanted >> 8 != bit {
                    break;
                }
            }
        }
        while symbol < 0x100 {
            symbol = symbol << 1 | usize::from(range.bit(probs, symbol));
        }
        Some(symbol as u8)
    }

    /// The length of a match, whose distance becomes the first of the distances.
    fn length(&mut self, range: &mut Range<'_>, place: usize) -> usize {
        let state = self.state;
        let after_literal = state < 7;
        if !range.bit(&mut self.is_repeat, state) {
            let length = self.lengths.read(range, place);
            let [first, second, third, _] = self.distances;
            self.distances = [self.distance(range, length), first, second, third];
            self.state = if after_literal { 7 } else { 10 };
            return length;
        }
        if !range.bit(&mut self.is_older[0], state) {
            if !range.bit(item::<[Prob; 16]>(&mut self.is_long, state), place) {
                self.state = if after_literal { 9 } else { 11 };
                return 1;
            }
        } else {
            let [first, second, third, fourth] = self.distances;
            self.distances = if !range.bit(&mut self.is_older[1], state) {
                [second, first, third, fourth]
            } else if !range.bit(&mut self.is_older[2], state) {
                [third, first, second, fourth]
            } else {
                [fourth, first, second, third]
            };
        }
        self.state = if after_literal { 8 } else { 11 };
        self.repeated.read(range, place)
    }

    /// The distance of a match, less one.
    fn distance(&mut self, range: &mut Range<'_>, length: usize) -> usize {
        let slot = tree(range, item::<[Prob; 64]>(&mut self.slots, length.min(5) - 2), 6);
        if slot < 4 {
            return slot;
        }
        let bits = (slot >> 1) - 1;
        let start = (2 | slot & 1) << bits;
        if slot < 14 {
            return start + reverse(range, &mut self.middle, start - slot, bits);
        }
        start + (range.even(bits - 4) << 4) + reverse(range, &mut self.align, 0, 4)
    }
}

/// Unpacks `file` bytes at `from` to `length` bytes at `to`, which is 1 if it succeeds.
///
/// # Safety
/// The two parts are within the memory, which nothing else uses, and do not overlap.
#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unpacked(from: *const u8, file: usize, to: *mut u8, length: usize) -> u32 {
    // SAFETY: as above.
    let (file, output) =
        unsafe { (core::slice::from_raw_parts(from, file), core::slice::from_raw_parts_mut(to, length)) };
    u32::from(unpack(file, output).is_some())
}

/// Puts the split module of `size` bytes at `from` together at `to`, which has room for the length that its first four bytes
/// say. Returns 1 if it succeeds.
///
/// # Safety
/// Both parts are within the memory, which nothing else uses, and do not overlap; the second has that length.
#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn joined(from: *const u8, size: usize, to: *mut u8) -> u32 {
    // SAFETY: the caller gave a part of this size.
    let split = unsafe { core::slice::from_raw_parts(from, size) };
    let Some(length) = code::length(split) else { return 0 };
    // SAFETY: the caller gave a part of the length that the first bytes say, apart from the other one.
    let output = unsafe { core::slice::from_raw_parts_mut(to, length) };
    u32::from(code::join(split, output).is_some())
}

#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
