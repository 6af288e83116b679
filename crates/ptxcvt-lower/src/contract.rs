//! The inputs for which a lowering returns the bits of the instruction.

use std::fmt;

use ptxcvt_exec::prove::{Domain, Options};

/// The inputs for which a lowering holds, in terms of `ptxcvt prove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Its name; empty if the lowering holds for every input.
    pub name: &'static str,
    /// The floating-point sources for which the lowering holds.
    pub domain: Domain,
    /// A NaN may have other bits than the instruction's.
    pub up_to_nan: bool,
}

impl Contract {
    /// Every input.
    pub const EVERY: Contract = Contract { name: "", domain: Domain::All, up_to_nan: false };
    /// Every input but NaN.
    pub const NUMBERS: Contract = Contract { name: "numbers", domain: Domain::Numbers, up_to_nan: false };
    /// Neither NaN nor infinity.
    pub const FINITE: Contract = Contract { name: "finite", domain: Domain::Finite, up_to_nan: false };
    /// Every input; a NaN may have other bits than the instruction's.
    pub const ANY_NAN: Contract = Contract { name: "any-nan", domain: Domain::All, up_to_nan: true };

    /// True if the lowering holds for every input, NaN bits included.
    pub fn is_every(self) -> bool {
        self == Self::EVERY
    }

    /// The options with which [`ptxcvt_exec::prove`] checks the contract.
    pub fn options(self) -> Options {
        Options { up_to_nan: self.up_to_nan, domain: self.domain, ..Options::default() }
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.domain, self.up_to_nan) {
            (Domain::All, false) => "every input",
            (Domain::All, true) => "every input; a NaN may have other bits",
            (Domain::Numbers, _) => "numbers and infinities, no NaN",
            (Domain::Finite, _) => "finite inputs",
            (Domain::Normal, _) => "zeros and normal numbers",
            (Domain::Positive, _) => "finite inputs that are not negative",
        })
    }
}
