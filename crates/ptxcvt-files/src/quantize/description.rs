//! The JSON that describes a quantised model to a loader: the entry of `config.json`, and ModelOpt's own file.
//!
//! compressed-tensors 0.20.0 (as llm-compressor 0.14.0 writes it), nvidia-modelopt 0.47.0, and the checkpoints of
//! DeepSeek-V3 and gpt-oss.

use serde_json::{Value, json};

/// The part of a row's description that differs from the other rows of its library.
#[derive(Clone, Copy, Debug)]
pub enum Description {
    /// compressed-tensors: the name of the packing; the row's own entries of `weights` as JSON; and, if activations are
    /// quantised to FP8 when the model runs, the row's own entries of `input_activations`.
    CompressedTensors { packing: &'static str, weights: &'static str, activations: Option<&'static str> },
    /// ModelOpt: the algorithm, the size of its blocks in `hf_quant_config.json`, and the bits of the weights if the entry
    /// of `config.json` describes them.
    Modelopt { algorithm: &'static str, group_size: Option<u32>, bits: Option<u32> },
    /// DeepSeek: the format of the scales if it is not f32.
    Deepseek { scales: Option<&'static str> },
    /// GPT-OSS, which has one format.
    GptOss,
}

impl Description {
    /// The entry `quantization_config` of `config.json`. `left` are the modules that are not quantised.
    pub fn entry(self, left: &[String]) -> Value {
        match self {
            Description::CompressedTensors { packing, weights, activations } => json!({
                "quant_method": "compressed-tensors",
                "version": "0.20.0",
                "format": packing,
                "quantization_status": "compressed",
                "config_groups": {"group_0": {
                    "targets": ["Linear"],
                    "format": packing,
                    "weights": with(
                        json!({"dynamic": false, "symmetric": true, "type": "float", "observer": "memoryless_minmax"}),
                        weights,
                    ),
                    "input_activations": activations.map(|blocks| {
                        with(json!({"num_bits": 8, "type": "float", "symmetric": true, "dynamic": true}), blocks)
                    }),
                    "output_activations": null,
                }},
                "kv_cache_scheme": null,
                "global_compression_ratio": null,
                "moe_sparsity_config": null,
                "sparsity_config": {},
                "transform_config": {},
                "ignore": left,
            }),
            Description::Modelopt { algorithm, group_size, bits } => {
                let mut entry = json!({
                    "quant_method": "modelopt",
                    "quant_algo": algorithm,
                    "producer": producer(),
                    "ignore": left,
                });
                if let Some(bits) = bits {
                    let weights = json!({"dynamic": false, "num_bits": bits, "type": "float", "group_size": group_size});
                    entry["config_groups"] = json!({"group_0": {"weights": weights, "targets": ["Linear"]}});
                }
                entry
            }
            Description::Deepseek { scales } => {
                let mut entry = json!({
                    "quant_method": "fp8",
                    "fmt": "e4m3",
                    "activation_scheme": "dynamic",
                    "weight_block_size": [128, 128],
                    "modules_to_not_convert": left,
                });
                if let Some(scales) = scales {
                    entry["scale_fmt"] = json!(scales);
                }
                entry
            }
            Description::GptOss => json!({"quant_method": "mxfp4", "modules_to_not_convert": left}),
        }
    }

    /// The contents of `hf_quant_config.json`; `None` for libraries other than ModelOpt.
    pub fn hf_quant(self, left: &[String]) -> Option<Value> {
        let Description::Modelopt { algorithm, group_size, .. } = self else { return None };
        let mut quantization =
            json!({"quant_algo": algorithm, "kv_cache_quant_algo": null, "exclude_modules": left});
        if let Some(size) = group_size {
            quantization["group_size"] = json!(size);
        }
        Some(json!({"producer": producer(), "quantization": quantization}))
    }
}

/// ModelOpt's name of the program that wrote a file.
fn producer() -> Value {
    json!({"name": "modelopt", "version": "0.47.0"})
}

/// An object with the entries of a row in addition.
fn with(mut common: Value, of_row: &str) -> Value {
    let of_row: Value = serde_json::from_str(of_row).expect("a row's entries are JSON");
    let of_row = of_row.as_object().expect("a row's entries are an object");
    common.as_object_mut().expect("the common part is an object").extend(of_row.clone());
    common
}
