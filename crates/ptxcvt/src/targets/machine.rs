//! A machine: the target and version of code, if known. The only place that decides whether a version has a target.
//!
//! PTX ISA sections 11.1.1 and 11.1.2.

use core::fmt;

use super::target::Target;
use super::version::IsaVersion;
use crate::error::Code;

/// A target and an ISA version, either of which may be unspecified. The version has the target: there is no `Machine`
/// of sm_90 at ISA 7.0.
///
/// ```
/// use ptxcvt::targets::Machine;
/// use ptxcvt::{Form, Target};
/// let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
/// let sm_89: Target = "sm_89".parse()?;
/// assert!(Machine::ANY.takes(&form));
/// assert!(Machine::from(sm_89).takes(&form));
/// assert!(!Machine::new(Some(sm_89), "8.0".parse().ok())?.takes(&form));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Machine {
    target: Option<Target>,
    isa: Option<IsaVersion>,
}

impl Machine {
    /// Any machine.
    pub const ANY: Machine = Machine { target: None, isa: None };

    /// The machine of this target and version; `None` means any.
    ///
    /// # Errors
    ///
    /// Fails if the version does not have the target, or does not exist.
    ///
    /// ```
    /// use ptxcvt::targets::Machine;
    /// let error = Machine::new("sm_90".parse().ok(), "7.0".parse().ok()).unwrap_err();
    /// assert_eq!(error.to_string(), "PTX ISA 7.0 does not have sm_90, which exists from ISA 7.8 on");
    /// let error = Machine::new("sm_101a".parse().ok(), "9.0".parse().ok()).unwrap_err();
    /// assert_eq!(error.to_string(), "PTX ISA 9.0 does not have sm_101a, whose name is sm_110a from ISA 9.0 on");
    /// ```
    pub fn new(target: Option<Target>, isa: Option<IsaVersion>) -> Result<Self, MachineError> {
        match isa {
            Some(isa) if !target.map_or(isa.exists(), |target| target.exists_in(isa)) => {
                Err(MachineError { target, isa })
            }
            _ => Ok(Machine { target, isa }),
        }
    }

    /// Like [`new`](Self::new), but if the version does not have the target, the target at any version. Conversions can then
    /// still be judged, and messages about them state no version. [`new`](Self::new)'s error says what is wrong with it.
    ///
    /// ```
    /// use ptxcvt::targets::Machine;
    /// let lenient = |isa: &str| Machine::lenient("sm_90".parse().ok(), isa.parse().ok()).to_string();
    /// assert_eq!([lenient("8.0"), lenient("7.0")], ["sm_90 at ISA 8.0", "sm_90"]);
    /// ```
    pub fn lenient(target: Option<Target>, isa: Option<IsaVersion>) -> Self {
        Machine::new(target, isa).unwrap_or(Machine { target, isa: None })
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

impl From<Target> for Machine {
    /// The target at any version.
    fn from(target: Target) -> Self {
        Machine { target: Some(target), isa: None }
    }
}

/// An ISA version does not have a target, or does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MachineError {
    target: Option<Target>,
    isa: IsaVersion,
}

impl MachineError {
    /// The target; `None` if only the version was specified.
    pub const fn target(&self) -> Option<Target> {
        self.target
    }

    /// The ISA version.
    pub const fn isa(&self) -> IsaVersion {
        self.isa
    }

    /// The code of the error.
    pub const fn code(&self) -> Code {
        if self.isa.exists() { Code::Version } else { Code::UnknownVersion }
    }

    /// How to correct it. The message says which versions have the target; [`correction`](Self::correction) also considers
    /// the forms of the code.
    pub const fn help(&self) -> Option<&str> {
        None
    }
}

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MachineError { target, isa } = *self;
        let Some(target) = target.filter(|_| isa.exists()) else {
            return write!(f, "there is no PTX ISA {isa}");
        };
        write!(f, "PTX ISA {isa} does not have {target}, ")?;
        match target.withdrawn().filter(|withdrawn| *withdrawn <= isa).zip(target.renamed()) {
            Some((since, name)) => write!(f, "whose name is {name} from ISA {since} on"),
            None => write!(f, "which exists from ISA {} on", target.introduced()),
        }
    }
}

impl core::error::Error for MachineError {}

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
