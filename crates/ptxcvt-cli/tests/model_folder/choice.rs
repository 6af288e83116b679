//! Which tensors are quantised, and what is said about the others.

use std::fs;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::json;

use super::{fails, json_of, model, succeeds, write};

/// Weights of types that cannot be quantised are copied, with a warning.
#[test]
fn weights_of_other_types_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let data = vec![0; 32 * 32 * 8];
    let tensor =
        |dtype, width: usize| TensorView::new(dtype, vec![32, 32], &data[..32 * 32 * width]).unwrap();
    let tensors = [
        ("a.weight", tensor(Dtype::F32, 4)),
        ("b.weight", tensor(Dtype::F64, 8)),
        ("c.weight", tensor(Dtype::I8, 1)),
        ("d.weight", tensor(Dtype::F8_E4M3, 1)),
        ("model.embed_tokens.weight", tensor(Dtype::F64, 8)),
    ];
    safetensors::serialize_to_file(tensors, None, &folder.join("model.safetensors")).unwrap();
    fs::write(folder.join("config.json"), r#"{"model_type": "llama"}"#).unwrap();
    let run = |arguments: &str| {
        succeeds(folder, &format!("quantize fp8-channel {arguments} --for compressed-tensors"))
    };
    let warning = "warning: `b.weight` holds f64, not f32, bf16 or f16, and is copied unchanged; so are 2 other tensors";
    for arguments in [". -o out", "model.safetensors -o out.safetensors"] {
        let stderr = run(arguments).to_lowercase();
        assert!(stderr.contains(warning), "{stderr}");
    }
    // Without a loader the embedding counts, too, and integers do not.
    let warning = "warning: `b.weight` holds f64, not f32, bf16 or f16, and is copied unchanged; so are 2 other tensors";
    for arguments in [". -o plain", "model.safetensors -o plain.safetensors"] {
        let stderr = succeeds(folder, &format!("quantize mx-even/e2m1 {arguments}")).to_lowercase();
        assert!(stderr.contains(warning), "{stderr}");
    }
    let stderr = run(". -o quiet --quiet") + &run(". -o chosen --exclude b.* --exclude c.* --exclude d.*");
    assert!(!stderr.contains("warning"), "{stderr}");
}

