//! Layers that a loader joins share their global scale.

use std::path::Path;
use std::process::Command;

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

/// The largest magnitude of each tensor of the model.
const MODEL: &[(&str, f32)] = &[
    ("layers.0.self_attn.q_proj.weight", 1.0),
    ("layers.0.self_attn.k_proj.weight", 4.0),
    ("layers.0.self_attn.v_proj.weight", 2.0),
    ("layers.0.self_attn.o_proj.weight", 0.5),
    ("layers.0.mlp.gate_proj.weight", 8.0),
    ("layers.0.mlp.up_proj.weight", 16.0),
    ("layers.0.mlp.down_proj.weight", 0.25),
    ("layers.0.experts.0.w1.weight", 3.0),
    ("layers.0.experts.0.w3.weight", 5.0),
    ("layers.0.experts.0.w2.weight", 7.0),
    ("layers.0.experts.1.w1.weight", 6.0),
    ("layers.0.experts.1.w3.weight", 1.5),
    ("layers.1.self_attn.q_proj.weight", 9.0),
    // The model has no v, so nothing is joined.
    ("layers.1.self_attn.k_proj.weight", 10.0),
    ("layers.1.self_attn.q_a_proj.weight", 11.0),
    ("layers.1.self_attn.kv_a_proj_with_mqa.weight", 12.0),
    ("layers.1.mamba.a.weight", 13.0),
    ("layers.1.mamba.b.weight", 14.0),
    ("layers.2.linear_attn.in_proj_qkv.weight", 15.0),
    ("layers.2.linear_attn.in_proj_z.weight", 17.0),
    ("transformer.h.0.mlp.c_fc_0.weight", 18.0),
    ("transformer.h.0.mlp.c_fc_1.weight", 19.0),
    ("encoder.layer.0.attention.self.query.weight", 20.0),
    ("encoder.layer.0.attention.self.key.weight", 21.0),
    ("encoder.layer.0.attention.self.value.weight", 22.0),
    // The query has another input than key and value.
    ("encoder.layer.0.crossattention.self.query.weight", 23.0),
    ("encoder.layer.0.crossattention.self.key.weight", 24.0),
    ("encoder.layer.0.crossattention.self.value.weight", 25.0),
];

/// Writes the model in two files, so that groups extend over both.
fn model(folder: &Path) {
    let bytes = |amax: f32| -> Vec<u8> {
        let x = |i: usize| if i == 77 { -amax } else { amax * (i % 90) as f32 / 100.0 };
        (0..16 * 64).flat_map(|i| ((x(i).to_bits() >> 16) as u16).to_le_bytes()).collect()
    };
    let mut weights = serde_json::Map::new();
    for part in 0..2 {
        let name = format!("model-0000{}-of-00002.safetensors", part + 1);
        let own: Vec<_> = MODEL.iter().enumerate().filter(|(i, _)| i % 2 == part).map(|(_, t)| t).collect();
        let data: Vec<Vec<u8>> = own.iter().map(|(_, amax)| bytes(*amax)).collect();
        let views = own
            .iter()
            .zip(&data)
            .map(|((name, _), data)| (*name, TensorView::new(Dtype::BF16, vec![16, 64], data).unwrap()));
        std::fs::write(folder.join(&name), safetensors::serialize(views, None).unwrap()).unwrap();
        weights.extend(own.iter().map(|(tensor, _)| (tensor.to_string(), name.clone().into())));
    }
    let index = serde_json::json!({ "metadata": {}, "weight_map": weights });
    std::fs::write(folder.join("model.safetensors.index.json"), index.to_string()).unwrap();
}

/// The largest magnitudes from which the global scales of the output were computed, in the order of the model.
fn largest(folder: &Path, arguments: &str) -> Vec<f32> {
    let _ = std::fs::remove_dir_all(folder.join("out"));
    let output = Command::new(env!("CARGO_BIN_EXE_ptxcvt"))
        .args(["quantize", "nvfp4-modelopt", ".", "-o", "out"])
        .args(arguments.split(' ').filter(|a| !a.is_empty()))
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files: Vec<Vec<u8>> = (1..=2)
        .map(|n| std::fs::read(folder.join(format!("out/model-0000{n}-of-00002.safetensors"))).unwrap())
        .collect();
    let files: Vec<SafeTensors<'_>> = files.iter().map(|f| SafeTensors::deserialize(f).unwrap()).collect();
    let names = MODEL.iter().map(|(tensor, _)| match arguments.contains("--for") {
        true => tensor.replace(".weight", ".weight_scale_2"),
        false => format!("{tensor}.global_scale"),
    });
    names
        .map(|name| {
            let scale = files.iter().find_map(|file| file.tensor(&name).ok()).unwrap();
            (f32::from_le_bytes(scale.data().try_into().unwrap()) * 2688.0 * 1e3).round() / 1e3
        })
        .collect()
}

