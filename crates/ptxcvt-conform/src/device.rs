//! Which target and ISA version a GPU and its driver stand for.
//!
//! PTX ISA section 13 (release notes: which CUDA release brought which ISA version) and 11.1.2 `.target`
//! (a target with `a` has everything that its architecture can do).

use std::fmt;

use ptxcvt::{IsaVersion, Target};
use serde::Serialize;

use crate::driver::{Device, DriverError};

/// A CUDA release: 13.2.
type Cuda = (u32, u32);

/// The CUDA release that brought each ISA version to the driver's compiler, oldest first.
#[rustfmt::skip]
const RELEASES: &[(Cuda, (u8, u8))] = &[
    ((6, 0), (4, 0)), ((6, 5), (4, 1)), ((7, 0), (4, 2)), ((7, 5), (4, 3)),
    ((8, 0), (5, 0)), ((9, 0), (6, 0)), ((9, 1), (6, 1)), ((9, 2), (6, 2)),
    ((10, 0), (6, 3)), ((10, 1), (6, 4)), ((10, 2), (6, 5)),
    ((11, 0), (7, 0)), ((11, 1), (7, 1)), ((11, 2), (7, 2)), ((11, 3), (7, 3)), ((11, 4), (7, 4)),
    ((11, 5), (7, 5)), ((11, 6), (7, 6)), ((11, 7), (7, 7)), ((11, 8), (7, 8)),
    ((12, 0), (8, 0)), ((12, 1), (8, 1)), ((12, 2), (8, 2)), ((12, 3), (8, 3)), ((12, 4), (8, 4)),
    ((12, 5), (8, 5)), ((12, 7), (8, 6)), ((12, 8), (8, 7)), ((12, 9), (8, 8)),
    ((13, 0), (9, 0)), ((13, 1), (9, 1)), ((13, 2), (9, 2)), ((13, 3), (9, 3)), ((13, 4), (9, 4)),
    ((13, 5), (9, 5)),
];

/// The newest ISA version that the compiler in a driver of this CUDA version takes, as far as the table
/// of forms goes; `None` before CUDA 6.0.
///
/// ```
/// use ptxcvt_conform::device::newest_isa;
/// assert_eq!(newest_isa((13, 2)).unwrap().to_string(), "9.2");
/// assert_eq!(newest_isa((12, 6)).unwrap().to_string(), "8.5");
/// ```
pub fn newest_isa(cuda: Cuda) -> Option<IsaVersion> {
    let (_, (major, minor)) = RELEASES.iter().rev().find(|(release, _)| *release <= cuda)?;
    Some(IsaVersion::new(*major, *minor))
}

/// The target that has the most forms on an architecture: with `a` where there is one. An architecture
/// newer than the table stands for the newest plain target before it, whose code it runs.
///
/// ```
/// use ptxcvt_conform::device::target;
/// let of = |major, minor, isa: &str| target((major, minor), isa.parse().unwrap()).unwrap().to_string();
/// assert_eq!(of(9, 0, "8.7"), "sm_90a");
/// assert_eq!(of(8, 9, "8.7"), "sm_89");
/// assert_eq!(of(10, 0, "8.5"), "sm_90"); // the driver does not know sm_100 yet
/// ```
pub fn target(capability: (u32, u32), isa: IsaVersion) -> Option<Target> {
    let number = capability.0 * 10 + capability.1;
    let exact = [format!("sm_{number}a"), format!("sm_{number}")];
    let exact = exact.iter().filter_map(|name| name.parse::<Target>().ok()).find(|t| t.exists_in(isa));
    exact.or_else(|| {
        let runs = |t: &Target| u32::from(t.sm()) <= number && t.to_string() == format!("sm_{}", t.sm());
        Target::all().filter(|t| runs(t) && t.exists_in(isa)).last()
    })
}

/// What was measured, and with what: the provenance of a result.
#[derive(Clone, Debug, Serialize)]
pub struct Subject {
    /// The GPU's own name.
    pub gpu: String,
    /// The target whose forms are compared.
    pub target: Target,
    /// The newest ISA version that the driver's compiler takes.
    pub isa: IsaVersion,
    /// The CUDA version that the driver supports.
    pub cuda: String,
    /// The driver's own version, where the system tells it.
    pub driver: Option<String>,
}

impl Subject {
    /// Asks a GPU and its driver.
    ///
    /// # Errors
    ///
    /// Fails where the driver does, or where it is older than every target.
    pub fn of(device: &Device) -> Result<Subject, DriverError> {
        let (cuda, capability) = (device.cuda_version()?, device.capability()?);
        let isa = newest_isa(cuda);
        let found = isa.and_then(|isa| Some((isa, target(capability, isa)?)));
        let (isa, target) = found.ok_or_else(|| DriverError::Call {
            function: "choosing a target",
            error: format!(
                "no form is known for compute capability {}.{} with a driver of CUDA {}.{}",
                capability.0, capability.1, cuda.0, cuda.1
            ),
        })?;
        let cuda = format!("{}.{}", cuda.0, cuda.1);
        Ok(Subject { gpu: device.name()?, target, isa, cuda, driver: driver_version() })
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, PTX ISA {}, CUDA {}", self.gpu, self.target, self.isa, self.cuda)?;
        match &self.driver {
            Some(version) => write!(f, ", driver {version})"),
            None => f.write_str(")"),
        }
    }
}

/// The version of NVIDIA's kernel module, which Linux shows: `595.58.03`.
fn driver_version() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    version_in(&text).map(str::to_owned)
}

/// The first word that is made of digits and at least one dot, on the module's line.
fn version_in(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.starts_with("NVRM"))?;
    let version = |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    line.split_whitespace().find(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_rise_and_reach_the_newest_version() {
        assert!(RELEASES.windows(2).all(|w| w[0] < w[1] && w[0].1 < w[1].1));
        assert_eq!(newest_isa((14, 0)), Some(IsaVersion::NEWEST));
        assert_eq!(newest_isa((5, 5)), None);
        assert!(RELEASES.iter().all(|(_, (major, minor))| IsaVersion::new(*major, *minor).exists()));
    }

    #[test]
    fn every_architecture_stands_for_its_richest_target() {
        for target in Target::all() {
            let number = u32::from(target.sm());
            let isa = if number == 101 { IsaVersion::new(8, 8) } else { IsaVersion::NEWEST };
            let chosen = super::target((number / 10, number % 10), isa).unwrap();
            assert_eq!(chosen.sm(), target.sm());
            let count = |t| ptxcvt::Form::all().filter(|f| f.is_legal(t, isa)).count();
            assert!(count(chosen) >= count(target), "{chosen} for {target}");
        }
        let future = super::target((13, 0), IsaVersion::NEWEST).unwrap();
        assert_eq!(future.to_string(), "sm_121");
    }

    #[test]
    fn driver_version_is_read_from_the_module_line() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  595.58.03  Release Build\nGCC version: gcc 13.2.0";
        assert_eq!(version_in(text), Some("595.58.03"));
        assert_eq!(version_in("GCC version: gcc 13.2.0"), None);
    }
}
