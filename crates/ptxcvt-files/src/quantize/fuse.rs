//! Layers that a loader joins into one product, and which therefore share one global scale: that of the largest magnitude
//! of all of them.

use std::collections::{BTreeMap, HashMap};

use super::fused::known;
use super::options::Options;
use super::tensor::Tensor;
use super::work::larger;
use crate::error::FileError;

/// The largest magnitudes that tensors share.
#[derive(Default)]
pub(super) struct Shares<'a> {
    groups: Vec<(Vec<&'a Tensor<'a>>, Option<f32>)>,
    /// The group of each tensor that is in one.
    of: HashMap<&'a str, usize>,
}

impl<'a> Shares<'a> {
    /// Finds the groups among the chosen tensors of a model with these types. A group counts if all of its patterns match one.
    ///
    /// # Errors
    ///
    /// Fails if no tensors match all patterns of a group of the user, if a tensor is in two of them, or if nothing is shared
    /// because every tensor has a given scale.
    pub fn new(
        options: &Options,
        model_types: &[String],
        chosen: impl Iterator<Item = &'a Tensor<'a>>,
    ) -> Result<Shares<'a>, FileError> {
        let mut shares = Shares::default();
        if !options.recipe.has_global_scale() || options.global_amax.is_some() {
            if let (Some(patterns), Some(_)) = (options.fuse.first(), options.global_amax) {
                let message =
                    format!("--fuse {patterns}: no scale is left to share if --global-amax gives it");
                return Err(FileError::new(message).help("give one of the two"));
            }
            return Ok(shares);
        }
        let mut groups = options.fuse.clone();
        if options.loader.is_some() && !options.no_fuse {
            groups.extend(known(model_types));
        }
        let mut found: BTreeMap<(usize, &str), BTreeMap<usize, &Tensor<'_>>> = BTreeMap::new();
        for tensor in chosen {
            for (number, group) in groups.iter().enumerate() {
                if let Some((part, stem)) = group.part(&tensor.name) {
                    found.entry((number, stem)).or_default().insert(part, tensor);
                }
            }
        }
        found.retain(|(number, _), parts| parts.len() == groups[*number].size());
        let has = |number: usize| found.keys().any(|(of, _)| *of == number);
        if let Some(lost) = (0..options.fuse.len()).find(|number| !has(*number)) {
            let patterns = &groups[lost];
            return Err(FileError::new(format!(
                "--fuse {patterns}: no tensors to quantise match all of these patterns"
            ))
            .help("`*` matches the same text in all patterns; names end in `.weight` in most models"));
        }
        for ((number, _), parts) in found {
            // The user's groups are first; a tensor is in one group.
            let taken = parts.values().find(|tensor| shares.of.contains_key(tensor.name.as_str()));
            if let (Some(tensor), true) = (taken, number < options.fuse.len()) {
                let message = format!("--fuse {}: `{}` is in two groups", groups[number], tensor.name);
                return Err(
                    FileError::new(message).help("name all tensors that share one scale in one group")
                );
            }
            if taken.is_none() {
                shares.of.extend(parts.values().map(|tensor| (tensor.name.as_str(), shares.groups.len())));
                shares.groups.push((parts.into_values().collect(), None));
            }
        }
        Ok(shares)
    }

    /// True if no tensor shares its scale.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The largest magnitude that the tensor shares with others, which are read at the first call; `None` if it shares none.
    pub fn largest(&mut self, options: &Options, tensor: &Tensor<'_>) -> Result<Option<f32>, FileError> {
        let Some(number) = self.of.get(tensor.name.as_str()) else { return Ok(None) };
        let (tensors, known) = &mut self.groups[*number];
        if known.is_none() {
            let mut most = 0.0_f32;
            for tensor in tensors {
                let amax = options.work(tensor, false)?.largest()?;
                most = larger(most, amax.expect("only recipes with a global scale share one"));
            }
            *known = Some(most);
        }
        Ok(*known)
    }
}
