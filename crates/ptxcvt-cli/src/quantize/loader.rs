//! What the loaders of libraries expect of a quantised checkpoint: names, types, shapes, and which of two inverse
//! conventions the global scale follows. One row for each loader and recipe.

use clap::ValueEnum;
use ptxcvt_blocks::Recipe;
use wildmatch::WildMatch;

use super::work::{Dtypes, Names};
use crate::failure::Failure;

/// Whose loader reads the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Loader {
    /// compressed-tensors: weight_packed, weight_scale, weight_global_scale
    CompressedTensors,
    /// ModelOpt: weight, weight_scale, weight_scale_2
    Modelopt,
    /// DeepSeek: weight, weight_scale_inv
    Deepseek,
    /// GPT-OSS: NAME_blocks, NAME_scales
    GptOss,
}

/// How a loader names the parts of one recipe's tensors, behind the tensor's name without `.weight`.
struct Row {
    loader: Loader,
    /// The recipes that it reads.
    recipes: &'static [&'static str],
    data: &'static str,
    scales: &'static str,
    global: &'static str,
    dtypes: Dtypes,
    files: Files,
}

/// What the loader reads beside the tensors, as JSON.
#[derive(Clone, Copy)]
pub struct Files {
    /// The entry `quantization_config` of `config.json`.
    pub entry: &'static str,
    /// Its key for the modules that are left as they are.
    pub left: &'static str,
    /// `hf_quant_config.json`; the modules are its `exclude_modules`.
    pub hf_quant: Option<&'static str>,
}

const BYTES: Dtypes =
    Dtypes { fp4_as_bytes: true, ue8m0_as_bytes: true, global_has_axis: false, blocks_have_axis: false };

/// compressed-tensors 0.20.0 compressors/nvfp4, mxfp4, mxfp8; nvidia-modelopt 0.47.0 torch/export; the checkpoints of
/// DeepSeek-V3 and gpt-oss.
const ROWS: &[Row] = &[
    Row {
        loader: Loader::CompressedTensors,
        recipes: &["nvfp4-compressed-tensors"],
        data: ".weight_packed",
        scales: ".weight_scale",
        global: ".weight_global_scale",
        dtypes: Dtypes { global_has_axis: true, ..BYTES },
        files: Files {
            entry: r#"{
                "quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized", "quantization_status": "compressed",
                "config_groups": {"group_0": {
                    "targets": ["Linear"], "format": "nvfp4-pack-quantized",
                    "weights": {
                        "num_bits": 4, "type": "float", "symmetric": true, "dynamic": false, "strategy": "tensor_group",
                        "group_size": 16, "scale_dtype": "torch.float8_e4m3fn"
                    },
                    "input_activations": null, "output_activations": null
                }},
                "kv_cache_scheme": null, "global_compression_ratio": null
            }"#,
            left: "ignore",
            hf_quant: None,
        },
    },
    Row {
        loader: Loader::CompressedTensors,
        recipes: &["mx-even/e2m1"],
        data: ".weight_packed",
        scales: ".weight_scale",
        global: "",
        dtypes: BYTES,
        files: Files {
            entry: r#"{
                "quant_method": "compressed-tensors", "format": "mxfp4-pack-quantized", "quantization_status": "compressed",
                "config_groups": {"group_0": {
                    "targets": ["Linear"], "format": "mxfp4-pack-quantized",
                    "weights": {
                        "num_bits": 4, "type": "float", "symmetric": true, "dynamic": false, "strategy": "group",
                        "group_size": 32, "scale_dtype": "torch.uint8"
                    },
                    "input_activations": null, "output_activations": null
                }},
                "kv_cache_scheme": null, "global_compression_ratio": null
            }"#,
            left: "ignore",
            hf_quant: None,
        },
    },
    Row {
        loader: Loader::Modelopt,
        recipes: &["nvfp4-modelopt"],
        data: ".weight",
        scales: ".weight_scale",
        global: ".weight_scale_2",
        dtypes: BYTES,
        files: Files {
            entry: r#"{
                "quant_method": "modelopt", "quant_algo": "W4A16_NVFP4",
                "config_groups": {"group_0": {
                    "weights": {"dynamic": false, "num_bits": 4, "type": "float", "group_size": 16}, "targets": ["Linear"]
                }},
                "producer": {"name": "modelopt", "version": "0.47.0"}
            }"#,
            left: "ignore",
            hf_quant: Some(
                r#"{
                    "producer": {"name": "modelopt", "version": "0.47.0"},
                    "quantization": {"quant_algo": "W4A16_NVFP4", "kv_cache_quant_algo": null, "group_size": 16}
                }"#,
            ),
        },
    },
    Row {
        loader: Loader::Modelopt,
        recipes: &["mxfp8-modelopt"],
        data: ".weight",
        scales: ".weight_scale",
        global: "",
        dtypes: BYTES,
        files: Files {
            entry: r#"{
                "quant_method": "modelopt", "quant_algo": "MXFP8",
                "producer": {"name": "modelopt", "version": "0.47.0"}
            }"#,
            left: "ignore",
            hf_quant: Some(
                r#"{
                    "producer": {"name": "modelopt", "version": "0.47.0"},
                    "quantization": {"quant_algo": "MXFP8", "kv_cache_quant_algo": null, "group_size": 32}
                }"#,
            ),
        },
    },
    Row {
        loader: Loader::Deepseek,
        recipes: &["deepseek-128x128"],
        data: ".weight",
        scales: ".weight_scale_inv",
        global: "",
        dtypes: BYTES,
        files: Files {
            entry: r#"{
                "quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128]
            }"#,
            left: "modules_to_not_convert",
            hf_quant: None,
        },
    },
    Row {
        loader: Loader::Deepseek,
        recipes: &["deepseek-128x128-ue8m0"],
        data: ".weight",
        scales: ".weight_scale_inv",
        global: "",
        dtypes: BYTES,
        files: Files {
            entry: r#"{
                "quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128],
                "scale_fmt": "ue8m0"
            }"#,
            left: "modules_to_not_convert",
            hf_quant: None,
        },
    },
    Row {
        loader: Loader::GptOss,
        recipes: &["mx-rceil/e2m1", "mx-floor/e2m1", "mx-even/e2m1", "mx-ceil/e2m1"],
        data: "_blocks",
        scales: "_scales",
        global: "",
        dtypes: Dtypes { blocks_have_axis: true, ..BYTES },
        files: Files {
            entry: r#"{"quant_method": "mxfp4"}"#,
            left: "modules_to_not_convert",
            hf_quant: None,
        },
    },
];

