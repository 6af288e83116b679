//! The description of a file that is dequantised, from its metadata.

use std::collections::HashMap;

use ptxcvt::clip;
use ptxcvt_blocks::Recipe;

use super::keys::{DIGEST, INPUT, METADATA, PREFIX, WITH_DIGEST, digest, digest_of_layout, excerpts};
use crate::array::Metadata;
use crate::error::FileError;
use crate::quantize::loader::Loader;
use crate::quantize::recipe::recipe as read_recipe;

/// A file's description of its quantisation.
#[derive(Debug)]
pub(in crate::quantize) struct Description {
    pub recipe: Recipe,
    /// True if the file names the recipe with which it was written.
    pub by_quantize: bool,
    pub loader: Option<Loader>,
    pub swizzled: bool,
    pub transposed: bool,
    /// Whether blocks along both axes may be stored, the others with names that end in `_columns`.
    pub both: bool,
    /// The quantised tensors by the names of their elements, if the file lists them.
    pub tensors: Option<HashMap<String, Listed>>,
}

/// A tensor before it was quantised.
#[derive(Clone, Debug)]
pub(in crate::quantize) struct Listed {
    pub name: String,
    pub shape: Vec<u64>,
}

impl Description {
    /// Reads the metadata of the file `path`. A recipe or a loader given by the user overrides the file's.
    ///
    /// # Errors
    ///
    /// Fails if the file has no such metadata, or metadata that this version does not know.
    pub fn read(
        path: &str,
        metadata: &Metadata,
        given: Option<&str>,
        loader: Option<Loader>,
    ) -> Result<Description, FileError> {
        let entries = Entries { path, metadata };
        entries.check_whole(given.is_some())?;
        let swizzled = match entries.get("swizzle") {
            None | Some("none") => false,
            Some("128x4") => true,
            Some(other) => return Err(entries.unknown("swizzle", other)),
        };
        let transposed = match entries.get("axis") {
            None | Some("rows" | "both") => false,
            Some("columns") => true,
            Some(other) => return Err(entries.unknown("axis", other)),
        };
        let loader = match (loader, entries.get("for")) {
            (None, Some(name)) => Some(Loader::named(name).ok_or_else(|| entries.unknown("for", name))?),
            (given, _) => given,
        };
        let both = loader.is_none() && !matches!(entries.get("axis"), Some("rows" | "columns"));
        let by_quantize = entries.get("recipe").is_some();
        let recipe = match given {
            Some(name) => read_recipe(name)?,
            None => entries.recipe()?,
        };
        let tensors = entries.tensors()?;
        let tensors = by_quantize.then_some(tensors);
        Ok(Description { recipe, by_quantize, loader, swizzled, transposed, both, tensors })
    }
}

/// What `quantize` wrote into the metadata of a file.
struct Entries<'a> {
    path: &'a str,
    metadata: &'a Metadata,
}

