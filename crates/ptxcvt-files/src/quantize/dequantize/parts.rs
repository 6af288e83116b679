//! Finds the quantised tensors of a file: their elements, scales and global scale, by name.

use std::collections::HashSet;

use ::safetensors::Dtype;
use ptxcvt::{Format, clip, counted};

use crate::array::{Array, FileType, Input};
use crate::error::FileError;
use crate::quantize::metadata::Description;
use crate::quantize::tensor;
use crate::quantize::work::Names;
use crate::safetensors;

/// A quantised tensor of a file, and the name of the tensor of its numbers.
pub struct Part<'a> {
    pub name: String,
    pub data: &'a Array,
    pub scales: Option<&'a Array>,
    /// The global scales: none, one, or one for each row.
    pub global: Vec<f32>,
    /// The shape before quantisation, if the file says it.
    pub shape: Option<Vec<u64>>,
}

/// The tensor whose elements are `data`, and the names of its parts: those of the loader or, without one,
/// those of `quantize`. `None` if these are not the elements of a quantised tensor.
fn names_of(description: &Description, data: &str) -> Result<Option<(String, Names)>, FileError> {
    let listed = description.tensors.as_ref().map(|tensors| tensors.get(data));
    if matches!(listed, Some(None)) {
        return Ok(None);
    }
    let Some(loader) = description.loader else {
        let prefix = data.strip_suffix("data").filter(|p| p.is_empty() || p.ends_with('.'));
        return Ok(prefix.map(|prefix| {
            let prefix = prefix.strip_suffix('.');
            (prefix.unwrap_or("tensor").to_owned(), Names::plain(prefix, ""))
        }));
    };
    let Some((tensor, names)) = loader.parts(&description.recipe, data)? else { return Ok(None) };
    Ok(Some((listed.flatten().map_or(tensor, |listed| listed.name.clone()), names)))
}

/// The quantised tensors of a file, and its other arrays.
pub fn find<'a>(
    input: &'a Input,
    description: &Description,
) -> Result<(Vec<Part<'a>>, Vec<&'a Array>), FileError> {
    let (recipe, loader) = (&description.recipe, description.loader);
    let named = |name: &str| input.arrays.iter().find(|a| tensor::name(a) == name);
    let mut parts = Vec::new();
    let mut used = Vec::new();
    for data in &input.arrays {
        let Some((name, names)) = names_of(description, tensor::name(data))? else { continue };
        let scales = named(&names.scales).filter(|_| recipe.scale_bytes() > 0);
        // A loader may use the same name for elements and for a tensor that is not quantised.
        let floats = tensor::input_type(data, None).is_some();
        if scales.is_none() && loader.is_some() && floats {
            continue;
        }
        let missing = |part: &str| {
            let place = data.label(&input.source.name);
            FileError::new(format!("{place} has no `{}` next to it", clip(part)))
        };
        if scales.is_none() && recipe.scale_bytes() > 0 {
            return Err(missing(&names.scales));
        }
        let has_global = recipe.has_global_scale() || recipe.is_row_scaled();
        let global = named(&names.global).filter(|_| has_global);
        let words = match global {
            None if has_global => return Err(missing(&names.global)),
            None => Vec::new(),
            Some(global) if recipe.is_row_scaled() => many_f32(input, global)?,
            Some(global) => vec![one_f32(input, global)?],
        };
        // Another tensor may have the name of a part that the recipe does not have.
        let parts_of =
            [(true, names.data), (recipe.scale_bytes() > 0, names.scales), (has_global, names.global)];
        for name in parts_of.into_iter().filter_map(|(has, name)| has.then_some(name)) {
            // If blocks along both axes are stored, those along rows are read.
            let columns = named(&format!("{name}_columns")).filter(|_| description.both);
            used.extend([named(&name), columns].into_iter().flatten().map(tensor::name));
        }
        holds(input, data, recipe.element())?;
        let as_input = match loader {
            Some(loader) => loader.dtypes(recipe)?.scales_as_input,
            None => false,
        };
        if let Some(scales) = scales {
            let narrow = tensor::input_type(scales, None).filter(|_| as_input);
            holds(input, scales, narrow.map_or(recipe.scale(), |narrow| narrow.format()))?;
        }
        let listed = description.tensors.as_ref().and_then(|tensors| tensors.get(tensor::name(data)));
        let shape = listed.map(|listed| listed.shape.clone());
        parts.push(Part { name, data, scales, global: words, shape });
    }
    let found: HashSet<&str> = parts.iter().map(|part| tensor::name(part.data)).collect();
    let listed = description.tensors.iter().flatten().map(|(data, _)| data.as_str());
    if let Some(lost) = listed.filter(|data| !found.contains(data)).min() {
        let file = &input.source.name;
        return Err(FileError::new(format!(
            "{file}: its metadata list `{}`, which is not in it",
            clip(lost)
        ))
        .with_help("another program may have renamed or removed it; quantize the original file again"));
    }
    let copied = input.arrays.iter().filter(|a| !used.contains(&tensor::name(a))).collect();
    Ok((parts, copied))
}

/// The number in a tensor that holds one f32.
fn one_f32(input: &Input, array: &Array) -> Result<f32, FileError> {
    holds(input, array, Format::F32)?;
    let bytes = tensor::bytes(input, array)?;
    let word = <[u8; 4]>::try_from(&bytes[..]).map_err(|_| {
        let place = array.label(&input.source.name);
        FileError::new(format!("{place} holds {}, not one f32", counted(bytes.len() as u64, "byte")))
    })?;
    Ok(f32::from_le_bytes(word))
}

/// The numbers of a tensor of f32.
fn many_f32(input: &Input, array: &Array) -> Result<Vec<f32>, FileError> {
    holds(input, array, Format::F32)?;
    let bytes = tensor::bytes(input, array)?;
    let words = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    Ok(words.collect())
}

/// Refuses an array whose type says that it holds another format; bytes may hold any.
fn holds(input: &Input, array: &Array, format: Format) -> Result<(), FileError> {
    let bytes = [Dtype::U8, Dtype::I8, safetensors::dtype(format)];
    match array.dtype {
        FileType::Safetensors(dtype) if !bytes.contains(&dtype) => {
            let place = array.label(&input.source.name);
            Err(FileError::new(format!("{place} holds {dtype}, not the {format} of the recipe")))
        }
        _ => Ok(()),
    }
}
