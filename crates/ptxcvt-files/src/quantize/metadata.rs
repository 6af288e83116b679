//! The metadata of a quantised file, under keys that begin with `ptxcvt.`.
//!
//! They have everything that [`dequantize`](super::dequantize) needs: the recipe's text with its digest, not
//! only its name, because a user's recipe may change or disappear, and one of the table may differ in another
//! version.

use std::collections::HashMap;

use ptxcvt::clip;
use ptxcvt_blocks::Recipe;
use sha2::{Digest, Sha256};

use super::fused::Fused;
use super::loader::Loader;
use super::options::Options;
use super::recipe::recipe as read_recipe;
use super::tensor::Tensor;
use crate::array::{Input, Metadata};
use crate::error::FileError;

/// The prefix of all keys.
pub(super) const PREFIX: &str = "ptxcvt.";
/// The version of the keys. A file with a higher number was written by a newer version of ptxcvt.
const METADATA: u32 = 2;
/// The first version with a digest of the other keys. Files of older versions are read without one.
const WITH_DIGEST: u32 = 2;
/// The key of that digest.
const DIGEST: &str = "sha256";
/// Keys that describe the recipe. They have a digest of their own, because a recipe that the user names overrides them.
const OF_RECIPE: [&str; 5] = ["recipe", "recipe.sha256", "recipe.toml", "global_scale", "dequantize"];

