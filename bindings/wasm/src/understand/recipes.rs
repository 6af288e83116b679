//! Finds the recipes that a word names: one of them, or a family such as `nvfp4` and `mxfp8`.

use std::sync::OnceLock;

use ptxcvt::Format;
use ptxcvt_blocks::Recipe;

/// What words are compared with. Making all recipes takes too long for a keystroke.
struct Known {
    name: String,
    /// The name without the format of its elements.
    family: String,
    /// The bits of an element, if the blocks are those of OCP MX.
    mx: Option<u32>,
}

impl Known {
    fn new(recipe: &Recipe) -> Known {
        let name = recipe.name().to_owned();
        let family = name.split('/').next().unwrap_or_default().to_owned();
        let block = recipe.block();
        // Blocks of 32 numbers with a power of two as the scale.
        let is_mx = recipe.scale() == Format::Ue8m0 && (block.rows, block.columns) == (1, 32);
        Known { name, family, mx: is_mx.then(|| recipe.element().bits()) }
    }

    fn all() -> &'static [Known] {
        static ALL: OnceLock<Vec<Known>> = OnceLock::new();
        ALL.get_or_init(|| Recipe::all().map(|recipe| Known::new(&recipe)).collect())
    }
}

/// The names of the recipes, in the order of the table; empty if the word names none.
pub(super) fn named(word: &str) -> Vec<String> {
    let word = word.to_ascii_lowercase();
    if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Vec::new();
    }
    let found = |fits: &dyn Fn(&Known) -> bool| -> Vec<String> {
        Known::all().iter().filter(|known| fits(known)).map(|known| known.name.clone()).collect()
    };
    // `mxfp8-modelopt` has the parts `mxfp8` and `modelopt`.
    let part = format!("-{word}-");
    let bits = word.strip_prefix("mxfp").and_then(|bits| bits.parse::<u32>().ok());
    let is_of =
        |known: &Known| format!("-{}-", known.family).contains(&part) || (bits.is_some() && known.mx == bits);
    // The name of one recipe, or of a whole family, goes before its words in others: `fp8-block` and `fp8-block-modelopt`.
    let names: [&dyn Fn(&Known) -> bool; 3] =
        [&|known| known.name == word, &|known| known.family == word, &is_of];
    names.into_iter().map(found).find(|all| !all.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_is_named_by_its_name_and_its_family() {
        for recipe in Recipe::all() {
            let name = recipe.name();
            assert_eq!(named(name), [name]);
            assert_eq!(named(&name.to_ascii_uppercase()), [name]);
            assert!(named(name.split('/').next().unwrap()).contains(&name.to_owned()), "{name}");
        }
    }

    #[test]
    fn families() {
        for (word, some, other) in [
            ("nvfp4", "nvfp4-te-1x16", "mxfp4-modelopt"),
            ("NVFP4", "gguf-nvfp4", "gguf-mxfp4"),
            ("mxfp8", "mx-rceil/e4m3", "mx-rceil/e2m1"),
            ("mxfp8", "jax-mxfp8/e5m2", "mx-rceil-te-32x32/e4m3"),
            ("mxfp4", "mx-floor/e2m1", "nvfp4-te-1x16"),
            ("mxfp6", "mx-even/e3m2", "mx-even/e4m3"),
            ("deepseek", "deepseek-1x128", "fp8-block"),
            ("fp8-block", "fp8-block", "fp8-block-modelopt"),
        ] {
            let found = named(word);
            assert!(
                found.contains(&some.to_owned()) && !found.contains(&other.to_owned()),
                "{word}: {found:?}"
            );
        }
        for word in ["", "n", "nv", "mxfp", "mxfp7", "1.5", "cvt", "f32", "1"] {
            assert!(named(word).is_empty(), "{word}");
        }
    }
}
