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
    "*conv1d*",
];

/// Names of norms, whose weights have two axes if each head has its own (`q_norm` of Command R+). A linear layer inside of a norm
/// (`norm1.linear`) has another name.
const NORMS: &[&str] = &["*norm*", "ln", "ln_*", "*_ln", "*_ln_*"];

/// Linear layers that are not quantised: the output layer and routers, as in ModelOpt's default configuration and DeepSeek's
/// checkpoints; and what vLLM and SGLang hold unquantised, the input of layers that predict several tokens (`eh_proj`) and the weights
/// of DeepSeek-V3.2's indexer.
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

/// What ModelOpt 0.47.0 leaves in addition by default (`default_disabled_quantizers.yaml`): small projections of linear attention.
const WHOLE_IN_MODELOPT: &[&str] = &["*linear_attn.in_proj_a*", "*linear_attn.in_proj_b*"];

/// The output layers of models whose output layer is not called `lm_head`, by `model_type`. It may share the tensor of an embedding,
/// and then no file names it: transformers 5.24.0, `_tied_weights_keys`.
const OUTPUTS: &[(&[&str], &str)] = &[
    (
        &[
            "bert",
            "big_bird",
            "deberta",
            "deberta-v2",
            "ernie",
            "fnet",
            "layoutlm",
            "lxmert",
            "megatron-bert",
            "mobilebert",
            "mra",
            "nomic_bert",
            "nystromformer",
            "roc_bert",
            "roformer",
            "squeezebert",
            "tapas",
            "visual_bert",
            "yoso",
        ],
        "cls.predictions.decoder",
    ),
    (
        &[
            "bert-generation",
            "camembert",
            "data2vec-text",
            "esm",
            "gte",
            "ibert",
            "jina_embeddings_v3",
            "longformer",
            "luke",
            "mpnet",
            "roberta",
            "roberta-prelayernorm",
            "xlm-roberta",
            "xlm-roberta-xl",
            "xmod",
        ],
        "lm_head.decoder",
    ),
    (&["whisper", "moonshine", "moonshine_streaming", "cohere_asr", "canary"], "proj_out"),
    (&["modernbert", "modernbert-decoder"], "decoder"),
    (&["electra", "convbert"], "generator_lm_head"),
    (&["t5gemma", "t5gemma2"], "lm_head.out_proj"),
    (&["flaubert", "xlm"], "pred_layer.proj"),
    (&["bridgetower", "vilt"], "mlm_score.decoder"),
    (&["biogpt", "trocr"], "output_projection"),
    (&["gpt_neox", "gpt_neox_japanese"], "embed_out"),
    (&["albert"], "predictions.decoder"),
    (&["blip"], "text_decoder.cls.predictions.decoder"),
    (&["distilbert"], "vocab_projector"),
    (&["fsmt"], "decoder.output_projection"),
    (&["git"], "output"),
    (&["kosmos-2"], "text_model.lm_head"),
    (&["luke"], "entity_predictions.decoder"),
    (&["neomme"], "unembedding_projection"),
    (&["rwkv"], "head"),
    (&["speecht5"], "text_decoder_postnet.lm_head"),
    (&["ultrabert"], "head.decoder"),
    (&["xlnet"], "lm_loss"),
];

/// Whether one of the patterns matches a name.
fn is_in(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| WildMatch::new_case_insensitive(pattern).matches(name))
}

/// Whether a weight belongs to a norm, or to one of a list of norms (`norms.0.weight`).
fn is_norm(tensor: &str) -> bool {
    let mut parts = tensor.rsplit('.').skip(1);
    parts.find(|part| part.parse::<u32>().is_err()).is_some_and(|module| is_in(NORMS, module))
}

/// Whether a weight is that of no linear layer.
pub fn is_not_linear(tensor: &str) -> bool {
    is_in(NOT_LINEAR, tensor) || is_norm(tensor)
}

/// Whether a weight is that of a linear layer that stays whole.
pub fn stays_whole(tensor: &str) -> bool {
    is_in(WHOLE, tensor)
}

/// Whether a weight stays whole in ModelOpt's folders only.
pub fn stays_whole_in_modelopt(tensor: &str) -> bool {
    is_in(WHOLE_IN_MODELOPT, tensor)
}

/// The output layers of a model of this type.
pub fn outputs(model_type: Option<&str>) -> Vec<&'static str> {
    let known = |(models, _): &&(&[&str], &str)| model_type.is_some_and(|own| models.contains(&own));
    let mut found: Vec<&str> = OUTPUTS.iter().filter(known).map(|(_, module)| *module).collect();
    if found.is_empty() {
        found.push("lm_head");
    }
    found
}

/// Whether a matrix is an embedding or an output layer whatever its name is: it is in no layer, and one of its axes is that of
/// a vocabulary of the model.
pub fn has_vocabulary(tensor: &str, shape: &[u64], vocabularies: &[u64]) -> bool {
    let in_layer = tensor.split('.').any(|part| part.parse::<u32>().is_ok());
    !in_layer && shape.iter().any(|n| vocabularies.contains(n))
}

/// Whether an array holds the experts of a layer, together in one tensor.
pub fn has_experts(tensor: &str) -> bool {
    tensor.split('.').any(|part| part == "experts")
}

/// The module of a tensor.
pub fn module(tensor: &str) -> &str {
    tensor.rsplit_once('.').map_or(tensor, |(module, _)| module)
}