/// The metadata for a file with the chosen tensors of `input`.
pub(super) fn describe(
    options: &Options,
    input: &Input,
    chosen: &[Tensor<'_>],
) -> Result<HashMap<String, String>, FileError> {
    let recipe = &options.recipe;
    let text = recipe.to_toml();
    let mut all = HashMap::new();
    let mut add = |key: &str, value: String| drop(all.insert(format!("{PREFIX}{key}"), value));
    add("metadata", METADATA.to_string());
    add("version", env!("CARGO_PKG_VERSION").to_owned());
    add("recipe", recipe.name().to_owned());
    add("recipe.sha256", digest(&text));
    add("recipe.toml", text);
    add("axis", format!("{:?}", options.axis).to_lowercase());
    add("swizzle", if options.swizzle { "128x4" } else { "none" }.to_owned());
    if let Some(loader) = options.loader {
        add("for", loader.name().to_owned());
    }
    if let Some(seed) = options.seed {
        add("seed", seed.to_string());
    }
    if let Some(amax) = options.global_amax {
        add("global_amax", amax.to_string());
    }
    if let Some(dtype) = options.dtype {
        add("dtype", dtype.to_string());
    }
    for (key, patterns) in [("tensor", &options.tensors), ("exclude", &options.exclude)] {
        if !patterns.is_empty() {
            add(key, patterns.join(" "));
        }
    }
    if !options.fuse.is_empty() {
        add("fuse", options.fuse.iter().map(Fused::to_string).collect::<Vec<_>>().join(" "));
    }
    if options.no_fuse {
        add("no_fuse", "true".to_owned());
    }
    if recipe.has_global_scale() || recipe.is_row_scaled() {
        excerpts(recipe).into_iter().for_each(|(key, lines)| add(key, lines));
    }
    for tensor in chosen {
        let shape: Vec<String> = tensor.shape.iter().map(u64::to_string).collect();
        let name = if tensor.name.is_empty() { "array" } else { &tensor.name };
        let parts = options.names(input, tensor, "")?;
        add(&format!("input.{name}"), format!("{} {} {}", parts.data, tensor.input, shape.join(" ")));
    }
    Ok(all)
}

/// Adds the digest to the metadata of a file, which must have all other keys.
pub(super) fn seal(all: &mut HashMap<String, String>) {
    let digest = digest_of_layout(all);
    all.insert(format!("{PREFIX}{DIGEST}"), digest);
}

/// The digest of the keys that say how the tensors are stored: their shapes, the axis of the blocks, the order of the scales.
/// A square matrix with another axis has the same shapes, so that nothing else would show the change.
fn digest_of_layout(all: &HashMap<String, String>) -> String {
    let is_covered = |key: &str| key != DIGEST && !OF_RECIPE.contains(&key);
    let covered = all.iter().filter(|(key, _)| key.strip_prefix(PREFIX).is_some_and(is_covered));
    digest_of(&covered.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// The lines of the recipe that the metadata repeat for readers who know no recipes. Two conventions of the global scale are
/// reciprocals of each other; these lines show which one it is.
fn excerpts(recipe: &Recipe) -> [(&'static str, String); 2] {
    let global: Vec<&str> = recipe.quantize_lines().filter(|line| line.starts_with("G = ")).collect();
    let back: Vec<&str> = recipe.dequantize_lines().collect();
    [("global_scale", global.join("; ")), ("dequantize", back.join("; "))]
}

/// The digest of the metadata of a file that would be written: of everything that decides its content but the numbers.
pub(super) fn digest_of(all: &HashMap<String, String>) -> String {
    let mut lines: Vec<String> = all.iter().map(|(key, value)| format!("{key:?} {value:?}\n")).collect();
    lines.sort();
    digest(&lines.concat())
}

/// SHA-256 in hexadecimal.
pub(super) fn digest(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}

/// A file's description of its quantisation.
#[derive(Debug)]
pub(super) struct Description {
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
pub(super) struct Listed {
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
        let entry =
            |key: &str| metadata.as_ref().and_then(|m| m.get(&format!("{PREFIX}{key}"))).map(String::as_str);
        let unknown = |key: &str, value: &str| {
            let value = clip(value);
            FileError::new(format!(
                "{path}: its metadata sets `{PREFIX}{key}` to `{value}`, which is unknown"
            ))
            .help("a newer version of ptxcvt may have made it")
        };
        if let Some(version) =
            entry("metadata").filter(|v| !matches!(v.parse::<u32>(), Ok(v) if v <= METADATA))
        {
            return Err(unknown("metadata", version));
        }
        let version = entry("metadata").and_then(|version| version.parse::<u32>().ok());
        // Files of older versions do not have all keys, nor this one.
        let needed =
            ["recipe", "axis", "swizzle"].into_iter().chain(given.is_none().then_some("recipe.toml"));
        // Without its version, a file with a digest has lost a key.
        let has_digest = entry(DIGEST).is_some() || version.is_some_and(|version| version >= WITH_DIGEST);
        let needed = needed.chain(has_digest.then_some(DIGEST));
        let mut missing = needed.filter(|key| entry("metadata").is_some() && entry(key).is_none());
        if let Some(key) = missing.next() {
            return Err(FileError::new(format!("{path}: its metadata lacks `{PREFIX}{key}`"))
                .help("another program may have removed it; quantize the original file again"));
        }
        if let Some(all) = metadata.as_ref().filter(|_| has_digest) {
            if entry(DIGEST) != Some(&digest_of_layout(all)) {
                let message = format!("{path}: its metadata does not match its digest");
                return Err(FileError::new(message)
                    .help("another program may have changed it; quantize the original file again"));
            }
        }
        let swizzled = match entry("swizzle") {
            None | Some("none") => false,
            Some("128x4") => true,
            Some(other) => return Err(unknown("swizzle", other)),
        };
        let transposed = match entry("axis") {
            None | Some("rows" | "both") => false,
            Some("columns") => true,
            Some(other) => return Err(unknown("axis", other)),
        };
        let loader = match (loader, entry("for")) {
            (None, Some(name)) => Some(Loader::named(name).ok_or_else(|| unknown("for", name))?),
            (given, _) => given,
        };
        let both = loader.is_none() && !matches!(entry("axis"), Some("rows" | "columns"));
        let by_quantize = entry("recipe").is_some();
        let recipe = match (given, entry("recipe.toml"), entry("recipe")) {
            (Some(name), _, _) => read_recipe(name)?,
            (None, Some(text), _) => {
                if entry("recipe.sha256") != Some(&digest(text)) {
                    let message = format!("{path}: the recipe in its metadata does not match its digest");
                    return Err(FileError::new(message).help(NAME_IT));
                }
                let recipe = Recipe::from_toml(text).map_err(|e| {
                    FileError::new(format!("{path}: the recipe in its metadata: {e}")).help(NAME_IT)
                })?;
                if let Some(other) = entry("recipe").filter(|name| *name != recipe.name()) {
                    let message = format!(
                        "{path}: its metadata names the recipe `{}`, and its lines are those of `{}`",
                        clip(other),
                        recipe.name()
                    );
                    return Err(FileError::new(message).help(NAME_IT));
                }
                recipe
            }
            (None, None, Some(file)) if file.ends_with(".toml") => {
                let message =
                    format!("{path}: was made by the recipe in {}, which it does not contain", clip(file));
                return Err(FileError::new(message).help(
                    "an older version of ptxcvt made it; give the recipe as it was then: `ptxcvt dequantize RECIPE IN -o OUT`",
                ));
            }
            (None, None, Some(name)) => read_recipe(name)?,
            (None, None, None) => {
                let message = format!("{path}: does not say by which recipe it was made");
                return Err(FileError::new(message).help(NAME_IT));
            }
        };
        for (key, lines) in excerpts(&recipe) {
            if let Some(other) = entry(key).filter(|other| given.is_none() && *other != lines) {
                return Err(FileError::new(format!(
                    "{path}: its metadata sets `{PREFIX}{key}` to `{}`, but the recipe `{}` has `{lines}`",
                    clip(other),
                    recipe.name()
                ))
                .help(NAME_IT));
            }
        }
        let mut tensors = HashMap::new();
        for (key, value) in metadata.iter().flatten() {
            let Some(name) = key.strip_prefix(PREFIX).and_then(|key| key.strip_prefix("input.")) else {
                continue;
            };
            let (data, shape) =
                listed(value).ok_or_else(|| unknown(&format!("input.{}", clip(name)), value))?;
            tensors.insert(data.to_owned(), Listed { name: name.to_owned(), shape });
        }
        let tensors = by_quantize.then_some(tensors);
        Ok(Description { recipe, by_quantize, loader, swizzled, transposed, both, tensors })
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
