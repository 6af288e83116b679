//! A machine: the target and version of code, if known.
//!
//! PTX ISA sections 11.1.1 and 11.1.2.

use core::fmt;

use super::target::Target;
use super::version::IsaVersion;

/// A target and an ISA version, either of which may be unspecified.
///
/// ```
/// use ptxcvt::targets::Machine;
/// use ptxcvt::{Form, Target};
/// let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
/// let sm_89: Target = "sm_89".parse()?;
/// assert!(Machine::ANY.takes(&form));
/// assert!(Machine::new(Some(sm_89), None).takes(&form));
/// assert!(!Machine::new(Some(sm_89), "8.0".parse().ok()).takes(&form));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Machine {
    target: Option<Target>,
    isa: Option<IsaVersion>,
}

impl Machine {
    /// Any machine.
    pub const ANY: Machine = Machine { target: None, isa: None };

    /// The machine of this target and version; `None` means any.
    pub const fn new(target: Option<Target>, isa: Option<IsaVersion>) -> Self {
        Machine { target, isa }
    }

    /// The target; `None` means any.
    pub const fn target(self) -> Option<Target> {
        self.target
    }

    /// The ISA version; `None` means any.
    pub const fn isa(self) -> Option<IsaVersion> {
        self.isa
    }

    /// True if neither target nor version is specified.
    pub const fn is_any(self) -> bool {
        self.target.is_none() && self.isa.is_none()
    }
}

impl fmt::Display for Machine {
    /// `sm_90 at ISA 8.0`, `sm_90`, `ISA 8.0`, `any target`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.target, self.isa) {
            (Some(target), Some(isa)) => write!(f, "{target} at ISA {isa}"),
            (Some(target), None) => write!(f, "{target}"),
            (None, Some(isa)) => write!(f, "ISA {isa}"),
            (None, None) => f.write_str("any target"),
        }
    }
}
