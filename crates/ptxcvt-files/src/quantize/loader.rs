//! The naming conventions of libraries for quantised checkpoints: names, types and shapes of tensors. One row
//! for each loader and recipe.

use std::sync::OnceLock;

use ptxcvt::clip;
use ptxcvt_blocks::Recipe;

use super::description::Description;
use super::layers;
use super::work::{Dtypes, Names};
use crate::error::FileError;

/// The library whose loader reads the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Loader {
    /// compressed-tensors: weight_packed or weight, weight_scale, weight_global_scale
    CompressedTensors,
    /// ModelOpt: weight, weight_scale, weight_scale_2
    Modelopt,
    /// DeepSeek: weight, weight_scale_inv
    Deepseek,
    /// GPT-OSS: NAME_blocks, NAME_scales
    GptOss,
}

/// The names of the parts of a quantised tensor: suffixes that replace `.weight`.
#[derive(Clone, Copy)]
struct Row {
    loader: Loader,
    /// The recipes whose output the loader reads.
    recipes: &'static [&'static str],
    data: &'static str,
    scales: &'static str,
    /// Empty if the recipes have no global scale.
    global: &'static str,
    dtypes: Dtypes,
    /// The quantisation that other files of the model describe.
    description: Description,
    /// `None` if a tensor whose last blocks are partial is read like others.
    partial: Option<Partial>,
}

/// What programs do with a tensor whose last block of rows or columns is partial.
#[derive(Clone, Copy)]
pub(super) struct Partial {
    /// For partial blocks of either kind.
    pub(super) any: &'static str,
    /// In addition, if the last block of columns is partial.
    pub(super) columns: Option<&'static str>,
}

/// vLLM (`validate_fp8_block_shape`) and SGLang need whole blocks where they join or split layers. compressed-tensors 0.20.1
/// scales activations in groups of columns while the model runs, and does not pad the last group.
const PARTIAL_COMPRESSED_TENSORS: Partial = Partial {
    any: "vLLM and SGLang refuse such tensors where they join or split them",
    columns: Some(
        "where the columns are not whole blocks, the first pass in transformers fails, unless you load the folder with \
         `quantization_config=CompressedTensorsConfig(dequantize=True)`",
    ),
};

/// vLLM (`ModelOptFp8PbWoLinearMethod`) needs whole blocks in each layer.
const PARTIAL_MODELOPT: Partial = Partial { any: "vLLM refuses such tensors", columns: None };

/// The scales do not say how large a block is: transformers 5.24 divides the axes of the elements by those of the scales,
/// and vLLM and SGLang need whole blocks where they join or split layers.
const PARTIAL_DEEPSEEK: Partial = Partial {
    any: "where transformers dequantises such tensors it computes garbage or refuses them, and vLLM and SGLang refuse those that \
          they join or split",
    columns: None,
};

impl Row {
    /// Whether the scales of the row have values that their format does not imply: numbers of the model's type or powers
    /// of two, stored as f32.
    fn needs_its_scales(&self) -> bool {
        self.dtypes.scales_as_input || matches!(self.description, Description::Deepseek { scales: Some(_) })
    }
}

const BYTES: Dtypes = Dtypes { fp4_as_bytes: true, ue8m0_as_bytes: true, ..PLAIN };

/// A row of compressed-tensors with blocks of scales that are bytes.
const fn compressed_tensors(
    recipes: &'static [&'static str],
    packing: &'static str,
    weights: &'static str,
    activations: Option<&'static str>,
) -> Row {
    Row {
        loader: Loader::CompressedTensors,
        recipes,
        data: ".weight",
        scales: ".weight_scale",
        global: "",
        dtypes: BYTES,
        description: Description::CompressedTensors { packing, weights, activations },
        partial: None,
    }
}

/// A row of compressed-tensors whose weights are FP8 and whose scales have the type of the model.
const fn compressed_tensors_fp8(
    recipes: &'static [&'static str],
    weights: &'static str,
    activations: &'static str,
) -> Row {
    let row = compressed_tensors(recipes, "float-quantized", weights, Some(activations));
    Row { dtypes: Dtypes { scales_as_input: true, ..BYTES }, ..row }
}

/// A row of ModelOpt.
const fn modelopt(
    recipes: &'static [&'static str],
    algorithm: &'static str,
    group_size: Option<u32>,
    bits: Option<u32>,
) -> Row {
    Row {
        loader: Loader::Modelopt,
        recipes,
        data: ".weight",
        scales: ".weight_scale",
        global: "",
        dtypes: BYTES,
        description: Description::Modelopt { algorithm, group_size, bits },
        partial: None,
    }
}

