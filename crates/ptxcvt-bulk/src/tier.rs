//! Tiers: the sets of CPU features for which kernels are compiled. The choice is made at run time.

use core::fmt;
use core::str::FromStr;

#[cfg(target_arch = "x86_64")]
use crate::with_features;
use ptxcvt::Code;

/// A set of CPU features, from the slowest to the fastest.
///
/// ```
/// use ptxcvt_bulk::Tier;
/// assert!(Tier::available().any(|tier| tier == Tier::best()));
/// assert_eq!("avx2".parse(), Ok(Tier::Avx2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Tier {
    /// The reference evaluator, element by element. The other tiers are compared with it.
    Reference,
    /// The features that every CPU of the compilation target has: SSE2 on x86-64.
    Baseline,
    /// AVX2 with F16C and FMA.
    Avx2,
    /// AVX-512 F, BW, CD, DQ and VL: servers from 2017 on.
    Avx512,
    /// AVX-512 also with VBMI, whose byte permutes many kernels need, and GFNI: servers from 2019 on, Zen 4.
    Avx512Vbmi,
    /// NEON: every 64-bit Arm CPU.
    Neon,
}

/// `Tier::ALL` is in the order of the variants, so that a variant's number is its index.
const _: () = {
    let mut at = 0;
    while at < Tier::ALL.len() {
        assert!(Tier::ALL[at] as usize == at);
        at += 1;
    }
};

impl Tier {
    /// Every tier, whether or not this machine has it.
    pub const ALL: &'static [Tier] =
        &[Tier::Reference, Tier::Baseline, Tier::Avx2, Tier::Avx512, Tier::Avx512Vbmi, Tier::Neon];

    /// The tier's name, as in `PTXCVT_TIER`.
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

    /// Whether this machine has the tier. Without the feature `std` nothing can be detected; then only the
    /// tiers of the compilation target are available.
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

    /// Whether this tier has the features of the tier `other`, so that kernels for `other` run on it.
    ///
    /// ```
    /// use ptxcvt_bulk::Tier;
    /// assert!(Tier::Avx512.includes(Tier::Avx2) && !Tier::Avx2.includes(Tier::Avx512));
    /// ```
    pub const fn includes(self, other: Tier) -> bool {
        match other {
            Tier::Reference | Tier::Baseline => true,
            Tier::Avx2 => matches!(self, Tier::Avx2 | Tier::Avx512 | Tier::Avx512Vbmi),
            Tier::Avx512 => matches!(self, Tier::Avx512 | Tier::Avx512Vbmi),
            Tier::Avx512Vbmi => matches!(self, Tier::Avx512Vbmi),
            Tier::Neon => matches!(self, Tier::Neon),
        }
    }

    /// The tiers that this machine has, from the slowest to the fastest.
    pub fn available() -> impl Iterator<Item = Tier> {
        Self::ALL.iter().copied().filter(|tier| tier.is_available())
    }

    /// The fastest tier that this machine has.
    pub fn best() -> Tier {
        Self::available().last().expect("every machine has the reference")
    }
}

/// Whether the CPU has all of these features: detected with `std`, otherwise those of the compilation target.
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

#[cfg(all(target_arch = "x86_64", rustc_1_89))]
fn has_avx512() -> bool {
    with_features! { avx512 => [detected] }
}

#[cfg(all(target_arch = "x86_64", rustc_1_89))]
fn has_avx512vbmi() -> bool {
    with_features! { avx512vbmi => [detected] }
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(not(all(target_arch = "x86_64", rustc_1_89)))]
fn has_avx512() -> bool {
    false
}

#[cfg(not(all(target_arch = "x86_64", rustc_1_89)))]
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

/// Why a tier cannot be used.
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

    /// How to correct it: the message lists the tiers of this machine.
    pub const fn help(&self) -> Option<&str> {
        None
    }
}

impl fmt::Display for TierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TierError::Unknown => f.write_str("unknown tier; this machine has")?,
            TierError::Unavailable(tier) => write!(f, "this machine lacks the tier {tier}; it has")?,
        }
        Tier::available().enumerate().try_for_each(|(i, tier)| {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma} {tier}")
        })
    }
}

impl core::error::Error for TierError {}
