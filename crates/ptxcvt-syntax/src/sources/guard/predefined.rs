//! The macros that the device compiler defines, in each configuration.
//!
//! CUDA C++ Programming Guide, "Compute capabilities" and "Family-specific features"; NVCC's manual, "NVCC
//! identification macros".

use ptxcvt::Target;
use ptxcvt::targets::Suffix;

use super::configurations::{Set, by_arch, by_toolkit, is_architecture, is_family};
use super::reach::Reach;
use super::value::Value;

/// Macros that no CUDA compiler defines: those of AMD GPU compilers and of host CPUs without a CUDA toolkit. nvcc also
/// runs on AArch64 and POWER, so their macros are not listed here.
const FOREIGN: [&str; 22] = [
    "__AMDGCN__",
    "__HCC__",
    "__HIPCC__",
    "__HIP_DEVICE_COMPILE__",
    "__HIP_PLATFORM_AMD__",
    "__HIP_PLATFORM_HCC__",
    "__HIP__",
    "TORCH_HIP_VERSION",
    "USE_ROCM",
    "_M_ARM",
    "__ARM_NEON__",
    "__EMSCRIPTEN__",
    "__arm__",
    "__loongarch__",
    "__loongarch64",
    "__mips",
    "__mips__",
    "__mips64",
    "__riscv",
    "__s390__",
    "__sparc__",
    "__wasm__",
];

/// Every C++ compiler defines this macro as the date of its standard.
///
/// ISO C++, "Predefined macro names".
pub(super) const CPLUSPLUS: &str = "__cplusplus";
/// The value of `__cplusplus` for C++11, the oldest standard of CUDA C++ compilers.
pub(super) const OLDEST_STANDARD: i64 = 201_103;

/// The configurations that define a predefined macro, and its value. `None` for other names.
pub(super) fn predefined(name: &str) -> Option<(Reach, Value)> {
    let everywhere = |value: Value| Some((Reach::all(), value));
    match name {
        "__CUDA_ARCH__" => everywhere(Value::by_set(by_arch(|_| true))),
        "__CUDA_ARCH_SPECIFIC__" => {
            Some((Reach::of(Set::targets(is_architecture)), Value::by_set(by_arch(is_architecture))))
        }
        "__CUDA_ARCH_FAMILY_SPECIFIC__" => {
            Some((Reach::of(Set::targets(is_family)), Value::by_set(by_arch(is_family))))
        }
        "CUDA_VERSION" | "CUDART_VERSION" | "__CUDART_API_VERSION" => {
            everywhere(Value::by_set(by_toolkit(|major, minor| major * 1000 + minor * 10)))
        }
        "__CUDACC_VER_MAJOR__" | "__CUDA_VER_MAJOR__" => {
            everywhere(Value::by_set(by_toolkit(|major, _| major)))
        }
        "__CUDACC_VER_MINOR__" | "__CUDA_VER_MINOR__" => {
            everywhere(Value::by_set(by_toolkit(|_, minor| minor)))
        }
        "__CUDACC__" | "__NVCC__" | "true" => everywhere(Value::number(1)),
        "false" => everywhere(Value::number(0)),
        CPLUSPLUS => everywhere(Value::unknown(name.to_owned())),
        _ if FOREIGN.contains(&name) => Some((Reach::none(), Value::number(0))),
        _ => {
            let reach = feature(name.strip_prefix("__CUDA_ARCH_FEAT_")?)?;
            Some((reach.clone(), Value::truth(reach)))
        }
    }
}

/// True for macros that differ between configurations.
pub(super) fn is_configured(name: &str) -> bool {
    const BEGINS: [&str; 9] = [
        "__CUDA_ARCH_",
        "CUDA_VERSION",
        "CUDART_VERSION",
        "__CUDART_API_",
        "__CUDACC_VER_",
        "__CUDA_VER_",
        // Of `<nv/target>`.
        "NV_PROVIDES_SM_",
        "NV_IS_EXACTLY_SM_",
        "NV_HAS_FEATURE_SM_",
    ];
    BEGINS.iter().any(|begin| name.starts_with(begin))
}

/// The configurations that have a feature such as `SM100_ALL`, for `__CUDA_ARCH_FEAT_SM100_ALL` and
/// `__CUDA_ARCH_HAS_FEATURE__(SM100_ALL)`.
pub(super) fn feature(name: &str) -> Option<Reach> {
    let number: u16 = name.strip_prefix("SM")?.strip_suffix("_ALL")?.parse().ok()?;
    let has = |target: Target| target.sm() == number && target.suffix() == Suffix::Architecture;
    Some(Reach::of(Set::targets(|target| target.is_some_and(has))))
}
