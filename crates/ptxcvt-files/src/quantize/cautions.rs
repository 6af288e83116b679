//! Warnings about tensors that are quantised, and that some programs do not read as they are.

use super::loader::Loader;
use super::options::{Chosen, Options};

/// `; so is 1 other tensor`, and nothing if there are no others.
pub fn and_others(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => "; so is 1 other tensor".to_owned(),
        n => format!("; so are {n} other tensors"),
    }
}

/// A warning about tensors of which the blocks at an edge are not whole. The scales of DeepSeek's format do not say how large a block
/// is: transformers 5.24 divides the axes of the elements by those of the scales, and vLLM needs whole blocks where it joins or
/// splits layers.
pub fn ragged(options: &Options, choices: &[Chosen<'_>]) -> Option<String> {
    options.loader.filter(|loader| *loader == Loader::Deepseek)?;
    let block = options.recipe.block();
    let (rows, columns) = (block.rows as u64, block.columns as u64);
    let axes = |shape: &[u64]| match shape {
        [.., r, c] => (*r, *c),
        _ => (1, shape.iter().product()),
    };
    let mut tensors = choices.iter().flat_map(|(chosen, _)| chosen).filter(|tensor| {
        let (r, c) = axes(&tensor.shape);
        r % rows != 0 || c % columns != 0
    });
    let first = tensors.next()?;
    let ((r, c), others) = (axes(&first.shape), and_others(tensors.count()));
    Some(format!(
        "`{}` is {r}x{c}, not whole blocks of {rows}x{columns}{others}: where transformers dequantises such tensors it computes garbage or \
        refuses them, and vLLM and SGLang refuse those that they join or split",
        first.name
    ))
}
