//! The list of modules that are not quantised.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{json_of, succeeds, write};

/// A folder that loaders read, with the key of the list.
const LOADERS: [(&str, &str, &str); 3] = [
    ("compressed-tensors", "mxfp8-compressed-tensors", "ignore"),
    ("modelopt", "mxfp8-modelopt", "ignore"),
    ("deepseek", "deepseek-128x128", "modules_to_not_convert"),
];

/// The list that the loader gets for a model of these tensors.
fn listed(folder: &Path, loader: (&str, &str, &str), config: &Value, tensors: &[(&str, &[usize])]) -> Value {
    let (name, recipe, key) = loader;
    write(&folder.join("model.safetensors"), tensors);
    fs::write(folder.join("config.json"), config.to_string()).unwrap();
    let _ = fs::remove_dir_all(folder.join("listed"));
    succeeds(folder, &format!("quantize {recipe} . --for {name} -o listed"));
    json_of(&folder.join("listed/config.json"))["quantization_config"][key].clone()
}

/// Whether a name in a list is that of a module, or its beginning with `*`, as ModelOpt names modules together.
fn covers(name: &str, module: &str) -> bool {
    name.strip_suffix('*').map_or(name == module, |beginning| module.starts_with(beginning))
}

/// Loaders take a name in the list for all modules inside, so parameters next to quantised layers do not name their
/// module.
#[test]
fn no_module_is_listed_that_holds_a_quantised_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tensors: [(&str, &[usize]); 9] = [
        ("backbone.layers.0.mixer.A_log", &[64, 16]),
        ("backbone.layers.0.mixer.in_proj.weight", &[128, 128]),
        ("rwkv.blocks.0.attention.time_mix_key", &[1, 1, 32]),
        ("rwkv.blocks.0.attention.key.weight", &[128, 128]),
        ("vision.attn.in_proj_weight", &[96, 32]),
        ("vision.attn.out_proj.weight", &[128, 128]),
        ("vision.norm_bias.table", &[8, 4]),
        ("vision.router.weight", &[32, 32]),
        ("layers.0.mlp.experts.gate_up_proj", &[2, 32, 64]),
    ];
    for loader in LOADERS {
        let list = listed(folder, loader, &json!({}), &tensors);
        let experts = if loader.0 == "modelopt" { "layers*" } else { "layers.0.mlp.experts" };
        assert_eq!(list, json!([experts, "lm_head", "vision.router"]), "{loader:?}");
    }
    // A weight that stays, of a module that holds a quantised one.
    let nested: [(&str, &[usize]); 3] = [
        ("a.gate.weight", &[32, 32]),
        ("a.gate.up_proj.weight", &[128, 128]),
        ("a.gate_proj.weight", &[128, 128]),
    ];
    for loader in LOADERS {
        assert_eq!(listed(folder, loader, &json!({}), &nested), json!(["lm_head"]), "{loader:?}");
    }
}

/// Output layers that share the tensor of an embedding are in no file, and linear layers may be called like embeddings.
#[test]
fn output_layers_by_other_names_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let linear: (&str, &[usize]) = ("layers.0.up_proj.weight", &[128, 128]);
    for (config, output) in [
        (json!({ "model_type": "whisper" }), "proj_out"),
        (json!({ "model_type": "bert" }), "cls.predictions.decoder"),
        (json!({ "model_type": "distilbert" }), "vocab_projector"),
        (json!({ "model_type": "llama" }), "lm_head"),
        // The kind of a part does not determine the kind of the whole.
        (json!({ "model_type": "ultravox", "audio_config": { "model_type": "whisper" } }), "lm_head"),
    ] {
        for loader in LOADERS {
            let list = listed(folder, loader, &config, &[linear]);
            let names = list.as_array().unwrap();
            assert!(
                names.len() == 1 && covers(names[0].as_str().unwrap(), output),
                "{config} {loader:?} {list}"
            );
        }
    }
    let named: [(&str, &[usize]); 5] = [
        linear,
        ("embed_out.weight", &[96, 32]),
        ("encoder.embedding_hidden_mapping_in.weight", &[128, 32]),
        ("vision_model.patch_embedding.linear.weight", &[128, 64]),
        ("embeddings.word_embeddings.weight", &[96, 32]),
    ];
    let config = json!({ "model_type": "gpt_neox_japanese", "vocab_size": 96 });
    let list = listed(folder, LOADERS[0], &config, &named);
    let left = ["embed_out", "encoder.embedding_hidden_mapping_in", "vision_model.patch_embedding.linear"];
    assert_eq!(list, json!(left));
}

