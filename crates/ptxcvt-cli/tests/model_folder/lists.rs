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

/// Loaders take a name in the list for all modules inside, so parameters next to quantised layers do not name their module.
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
        assert_eq!(list, json!(["layers.0.mlp.experts", "lm_head", "vision.router"]), "{loader:?}");
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
        // The kind of a part says nothing of the whole.
        (json!({ "model_type": "ultravox", "audio_config": { "model_type": "whisper" } }), "lm_head"),
    ] {
        for loader in LOADERS {
            assert_eq!(listed(folder, loader, &config, &[linear]), json!([output]), "{config} {loader:?}");
        }
    }
    let named: [(&str, &[usize]); 5] = [
        linear,
        ("embed_out.weight", &[96, 32]),
        ("encoder.embedding_hidden_mapping_in.weight", &[128, 32]),
        ("encoder.embedding_hidden_mapping_in.bias", &[128]),
        ("embeddings.word_embeddings.weight", &[96, 32]),
    ];
    let list = listed(folder, LOADERS[0], &json!({ "model_type": "gpt_neox" }), &named);
    assert_eq!(list, json!(["embed_out", "encoder.embedding_hidden_mapping_in"]));
}

/// ModelOpt leaves the small projections of linear attention.
#[test]
fn projections_that_modelopt_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let layers: [(&str, &[usize]); 4] = [
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
