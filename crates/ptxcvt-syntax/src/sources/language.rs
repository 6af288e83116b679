//! The languages that may contain PTX.

use std::fmt;

/// The language of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// A module of PTX.
    #[default]
    Ptx,
    /// C++ with `asm` statements: CUDA and HIP.
    Cpp,
    /// Python with calls such as `inline_asm_elementwise`.
    Python,
    /// LLVM IR.
    Llvm,
    /// MLIR.
    Mlir,
    /// Rust with `asm!`.
    Rust,
    /// A Jupyter notebook.
    Notebook,
}

/// The error for a file whose name and text do not say its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownLanguage;

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "its name is that of no language that is checked, and its text does not begin with a directive of PTX",
        )
    }
}

impl std::error::Error for UnknownLanguage {}