#[test]
fn what_loaders_join_shares_its_scale() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    model(folder);
    let own: Vec<f32> = MODEL.iter().map(|(_, amax)| *amax).collect();
    let joined = [
        4.0, 4.0, 4.0, 0.5, 16.0, 16.0, 0.25, 5.0, 5.0, 7.0, 6.0, 6.0, 9.0, 10.0, 12.0, 12.0, 13.0, 14.0,
        15.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0,
    ];
    assert_eq!(largest(folder, "--for modelopt"), joined);
    assert_eq!(largest(folder, "--for modelopt --no-fuse"), own);
    assert_eq!(largest(folder, ""), own);
    let mamba = "--for modelopt --fuse *.mamba.a.weight,*.mamba.b.weight";
    assert_eq!(largest(folder, mamba)[16..18], [14.0, 14.0]);
    assert_eq!(largest(folder, mamba)[..16], joined[..16]);
    let alone = "--for modelopt --no-fuse --fuse *.mamba.a.weight,*.mamba.b.weight";
    assert_eq!(largest(folder, alone)[..16], own[..16]);
    // A group that overlaps with known ones is one group with them.
    let more = "--for modelopt --fuse *.v_proj.weight,*.o_proj.weight --fuse *.mlp.up_proj.weight,*.mlp.down_proj.weight";
    assert_eq!(largest(folder, more)[..7], [4.0, 4.0, 4.0, 4.0, 16.0, 16.0, 16.0]);
    let bridge = "--for modelopt --fuse *.0.self_attn.v_proj.weight,*.0.mlp.up_proj.weight";
    assert_eq!(largest(folder, bridge)[..7], [16.0, 16.0, 16.0, 0.5, 16.0, 16.0, 0.25]);
    // One tensor of a group is not quantised: the others have their own.
    assert!(largest(folder, "--fuse *.q_proj.weight,*.k_proj.weight")[..2] == [4.0, 4.0]);
}

#[test]
fn the_kind_of_model_adds_groups() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    model(folder);
    for (config, joined) in [
        (serde_json::json!({ "model_type": "qwen3_5" }), true),
        (
            serde_json::json!({ "model_type": "any", "text_config": { "model_type": "qwen3_5_moe_text" } }),
            true,
        ),
        (serde_json::json!({ "model_type": "llama" }), false),
    ] {
        std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
        let expected = if joined { [17.0, 17.0] } else { [15.0, 17.0] };
        assert_eq!(largest(folder, "--for modelopt")[18..20], expected, "{config}");
        assert_eq!(largest(folder, "--for modelopt --no-fuse")[18..20], [15.0, 17.0], "{config}");
    }
    std::fs::write(folder.join("config.json"), r#"{"model_type": "exaone"}"#).unwrap();
    assert_eq!(largest(folder, "--for modelopt")[18..22], [15.0, 17.0, 19.0, 19.0]);
    for model in ["bert", "roberta", "xlm-roberta"] {
        std::fs::write(folder.join("config.json"), format!(r#"{{"model_type": "{model}"}}"#)).unwrap();
        assert_eq!(largest(folder, "--for modelopt")[22..], [22.0, 22.0, 22.0, 23.0, 24.0, 25.0]);
    }
}

#[test]
fn what_cannot_be_joined_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    model(folder.path());
    for (arguments, part) in [
        ("nvfp4-modelopt . -o out --fuse a,b", "expected a pattern with one `*`"),
        ("nvfp4-modelopt . -o out --fuse *.a", "expected at least two patterns"),
        (
            "nvfp4-modelopt . -o out --fuse *.wq.weight,*.wk.weight",
            "no tensors to quantise match all of these",
        ),
        (
            "nvfp4-modelopt . -o out --fuse *.q_proj.weight,*.q_proj.weight",
            "no tensors to quantise match all of",
        ),
        ("mxfp8-modelopt . -o out --fuse *.a,*.b", "has no global scale, so --fuse has no use"),
        ("nvfp4-modelopt . -o out --no-fuse", "--for"),
        (
            "nvfp4-modelopt . -o out --fuse *.q_proj.weight,*.k_proj.weight --fuse *.k_proj.weight,*.v_proj.weight",
            "k_proj.weight` is in two groups",
        ),
        (
            "nvfp4-modelopt . -o out --fuse *.q_proj.weight,*.k_proj.weight --global-amax 4",
            "no scale is left to share",
        ),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_ptxcvt"))
            .arg("quantize")
            .args(arguments.split(' '))
            .current_dir(folder.path())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(part), "{stderr}");
    }
}

