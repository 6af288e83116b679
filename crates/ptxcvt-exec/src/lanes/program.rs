//! A program: a block that was translated to steps over columns.

use ptxcvt_bulk::Tier;

use super::step::{Slot, Step};

/// How many lanes run together: enough that starting an operation costs little, and few enough that a dozen columns stay
/// in the first two levels of cache.
pub const LANES: usize = 1024;

/// A block prepared to run over columns.
///
/// ```
/// use ptxcvt_exec::lanes::{LANES, Program};
/// use ptxcvt_exec::read::{self, Interface};
/// let block = read::block("lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;", &Interface::default())?;
/// let program = Program::new(&block);
/// let mut runner = program.runner();
/// runner.set(0, |lane| lane as u64);
/// runner.run();
/// assert_eq!(runner.get(0, 7), 0x6400_6407);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) tier: Tier,
    pub(super) steps: Vec<Step>,
    /// For each slot, the bytes of a lane.
    pub(super) widths: Vec<usize>,
    /// Slots with a repeated constant: its value and its number of bytes.
    pub(super) constants: Vec<(Slot, u64, usize)>,
    pub(super) inputs: Vec<Slot>,
    pub(super) outputs: Vec<Slot>,
}

impl Program {
    /// How many steps run lane by lane because no kernel computes them.
    pub fn slow_steps(&self) -> usize {
        self.steps.iter().filter(|s| matches!(s, Step::Each { .. })).count()
    }

    /// True for a constant that only kernels read: one piece stands for all of its lanes.
    pub(super) fn is_repeated(&self, slot: Slot) -> bool {
        let is_read_whole = |step: &Step| !matches!(step, Step::Kernel { .. }) && step.from().contains(&slot);
        self.constants.iter().any(|(constant, ..)| *constant == slot)
            && !self.outputs.contains(&slot)
            && !self.steps.iter().any(is_read_whole)
    }
}
