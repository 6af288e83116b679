//! # ptxcvt for Python, the part in Rust
//!
//! What Python sees is `python/ptxcvt`; this module is `ptxcvt._native`. It takes bits and gives bits: arrays come as
//! one-dimensional arrays of bytes in memory order, whatever they were to the caller.

mod arrays;
mod blocks;
mod check;
mod error;
mod explain;
mod form;
mod format;
mod legality;
mod run;
mod scalar;

use pyo3::prelude::*;

/// The part of ptxcvt that is written in Rust.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::arrays::{columns, elements, seed_of};
    #[pymodule_export]
    use crate::blocks::{Recipe, compare, dequantize, largest_magnitude, quantize, recipes};
    #[pymodule_export]
    use crate::check::{Diagnostic, check};
    #[pymodule_export]
    use crate::error::Error;
    #[pymodule_export]
    use crate::explain::{Element, Explanation};
    #[pymodule_export]
    use crate::form::{Form, chain};
    #[pymodule_export]
    use crate::format::Format;
    #[pymodule_export]
    use crate::legality::{Where, forms, targets, versions, where_};
    #[pymodule_export]
    use crate::run::Block;
    #[pymodule_export]
    use crate::scalar::{scalar, set_types};
}
