//! Folders for compressed-tensors that transformers does not load.

use ptxcvt_blocks::BlockShape;

use super::layers;
use super::loader::Loader;
use super::options::Options;

/// Models whose weights transformers 5.24.0 does not load if elements are packed, by `model_type`. They initialise layers by their `weight`,
/// which packed layers do not have, or join weights (OLMo-Hybrid). `docs/blocks.md` lists them.
const PACKED: &[&str] = &[
    "falcon",
    "falcon_mamba",
    "gpt_bigcode",
    "longt5",
    "mamba",
    "mamba2",
    "modernbert",
    "modernbert-decoder",
    "mt5",
    "nanochat",
    "olmo_hybrid",
    "recurrent_gemma",
    "rwkv",
    "siglip",
    "siglip2",
    "t5",
    "umt5",
    "xlstm",
];

/// Encoders of images to which the same applies, in models such as Gemma 3 and PaliGemma.
const PACKED_VISION: &[&str] = &["siglip_vision_model", "siglip2_vision_model"];

/// Whether a tensor is one matrix of one expert.
fn is_expert(tensor: &str) -> bool {
    tensor.ends_with(".weight") && layers::has_experts(tensor)
}

/// A warning if transformers 5.24.0 does not load the folder. `quantized` and `whole` are the names of tensors.
pub fn unloaded<'n>(
    options: &Options,
    model_types: &[String],
    mut quantized: impl Iterator<Item = &'n str>,
    mut whole: impl Iterator<Item = &'n str>,
) -> Option<String> {
    let loader = options.loader.filter(|loader| *loader == Loader::CompressedTensors)?;
    let of = |types: &[&str]| model_types.iter().find(|own| types.contains(&own.as_str()));
    let is_packed = loader.packs(&options.recipe);
    // Scales of rows and of whole matrices are joined like weights.
    let has_blocks = options.recipe.block().columns != BlockShape::ALL;
    let why = if is_packed {
        let vision = || of(PACKED_VISION).filter(|_| quantized.any(|name| name.contains("vision")));
        let of_model =
            of(PACKED).or_else(vision).map(|model| format!("it reads no packed weights of `{model}`"));
        let of_experts = |expert| {
            format!("it joins experts with packed weights only if all are quantised, and `{expert}` is not")
        };
        of_model.or_else(|| whole.find(|name| is_expert(name)).map(of_experts))?
    } else {
        let expert = quantized.find(|name| has_blocks && is_expert(name))?;
        format!("it joins experts, such as `{expert}`, but not the scales of their blocks")
    };
    Some(format!("transformers does not load this folder: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page names the models for which the command warns, and no other.
    #[test]
    fn the_page_lists_the_same_models() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/blocks.md");
        let page = std::fs::read_to_string(page).unwrap();
        let row = page
            .lines()
            .find(|line| line.starts_with("| `compressed-tensors`, NVFP4 and other packed formats of "));
        let models = row.unwrap().split_once(" packed formats of ").unwrap().1.split(" (").next().unwrap();
        let listed: Vec<&str> = models.split('`').skip(1).step_by(2).collect();
        assert_eq!(listed, [PACKED, PACKED_VISION].concat());
    }
}
