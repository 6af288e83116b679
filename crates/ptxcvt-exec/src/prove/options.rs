//! The options of a proof besides the two blocks.

use super::domain::Domain;

/// How two blocks are compared.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Two NaNs of an output's format count as equal, whatever their bits.
    pub up_to_nan: bool,
    /// The inputs for which the blocks are to be equal.
    pub domain: Domain,
    /// The number of inputs to try if there are too many to try all.
    pub samples: u64,
    /// Stop at the first difference, without counting others or looking for a smaller one.
    pub first: bool,
    /// The number of threads; 0 means all that the machine has.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { up_to_nan: false, domain: Domain::All, samples: 1 << 24, first: false, threads: 0 }
    }
}
