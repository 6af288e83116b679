//! Tiers: the sets of CPU features that kernels are compiled for, picked when the program runs.

use core::fmt;
use core::str::FromStr;

#[cfg(target_arch = "x86_64")]
use super::features::with_features;
use crate::error::Code;

/// A set of CPU features, from the slowest to the fastest.
///
/// ```
/// use ptxcvt::bulk::Tier;
/// assert!(Tier::available().any(|tier| tier == Tier::best()));
/// assert_eq!("avx2".parse(), Ok(Tier::Avx2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Tier {
    /// The reference evaluator, element by element: what the others are compared with.
    Reference,
    /// What every CPU of the compilation target has: SSE2 on x86-64.
    Baseline,
    /// AVX2 with F16C and FMA.
    Avx2,
    /// AVX-512 F, BW, CD, DQ and VL: servers from 2017 on.
    Avx512,
    /// The same with VBMI, whose permutes of bytes many kernels need, and GFNI: servers from 2019, Zen 4.
    Avx512Vbmi,
    /// NEON, which every 64-bit Arm CPU has.
    Neon,
}

impl Tier {
    /// Every tier, whether or not this machine has it.
    pub const ALL: &'static [Tier] =
        &[Tier::Reference, Tier::Baseline, Tier::Avx2, Tier::Avx512, Tier::Avx512Vbmi, Tier::Neon];

    /// The tier's name, as `PTXCVT_TIER` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Tier::Reference => "reference",
            Tier::Baseline => "baseline",
            Tier::Avx2 => "avx2",
            Tier::Avx512 => "avx512",
            Tier::Avx512Vbmi => "avx512vbmi",
            Tier::Neon => "neon",
        }
    }

    /// True where this machine has the tier. Without the feature `std` nothing can be detected, and only
    /// what the compilation target promises is there.
    pub fn is_available(self) -> bool {
        match self {
            Tier::Reference => true,
            Tier::Baseline => !cfg!(target_arch = "aarch64"),
            Tier::Neon => cfg!(target_arch = "aarch64"),
            Tier::Avx2 => has_avx2(),
            Tier::Avx512 => has_avx512(),
            Tier::Avx512Vbmi => has_avx512vbmi(),
        }
    }

    /// The tiers of this machine, from the slowest to the fastest.
    pub fn available() -> impl Iterator<Item = Tier> {
        Self::ALL.iter().copied().filter(|tier| tier.is_available())
    }

    /// The fastest tier of this machine.
    pub fn best() -> Tier {
        Self::available().last().unwrap_or(Tier::Reference)
    }

    /// The tier that the environment variable `PTXCVT_TIER` names, if it is set.
    ///
    /// # Errors
    ///
    /// Fails if the variable names no tier, or one that this machine lacks.
    #[cfg(feature = "std")]
    pub fn from_env() -> Result<Option<Tier>, TierError> {
        match std::env::var("PTXCVT_TIER") {
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => Err(TierError::Unknown),
            Ok(name) => match name.parse::<Tier>()? {
                tier if tier.is_available() => Ok(Some(tier)),
                tier => Err(TierError::Unavailable(tier)),
            },
        }
    }
}

/// Detects features with `std`, else asks what the target promises.
#[cfg(target_arch = "x86_64")]
macro_rules! detected {
    ([$($feature:tt)*]) => {
        true $(&& {
            #[cfg(feature = "std")]
            let found = std::arch::is_x86_feature_detected!($feature);
            #[cfg(not(feature = "std"))]
            let found = cfg!(target_feature = $feature);
            found
        })*
    };
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    with_features! { avx2 => [detected] }
}

#[cfg(all(target_arch = "x86_64", rust_1_89))]
fn has_avx512() -> bool {
    with_features! { avx512 => [detected] }
}

#[cfg(all(target_arch = "x86_64", rust_1_89))]
fn has_avx512vbmi() -> bool {
    with_features! { avx512vbmi => [detected] }
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(not(all(target_arch = "x86_64", rust_1_89)))]
fn has_avx512() -> bool {
    false
}

#[cfg(not(all(target_arch = "x86_64", rust_1_89)))]
fn has_avx512vbmi() -> bool {
    false
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tier {
    type Err = TierError;
    fn from_str(name: &str) -> Result<Self, TierError> {
        Self::ALL.iter().copied().find(|tier| tier.name() == name).ok_or(TierError::Unknown)
    }
}

/// A tier that cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TierError {
    /// No tier has that name.
    Unknown,
    /// This machine lacks the tier.
    Unavailable(Tier),
}

impl TierError {
    /// The code of the error.
    pub const fn code(&self) -> Code {
        Code::Tier
    }

    /// What to do about it.
    pub const fn help(&self) -> Option<&'static str> {
        match self {
            TierError::Unknown => None,
            TierError::Unavailable(_) => {
                Some("without a tier of your choice, the fastest one of this machine runs")
            }
        }
    }
}

impl fmt::Display for TierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TierError::Unknown => f.write_str("no tier of that name; there are")?,
            TierError::Unavailable(tier) => write!(f, "this machine lacks the tier {tier}; it has")?,
        }
        let known = |tier: &Tier| *self == TierError::Unknown || tier.is_available();
        Tier::ALL.iter().filter(|tier| known(tier)).try_for_each(|tier| write!(f, " {tier}"))
    }
}

impl core::error::Error for TierError {}
