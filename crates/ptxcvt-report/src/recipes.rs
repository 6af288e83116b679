//! A recipe of block quantisation: its formats, its block, and the lines that compute it.

use ptxcvt_blocks::{AmaxNan, Layout, Ragged, Recipe};
use serde::Serialize;

/// One recipe.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RecipeReport {
    /// Its name, such as `mx-rceil/e4m3`.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::RecipeName"))]
    pub name: String,
    /// The format of the elements.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Name"))]
    pub element: &'static str,
    /// Rows and columns of a block.
    pub block: [usize; 2],
    /// The format of the scales.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Name"))]
    pub scale: &'static str,
    /// Whether the tensor has one more scale.
    pub global_scale: bool,
    /// Whether each row has one more scale.
    pub row_scaled: bool,
    /// `propagates` if a NaN makes amax NaN, `ignored` if amax skips it.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["propagates", "ignored"])))]
    pub nan: &'static str,
    /// `refused` or `partial`: whether an array may end with smaller blocks.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["refused", "partial"])))]
    pub ragged: &'static str,
    /// How elements and scales are arranged in bytes.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["rows", "rows-high-first", "packed", "gguf", "gguf-nvfp4"])))]
    pub layout: &'static str,
    /// The operations that quantise, in order.
    pub quantize: Vec<String>,
    /// The operations back.
    pub dequantize: Vec<String>,
    /// One line about the recipe.
    pub about: String,
    /// The library that quantises in this way.
    pub source: String,
    /// The evidence that the recipe's bytes are right.
    pub confirmed: String,
}

impl RecipeReport {
    /// Reads the recipe's row of the table, or its file.
    pub fn new(recipe: &Recipe) -> Self {
        RecipeReport {
            name: recipe.name().to_owned(),
            element: recipe.element().name(),
            block: [recipe.block().rows, recipe.block().columns],
            scale: recipe.scale().name(),
            global_scale: recipe.has_global_scale(),
            row_scaled: recipe.is_row_scaled(),
            nan: match recipe.amax_nan() {
                AmaxNan::Propagates => "propagates",
                AmaxNan::Ignored => "ignored",
            },
            ragged: match recipe.ragged() {
                Ragged::Refused => "refused",
                Ragged::Partial => "partial",
            },
            layout: match recipe.layout() {
                Layout::Rows => "rows",
                Layout::RowsHighFirst => "rows-high-first",
                Layout::Packed => "packed",
                Layout::Gguf => "gguf",
                Layout::GgufNvfp4 => "gguf-nvfp4",
            },
            quantize: recipe.quantize_lines().map(str::to_owned).collect(),
            dequantize: recipe.dequantize_lines().map(str::to_owned).collect(),
            about: recipe.about().to_owned(),
            source: recipe.source().to_owned(),
            confirmed: recipe.confirmed().to_owned(),
        }
    }
}