/// transformers does not read the global scales of experts.
#[test]
fn experts_with_a_global_scale_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    model(folder.path());
    for (arguments, warned) in [
        ("nvfp4-llm-compressor . --for compressed-tensors -o a", true),
        ("nvfp4-llm-compressor . --for compressed-tensors --exclude *.experts.* -o b", false),
        ("mxfp4-compressed-tensors . --for compressed-tensors -o c", false),
        ("nvfp4-modelopt . --for modelopt -o d", false),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_ptxcvt"))
            .arg("quantize")
            .args(arguments.split(' '))
            .current_dir(folder.path())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments}: {stderr}");
        let warning = "loads the experts of this folder without their global scales and computes garbage";
        assert_eq!(stderr.contains(warning), warned, "{arguments}: {stderr}");
    }
}

/// Recipes round the global scale to the type of the input, so a group of several types has the scale of one of them.
#[test]
fn tensors_of_several_types_share_one_scale() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let x = |i: usize| if i == 77 { -3.9531 } else { (i % 90) as f32 / 100.0 };
    let wide: Vec<u8> = (0..16 * 64).flat_map(|i| x(i).to_le_bytes()).collect();
    let narrow: Vec<u8> = (0..16 * 64).flat_map(|i| ((x(i).to_bits() >> 16) as u16).to_le_bytes()).collect();
    let views =
        [("q_proj", Dtype::BF16, &narrow), ("k_proj", Dtype::F32, &wide), ("v_proj", Dtype::BF16, &narrow)];
    let views = views.map(|(name, dtype, data)| {
        (format!("layers.0.{name}.weight"), TensorView::new(dtype, vec![16, 64], data).unwrap())
    });
    std::fs::write(folder.join("model.safetensors"), safetensors::serialize(views, None).unwrap()).unwrap();
    let scales = |output: &str, more: &str| {
        let run = Command::new(env!("CARGO_BIN_EXE_ptxcvt"))
            .args("quantize nvfp4-llm-compressor . --for compressed-tensors -o".split(' '))
            .arg(output)
            .args(more.split(' ').filter(|a| !a.is_empty()))
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let file = std::fs::read(folder.join(output).join("model.safetensors")).unwrap();
        let file = SafeTensors::deserialize(&file).unwrap();
        ["q", "k", "v"].map(|name| {
            let scale = file.tensor(&format!("layers.0.{name}_proj.weight_global_scale")).unwrap();
            f32::from_le_bytes(scale.data().try_into().unwrap())
        })
    };
    let [q, k, v] = scales("apart", "--no-fuse");
    assert!(q == v && q != k);
    assert_eq!(scales("together", ""), [k, k, k]);
}

/// A tensor with NaN decides the scale of its group.
#[test]
fn a_scale_that_another_tensor_spoils_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let data = |first: u16| -> Vec<u8> {
        (0..16 * 64_u16).flat_map(|i| (if i == 0 { first } else { 0x3f00 + i % 90 }).to_le_bytes()).collect()
    };
    let (whole, spoilt) = (data(0x3f80), data(0x7fc0));
    let views = [("gate_proj", &whole), ("up_proj", &spoilt), ("down_proj", &whole)].map(|(name, data)| {
        (format!("layers.0.mlp.{name}.weight"), TensorView::new(Dtype::BF16, vec![16, 64], data).unwrap())
    });
    std::fs::write(folder.join("model.safetensors"), safetensors::serialize(views, None).unwrap()).unwrap();
    for (more, warned) in [("", true), ("--no-fuse", false)] {
        let run = Command::new(env!("CARGO_BIN_EXE_ptxcvt"))
            .args(format!("quantize nvfp4-llm-compressor . --for compressed-tensors -o out{more}").split(' '))
            .args(more.split(' ').filter(|a| !a.is_empty()))
            .current_dir(folder)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&run.stderr);
        let warning = "warning: `layers.0.mlp.gate_proj.weight` shares its global scale with `layers.0.mlp.up_proj.weight`, whose NaN or \
            infinities make it useless\n";
        assert!(run.status.success() && stderr.contains("1 NaN in the input"), "{stderr}");
        assert_eq!(stderr.contains(warning), warned, "{stderr}");
    }
}