/// transformers may use other names of modules than the files; vLLM uses the names in the files, and ModelOpt is not
/// for transformers.
#[test]
fn modules_are_listed_by_both_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let linear: (&str, &[usize]) = ("model.layers.0.up_proj.weight", &[128, 128]);
    let head: (&str, &[usize]) = ("embed_out.weight", &[128, 128]);
    let router: (&str, &[usize]) = ("model.layers.0.block_sparse_moe.gate.weight", &[32, 128]);
    let indexer: (&str, &[usize]) = ("layers.0.attention.indexer.weights_proj.weight", &[32, 128]);
    let speech_head: (&str, &[usize]) = ("llm.lm_head.weight", &[128, 128]);
    for (model, tensor, file, module) in [
        ("gpt_neox", head, "embed_out", "lm_head"),
        (
            "mistral_large4_text",
            indexer,
            "layers.0.attention.indexer.weights_proj",
            "layers.0.self_attn.indexer.weights_proj",
        ),
        ("nemo_speechlm", speech_head, "llm.lm_head", "lm_head"),
        ("phimoe", router, "model.layers.0.block_sparse_moe.gate", "model.layers.0.mlp.router"),
    ] {
        for loader in LOADERS {
            // Otherwise an output layer that shares the embedding is listed, whose name may be the same.
            let config = json!({ "model_type": model, "tie_word_embeddings": false });
            let list = listed(folder, loader, &config, &[linear, tensor]);
            let list: Vec<&str> = list.as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert!(list.iter().any(|name| covers(name, file)), "{list:?}");
            assert_eq!(list.contains(&module), loader.0 != "modelopt", "{loader:?} {list:?}");
        }
    }
}

/// transformers puts the parts of a model that reads images or sound into the module `model`, and its output layer next
/// to it.
#[test]
fn modules_of_several_parts_are_listed_by_both_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text: (&str, &[usize]) = ("model.language_model.layers.0.up_proj.weight", &[128, 128]);
    for (part, file, module) in [
        ("text_config", "language_model.lm_head", "lm_head"),
        ("text_config", "text_model.lm_head", "lm_head"),
        ("audio_config", "audio_tower.gate", "model.audio_tower.gate"),
        ("text_config", "language_model.model.layers.0.gate", "model.language_model.layers.0.gate"),
        ("vision_config", "model.layers.0.mlp.gate", "model.language_model.layers.0.mlp.gate"),
        ("vision_config", "visual.gate", "model.visual.gate"),
        ("vision_config", "vision_tower.vision_model.a.gate", "model.vision_tower.a.gate"),
        ("vision_config", "vision_tower.vision_model.a.gate", "model.vision_tower.vision_model.a.gate"),
        ("vision_config", "model.vision_tower.vision_model.a.gate", "model.vision_tower.a.gate"),
    ] {
        let weight = format!("{file}.weight");
        let tensors: [(&str, &[usize]); 2] = [text, (&weight, &[128, 128])];
        let names = |loader, config: &Value| -> Vec<String> {
            serde_json::from_value(listed(folder, loader, config, &tensors)).unwrap()
        };
        let config = json!({ "tie_word_embeddings": false, part: {} });
        for loader in [LOADERS[0], LOADERS[2]] {
            let list = names(loader, &config);
            assert!(list.iter().any(|name| name == file), "{list:?}");
            assert!(list.iter().any(|name| name == module), "{file}: {list:?}");
        }
        let list = names(LOADERS[1], &config);
        assert!(!list.iter().any(|name| name == module), "{list:?}");
        // Models of text alone keep their names.
        assert_eq!(names(LOADERS[0], &json!({ "tie_word_embeddings": false })), [file]);
    }
    let tensors: [(&str, &[usize]); 2] = [text, ("model.language_model.layers.0.gate.weight", &[64, 128])];
    let config = json!({ "tie_word_embeddings": false, "text_config": { "model_type": "qwen3_5_text" } });
    let both = json!(["model.language_model.layers.0.gate", "model.layers.0.gate"]);
    assert_eq!(listed(folder, LOADERS[0], &config, &tensors), both);
}

