//! Layers that a loader joins into one product, and which therefore share one global scale: that of the largest magnitude
//! of all of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::fused::known;
use super::options::Options;
use super::tensor::Tensor;
use super::work::{SharedScale, global_scale, larger};
use crate::error::FileError;

/// The groups of tensors that share a global scale.
#[derive(Default)]
pub(super) struct Shares<'a> {
    groups: Vec<Group<'a>>,
    /// The group of each tensor that is in one.
    of: HashMap<&'a str, usize>,
}

/// Tensors that share a global scale.
struct Group<'a> {
    tensors: Vec<&'a Tensor<'a>>,
    /// Their common global scale, after it has been computed.
    shared: Option<Shared<'a>>,
}

/// What the tensors of a group share.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub scale: SharedScale,
    /// The name of the first tensor with NaN or infinities, if they decide the scale.
    pub spoilt_by: Option<&'a str>,
}

impl<'a> Shares<'a> {
    /// Finds the groups among the chosen tensors of a model with these types. A group counts if all of its patterns
    /// match one. Known groups that have a tensor in common with a group of the user, or with each other, are one group
    /// with it.
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
                return Err(FileError::new(message).with_help("give one of the two"));
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
            .with_help("`*` matches the same text in all patterns; names end in `.weight` in most models"));
        }
        for ((number, _), parts) in found {
            // The user's groups are first; a tensor is in one group.
            let taken = parts.values().find(|tensor| shares.of.contains_key(tensor.name.as_str()));
            if let (Some(tensor), true) = (taken, number < options.fuse.len()) {
                let message = format!("--fuse {}: `{}` is in two groups", groups[number], tensor.name);
                return Err(
                    FileError::new(message).with_help("name all tensors that share one scale in one group")
                );
            }
            shares.join(parts.into_values().collect());
        }
        Ok(shares)
    }

    /// True if no tensor shares its scale.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Makes one group of these tensors and of the groups that they are in.
    fn join(&mut self, mut tensors: Vec<&'a Tensor<'a>>) {
        let taken = tensors.iter().filter_map(|tensor| self.of.get(tensor.name.as_str()));
        for number in taken.copied().collect::<BTreeSet<usize>>() {
            tensors.append(&mut self.groups[number].tensors);
        }
        let mut names = HashSet::new();
        tensors.retain(|tensor| names.insert(tensor.name.as_str()));
        self.of.extend(names.into_iter().map(|name| (name, self.groups.len())));
        self.groups.push(Group { tensors, shared: None });
    }

    /// What the tensor shares with others, which are read at the first call; `None` if it shares nothing.
    pub fn of(&mut self, options: &Options, tensor: &Tensor<'_>) -> Result<Option<Shared<'a>>, FileError> {
        let Some(number) = self.of.get(tensor.name.as_str()) else { return Ok(None) };
        let group = &mut self.groups[*number];
        if group.shared.is_none() {
            group.shared = Some(share(options, &group.tensors)?);
        }
        Ok(group.shared)
    }
}

/// The largest magnitude of these tensors. If their types differ, also the global scale of the tensor that has it, because
/// recipes round global scales to the type of the input.
fn share<'a>(options: &Options, tensors: &[&'a Tensor<'a>]) -> Result<Shared<'a>, FileError> {
    let (mut amax, mut input, mut spoilt_by) = (0.0_f32, tensors[0].input, None);
    for tensor in tensors {
        let own = options.work(tensor, false)?.largest()?;
        let own = own.expect("only recipes with a global scale share one");
        if !own.is_finite() {
            spoilt_by.get_or_insert(tensor.name.as_str());
        }
        if own > amax {
            input = tensor.input;
        }
        amax = larger(amax, own);
    }
    let mixed = tensors.iter().any(|tensor| tensor.input != input);
    let global = match mixed {
        true => Some(global_scale(&options.recipe, input, amax).map_err(|e| tensors[0].fail(&e))?),
        false => None,
    };
    Ok(Shared { scale: SharedScale { amax, global }, spoilt_by })
}