/// A row of DeepSeek.
const fn deepseek(recipes: &'static [&'static str], scales: Option<&'static str>) -> Row {
    Row {
        loader: Loader::Deepseek,
        recipes,
        data: ".weight",
        scales: ".weight_scale_inv",
        global: "",
        dtypes: BYTES,
        description: Description::Deepseek { scales },
        partial: Some(PARTIAL_DEEPSEEK),
    }
}

/// compressed-tensors 0.20.0 compressors; nvidia-modelopt 0.47.0 torch/export; the checkpoints of DeepSeek-V3 and gpt-oss.
const ROWS: &[Row] = &[
    Row {
        data: ".weight_packed",
        global: ".weight_global_scale",
        dtypes: Dtypes { global_has_axis: true, ..BYTES },
        ..compressed_tensors(
            &["nvfp4-llm-compressor", "nvfp4-compressed-tensors"],
            "nvfp4-pack-quantized",
            r#"{"num_bits": 4, "strategy": "tensor_group", "group_size": 16, "scale_dtype": "torch.float8_e4m3fn"}"#,
            None,
        )
    },
    Row {
        data: ".weight_packed",
        ..compressed_tensors(
            &["mxfp4-compressed-tensors", "mx-even/e2m1"],
            "mxfp4-pack-quantized",
            r#"{"num_bits": 4, "strategy": "group", "group_size": 32, "scale_dtype": "torch.uint8"}"#,
            None,
        )
    },
    Row {
        data: ".weight_packed",
        ..compressed_tensors(
            &["mxfp6-compressed-tensors"],
            "mxfp6-pack-quantized",
            r#"{"num_bits": 6, "strategy": "group", "group_size": 32, "scale_dtype": "torch.uint8"}"#,
            None,
        )
    },
    compressed_tensors(
        &["mxfp8-compressed-tensors"],
        "mxfp8-quantized",
        r#"{"num_bits": 8, "strategy": "group", "group_size": 32, "scale_dtype": "torch.uint8"}"#,
        None,
    ),
    compressed_tensors_fp8(
        &["fp8-channel"],
        r#"{"num_bits": 8, "strategy": "channel", "group_size": null}"#,
        r#"{"strategy": "token", "group_size": null}"#,
    ),
    Row {
        dtypes: Dtypes { scales_flat: true, scales_as_input: true, ..BYTES },
        ..compressed_tensors_fp8(
            &["fp8-tensor"],
            r#"{"num_bits": 8, "strategy": "tensor", "group_size": null}"#,
            r#"{"strategy": "token", "group_size": null}"#,
        )
    },
    Row {
        partial: Some(PARTIAL_COMPRESSED_TENSORS),
        ..compressed_tensors_fp8(
            &["fp8-block"],
            r#"{"num_bits": 8, "strategy": "block", "block_structure": [128, 128], "group_size": null}"#,
            r#"{"strategy": "group", "group_size": 128}"#,
        )
    },
    Row { global: ".weight_scale_2", ..modelopt(&["nvfp4-modelopt"], "W4A16_NVFP4", Some(16), Some(4)) },
    modelopt(&["mxfp8-modelopt"], "MXFP8", Some(32), None),
    Row {
        dtypes: Dtypes { scales_flat: true, ..BYTES },
        ..modelopt(&["fp8-channel-modelopt"], "FP8_PER_CHANNEL_PER_TOKEN", None, None)
    },
    Row {
        dtypes: Dtypes { scales_of_squares: true, ..BYTES },
        partial: Some(PARTIAL_MODELOPT),
        ..modelopt(&["fp8-block-modelopt"], "fp8_pb_wo", None, None)
    },
    deepseek(&["deepseek-128x128"], None),
    deepseek(&["deepseek-128x128-ue8m0"], Some("ue8m0")),
    Row {
        loader: Loader::GptOss,
        recipes: &["mx-rceil/e2m1", "mx-floor/e2m1", "mx-even/e2m1", "mx-ceil/e2m1"],
        data: "_blocks",
        scales: "_scales",
        global: "",
        dtypes: Dtypes { blocks_have_axis: true, ..BYTES },
        description: Description::GptOss,
        partial: None,
    },
];