/// The output layer of a part is in the part's module, and may share the tensor of an embedding.
#[test]
fn output_layers_of_parts_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [decoder, language]: [(&str, &[usize]); 2] = [
        ("decoder.bert.encoder.layer.0.output.dense.weight", &[128, 128]),
        ("language_model.model.decoder.layers.0.fc1.weight", &[128, 128]),
    ];
    let encoder_decoder = json!({
        "model_type": "encoder-decoder", "decoder": { "model_type": "bert" }, "encoder": { "model_type": "bert" },
    });
    let blip = json!({ "model_type": "blip-2", "text_config": { "model_type": "opt" } });
    for (config, tensor, left) in [
        (&encoder_decoder, decoder, vec!["decoder.cls.predictions.decoder", "lm_head"]),
        (&blip, language, vec!["language_model.lm_head", "lm_head"]),
        // The part has no module of that name.
        (&blip, decoder, vec!["lm_head"]),
    ] {
        for loader in LOADERS {
            let list = listed(folder, loader, config, &[tensor]);
            let names: Vec<&str> = list.as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let same = names.len() == left.len()
                && names.iter().zip(&left).all(|(name, module)| covers(name, module));
            assert!(same, "{config} {loader:?} {list}");
        }
    }
}

/// ModelOpt leaves the small projections of linear attention.
#[test]
fn projections_that_modelopt_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let layers: [(&str, &[usize]); 5] = [
        ("layers.0.linear_attn.out_proj.weight", &[128, 128]),
        ("layers.0.linear_attn.in_proj_ba.weight", &[32, 128]),
        ("layers.1.linear_attn.in_proj_a.weight", &[32, 128]),
        ("layers.1.linear_attn.in_proj_b.weight", &[32, 128]),
        ("layers.1.linear_attn.in_proj_qkv.weight", &[128, 128]),
    ];
    let left = [
        "layers.0.linear_attn.in_proj_ba",
        "layers.1.linear_attn.in_proj_a",
        "layers.1.linear_attn.in_proj_b",
        "lm_head",
    ];
    for loader in LOADERS {
        let expected = if loader.0 == "modelopt" { &left[..] } else { &left[3..] };
        assert_eq!(listed(folder, loader, &json!({}), &layers), json!(expected), "{loader:?}");
    }
}

/// The libraries list no norms, and ModelOpt names modules together.
#[test]
fn the_list_is_that_of_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tensors: [(&str, &[usize]); 8] = [
        ("model.embed_tokens.weight", &[96, 128]),
        ("model.layers.0.self_attn.q_norm.weight", &[4, 32]),
        ("model.layers.0.self_attn.q_proj.weight", &[128, 128]),
        ("model.layers.0.mlp.gate.weight", &[32, 128]),
        ("model.layers.0.mlp_b.router.weight", &[32, 128]),
        ("model.layers.0.mlp_b.router.other.router.weight", &[32, 128]),
        ("model.layers.0.mlp_b_too.up_proj.weight", &[128, 128]),
        ("vision.router.weight", &[32, 128]),
    ];
    let all = json!([
        "lm_head",
        "model.embed_tokens",
        "model.layers.0.mlp.gate",
        "model.layers.0.mlp_b.router",
        "model.layers.0.mlp_b.router.other.router",
        "vision.router"
    ]);
    assert_eq!(listed(folder, LOADERS[2], &json!({}), &tensors), all);
    let together =
        json!(["lm_head", "model.embed_tokens", "model.layers.0.mlp.*", "model.layers.0.mlp_b.*", "vision*"]);
    assert_eq!(listed(folder, LOADERS[1], &json!({}), &tensors), together);
    let entry = json_of(&folder.join("listed/hf_quant_config.json"));
    assert_eq!(entry["quantization"]["exclude_modules"], together);
}

/// An output layer that shares the numbers of the embedding stays whole by any name; without such a layer none is
/// listed.
#[test]
fn tied_output_layers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tensors: [(&str, &[usize]); 4] = [
        ("model.embed_tokens.weight", &[160, 128]),
        ("model.unusual.weight", &[160, 128]),
        ("model.projector.weight", &[128, 128]),
        ("model.layers.0.up_proj.weight", &[160, 128]),
    ];
    let of = |tied: Value| json!({ "model_type": "llama", "tie_word_embeddings": tied });
    for (config, expected) in [
        (of(json!(true)), json!(["lm_head", "model.embed_tokens", "model.unusual"])),
        (
            json!({ "text_config": of(json!(true)) }),
            json!(["lm_head", "model.embed_tokens", "model.unusual"]),
        ),
        (of(json!(false)), json!(["model.embed_tokens"])),
        (of(json!(null)), json!(["lm_head", "model.embed_tokens"])),
        (
            json!({ "tie_word_embeddings": false, "text_config": of(json!(true)) }),
            json!(["model.embed_tokens"]),
        ),
    ] {
        assert_eq!(listed(folder, LOADERS[0], &config, &tensors), expected, "{config}");
    }
}
