//! Recipes as text: TOML files, and a digest of everything that affects bytes.

use core::fmt::Write;

use sha2::{Digest, Sha256};

use super::{Definition, Recipe, RecipeError};

impl Recipe {
    /// Reads a recipe from TOML.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// let recipe = Recipe::from_toml(r#"
    ///     name = "half-range"
    ///     element = "e2m1"
    ///     block = [1, 16]     # rows, columns
    ///     scale = "ue5m3"
    ///     nan = "ignored"     # or "propagates", the default
    ///     ragged = "refused"  # the default, or "partial"
    ///     layout = "rows"     # the default, "rows-high-first", "packed", "gguf" or "gguf-nvfp4"
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
    /// Fails, naming the key or the line, if the text is not TOML, if a key is missing or unknown, or if
    /// [`Recipe::new`] fails.
    pub fn from_toml(text: &str) -> Result<Recipe, RecipeError> {
        let definition: Definition =
            toml::from_str(text).map_err(|e| RecipeError(e.to_string().trim_end().to_owned()))?;
        Recipe::new(definition)
    }

    /// Writes the recipe as TOML, for [`from_toml`](Self::from_toml). Its lines name formats instead of `element` and
    /// `scale`.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// let recipe = Recipe::named("mx-rceil/e2m1")?;
    /// let text = recipe.to_toml();
    /// assert!(text.contains("q = cvt.rn.satfinite.e2m1x2.f32(y)"));
    /// assert_eq!(Recipe::from_toml(&text)?.digest(), recipe.digest());
    /// # Ok::<(), ptxcvt_blocks::RecipeError>(())
    /// ```
    pub fn to_toml(&self) -> String {
        let lines = |lines: &mut dyn Iterator<Item = &str>| lines.map(str::to_owned).collect();
        let definition = Definition {
            quantize: lines(&mut self.quantize_lines()),
            dequantize: lines(&mut self.dequantize_lines()),
            ..self.definition.clone()
        };
        toml::to_string_pretty(&definition)
            .unwrap_or_else(|e| unreachable!("strings, numbers and arrays are TOML: {e}"))
    }

    /// The SHA-256, in hex, of everything that affects bytes: formats, block, rules, layout and lines, but
    /// not the name and the descriptions. Recipes with the same digest make the same bytes.
    pub fn digest(&self) -> String {
        let Definition { element, block, scale, amax, ragged, layout, .. } = &self.definition;
        let mut text = format!("{element} {block} {scale} {amax:?} {ragged:?} {layout:?}\n");
        for input in &self.definition.inputs {
            writeln!(text, "input {input}").expect("a string has room");
        }
        for line in self.quantize_lines() {
            writeln!(text, "quantize {line}").expect("a string has room");
        }
        for line in self.dequantize_lines() {
            writeln!(text, "dequantize {line}").expect("a string has room");
        }
        format!("{:x}", Sha256::digest(text))
    }
}