impl Loader {
    /// Every loader.
    pub const ALL: [Loader; 4] =
        [Loader::CompressedTensors, Loader::Modelopt, Loader::Deepseek, Loader::GptOss];

    /// The `model_type` of GPT-OSS, whose experts its loader reads.
    pub(super) const GPT_OSS_MODEL: &'static str = "gpt_oss";

    /// The name in options and metadata, such as `compressed-tensors`.
    pub fn name(self) -> &'static str {
        match self {
            Loader::CompressedTensors => "compressed-tensors",
            Loader::Modelopt => "modelopt",
            Loader::Deepseek => "deepseek",
            Loader::GptOss => "gpt-oss",
        }
    }

    /// The loader of that name.
    pub fn named(name: &str) -> Option<Loader> {
        Loader::ALL.into_iter().find(|loader| loader.name().eq_ignore_ascii_case(name))
    }

    /// The row whose recipes make the same bytes as this one, whatever its name is; otherwise one whose recipes' bytes
    /// are read alike.
    fn row(self, recipe: &Recipe) -> Result<&'static Row, FileError> {
        let alike = || self.find(|known| recipe.is_read_like(known));
        self.row_of_same_bytes(recipe).or_else(alike).ok_or_else(|| self.unsupported(recipe))
    }

    fn unsupported(self, recipe: &Recipe) -> FileError {
        let name = self.name();
        let known: Vec<_> = self.rows().flat_map(|(row, _)| row.recipes).copied().collect();
        FileError::new(format!("--for {name} does not support `{}`", clip(recipe.name()))).with_help(format!(
            "its loader reads {}, and your own recipes with the same elements, blocks, scales, layout and lines of `dequantize`",
            known.join(", ")
        ))
    }

    fn row_of_same_bytes(self, recipe: &Recipe) -> Option<&'static Row> {
        self.find(|known| recipe.computes_like(known))
    }

    fn find(self, is_one: impl Fn(&Recipe) -> bool) -> Option<&'static Row> {
        self.rows().find(|(_, recipes)| recipes.iter().any(&is_one)).map(|(row, _)| row)
    }

    /// The loader's rows, each with its recipes.
    fn rows(self) -> impl Iterator<Item = (&'static Row, &'static [Recipe])> {
        static RECIPES: OnceLock<Vec<Vec<Recipe>>> = OnceLock::new();
        let all = RECIPES.get_or_init(|| {
            let named = |name: &&str| Recipe::named(name).expect("a row names recipes of the table");
            ROWS.iter().map(|row| row.recipes.iter().map(named).collect()).collect()
        });
        ROWS.iter()
            .zip(all)
            .filter(move |(row, _)| row.loader == self)
            .map(|(row, recipes)| (row, &recipes[..]))
    }

    /// Checks that the loader reads what the recipe makes.
    ///
    /// # Errors
    ///
    /// Fails if it reads such bytes otherwise, or if it needs the scales of its own recipe.
    pub(super) fn check(self, recipe: &Recipe) -> Result<(), FileError> {
        let row = self.row(recipe)?;
        if self.row_of_same_bytes(recipe).is_some() {
            return Ok(());
        }
        // A recipe of another library would be read, but is not what the loader's library makes.
        if Recipe::named(recipe.name()).is_ok_and(|known| recipe.computes_like(&known)) {
            return Err(self.unsupported(recipe));
        }
        if row.needs_its_scales() {
            let name = clip(recipe.name());
            return Err(FileError::new(format!(
                "--for {} does not support the scales of `{name}`",
                self.name()
            ))
            .with_help(format!("expected the lines and types of numbers of {}", row.recipes.join(", "))));
        }
        Ok(())
    }

    /// Whether bytes have parts of several elements, in a tensor of another name than the weight's.
    pub(super) fn packs(self, recipe: &Recipe) -> bool {
        self.row(recipe).is_ok_and(|row| row.data.ends_with("_packed"))
    }

    /// Whether transformers restores the weights in bf16, whatever the type of the model is. compressed-tensors 0.20.1
    /// decompresses FP4, FP6 and scales of powers of two to bf16; other scales have the type of the weights.
    pub(super) fn restores_bf16(self, recipe: &Recipe) -> bool {
        self == Loader::CompressedTensors && self.row(recipe).is_ok_and(|row| !row.dtypes.scales_as_input)
    }

    /// What programs do with tensors whose last blocks are partial, if not what they do with others.
    pub(super) fn partial(self, recipe: &Recipe) -> Option<Partial> {
        self.row(recipe).ok()?.partial
    }

    /// The names of the parts of `tensor`.
    pub(super) fn names(self, recipe: &Recipe, tensor: &str) -> Result<Names, FileError> {
        let row = self.row(recipe)?;
        let stem = tensor.strip_suffix(".weight").unwrap_or(tensor);
        let name = |part: &str| format!("{stem}{part}");
        Ok(Names { data: name(row.data), scales: name(row.scales), global: name(row.global) })
    }

    /// The names of the original tensor and of all parts, derived from the name of its elements; `None` if the loader does
    /// not use such a name for elements.
    pub(super) fn parts(self, recipe: &Recipe, data: &str) -> Result<Option<(String, Names)>, FileError> {
        let row = self.row(recipe)?;
        let Some(stem) = data.strip_suffix(row.data) else { return Ok(None) };
        // Only GPT-OSS quantises tensors whose names do not end in `.weight`.
        let weight = if row.data.starts_with('.') { ".weight" } else { "" };
        let tensor = format!("{stem}{weight}");
        let names = self.names(recipe, &tensor)?;
        Ok(Some((tensor, names)))
    }

    /// Whether a tensor is quantised by default: the matrices of linear layers; for GPT-OSS those of its
    /// experts, which have one more axis.
    pub(super) fn wants(self, tensor: &str, axes: usize) -> bool {
        if self == Loader::GptOss {
            return self.turns(axes) && !tensor.ends_with(".weight");
        }
        axes == 2 && tensor.ends_with(".weight") && !self.keeps(tensor)
    }

    /// Whether a weight of this name stays whole, whatever its axes are.
    pub(super) fn keeps(self, tensor: &str) -> bool {
        layers::is_not_linear(tensor)
            || layers::stays_whole(tensor)
            || self == Loader::Modelopt && layers::stays_whole_in_modelopt(tensor)
    }

    /// What [`wants`](Self::wants) accepts, for users whose tensors it does not.
    pub(super) fn choice(self) -> String {
        let what = match self {
            Loader::GptOss => {
                "the experts of GPT-OSS: tensors of three axes whose names do not end in `.weight`"
            }
            _ => "weights of linear layers: tensors of two axes whose names end in `.weight`",
        };
        format!("--for {} quantises {what}; --tensor names others", self.name())
    }

    /// Whether the last two axes of a tensor are swapped: the experts of GPT-OSS have the input axis first,
    /// and blocks run along the inputs.
    pub(super) fn turns(self, axes: usize) -> bool {
        self == Loader::GptOss && axes == 3
    }

    /// The quantisation that other files of the model describe.
    pub(super) fn description(self, recipe: &Recipe) -> Result<Description, FileError> {
        Ok(self.row(recipe)?.description)
    }

    /// A warning for users of the output: a program that loads it without an error and computes garbage. `tensors` are
    /// the names of those that are quantised.
    pub(super) fn caution<'a>(
        self,
        recipe: &Recipe,
        mut tensors: impl Iterator<Item = &'a str>,
    ) -> Option<&'static str> {
        // transformers 5.23 merges the matrices of experts while it decompresses them, without their global scales.
        if self == Loader::CompressedTensors
            && recipe.has_global_scale()
            && tensors.any(|name| name.contains(".experts."))
        {
            return Some(
                "transformers loads the experts of this folder without their global scales and computes garbage; vLLM and \
                SGLang read them",
            );
        }
        // transformers has no quantiser for ModelOpt's folders. It ignores their scales and, if the elements have the
        // shape of the weights, does not fail.
        let keeps_shape = recipe.element().storage() == 8;
        (self == Loader::Modelopt && keeps_shape).then_some(
            "transformers loads this folder without its scales and computes garbage; vLLM, SGLang and TensorRT-LLM read them",
        )
    }

    /// The types that the loader expects.
    ///
    /// # Errors
    ///
    /// Fails if the loader does not read the recipe's output.
    pub(super) fn dtypes(self, recipe: &Recipe) -> Result<Dtypes, FileError> {
        Ok(self.row(recipe)?.dtypes)
    }
}

/// Defaults without `--for`.
pub const PLAIN: Dtypes = Dtypes {
    fp4_as_bytes: false,
    ue8m0_as_bytes: false,
    global_has_axis: false,
    scales_flat: false,
    scales_as_input: false,
    scales_of_squares: false,
    blocks_have_axis: false,
};