/// Embeddings, output layers and routers by other names stay whole; experts by other names are copied with a warning.
#[test]
fn weights_that_are_not_linear_layers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let whole: [(&str, &[usize]); 15] = [
        ("mask_decoder.mask_tokens.weight", &[4, 64]),
        ("model.query_feat.weight", &[32, 64]),
        ("detr_decoder.reference_points.weight", &[8, 4]),
        ("quantizer.quantizers.0.codebook.weight", &[64, 8]),
        ("backbone.norm.scale.weight", &[4, 64]),
        ("shared.weight", &[96, 64]),
        ("output.weight", &[96, 64]),
        ("words.weight", &[96, 64]),
        ("text.projection.weight", &[32, 80]),
        ("encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", &[32, 12]),
        ("model.layers.0.mlp.gate.wg.weight", &[32, 64]),
        ("model.layers.0.block_sparse_moe.input_linear.weight", &[4, 64, 32]),
        ("model.layers.0.mixer.conv1d.weight", &[64, 1, 4]),
        ("model.layers.61.eh_proj.weight", &[32, 64]),
        ("model.layers.0.self_attn.indexer.weights_proj.weight", &[32, 64]),
    ];
    let linear: [(&str, &[usize]); 2] =
        [("model.layers.0.q_proj.weight", &[96, 64]), ("model.projector.weight", &[64, 64])];
    write(&folder.join("model.safetensors"), &[&whole[..], &linear[..]].concat());
    let config = folder.join("config.json");
    fs::write(&config, r#"{"vocab_size": 96, "text_config": {"vocab_size": 80}, "a": "\ud800"}"#).unwrap();
    let stderr = succeeds(folder, "quantize fp8-channel . --for compressed-tensors -o made");
    let warning = "`model.layers.0.block_sparse_moe.input_linear.weight` has three axes, as all experts of a layer have together, \
        and is not quantised";
    assert!(stderr.contains(warning), "{stderr}");
    let file = fs::read(folder.join("made/model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&file).unwrap();
    for (names, dtype) in [(&whole[..], Dtype::BF16), (&linear[..], Dtype::F8_E4M3)] {
        for (name, _) in names {
            assert_eq!(file.tensor(name).unwrap().dtype(), dtype, "{name}");
        }
    }
    assert!(fs::read_to_string(folder.join("made/config.json")).unwrap().contains(r#""a": "\ud800""#));
    // Legal JSON that is nested too deeply for a value is accepted, because no value is read from it.
    let deep = format!(r#"{{"a": {}{}}}"#, "[".repeat(200), "]".repeat(200));
    fs::write(&config, deep).unwrap();
    succeeds(folder, "quantize fp8-channel . --for compressed-tensors -o deep");
    fs::write(&config, r#"{"compression_config": {"quant_method": "compressed-tensors"}}"#).unwrap();
    let found = fails(folder, "quantize fp8-channel . --for compressed-tensors -o out2");
    assert!(found.contains("has a `compression_config` already"), "{found}");
    fs::write(&config, r#"{"model_type": "gpt2"}"#).unwrap();
    let found = fails(folder, "quantize fp8-channel . --for modelopt -o out2");
    assert!(found.contains("`fp8-channel`"), "{found}");
    let found = fails(folder, "quantize fp8-channel . --for compressed-tensors -o out2");
    assert!(found.contains("a model of type `gpt2` has weights of the class Conv1D"), "{found}");
}

/// Norms whose weights have two axes stay whole. They are listed, since a linear layer may have such a name, too.
#[test]
fn norms_of_two_axes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let norms: [(&str, &[usize]); 5] = [
        ("model.layers.0.self_attn.q_norm.weight", &[4, 32]),
        ("model.layers.0.self_attn.k_layernorm.weight", &[4, 32]),
        ("model.layers.0.self_attn.q_layernorm.norms.0.weight", &[4, 32]),
        ("model.layers.0.LayerNorm.weight", &[4, 32]),
        ("model.layers.0.attn.q_ln.weight", &[4, 32]),
    ];
    let linear: [(&str, &[usize]); 2] =
        [("model.layers.0.norm1.linear.weight", &[64, 32]), ("model.layers.0.vuln.weight", &[32, 32])];
    write(&folder.join("model.safetensors"), &[&norms[..], &linear[..]].concat());
    for (loader, recipe) in [
        ("compressed-tensors", "mxfp4-compressed-tensors"),
        ("modelopt", "mxfp8-modelopt"),
        ("deepseek", "deepseek-128x128"),
    ] {
        succeeds(folder, &format!("quantize {recipe} . --for {loader} -o {loader}"));
        let file = fs::read(folder.join(loader).join("model.safetensors")).unwrap();
        let file = SafeTensors::deserialize(&file).unwrap();
        for (name, _) in norms {
            assert_eq!(file.tensor(name).unwrap().dtype(), Dtype::BF16, "{loader}: {name}");
        }
        for (name, _) in linear {
            assert!(
                file.tensor(name).map_or(true, |tensor| tensor.dtype() != Dtype::BF16),
                "{loader}: {name}"
            );
        }
    }
    let entry = &json_of(&folder.join("compressed-tensors/config.json"))["quantization_config"];
    let mut left: Vec<&str> = norms.iter().filter_map(|(name, _)| name.strip_suffix(".weight")).collect();
    left.push("lm_head");
    left.sort_unstable();
    assert_eq!(entry["ignore"], json!(left));
}

/// A mistake in a pattern would quantise the tensor that it names.
#[test]
fn patterns_without_a_tensor_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    model(folder);
    let arguments = "quantize nvfp4-modelopt . --for modelopt -o out --exclude *nomatch* --exclude *norm*";
    let text = succeeds(folder, &format!("{arguments} --exclude model.layers.0.mlp.up_proj"));
    assert!(text.contains("warning: --exclude *nomatch* matches no name of a tensor\n"), "{text}");
    assert!(!text.contains("*norm*"), "{text}");
    let near = "up_proj matches no name of a tensor; `model.layers.0.mlp.up_proj.weight` does";
    assert!(text.contains(near), "{text}");
}

/// An incomplete download must not become a folder without a tokenizer.
#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    model(folder);
    std::os::unix::fs::symlink("../blobs/none", folder.join("merges.txt")).unwrap();
    let text = fails(folder, "quantize nvfp4-modelopt . --for modelopt -o out");
    assert!(text.contains("merges.txt: is a link to a file that is not there"), "{text}");
}
