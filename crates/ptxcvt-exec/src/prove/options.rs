//! Options of a proof.

use super::domain::Domain;

/// How two blocks are compared.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Treat all NaNs of an output's format as equal.
    pub up_to_nan: bool,
    /// The inputs that are compared.
    pub domain: Domain,
    /// The number of inputs to try if there are too many to try all of them.
    pub samples: u64,
    /// Stop at the first difference instead of counting all differences and looking for the smallest one.
    pub first: bool,
    /// The number of threads; 0 uses all CPUs.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { up_to_nan: false, domain: Domain::All, samples: 1 << 24, first: false, threads: 0 }
    }
}
