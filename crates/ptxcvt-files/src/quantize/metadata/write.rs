//! The metadata of a file that is written.

use std::collections::HashMap;

use super::keys::{DIGEST, INPUT, METADATA, PREFIX, digest, digest_of_layout, excerpts};
use crate::array::Input;
use crate::error::FileError;
use crate::quantize::fused::Fused;
use crate::quantize::options::Options;
use crate::quantize::tensor::Tensor;

/// The metadata for a file with the chosen tensors of `input`.
pub(in crate::quantize) fn describe(
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
    if options.big_endian {
        add("big_endian", "true".to_owned());
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
        let parts = options.names(input, tensor, "")?;
        let mut key = if tensor.name.is_empty() { "array" } else { &tensor.name }.to_owned();
        // A tensor without a name may be next to one with the name `array`.
        while tensor.name.is_empty() && chosen.iter().any(|one| one.name == *key) {
            key.push('_');
        }
        add(&format!("{INPUT}{key}"), format!("{} {} {}", parts.data, tensor.input, shape.join(" ")));
    }
    Ok(all)
}

/// Adds the digest to the metadata of a file, which must have all other keys.
pub(in crate::quantize) fn seal(all: &mut HashMap<String, String>) {
    let digest = digest_of_layout(all);
    all.insert(format!("{PREFIX}{DIGEST}"), digest);
}
