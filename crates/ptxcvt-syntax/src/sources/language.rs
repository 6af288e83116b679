//! The languages that hold PTX.

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
