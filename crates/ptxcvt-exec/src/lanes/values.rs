//! The numbers in the columns of a runner: one for each lane.

use super::lane::Lane;
use super::memory::Column;
use super::program::LANES;
use super::run::{Runner, word};
use super::tier;

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

    /// Gives input `n` bits of consecutive numbers from `first` on: bits `from` and above of each number as far as `mask`
    /// selects them, shifted to the left by `at`. Faster than [`set`](Self::set).
    pub(crate) fn count(&mut self, n: usize, first: u32, from: u32, mask: u32, at: u32) {
        let slot = self.program.inputs[n].0;
        tier::count(&mut self.columns[slot], self.program.widths[slot], first, from, mask, at);
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

    /// The number of bytes of output `n` in a lane.
    pub(crate) fn width(&self, n: usize) -> usize {
        self.result(n).1
    }

    fn result(&self, n: usize) -> (&Column, usize) {
        let slot = self.program.outputs[n].0;
        (&self.columns[slot], self.program.widths[slot])
    }
}

fn fill<L: Lane>(column: &mut [u8], mut bits: impl FnMut(usize) -> u64) {
    for (lane, to) in column.chunks_exact_mut(L::BYTES).enumerate() {
        L::from_u64(bits(lane)).store(to);
    }
}
