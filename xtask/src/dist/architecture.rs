//! The architectures that artefacts are built for.

use clap::ValueEnum;

/// An architecture that Linux artefacts are built for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Architecture {
    /// 64-bit x86, with kernels for AVX2 and AVX-512
    #[value(name = "x86_64")]
    X86_64,
    /// 64-bit Arm, with kernels for NEON
    Aarch64,
}

impl Architecture {
    /// Rust's target triple.
    pub fn triple(self) -> &'static str {
        match self {
            Architecture::X86_64 => "x86_64-unknown-linux-gnu",
            Architecture::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// Whether this machine runs its programs.
    pub fn runs_here(self) -> bool {
        match self {
            Architecture::X86_64 => cfg!(target_arch = "x86_64"),
            Architecture::Aarch64 => cfg!(target_arch = "aarch64"),
        }
    }
}
