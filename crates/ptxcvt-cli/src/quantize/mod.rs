//! What `ptxcvt quantize` and its kin share: recipes by name or file, arrays as matrices, files of quantised
//! tensors, reports.

pub mod checkpoint;
pub mod compare;
pub mod config;
pub mod file;
pub mod loader;
pub mod report;
pub mod tensor;
pub mod work;

use std::fs;

use ptxcvt_blocks::{Recipe, RecipeError};

use crate::failure::Failure;

/// A recipe of the table, or, where the name ends in `.toml`, of a file.
pub fn recipe(name: &str) -> Result<Recipe, Failure> {
    if name.ends_with(".toml") {
        let text = fs::read_to_string(name).map_err(|e| Failure::new(format!("{name}: {e}")))?;
        return Recipe::from_toml(&text).map_err(|e| Failure::new(format!("{name}: {e}")));
    }
    Recipe::named(name).map_err(|e: RecipeError| {
        Failure::new(e.to_string())
            .help("`ptxcvt recipes` lists them; a name ending in .toml is a recipe of your own")
    })
}

/// The key of a file's metadata that says by which run it was made.
pub const JOB: &str = "ptxcvt.job";
