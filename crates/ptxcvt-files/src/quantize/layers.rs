//! What the names and shapes of weights say about their layers.

use wildmatch::WildMatch;

/// Matrices called `weight` of no linear layer: embeddings and convolutions. [`NORMS`] has norms.
const NOT_LINEAR: &[&str] = &[
    "*embed*",
    "*wte.weight",
    "*wpe.weight",
    "shared.weight",
    "*.shared.weight",
    "*relative_attention_bias*",
    "*_emb.weight",
    "*_token.weight",
    "*conv1d*",
];

/// Embeddings of no words: learned inputs of decoders (SAM, Mask2Former, DETR), entries of codebooks, and what adapts a
/// norm to a kind of input. transformers loads quantised ones without their scales.
const LEARNED: &[&str] = &[
    "*mask_tokens.weight",
    "*query_feat.weight",
    "*queries_features.weight",
    "*.reference_points.weight",
    "*codebook.weight",
    "*norm.scale.weight",
    "*norm.shift.weight",
];

/// Embeddings of positions and of kinds of text, which no output layer shares.
const POSITIONS: &[&str] =
    &["*position*", "*pos_embed*", "*wpe.weight", "*token_type*", "*conv1d*", "*bias*"];

/// Names of norms, whose weights have two axes if each head has its own (`q_norm` of Command R+). A linear layer inside
/// of a norm (`norm1.linear`) has another name.
const NORMS: &[&str] = &["*norm*", "ln", "ln_*", "*_ln", "*_ln_*"];

/// Linear layers that are not quantised: the output layer and routers, as in ModelOpt's default configuration and
/// DeepSeek's checkpoints; and what vLLM and SGLang hold unquantised, the input of layers that predict several tokens
/// (`eh_proj`) and the weights of DeepSeek-V3.2's indexer.
const WHOLE: &[&str] = &[
    "*lm_head*",
    "head.weight",
    "*.head.weight",
    "output.weight",
    "*output_layer*",
    "embed_out.weight",
    "*.embed_out.weight",
    "*.gate.weight",
    "*.gate.wg.weight",
    "*shared_expert_gate*",
    "*router*",
    "*.eh_proj.weight",
    "*.indexer.weights_proj.weight",
];

/// What ModelOpt 0.47.0 leaves in addition by default (`default_disabled_quantizers.yaml`): small projections of linear
/// attention.
const WHOLE_IN_MODELOPT: &[&str] = &["*linear_attn.in_proj_a*", "*linear_attn.in_proj_b*"];

/// Whether one of the patterns matches a name.
fn is_in(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| WildMatch::new_case_insensitive(pattern).matches(name))
}

/// Whether a weight belongs to a norm, or to one of a list of norms (`norms.0.weight`).
fn is_norm(tensor: &str) -> bool {
    let mut parts = tensor.rsplit('.').skip(1);
    parts.find(|part| part.parse::<u32>().is_err()).is_some_and(|module| is_in(NORMS, module))
}

/// Whether a weight is that of a norm for certain: the name of its module ends so. A linear layer may have `norm` in
/// its name, too.
pub fn is_surely_norm(tensor: &str) -> bool {
    let name = module(tensor).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let name = name.to_ascii_lowercase();
    is_norm(tensor) && (name.ends_with("norm") || name.ends_with("norms"))
}

/// Whether a weight is that of no linear layer: an embedding, a norm, a convolution.
pub fn is_not_linear(tensor: &str) -> bool {
    is_in(NOT_LINEAR, tensor) || is_in(LEARNED, tensor) || is_norm(tensor)
}

/// Whether a weight is that of a linear layer that stays whole.
pub fn stays_whole(tensor: &str) -> bool {
    is_in(WHOLE, tensor)
}

/// Whether a weight stays whole in ModelOpt's folders only.
pub fn stays_whole_in_modelopt(tensor: &str) -> bool {
    is_in(WHOLE_IN_MODELOPT, tensor)
}

/// Whether a tensor is in one of the numbered layers.
fn in_layer(tensor: &str) -> bool {
    tensor.split('.').any(|part| part.parse::<u32>().is_ok())
}

/// Whether a matrix is an embedding or an output layer whatever its name is: it is in no layer, and one of its axes is
/// that of a vocabulary of the model.
pub fn has_vocabulary(tensor: &str, shape: &[u64], vocabularies: &[u64]) -> bool {
    !in_layer(tensor) && shape.iter().any(|n| vocabularies.contains(n))
}

/// The shapes of the embeddings of a model's words, among its tensors.
pub fn embeddings<'a>(tensors: impl Iterator<Item = (&'a str, &'a [u64])>) -> Vec<&'a [u64]> {
    let is_one = |name: &str| !in_layer(name) && is_in(NOT_LINEAR, name) && !is_in(POSITIONS, name);
    tensors.filter(|(name, shape)| shape.len() == 2 && is_one(name)).map(|(_, shape)| shape).collect()
}

/// Whether a matrix is the output layer of a model whose output layer and embedding share their numbers, whatever its
/// name is: it is in no layer and has the shape of an embedding.
pub fn is_tied(tensor: &str, shape: &[u64], embeddings: &[&[u64]]) -> bool {
    !in_layer(tensor) && embeddings.contains(&shape)
}

/// Whether an array holds the experts of a layer, together in one tensor.
pub fn has_experts(tensor: &str) -> bool {
    tensor.split('.').any(|part| part == "experts")
}

/// The module of a tensor.
pub fn module(tensor: &str) -> &str {
    tensor.rsplit_once('.').map_or(tensor, |(module, _)| module)
}