/// Tensors that loaders want whole although they are matrices called `weight`: embeddings, the output, routers and
/// convolutions, as ModelOpt's default configuration and DeepSeek's checkpoints leave them.
const WHOLE: &[&str] = &[
    "*embed*",
    "*wte.weight",
    "*wpe.weight",
    "*lm_head*",
    "head.weight",
    "*.head.weight",
    "*output_layer*",
    "*.gate.weight",
    "*shared_expert_gate*",
    "*router*",
    "*conv1d*",
];

impl Loader {
    fn row(self, recipe: &Recipe) -> Result<&'static Row, Failure> {
        let rows = || ROWS.iter().filter(move |row| row.loader == self);
        rows().find(|row| row.recipes.contains(&recipe.name())).ok_or_else(|| {
            let name = self.to_possible_value().map_or(String::new(), |v| v.get_name().to_owned());
            let known: Vec<_> = rows().flat_map(|row| row.recipes).copied().collect();
            Failure::new(format!("--for {name} does not take `{}`", recipe.name()))
                .help(format!("its loader reads {}", known.join(", ")))
        })
    }

    /// The names of the parts of `tensor`.
    pub fn names(self, recipe: &Recipe, tensor: &str) -> Result<Names, Failure> {
        let row = self.row(recipe)?;
        let stem = tensor.strip_suffix(".weight").unwrap_or(tensor);
        let name = |part: &str| format!("{stem}{part}");
        Ok(Names { data: name(row.data), scales: name(row.scales), global: name(row.global) })
    }

    /// The names of the parts whose elements are `data`, and of the tensor that they were made of, as far as the loader's
    /// rule goes; `None` where it gives elements no such name.
    pub fn parts(self, recipe: &Recipe, data: &str) -> Result<Option<(String, Names)>, Failure> {
        let row = self.row(recipe)?;
        let Some(stem) = data.strip_suffix(row.data) else { return Ok(None) };
        // Only GPT-OSS names the parts behind a tensor that has no `.weight`.
        let weight = if row.data.starts_with('.') { ".weight" } else { "" };
        let tensor = format!("{stem}{weight}");
        let names = self.names(recipe, &tensor)?;
        Ok(Some((tensor, names)))
    }

    /// Whether a tensor of a model is quantised where nobody says which are: the matrices of linear layers; for GPT-OSS those
    /// of its experts, which have an axis more.
    pub fn wants(self, tensor: &str, axes: usize) -> bool {
        if self == Loader::GptOss {
            return self.turns(axes) && !tensor.ends_with(".weight");
        }
        axes == 2 && tensor.ends_with(".weight") && !WHOLE.iter().any(|p| WildMatch::new(p).matches(tensor))
    }

    /// Whether the last two axes of such a tensor change places: the experts of GPT-OSS have their inputs first, and blocks
    /// lie along them.
    pub fn turns(self, axes: usize) -> bool {
        self == Loader::GptOss && axes == 3
    }

    /// What it reads beside the tensors.
    pub fn files(self, recipe: &Recipe) -> Result<Files, Failure> {
        Ok(self.row(recipe)?.files)
    }

    /// The types that it expects.
    pub fn dtypes(self, recipe: &Recipe) -> Result<Dtypes, Failure> {
        Ok(self.row(recipe)?.dtypes)
    }
}

/// Names and types where nobody's loader is asked for.
pub const PLAIN: Dtypes =
    Dtypes { fp4_as_bytes: false, ue8m0_as_bytes: false, global_has_axis: false, blocks_have_axis: false };
