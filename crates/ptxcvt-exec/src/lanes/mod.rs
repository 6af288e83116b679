//! Rail 2: a block over many lanes at once, an operation at a time over columns that stay in the cache.
//!
//! [`Program::new`] renames registers so that each is written once, turns instructions into kernels over columns
//! and conversions into [`ptxcvt::bulk::Plan`]s, and lets columns share memory as soon as they are read for the
//! last time. What has no kernel runs lane by lane through rail 1.

mod arithmetic;
mod compare;
mod elementwise;
mod emit;
mod environment;
mod floats;
mod integer;
mod kernel;
mod lane;
mod memory;
mod run;
mod step;
mod tier;

use ptxcvt::bulk::Tier;

use crate::block::Block;
pub use elementwise::{Elementwise, ElementwiseError};
pub use run::Runner;
use step::{Slot, Step};

/// How many lanes run together: enough that starting an operation costs little, few enough that a dozen columns
/// stay in the first two levels of cache.
pub const LANES: usize = 1024;

/// A block made ready to run over columns.
///
/// ```
/// use ptxcvt_exec::lanes::{LANES, Program};
/// use ptxcvt_exec::read::{self, Interface};
/// let block = read::block("lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;", &Interface::default())?;
/// let program = Program::new(&block);
/// let mut runner = program.runner();
/// for (lane, word) in runner.input(0).chunks_exact_mut(4).enumerate() {
///     word.copy_from_slice(&(lane as u32).to_le_bytes());
/// }
/// runner.run();
/// assert_eq!(runner.output(0)[4 * 7..4 * 8], 0x6400_6407_u32.to_le_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    tier: Tier,
    steps: Vec<Step>,
    /// The bytes of a lane of each slot.
    widths: Vec<usize>,
    /// Slots that hold the same bytes over and over: the value and how many bytes of it.
    constants: Vec<(Slot, u64, usize)>,
    inputs: Vec<Slot>,
    outputs: Vec<Slot>,
}

impl Program {
    /// Chooses the fastest kernels of this machine.
    pub fn new(block: &Block) -> Program {
        Self::choose(block, Tier::best())
    }

    /// Chooses the kernels of a tier.
    ///
    /// # Errors
    ///
    /// Fails if this machine lacks the tier.
    pub fn with_tier(block: &Block, tier: Tier) -> Result<Program, ptxcvt::bulk::TierError> {
        match tier.is_available() {
            true => Ok(Self::choose(block, tier)),
            false => Err(ptxcvt::bulk::TierError::Unavailable(tier)),
        }
    }

    fn choose(block: &Block, tier: Tier) -> Program {
        emit::program(block, tier)
    }

    /// How many steps run lane by lane, because nothing faster is there for them.
    pub fn slow_steps(&self) -> usize {
        self.steps.iter().filter(|s| matches!(s, Step::Each { .. })).count()
    }

    /// Memory to run it in.
    pub fn runner(&self) -> Runner<'_> {
        Runner::new(self)
    }
}
