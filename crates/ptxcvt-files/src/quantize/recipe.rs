//! Recipes by name or from the user's files.

use std::path::Path;

use ptxcvt_blocks::{Recipe, RecipeError};

use crate::error::{FileError, reason};
use crate::whole;

/// Returns the recipe of the table with this name or, if the name ends in `.toml`, reads it from that file.
///
/// # Errors
///
/// Fails if no recipe has the name, or if the file cannot be read or is not a recipe.
pub fn recipe(name: &str) -> Result<Recipe, FileError> {
    if name.ends_with(".toml") {
        let text =
            whole::settings_file(Path::new(name)).map_err(|e| FileError::cannot_read(name, reason(&e)))?;
        return Recipe::from_toml(&text).map_err(|e| FileError::new(format!("{name}: {e}")));
    }
    Recipe::named(name).map_err(|e: RecipeError| {
        FileError::new(e.to_string())
            .with_help("`ptxcvt recipes` lists them; a name ending in .toml is a file with your own recipe")
    })
}
