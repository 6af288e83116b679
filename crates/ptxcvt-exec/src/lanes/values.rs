//! The numbers in the columns of a runner: one for each lane.

use super::lane::Lane;
use super::memory::Column;
use super::program::LANES;
use super::run::{Runner, word};

/// How many lanes are compared together.
const PIECE: usize = 64;

impl Runner<'_> {
    /// Gives input `n` the value `bits(lane)` in each lane. Bits above the register's width are dropped.
    pub fn set(&mut self, n: usize, bits: impl FnMut(usize) -> u64) {
        let slot = self.program.inputs[n].0;
        let column = &mut self.columns[slot];
        // A loop with a constant width is vectorised where `bits` allows it.
        match self.program.widths[slot] {
            1 => fill::<u8>(column, bits),
            2 => fill::<u16>(column, bits),
            4 => fill::<u32>(column, bits),
            8 => fill::<u64>(column, bits),
            width => unreachable!("a register has 1, 2, 4 or 8 bytes, not {width}"),
        }
    }

    /// The value of output `n` in a lane, after a run.
    pub fn get(&self, n: usize, lane: usize) -> u64 {
        let (column, width) = self.result(n);
        word(&column[lane * width..(lane + 1) * width])
    }

    /// True if all lanes of output `n` agree in these bits.
    pub(crate) fn is_uniform(&self, n: usize, mask: u64) -> bool {
        let (column, width) = self.result(n);
        let first = self.get(n, 0);
        match width {
            4 => {
                let differs = |part: &[u8]| u32::load(part) ^ first as u32;
                column.chunks_exact(4).fold(0, |all, part| all | differs(part)) & mask as u32 == 0
            }
            _ => (1..LANES).all(|lane| (self.get(n, lane) ^ first) & mask == 0),
        }
    }

    /// How many lanes from `lane` on, before `end`, have the same value of output `n`.
    pub(crate) fn same_from(&self, n: usize, lane: usize, end: usize) -> usize {
        let (column, width) = self.result(n);
        let part = &column[lane * width..end * width];
        // Each lane is compared with the next one.
        1 + agreeing(&part[..part.len() - width], &part[width..], width)
    }

    /// How many lanes from `lane` on, before `end`, have the same value of output `n` as in another runner; at least 1.
    pub(crate) fn agrees_from(&self, other: &Runner<'_>, n: usize, lane: usize, end: usize) -> usize {
        let ((a, width), (b, other)) = (self.result(n), other.result(n));
        if width != other {
            return 1;
        }
        let part = lane * width..end * width;
        agreeing(&a[part.clone()], &b[part], width).max(1)
    }

    fn result(&self, n: usize) -> (&Column, usize) {
        let slot = self.program.outputs[n].0;
        (&self.columns[slot], self.program.widths[slot])
    }
}

/// How many of the first lanes of two columns are equal.
fn agreeing(a: &[u8], b: &[u8], width: usize) -> usize {
    let same = |at: usize| word(&a[at * width..(at + 1) * width]) == word(&b[at * width..(at + 1) * width]);
    let count = a.len() / width;
    if count == 0 || !same(0) {
        return 0;
    }
    let pieces = a.chunks_exact(PIECE * width).zip(b.chunks_exact(PIECE * width));
    let whole = pieces.take_while(|(a, b)| a == b).count() * PIECE;
    whole + (whole..count).take_while(|at| same(*at)).count()
}

fn fill<L: Lane>(column: &mut [u8], mut bits: impl FnMut(usize) -> u64) {
    for (lane, to) in column.chunks_exact_mut(L::BYTES).enumerate() {
        L::from_u64(bits(lane)).store(to);
    }
}