impl<'a> Entries<'a> {
    fn get(&self, key: &str) -> Option<&'a str> {
        self.metadata.as_ref().and_then(|m| m.get(&format!("{PREFIX}{key}"))).map(String::as_str)
    }

    /// The error for a value that this version does not know.
    fn unknown(&self, key: &str, value: &str) -> FileError {
        let (path, value) = (self.path, clip(value));
        FileError::new(format!("{path}: its metadata sets `{PREFIX}{key}` to `{value}`, which is unknown"))
            .with_help("a newer version of ptxcvt may have made it")
    }

    /// Checks that this version knows the metadata, and that no other program has removed or changed a part of it. A file
    /// whose recipe the user names needs none.
    fn check_whole(&self, has_recipe: bool) -> Result<(), FileError> {
        let path = self.path;
        let version = self.get("metadata");
        if let Some(version) = version.filter(|v| !matches!(v.parse::<u32>(), Ok(v) if v <= METADATA)) {
            return Err(self.unknown("metadata", version));
        }
        // Without its version, a file with a digest has lost a key.
        let number = version.and_then(|version| version.parse::<u32>().ok());
        let has_digest = self.get(DIGEST).is_some() || number.is_some_and(|number| number >= WITH_DIGEST);
        // Files of older versions do not have all keys, nor this one.
        let needed = ["recipe", "axis", "swizzle"].into_iter().chain((!has_recipe).then_some("recipe.toml"));
        let needed = needed.chain(has_digest.then_some(DIGEST));
        let mut missing = needed.filter(|key| version.is_some() && self.get(key).is_none());
        if let Some(key) = missing.next() {
            return Err(FileError::new(format!("{path}: its metadata lacks `{PREFIX}{key}`"))
                .with_help("another program may have removed it; quantize the original file again"));
        }
        if let Some(all) = self.metadata.as_ref().filter(|_| has_digest) {
            if self.get(DIGEST) != Some(&digest_of_layout(all)) {
                let message = format!("{path}: its metadata does not match its digest");
                return Err(FileError::new(message)
                    .with_help("another program may have changed it; quantize the original file again"));
            }
        }
        Ok(())
    }

    /// The recipe with which the file was written: its lines, or that of its name.
    fn recipe(&self) -> Result<Recipe, FileError> {
        let path = self.path;
        let recipe = match (self.get("recipe.toml"), self.get("recipe")) {
            (Some(text), name) => self.own_recipe(text, name)?,
            (None, Some(file)) if file.ends_with(".toml") => {
                let message =
                    format!("{path}: was made by the recipe in {}, which it does not contain", clip(file));
                return Err(FileError::new(message).with_help(
                    "an older version of ptxcvt made it; give the recipe as it was then: `ptxcvt dequantize RECIPE IN -o OUT`",
                ));
            }
            (None, Some(name)) => read_recipe(name)?,
            (None, None) => {
                let message = format!("{path}: does not say by which recipe it was made");
                return Err(FileError::new(message).with_help(NAME_IT));
            }
        };
        for (key, lines) in excerpts(&recipe) {
            if let Some(other) = self.get(key).filter(|other| *other != lines) {
                return Err(FileError::new(format!(
                    "{path}: its metadata sets `{PREFIX}{key}` to `{}`, but the recipe `{}` has `{lines}`",
                    clip(other),
                    recipe.name()
                ))
                .with_help(NAME_IT));
            }
        }
        Ok(recipe)
    }

    /// The recipe whose lines the file contains, with the name that it gives.
    fn own_recipe(&self, text: &str, name: Option<&str>) -> Result<Recipe, FileError> {
        let path = self.path;
        if self.get("recipe.sha256") != Some(&digest(text)) {
            let message = format!("{path}: the recipe in its metadata does not match its digest");
            return Err(FileError::new(message).with_help(NAME_IT));
        }
        let recipe = Recipe::from_toml(text).map_err(|e| {
            FileError::new(format!("{path}: the recipe in its metadata: {e}")).with_help(NAME_IT)
        })?;
        if let Some(other) = name.filter(|name| *name != recipe.name()) {
            let message = format!(
                "{path}: its metadata names the recipe `{}`, and its lines are those of `{}`",
                clip(other),
                recipe.name()
            );
            return Err(FileError::new(message).with_help(NAME_IT));
        }
        Ok(recipe)
    }

    /// The quantised tensors, by the names of their elements.
    fn tensors(&self) -> Result<HashMap<String, Listed>, FileError> {
        let mut tensors = HashMap::new();
        for (key, value) in self.metadata.iter().flatten() {
            let Some(name) = key.strip_prefix(PREFIX).and_then(|key| key.strip_prefix(INPUT)) else {
                continue;
            };
            let (data, shape) =
                listed(value).ok_or_else(|| self.unknown(&format!("{INPUT}{}", clip(name)), value))?;
            tensors.insert(data.to_owned(), Listed { name: name.to_owned(), shape });
        }
        Ok(tensors)
    }
}

/// The name of the elements and the shape in `NAME TYPE SHAPE`; the type and the shape follow the name.
fn listed(value: &str) -> Option<(&str, Vec<u64>)> {
    let split = ptxcvt_blocks::Input::ALL.iter().filter_map(|ty| value.rsplit_once(&format!(" {ty} ")));
    let (data, shape) = split.max_by_key(|(data, _)| data.len())?;
    Some((data, shape.split(' ').map(|n| n.parse().ok()).collect::<Option<_>>()?))
}

/// The help for a file without a usable recipe.
const NAME_IT: &str = "name the recipe: `ptxcvt dequantize RECIPE IN -o OUT`";
