//! The names by which people know targets: generations, and GPUs.
//!
//! NVIDIA's list "CUDA GPU Compute Capability", <https://developer.nvidia.com/cuda/gpus>; Rubin as in PyTorch's
//! `torch.utils.cpp_extension`. A test compares the generations with those that `ptxcvt check` reads in build files.

use ptxcvt::Target;

/// The number of a target, its generation, and some of its GPUs.
const GPUS: [(u16, &str, &str); 18] = [
    (50, "Maxwell", "GTX 750"),
    (52, "Maxwell", "GTX 980, M40"),
    (60, "Pascal", "P100"),
    (61, "Pascal", "GTX 1080, P40"),
    (70, "Volta", "V100"),
    (75, "Turing", "T4, RTX 2080"),
    (80, "Ampere", "A100, A30"),
    (86, "Ampere", "RTX 3090, A40, A10, RTX A6000"),
    (87, "Ampere", "Jetson AGX Orin"),
    (89, "Ada", "RTX 4090, L4, L40, L40S, RTX 6000 Ada"),
    (90, "Hopper", "H100, H200, GH200"),
    (100, "Blackwell", "B200, GB200"),
    (103, "Blackwell", "B300, GB300"),
    (107, "Rubin", ""),
    (110, "Blackwell", "Jetson T5000, Jetson T4000, Thor"),
    (101, "Blackwell", "Thor, as sm_110 was named before"),
    (120, "Blackwell", "RTX 5090, RTX 5080, RTX PRO 6000"),
    (121, "Blackwell", "GB10, DGX Spark"),
];

/// The generation and the GPUs of a target, or `None` if the list does not have it.
pub fn of(target: Target) -> Option<(&'static str, &'static str)> {
    let row = GPUS.iter().find(|(sm, ..)| *sm == target.sm())?;
    Some((row.1, row.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list that `ptxcvt check` reads build files with.
    const BUILD: &str = include_str!("../../crates/ptxcvt-syntax/src/build/targets.rs");

    #[test]
    fn generations_are_those_of_build_files() {
        for (sm, generation, _) in GPUS.into_iter().filter(|(sm, ..)| *sm != 101) {
            let name =
                if matches!(sm, 87 | 110) { format!("{generation}+Tegra") } else { generation.to_owned() };
            let begin = format!("(\"{name}\", ");
            let row = BUILD.lines().find(|line| line.contains(&begin)).unwrap_or_else(|| panic!("{name}"));
            assert!(row.contains(&format!("\"{}.{}\"", sm / 10, sm % 10)), "{sm}: {row}");
        }
    }
}
