//! What the loaders of libraries expect of a quantised checkpoint: names, types, shapes, and which of two inverse
//! conventions the global scale follows. One row for each loader and recipe.

use clap::ValueEnum;
use ptxcvt_blocks::Recipe;

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
    },
    Row {
        loader: Loader::CompressedTensors,
        recipes: &["mx-even/e2m1"],
        data: ".weight_packed",
        scales: ".weight_scale",
        global: "",
        dtypes: BYTES,
    },
    Row {
        loader: Loader::Modelopt,
        recipes: &["nvfp4-modelopt", "mxfp8-modelopt"],
        data: ".weight",
        scales: ".weight_scale",
        global: ".weight_scale_2",
        dtypes: BYTES,
    },
    Row {
        loader: Loader::Deepseek,
        recipes: &["deepseek-128x128", "deepseek-128x128-ue8m0"],
        data: ".weight",
        scales: ".weight_scale_inv",
        global: "",
        dtypes: BYTES,
    },
    Row {
        loader: Loader::GptOss,
        recipes: &["mx-rceil/e2m1", "mx-floor/e2m1", "mx-even/e2m1", "mx-ceil/e2m1"],
        data: "_blocks",
        scales: "_scales",
        global: "",
        dtypes: Dtypes { blocks_have_axis: true, ..BYTES },
    },
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

    /// The types that it expects.
    pub fn dtypes(self, recipe: &Recipe) -> Result<Dtypes, Failure> {
        Ok(self.row(recipe)?.dtypes)
    }
}

/// Names and types where nobody's loader is asked for.
pub const PLAIN: Dtypes =
    Dtypes { fp4_as_bytes: false, ue8m0_as_bytes: false, global_has_axis: false, blocks_have_axis: false };
