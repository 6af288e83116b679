//! # The Rust part of ptxcvt for Python
//!
//! Users import `python/ptxcvt`; this module is `ptxcvt._native`. It works on bits: all arrays are
//! one-dimensional arrays of bytes in memory order.

mod arrays;
mod blocks;
mod check;
mod convert;
mod error;
mod explain;
mod form;
mod format;
mod judge;
mod legality;
mod lower;
mod memory;
mod operand;
mod prove;
mod quick;
mod recipe;
mod run;
mod scalar;
mod tensor;
mod vectors;

use pyo3::prelude::*;

/// The part of ptxcvt that is written in Rust. Nothing has tested it without the global lock.
#[pymodule(gil_used = true)]
mod _native {
    use pyo3::prelude::*;

    /// Sets the version, and fails the import if `PTXCVT_TIER` is not a tier of this machine.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("_MOST_RANDOM", ptxcvt_conform::judge::MOST_RANDOM)?;
        module.add("_MOST_THREADS", ptxcvt_parallel::MOST_THREADS)?;
        module.add("_WHOLE_AXIS", ptxcvt_blocks::BlockShape::ALL)?;
        let tier = ptxcvt_bulk::Tier::from_env();
        tier.map(drop).map_err(|error| {
            let help: Vec<String> = error.help().into_iter().map(str::to_owned).collect();
            crate::error::error(Some(error.code()), error.to_string(), &help)
        })
    }

    #[pymodule_export]
    use crate::arrays::{Chained, columns, non_finite, seed_of};
    #[pymodule_export]
    use crate::blocks::{
        check_amax, codes, compare, dequantize, largest_magnitude, quantize, swizzle, swizzled_size,
    };
    #[pymodule_export]
    use crate::check::{Diagnostic, Fixed, check, fix};
    #[pymodule_export]
    use crate::convert::{convert, set_convert};
    #[pymodule_export]
    use crate::explain::{Element, Explanation};
    #[pymodule_export]
    use crate::form::{Form, chain};
    #[pymodule_export]
    use crate::format::Format;
    #[pymodule_export]
    use crate::judge::Comparison;
    #[pymodule_export]
    use crate::legality::{Where, forms, targets, versions, where_};
    #[pymodule_export]
    use crate::lower::{Lowering, interleave, lower};
    #[pymodule_export]
    use crate::operand::{numbers, set_types};
    #[pymodule_export]
    use crate::prove::proof;
    #[pymodule_export]
    use crate::quick::{keep, quick};
    #[pymodule_export]
    use crate::recipe::{Recipe, recipe_of, recipes, set_part_dtypes};
    #[pymodule_export]
    use crate::run::{Block, is_opcode};
    #[pymodule_export]
    use crate::scalar::scalar;
    #[pymodule_export]
    use crate::tensor::{is_plain_tensor, keep_tensor, quick_tensor};
    #[pymodule_export]
    use crate::vectors::vectors;
}
