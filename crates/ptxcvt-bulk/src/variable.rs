//! The environment variable `PTXCVT_TIER`, which selects the tier of every kernel.

use core::fmt;
use std::string::String;

use crate::tier::{Tier, TierError};
use ptxcvt::{Code, clip};

/// The name of the variable.
const NAME: &str = "PTXCVT_TIER";

impl Tier {
    /// The tier in the environment variable `PTXCVT_TIER`, or `None` if it is not set.
    ///
    /// # Errors
    ///
    /// Fails if the variable does not name a tier, or names one that this machine lacks.
    pub fn from_env() -> Result<Option<Tier>, TierVariableError> {
        let Some(value) = std::env::var_os(NAME) else { return Ok(None) };
        let named = match value.to_str().map_or(Err(TierError::Unknown), str::parse::<Tier>) {
            Ok(tier) if !tier.is_available() => Err(TierError::Unavailable(tier)),
            other => other,
        };
        let value = || clip(&value.to_string_lossy());
        named.map(Some).map_err(|error| TierVariableError { value: value(), error })
    }
}

/// The error of an environment variable `PTXCVT_TIER` that names no tier of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TierVariableError {
    value: String,
    error: TierError,
}

impl TierVariableError {
    /// The code of the error.
    pub const fn code(&self) -> Code {
        self.error.code()
    }

    /// How to correct it.
    pub const fn help(&self) -> Option<&str> {
        Some("leave PTXCVT_TIER unset to use the fastest tier of this machine")
    }
}

impl fmt::Display for TierVariableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{NAME} is `{}`: {}", self.value, self.error)
    }
}

impl core::error::Error for TierVariableError {}
