//! The names of output layers.

/// The output layers of models whose output layer is not called `lm_head`, by `model_type`. It may share the tensor of
/// an embedding, and then no file names it: transformers 5.24.0, `_tied_weights_keys`.
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

/// The parts of a model that have an output layer of their own: the entry of `config.json`, and the module.
const PARTS: &[(&str, &str)] = &[
    ("text_config", "language_model"),
    ("llm_config", "language_model"),
    ("language_config", "language_model"),
    ("decoder", "decoder"),
    ("decoder_config", "decoder"),
];

/// The output layers of a model of this type.
fn of_type(model_type: Option<&str>) -> Vec<&'static str> {
    let known = |(models, _): &&(&[&str], &str)| model_type.is_some_and(|own| models.contains(&own));
    let mut found: Vec<&str> = OUTPUTS.iter().filter(known).map(|(_, module)| *module).collect();
    if found.is_empty() {
        found.push("lm_head");
    }
    found
}

/// The output layers of a model and of its parts, which are entries of `config.json` with their types. A part counts if
/// the model has `tensors` in its module.
pub fn outputs<'t>(
    model_type: Option<&str>,
    parts: &[(String, String)],
    tensors: impl Iterator<Item = &'t str> + Clone,
) -> Vec<String> {
    let mut found: Vec<String> = of_type(model_type).into_iter().map(str::to_owned).collect();
    for (entry, part_type) in parts {
        let modules = PARTS.iter().filter(|(part, _)| part == entry).map(|(_, module)| *module);
        for module in modules {
            let is_inside = |name: &str| name.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'));
            if tensors.clone().any(is_inside) {
                found.extend(of_type(Some(part_type)).iter().map(|output| format!("{module}.{output}")));
            }
        }
    }
    found
}
