//! Sets of targets as conditions of the C preprocessor.
//!
//! CUDA C++ Programming Guide: `__CUDA_ARCH__`, `__CUDA_ARCH_FEAT_SMnn_ALL` of architecture-specific targets (`a`),
//! `__CUDA_ARCH_FAMILY_SPECIFIC__` of family-specific ones (`f`), and the compiler's version.

use ptxcvt::targets::Suffix;
use ptxcvt::{IsaVersion, Target};

/// Defines the macros of the conditions: a number for the target, and one for the CUDA release.
pub(super) fn prelude() -> String {
    let specific = Target::all().filter(|t| t.suffix() == Suffix::Architecture);
    let specific: Vec<String> =
        specific.map(|t| format!("defined(__CUDA_ARCH_FEAT_SM{}_ALL)", t.sm())).collect();
    format!(
        "\
#ifndef PTXCVT_TARGET
// 800 for sm_80; 1001 for sm_100f, 1002 for sm_100a.
#if !defined(__CUDA_ARCH__)
#define PTXCVT_TARGET 0
#elif {}
#define PTXCVT_TARGET (__CUDA_ARCH__ + 2)
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
#define PTXCVT_TARGET (__CUDA_ARCH__ + 1)
#else
#define PTXCVT_TARGET __CUDA_ARCH__
#endif
// 1208 for CUDA 12.8.
#if defined(__CUDACC_VER_MAJOR__)
#define PTXCVT_CUDA (__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__)
#elif defined(CUDART_VERSION)
#define PTXCVT_CUDA (CUDART_VERSION / 1000 * 100 + CUDART_VERSION % 1000 / 10)
#else
#define PTXCVT_CUDA 0
#endif
#endif
",
        specific.join(" || \\\n    ")
    )
}

/// The number of a target, as the prelude defines it.
fn number(target: Target) -> u32 {
    let letter = match target.suffix() {
        Suffix::Architecture => 2,
        Suffix::Family => 1,
        Suffix::Plain => 0,
        other => unreachable!("the prelude has no number for targets with {other:?}"),
    };
    u32::from(target.sm()) * 10 + letter
}

/// The condition for the targets for which `since` returns a version, and for a CUDA release that has this version. `None`
/// if it is always true. Targets later than the table are treated as its last one without a letter. The condition may
/// include or exclude the targets in `elsewhere`, which an earlier branch handles.
pub(super) fn condition(
    since: impl Fn(Target) -> Option<IsaVersion>,
    elsewhere: impl Fn(Target) -> bool,
) -> Option<String> {
    let mut targets: Vec<Target> = Target::all().filter(|t| t.sm() >= 50 && !elsewhere(*t)).collect();
    ptxcvt::order_by(&mut targets, |t| number(*t).into());
    let newest_plain = targets.iter().rposition(|t| t.suffix() == Suffix::Plain);
    let newest_plain = newest_plain.expect("a target without a letter");
    // The release that is needed; 0 if every release with the target has it, `None` if no release has it yet.
    let need = |target: Target| match since(target)? {
        isa if isa <= target.introduced() => Some(0),
        isa => {
            let (major, minor) =
                IsaVersion::all().filter(|later| *later >= isa).find_map(IsaVersion::cuda_release)?;
            Some(major * 100 + minor)
        }
    };
    let needs: Vec<Option<u32>> = targets.iter().map(|t| need(*t)).collect();
    if needs.iter().all(|n| *n == Some(0)) {
        return None;
    }
    let mut parts = Vec::new();
    let mut at = 0;
    while at < needs.len() {
        let end = (at..needs.len()).find(|n| needs[*n] != needs[at]).unwrap_or(needs.len());
        if let Some(release) = needs[at] {
            let (first, last) = (number(targets[at]), number(targets[end - 1]));
            let mut part = match () {
                _ if (at..end).contains(&newest_plain) && end == needs.len() => {
                    format!("PTXCVT_TARGET >= {first}")
                }
                _ if first == last => format!("PTXCVT_TARGET == {first}"),
                _ => format!("PTXCVT_TARGET >= {first} && PTXCVT_TARGET <= {last}"),
            };
            if release > 0 {
                part += &format!(" && PTXCVT_CUDA >= {release}");
            }
            parts.push(part);
        }
        at = end;
    }
    match &parts[..] {
        [] => Some("0".into()),
        [one] => Some(one.clone()),
        several => Some(several.iter().map(|p| format!("({p})")).collect::<Vec<_>>().join(" || \\\n    ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A form of a version that no CUDA release has yet is selected for no target.
    #[test]
    fn forms_without_a_release_are_never_selected() {
        let announced = IsaVersion::new(99, 0);
        assert_eq!(condition(|_| Some(announced), |_| false).as_deref(), Some("0"));
        // Without a condition, the target's own version is enough.
        assert_eq!(condition(|target| Some(target.introduced()), |_| false), None);
    }
}
