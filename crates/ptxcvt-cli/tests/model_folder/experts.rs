//! Experts of GPT-OSS.

use std::fs;

use ptxcvt_blocks::{Matrix, Options, Recipe, quantize};
use safetensors::{Dtype, SafeTensors};
use serde_json::json;

use super::{bytes, json_of, succeeds, write};

#[test]
fn experts_of_gpt_oss() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (experts, inputs, outputs) = (3, 64, 96);
    write(
        &folder.join("model.safetensors"),
        &[
            ("layers.0.mlp.experts.gate_up_proj", &[experts, inputs, outputs]),
            ("layers.0.mlp.experts.gate_up_proj_bias", &[experts, outputs]),
            ("layers.0.self_attn.q_proj.weight", &[64, 64]),
        ],
    );
    succeeds(folder, "quantize mx-rceil/e2m1 . --for gpt-oss -o out");
    let file = fs::read(folder.join("out/model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&file).unwrap();
    let blocks = file.tensor("layers.0.mlp.experts.gate_up_proj_blocks").unwrap();
    let scales = file.tensor("layers.0.mlp.experts.gate_up_proj_scales").unwrap();
    assert_eq!(blocks.shape(), [experts, outputs, inputs / 32, 16]);
    assert_eq!(scales.shape(), [experts, outputs, inputs / 32]);
    assert_eq!(file.tensor("layers.0.self_attn.q_proj.weight").unwrap().dtype(), Dtype::BF16);
    // Blocks run along the inputs, which are the first axis in the model.
    let recipe = Recipe::named("mx-rceil/e2m1").unwrap();
    let numbers = bytes(experts * inputs * outputs);
    let expert = &numbers[2 * inputs * outputs..4 * inputs * outputs];
    let matrix = Matrix::bytes(ptxcvt_blocks::Input::Bf16, expert, inputs, outputs).unwrap();
    let expected = quantize(&recipe, &matrix.transposed(), &Options::default()).unwrap();
    assert!(blocks.data()[expected.data.len()..2 * expected.data.len()] == expected.data[..]);
    assert!(scales.data()[expected.scales.len()..2 * expected.scales.len()] == expected.scales[..]);
    let entry = &json_of(&folder.join("out/config.json"))["quantization_config"];
    let left = json!(["layers.0.self_attn.q_proj", "lm_head"]);
    assert_eq!(*entry, json!({ "quant_method": "mxfp4", "modules_to_not_convert": left }));
    succeeds(folder, "dequantize out --dtype bf16 -o back");
    let file = fs::read(folder.join("back/model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&file).unwrap();
    let back = file.tensor("layers.0.mlp.experts.gate_up_proj").unwrap();
    assert_eq!(back.shape(), [experts, inputs, outputs]);
    // Numbers near 1 lose precision, but stay in their places.
    for (x, y) in numbers.chunks_exact(2).zip(back.data().chunks_exact(2)) {
        let number = |b: &[u8]| f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16);
        assert!((number(x) - number(y)).abs() <= 0.26 * number(x).abs(), "{} {}", number(x), number(y));
    }
    // Other loaders have matrices only.
    fs::write(folder.join("config.json"), json!({ "model_type": "gpt_oss" }).to_string()).unwrap();
    let stderr = succeeds(folder, "quantize fp8-channel . --for compressed-tensors -o others");
    let warning = "warning: `layers.0.mlp.experts.gate_up_proj` has all experts of a layer and is not quantised; \
        --for gpt-oss quantises them";
    assert!(stderr.contains(warning), "{stderr}");
    // transformers replaces Llama 4's experts by linear layers if compressed-tensors quantises the model.
    fs::write(folder.join("config.json"), json!({ "model_type": "llama4" }).to_string()).unwrap();
    let stderr = succeeds(folder, "quantize fp8-channel . --for compressed-tensors -o split");
    assert!(stderr.contains("is not quantised: transformers does not load this folder"), "{stderr}");
    let quiet = "quantize fp8-channel . --for compressed-tensors --quiet -o quiet";
    assert!(!succeeds(folder, quiet).contains("warning"));
}
