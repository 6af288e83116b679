//! Recipes as TOML files.

use ptxcvt::Format;
use serde::Deserialize;

use super::{AmaxNan, BlockShape, Definition, Layout, Ragged, Recipe, RecipeError};

/// The keys of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    name: String,
    element: String,
    /// Rows, columns.
    block: [usize; 2],
    scale: String,
    #[serde(default)]
    nan: Nan,
    #[serde(default)]
    ragged: Edges,
    #[serde(default)]
    layout: Order,
    quantize: Vec<String>,
    dequantize: Vec<String>,
    #[serde(default)]
    about: String,
    #[serde(default)]
    source: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Nan {
    #[default]
    Propagates,
    Ignored,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Edges {
    #[default]
    Refused,
    Partial,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Order {
    #[default]
    Rows,
    RowsHighFirst,
    Gguf,
    GgufNvfp4,
}

impl Recipe {
    /// Reads a recipe from TOML.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// let recipe = Recipe::from_toml(r#"
    ///     name = "half-range"
    ///     element = "e2m1"
    ///     block = [1, 16]
    ///     scale = "ue5m3"
    ///     nan = "ignored"     # or "propagates", the default
    ///     ragged = "refused"  # the default, or "partial"
    ///     layout = "rows"     # the default, "rows-high-first", "gguf" or "gguf-nvfp4"
    ///     quantize = [
    ///         "t = amax / max",
    ///         "s = cvt.rn.satfinite.ue5m3x2.f32(t)",
    ///         "r = 1 / s",
    ///         "r = 0 where s is zero",
    ///         "y = x * r",
    ///         "q = cvt.rn.satfinite.elementx2.f32(y)",
    ///     ]
    ///     dequantize = ["v = q * s"]
    /// "#)?;
    /// assert_eq!(recipe.scale().name(), "ue5m3");
    /// # Ok::<(), ptxcvt_blocks::RecipeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails, naming key or line, if the text is no TOML, a key is missing or not known, or [`Recipe::new`] fails.
    pub fn from_toml(text: &str) -> Result<Recipe, RecipeError> {
        let file: File =
            toml::from_str(text).map_err(|e| RecipeError(e.to_string().trim_end().to_owned()))?;
        let format = |key: &str, name: &str| {
            Format::from_name(name).ok_or_else(|| RecipeError(format!("{key} = \"{name}\": no such format")))
        };
        Recipe::new(Definition {
            element: format("element", &file.element)?,
            scale: format("scale", &file.scale)?,
            block: BlockShape { rows: file.block[0], columns: file.block[1] },
            amax: match file.nan {
                Nan::Propagates => AmaxNan::Propagates,
                Nan::Ignored => AmaxNan::Ignored,
            },
            ragged: match file.ragged {
                Edges::Refused => Ragged::Refused,
                Edges::Partial => Ragged::Partial,
            },
            layout: match file.layout {
                Order::Rows => Layout::Rows,
                Order::RowsHighFirst => Layout::RowsHighFirst,
                Order::Gguf => Layout::Gguf,
                Order::GgufNvfp4 => Layout::GgufNvfp4,
            },
            name: file.name,
            quantize: file.quantize,
            dequantize: file.dequantize,
            about: file.about,
            source: file.source,
            confirmed: String::new(),
        })
    }
}
