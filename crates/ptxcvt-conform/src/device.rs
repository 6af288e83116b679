//! The target and ISA version of a GPU and its driver.
//!
//! PTX ISA section 13 (release notes: the CUDA release of each ISA version) and 11.1.2 `.target` (a target
//! with `a` has all features of its architecture).

use std::fmt;

use ptxcvt::{IsaVersion, Target};
use serde::Serialize;

use crate::driver::{Device, DriverError};

/// A CUDA release: 13.2.
type Cuda = (u32, u32);

/// The newest ISA version, among those in the table of versions, that the compiler in a driver of this CUDA version
/// accepts; `None` before CUDA 1.0.
///
/// ```
/// use ptxcvt_conform::device::newest_isa;
/// assert_eq!(newest_isa((13, 2)).unwrap().to_string(), "9.2");
/// assert_eq!(newest_isa((12, 6)).unwrap().to_string(), "8.5");
/// ```
pub fn newest_isa(cuda: Cuda) -> Option<IsaVersion> {
    let newest =
        || IsaVersion::cuda_toolkits().all(|known| known < cuda).then_some(IsaVersion::NEWEST_RELEASED);
    IsaVersion::of_cuda_toolkit(cuda).or_else(newest)
}

/// The target with the most forms on an architecture: the one with `a` if there is one. An architecture
/// newer than the table counts as the newest plain target before it, whose code it runs.
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

/// The provenance of a result: the GPU, its target and its driver.
#[derive(Clone, Debug, Serialize)]
pub struct Subject {
    /// The GPU's own name.
    pub gpu: String,
    /// The target whose forms are compared.
    pub target: Target,
    /// The newest ISA version that the driver's compiler accepts.
    pub isa: IsaVersion,
    /// The CUDA version that the driver supports.
    pub cuda: String,
    /// The driver's own version, if the system reports it.
    pub driver: Option<String>,
}

impl Subject {
    /// Queries a GPU and its driver.
    ///
    /// # Errors
    ///
    /// Fails if the driver does, or if it is older than every target.
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
#[expect(clippy::disallowed_methods, reason = "the kernel limits its length")]
fn driver_version() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    version_in(&text).map(str::to_owned)
}

/// The first word with only digits and at least one dot, on the module's line.
fn version_in(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.starts_with("NVRM"))?;
    let version = |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    line.split_whitespace().find(version)
}

#[cfg(test)]
mod tests {
    use ptxcvt::targets::Suffix;

    use super::*;

    #[test]
    fn a_driver_takes_the_version_of_its_release_or_the_one_before() {
        assert_eq!(newest_isa((99, 0)), Some(IsaVersion::NEWEST_RELEASED));
        assert_eq!(newest_isa((5, 5)), Some(IsaVersion::new(3, 2)));
        assert_eq!(newest_isa((0, 9)), None);
        assert_eq!(newest_isa((8, 0)), Some(IsaVersion::new(5, 0)));
    }

    #[test]
    fn every_architecture_stands_for_its_richest_target() {
        for target in Target::all() {
            let number = u32::from(target.sm());
            let isa = target.newest();
            let chosen = super::target((number / 10, number % 10), isa).unwrap();
            assert_eq!(chosen.sm(), target.sm());
            let count = |t| ptxcvt::Form::all().filter(|f| f.is_legal(t, isa)).count();
            assert!(count(chosen) >= count(target), "{chosen} for {target}");
        }
        let future = super::target((99, 0), IsaVersion::NEWEST).unwrap();
        let plain = Target::all().filter(|target| target.suffix() == Suffix::Plain);
        let newest = plain.map(Target::sm).max().unwrap();
        assert_eq!(future.to_string(), format!("sm_{newest}"));
    }

    #[test]
    fn driver_version_is_read_from_the_module_line() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  595.58.03  Release Build\nGCC version: gcc 13.2.0";
        assert_eq!(version_in(text), Some("595.58.03"));
        assert_eq!(version_in("GCC version: gcc 13.2.0"), None);
    }
}
