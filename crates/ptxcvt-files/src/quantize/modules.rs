//! The names that transformers gives to modules, which may differ from those in a model's files.

/// Layers that may stay whole and that transformers 5.24.0 renames (`conversion_mapping.py`) in models of a
/// `model_type`: the name in the files and the module. `*` is the same text in both. Routers and norms of other models
/// are renamed, too, but are not linear layers there.
const OF_MODELS: &[(&[&str], &str, &str)] = &[
    (&["gpt_neox"], "embed_out", "lm_head"),
    (&["deepseek_v4"], "head", "lm_head"),
    (&["deepseek_v4"], "*.attn.indexer.weights_proj", "*.self_attn.compressor.indexer.scorer.weights_proj"),
    (&["cohere_asr"], "log_softmax.mlp.layer0", "proj_out"),
    (&["mistral_large4_text"], "*.attention.indexer.weights_proj", "*.self_attn.indexer.weights_proj"),
    (&["nemo_speechlm"], "llm.lm_head", "lm_head"),
    (&["phimoe"], "*.block_sparse_moe.gate", "*.mlp.router"),
    // The text model of a checkpoint with images, loaded without them.
    (&["qwen3_5_text", "qwen3_5_moe_text", "gemma3n_text"], "model.language_model.*", "model.*"),
];

/// What transformers 5.24.0 does with the names of models that read images or sound. Since version 4.52 all of a model
/// except its output layer is in the module `model`, and checkpoints keep their older names. The first row that matches
/// counts.
const OF_SEVERAL_PARTS: &[(&str, &str)] = &[
    ("lm_head", "lm_head"),
    ("language_model.lm_head", "lm_head"),
    ("text_model.lm_head", "lm_head"),
    ("language_model.model.*", "model.language_model.*"),
    ("text_model.model.*", "model.text_model.*"),
    ("model.language_model.model.*", "model.language_model.*"),
    ("model.layers.*", "model.language_model.layers.*"),
    ("model.*", "model.*"),
    ("*", "model.*"),
];

/// The encoders of CLIP and SigLIP inside of a tower, which are modules in the files and none in transformers.
const ENCODERS: &[&str] = &["_tower.vision_model.", "_tower.text_model."];

/// `module` by the pattern `to`, if it matches the pattern `from`.
fn rename(module: &str, from: &str, to: &str) -> Option<String> {
    let text = match from.split_once('*') {
        Some((before, after)) => module.strip_prefix(before)?.strip_suffix(after)?,
        None => (module == from).then_some("")?,
    };
    Some(to.replace('*', text))
}

/// The names that transformers may give to a module that the files call `module`; its own may be among them.
pub fn renamed(module: &str, model_types: &[String], has_several_parts: bool) -> Vec<String> {
    let rows =
        OF_MODELS.iter().filter(|(models, ..)| model_types.iter().any(|t| models.contains(&t.as_str())));
    let mut names: Vec<String> = rows.filter_map(|(_, from, to)| rename(module, from, to)).collect();
    if has_several_parts {
        let name = OF_SEVERAL_PARTS.iter().find_map(|(from, to)| rename(module, from, to));
        let name = name.expect("the last row matches any name");
        // Other encoders are modules by that name.
        let encoder = ENCODERS.iter().find(|encoder| name.contains(*encoder));
        names.extend(encoder.map(|encoder| name.replacen(encoder, "_tower.", 1)));
        names.push(name);
    }
    names
}
