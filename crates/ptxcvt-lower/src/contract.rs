//! For which inputs a lowering returns the bits of the instruction.

use std::fmt;

use ptxcvt_exec::prove::{Domain, Options};

/// A promise about the inputs: as it is asked of `ptxcvt prove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Its name, empty where every input gives the instruction's bits.
    pub name: &'static str,
    /// The floating-point sources for which it holds.
    pub domain: Domain,
    /// Every NaN of the result's format is as good as the instruction's.
    pub up_to_nan: bool,
}

impl Contract {
    /// Every input.
    pub const EVERY: Contract = Contract { name: "", domain: Domain::All, up_to_nan: false };
    /// No NaN.
    pub const NUMBERS: Contract = Contract { name: "numbers", domain: Domain::Numbers, up_to_nan: false };
    /// Neither NaN nor infinity.
    pub const FINITE: Contract = Contract { name: "finite", domain: Domain::Finite, up_to_nan: false };
    /// Zeros and normal numbers.
    pub const NORMAL: Contract = Contract { name: "normal", domain: Domain::Normal, up_to_nan: false };
    /// Every input, but a NaN may have other bits than the instruction's.
    pub const ANY_NAN: Contract = Contract { name: "any-nan", domain: Domain::All, up_to_nan: true };

    /// True where nothing is asked of the inputs.
    pub fn is_every(self) -> bool {
        self == Self::EVERY
    }

    /// The same as a question to [`ptxcvt_exec::prove`].
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
