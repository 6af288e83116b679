//! Names of tensors that a loader joins into one product.

use std::fmt;
use std::str::FromStr;

use crate::error::FileError;

/// Patterns of the names of tensors that are joined, each with one `*`. Tensors belong together if `*` matches the same
/// text in all of them.
///
/// ```
/// use ptxcvt_files::quantize::Fused;
/// let group: Fused = "*.wq.weight,*.wk.weight".parse()?;
/// assert!("*.wq.weight".parse::<Fused>().is_err()); // nothing to join it with
/// assert!("wq.weight,*.wk.weight".parse::<Fused>().is_err());
/// # Ok::<(), ptxcvt_files::FileError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fused(Vec<(String, String)>);

impl fmt::Display for Fused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let patterns: Vec<String> =
            self.0.iter().map(|(before, after)| format!("{before}*{after}")).collect();
        f.write_str(&patterns.join(","))
    }
}

impl FromStr for Fused {
    type Err = FileError;

    fn from_str(text: &str) -> Result<Fused, FileError> {
        let pattern = |text: &str| match text.trim().split('*').collect::<Vec<_>>()[..] {
            [before, after] => Ok((before.to_owned(), after.to_owned())),
            _ => Err(FileError::new(format!(
                "`{text}`: expected a pattern with one `*`, such as *.q_proj.weight"
            ))),
        };
        let patterns = text.split(',').map(pattern).collect::<Result<Vec<_>, _>>()?;
        match patterns.len() {
            0 | 1 => {
                Err(FileError::new(format!("`{text}`: expected at least two patterns, separated by a comma")))
            }
            _ => Ok(Fused(patterns)),
        }
    }
}

impl Fused {
    /// How many tensors the group has.
    pub(super) fn size(&self) -> usize {
        self.0.len()
    }

    /// Which of the patterns a name matches, and the text that its `*` matches.
    pub(super) fn part<'n>(&self, name: &'n str) -> Option<(usize, &'n str)> {
        let stem = |(before, after): &(String, String)| {
            name.strip_prefix(before.as_str()).and_then(|rest| rest.strip_suffix(after.as_str()))
        };
        self.0.iter().enumerate().find_map(|(number, pattern)| Some((number, stem(pattern)?)))
    }
}

/// Layers that a loader joins.
struct Known {
    /// The values of `model_type` in `config.json`; every model if empty.
    models: &'static [&'static str],
    layers: &'static [&'static str],
}

/// The models whose linear attention has four input projections, which vLLM and SGLang join in pairs.
const QWEN3_5: &[&str] = &["qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"];

/// The layers that vLLM and TensorRT-LLM join: the projections of attention, those of an MLP or of each expert (which
/// Mixtral's checkpoints call w1 and w3, and Grok's linear and linear_v), and those of DeepSeek's latent attention.
/// llm-compressor 0.14.0 observers/helpers.py has the rows without models; ModelOpt 0.47.0 joins layers with the same input;
/// the other rows are vLLM's `packed_modules_mapping` and mappings of experts.
const KNOWN: &[Known] = &[
    Known { models: &[], layers: &["q_proj", "k_proj", "v_proj"] },
    Known { models: &[], layers: &["gate_proj", "up_proj"] },
    Known { models: &[], layers: &["w1", "w3"] },
    Known { models: &[], layers: &["q_a_proj", "kv_a_proj_with_mqa"] },
    Known { models: QWEN3_5, layers: &["in_proj_qkv", "in_proj_z"] },
    Known { models: QWEN3_5, layers: &["in_proj_b", "in_proj_a"] },
    Known {
        models: &["bert", "roberta", "xlm-roberta"],
        layers: &["attention.self.query", "attention.self.key", "attention.self.value"],
    },
    Known { models: &["grok-1"], layers: &["linear", "linear_v"] },
    Known { models: &["exaone"], layers: &["c_fc_0", "c_fc_1"] },
    Known { models: &["qwen"], layers: &["w2", "w1"] },
];

/// The known groups of a model with these types. A model of several parts has several types.
pub(super) fn known(model_types: &[String]) -> Vec<Fused> {
    let pattern = |layer: &&str| ("".to_owned(), format!(".{layer}.weight"));
    let applies =
        |models: &[&str]| models.is_empty() || model_types.iter().any(|t| models.contains(&t.as_str()));
    let groups = KNOWN.iter().filter(|known| applies(known.models));
    groups.map(|known| Fused(known.layers.iter().map(pattern).collect())).collect()
}
