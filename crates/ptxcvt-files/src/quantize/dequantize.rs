//! Quantised tensors of a file or a checkpoint back to numbers.

use std::collections::{HashMap, HashSet};

use ::safetensors::Dtype;
use ptxcvt::{Format, clip};
use ptxcvt_blocks::{
    BlocksAlong, Input as Output, Matrices, NonFinite, Options as BlockOptions, Parts, Recipe,
    dequantize_into,
};

use super::checkpoint::{Checkpoint, Job, Kept, Target, Written};
use super::config::Config;
use super::loader::Loader;
use super::metadata::{Description, PREFIX, digest};
use super::output::{Entry, File};
use super::recipe::is_file;
use super::tensor;
use super::work::{Names, plain_scales, widened};
use crate::array::{self, Array, Container, FileType, Input, Stored};
use crate::error::FileError;
use crate::progress::Progress;
use crate::replaced::refuse_replacing;
use crate::specials::Specials;
use crate::writer::{Writer, refuse_folder};
use crate::{npy, safetensors};

/// How files are dequantised.
#[derive(Clone, Debug)]
pub struct Options {
    /// The recipe or its file, unless the input file has it.
    pub recipe: Option<String>,
    /// The type of the numbers.
    pub output: Output,
    /// The library whose naming the tensors follow, unless the file has it.
    pub loader: Option<Loader>,
    /// How many threads to use.
    pub threads: usize,
}

/// A quantised tensor of a file, and the name of the tensor of its numbers.
struct Part<'a> {
    name: String,
    data: &'a Array,
    scales: Option<&'a Array>,
    global: Option<f32>,
    /// The shape before quantisation, if the file says it.
    shape: Option<Vec<u64>>,
}

/// The result of a run over a checkpoint.
#[derive(Debug)]
pub struct Done {
    /// Files of the model that hold weights and were not copied.
    pub left: Vec<String>,
    /// Files of an earlier run that were written again because their input has changed.
    pub made_again: Vec<String>,
    /// NaN and infinities in the output.
    pub specials: Specials,
}

/// Dequantises the tensors of the file `path`, and writes them to `output`. Returns the NaN and infinities of the output.
///
/// # Errors
///
/// Fails if the file cannot be read or has no valid metadata, if `output` cannot store as many arrays, or if
/// writing fails.
pub fn file(
    options: &Options,
    path: &str,
    output: &str,
    progress: &dyn Progress,
) -> Result<Specials, FileError> {
    let input = tensor::open(path, Some(ptxcvt::Format::F32))?;
    input.source.is_not(output)?;
    if let Some(recipe) = options.recipe.as_deref().filter(|name| is_file(name)) {
        refuse_replacing(recipe, output)?;
    }
    let file = Quantised::new(options, &input)?;
    if file.parts.is_empty() {
        return Err(FileError::new(format!("{path}: holds no quantised tensors with known names")));
    }
    match (file.parts.as_slice(), Container::of(output)) {
        ([one], Some(Container::Npy | Container::Raw) | None) => file.write_one(one, output),
        (_, Some(Container::Safetensors)) => {
            progress.expect(file.bytes());
            file.write(output, None, progress).map(|(_, specials)| specials)
        }
        (several, _) => {
            refuse_folder(output)?;
            Err(FileError::new(format!("{output}: holds one array, not {}", several.len()))
                .help("write a .safetensors file"))
        }
    }
}

/// Dequantises the tensors of a checkpoint into the new folder `output`.
///
/// # Errors
///
/// Fails if the checkpoint contradicts its index or has no valid metadata, if the folder exists already, or
/// if reading or writing fails.
pub fn model(
    options: &Options,
    path: &str,
    output: &str,
    progress: &dyn Progress,
) -> Result<Done, FileError> {
    let model = Checkpoint::open(path)?;
    let inputs = model.inputs()?;
    let files = inputs.iter().map(|input| Quantised::new(options, input)).collect::<Result<Vec<_>, _>>()?;
    if files.iter().all(|file| file.parts.is_empty()) {
        return Err(FileError::new(format!("{path}: holds no quantised tensors with known names")));
    }
    for file in &files {
        file.entries()?;
    }
    let configs: Vec<_> = Config::read(&model.folder)?.dequantized().into_iter().collect();
    let others = model.other_files()?;
    let target = Target::create(output)?;
    progress.expect(files.iter().map(Quantised::bytes).sum());
    let mut written = Written::default();
    let mut done = Done { left: others.left.clone(), made_again: Vec::new(), specials: Specials::default() };
    for (file, name) in files.iter().zip(&model.files) {
        let job = Job {
            options: format!(
                "dequantize to {} for {:?} with ptxcvt {}: {}",
                options.output,
                file.loader,
                env!("CARGO_PKG_VERSION"),
                digest(&file.recipe.to_toml())
            ),
            input: file.input.source.stamp(),
        };
        let tensors = match target.kept(name, &job)? {
            Kept::Whole(tensors) => {
                progress.advance(file.bytes());
                done.specials.merge(target.specials(name)?);
                tensors
            }
            found => {
                if matches!(found, Kept::Outdated) {
                    done.made_again.push(name.clone());
                }
                let (entries, specials) = file.write(&target.path(name), Some(&job), progress)?;
                target.keep_specials(name, &specials)?;
                done.specials.merge(specials);
                entries.into_iter().map(|e| (e.name.clone(), e.bytes() as u64)).collect()
            }
        };
        written.add(name, tensors);
    }
    target.finish(&model, written, &configs, &others)?;
    Ok(done)
}

/// The quantised tensors of a file, and how they are read.
struct Quantised<'a> {
    recipe: Recipe,
    loader: Option<Loader>,
    input: &'a Input,
    output: Output,
    swizzled: bool,
    transposed: bool,
    threads: usize,
    parts: Vec<Part<'a>>,
    copied: Vec<&'a Array>,
}

impl<'a> Quantised<'a> {
    fn new(options: &Options, input: &'a Input) -> Result<Self, FileError> {
        let path = &input.source.name;
        if input.container != Container::Safetensors {
            return Err(FileError::new(format!(
                "{path}: quantised tensors are read from a .safetensors file"
            )));
        }
        let said = Description::read(path, &input.metadata, options.recipe.as_deref(), options.loader)?;
        if said.swizzled {
            said.recipe.check_swizzle().map_err(|e| FileError::new(format!("{path}: {e}")))?;
        }
        let (parts, copied) = find(input, &said)?;
        if parts.is_empty() && options.loader.is_none() && !said.by_quantize {
            return Err(FileError::new(format!(
                "{path}: holds no tensor `data`, so nothing that `quantize` made"
            ))
            .help("name the library of a checkpoint: --for LOADER"));
        }
        Ok(Quantised {
            recipe: said.recipe,
            loader: said.loader,
            input,
            output: options.output,
            swizzled: said.swizzled,
            transposed: said.transposed,
            threads: options.threads,
            parts,
            copied,
        })
    }

    /// How many bytes of quantised tensors are read.
    fn bytes(&self) -> u64 {
        self.parts.iter().filter_map(|p| p.data.len).sum()
    }

    /// The tensors of the output.
    fn entries(&self) -> Result<Vec<Entry>, FileError> {
        let mut entries = Vec::new();
        for part in &self.parts {
            let shape = self.shape(part)?;
            let shape: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
            let shape = if self.turns(&shape) { exchanged(&shape) } else { shape };
            let dtype = safetensors::dtype(self.output.format());
            entries.push(Entry { name: part.name.clone(), dtype, shape });
        }
        for array in &self.copied {
            let FileType::Safetensors(dtype) = array.dtype else { continue };
            let shape = array.shape.iter().map(|n| *n as usize).collect();
            entries.push(Entry { name: tensor::name(array).to_owned(), dtype, shape });
        }
        Ok(entries)
    }

    /// Writes every tensor to a .safetensors file.
    fn write(
        &self,
        path: &str,
        job: Option<&Job>,
        progress: &dyn Progress,
    ) -> Result<(Vec<Entry>, Specials), FileError> {
        let mut specials = Specials::default();
        let entries = self.entries()?;
        let kept = self.input.metadata.iter().flatten().filter(|(key, _)| !key.starts_with(PREFIX));
        let mut metadata: HashMap<String, String> =
            kept.map(|(key, value)| (key.clone(), value.clone())).collect();
        metadata.extend(job.into_iter().flat_map(Job::metadata));
        let mut file = File::create(path, &entries, metadata)?;
        for part in &self.parts {
            let (shape, bytes) = self.decode(part)?;
            self.count(part, &bytes, &mut specials);
            let bytes = if self.turns(&shape) { turn(&shape, bytes, self.output.bytes()) } else { bytes };
            file.write(&part.name, 0, &bytes)?;
            progress.advance(part.data.known_len());
        }
        for array in &self.copied {
            file.write(tensor::name(array), 0, &tensor::bytes(self.input, array)?)?;
        }
        file.finish()?;
        Ok((entries, specials))
    }

    /// Writes one tensor as a file of one array.
    fn write_one(&self, part: &Part<'_>, path: &str) -> Result<Specials, FileError> {
        let (shape, bytes) = self.decode(part)?;
        let mut specials = Specials::default();
        self.count(part, &bytes, &mut specials);
        let (shape, bytes) = match self.turns(&shape) {
            true => (exchanged(&shape), turn(&shape, bytes, self.output.bytes())),
            false => (shape, bytes),
        };
        let stored = Stored::Elements { format: self.output.format(), spread: false };
        let described =
            array::Output { name: None, stored, shape, fortran: false, bytes: Some(bytes.len() as u64) };
        let mut sink = Writer::create(path)?;
        if Container::of(path) == Some(Container::Npy) {
            sink.write(&npy::header(&described)?)?;
        }
        sink.write(&bytes)?;
        sink.finish()?;
        Ok(specials)
    }

    /// Counts the NaN and infinities of a tensor.
    fn count(&self, part: &Part<'_>, numbers: &[u8], specials: &mut Specials) {
        let found = NonFinite::count(self.output.format(), numbers, 0);
        specials.add_result(&self.input.source.name, &part.name, found);
    }
}

/// The tensor whose elements are `data`, and the names of its parts: those of the loader or, without one,
/// those of `quantize`. `None` if these are not the elements of a quantised tensor.
fn names_of(said: &Description, data: &str) -> Result<Option<(String, Names)>, FileError> {
    let listed = said.tensors.as_ref().map(|tensors| tensors.get(data));
    if matches!(listed, Some(None)) {
        return Ok(None);
    }
    let Some(loader) = said.loader else {
        let prefix = data.strip_suffix("data").filter(|p| p.is_empty() || p.ends_with('.'));
        return Ok(prefix.map(|prefix| {
            let prefix = prefix.strip_suffix('.');
            (prefix.unwrap_or("tensor").to_owned(), Names::plain(prefix, ""))
        }));
    };
    let Some((tensor, names)) = loader.parts(&said.recipe, data)? else { return Ok(None) };
    Ok(Some((listed.flatten().map_or(tensor, |listed| listed.name.clone()), names)))
}

/// The quantised tensors of a file, and its other arrays.
fn find<'a>(input: &'a Input, said: &Description) -> Result<(Vec<Part<'a>>, Vec<&'a Array>), FileError> {
    let (recipe, loader) = (&said.recipe, said.loader);
    let named = |name: &str| input.arrays.iter().find(|a| tensor::name(a) == name);
    let mut parts = Vec::new();
    let mut used = Vec::new();
    for data in &input.arrays {
        let Some((name, names)) = names_of(said, tensor::name(data))? else { continue };
        let scales = named(&names.scales);
        // A loader may use the same name for elements and for a tensor that is not quantised.
        let floats = tensor::input_type(data, None).is_some();
        if scales.is_none() && loader.is_some() && floats {
            continue;
        }
        let missing = |part: &str| {
            let name = tensor::name(data);
            FileError::new(format!("{}: `{name}` has no `{part}` next to it", input.source.name))
        };
        if scales.is_none() && recipe.scale_bytes() > 0 {
            return Err(missing(&names.scales));
        }
        let global = named(&names.global);
        let word = match (recipe.has_global_scale(), global) {
            (false, _) => None,
            (true, None) => return Err(missing(&names.global)),
            (true, Some(global)) => Some(one_f32(input, global)?),
        };
        used.extend([Some(data), scales, global].into_iter().flatten().map(tensor::name));
        // If blocks along both axes are stored, those along rows are read.
        let columns = [format!("{}_columns", names.data), format!("{}_columns", names.scales)];
        used.extend(columns.iter().filter_map(|n| named(n)).map(tensor::name));
        holds(input, data, recipe.element())?;
        let as_input = match loader {
            Some(loader) => loader.dtypes(recipe)?.scales_as_input,
            None => false,
        };
        if let Some(scales) = scales.filter(|_| recipe.scale_bytes() > 0) {
            let narrow = tensor::input_type(scales, None).filter(|_| as_input);
            holds(input, scales, narrow.map_or(recipe.scale(), |narrow| narrow.format()))?;
        }
        let listed = said.tensors.as_ref().and_then(|tensors| tensors.get(tensor::name(data)));
        let shape = listed.map(|listed| listed.shape.clone());
        parts.push(Part { name, data, scales, global: word, shape });
    }
    let found: HashSet<&str> = parts.iter().map(|part| tensor::name(part.data)).collect();
    let listed = said.tensors.iter().flatten().map(|(data, _)| data.as_str());
    if let Some(lost) = listed.filter(|data| !found.contains(data)).min() {
        let file = &input.source.name;
        return Err(FileError::new(format!(
            "{file}: its metadata list `{}`, which is not in it",
            clip(lost)
        ))
        .help("another program may have renamed or removed it; quantize the original file again"));
    }
    let copied = input.arrays.iter().filter(|a| !used.contains(&tensor::name(a))).collect();
    Ok((parts, copied))
}

/// The number in a tensor that holds one f32.
fn one_f32(input: &Input, array: &Array) -> Result<f32, FileError> {
    let bytes = tensor::bytes(input, array)?;
    let word = <[u8; 4]>::try_from(&bytes[..]).map_err(|_| {
        let (file, name) = (&input.source.name, tensor::name(array));
        FileError::new(format!(
            "{file}: `{name}` holds {}, not one f32",
            ptxcvt::counted(bytes.len() as u64, "byte")
        ))
    })?;
    Ok(f32::from_le_bytes(word))
}

/// Refuses an array whose type says that it holds another format; bytes may hold any.
fn holds(input: &Input, array: &Array, format: Format) -> Result<(), FileError> {
    let bytes = [Dtype::U8, Dtype::I8, safetensors::dtype(format)];
    match array.dtype {
        FileType::Safetensors(dtype) if !bytes.contains(&dtype) => {
            let (file, name) = (&input.source.name, tensor::name(array));
            Err(FileError::new(format!("{file}: `{name}` holds {dtype}, not the {format} of the recipe")))
        }
        _ => Ok(()),
    }
}

/// A shape without its axes of one element.
fn squeezed(shape: &[u64]) -> Vec<u64> {
    shape.iter().copied().filter(|n| *n != 1).collect()
}

impl Quantised<'_> {
    /// Refuses scales and a list of shapes that do not fit the elements, whose shape is `shape`.
    fn check_shapes(&self, part: &Part<'_>, shape: &[u64]) -> Result<(), FileError> {
        let fail = |what: String| {
            FileError::new(format!("{}: `{}`: {what}", self.input.source.name, tensor::name(part.data)))
        };
        let restored = if self.turns(shape) { exchanged(shape) } else { shape.to_vec() };
        if let Some(said) = part.shape.as_ref().filter(|said| squeezed(said) != squeezed(&restored)) {
            let message =
                format!("its elements are those of shape {restored:?}, and its metadata say {said:?}");
            return Err(fail(message));
        }
        let Some(scales) = part.scales.filter(|_| !self.swizzled) else { return Ok(()) };
        let sizes = |shape: &[u64]| shape.iter().map(|n| *n as usize).collect::<Vec<_>>();
        let fits = self.recipe.check_scales(&sizes(shape), &sizes(&scales.shape));
        fits.map_err(|e| fail(e.to_string()))
    }

    /// The shape in elements.
    fn shape(&self, part: &Part<'_>) -> Result<Vec<u64>, FileError> {
        let mut shape = part.data.shape.clone();
        let merged = self.loader.map(|loader| loader.dtypes(&self.recipe)).transpose()?;
        if merged.is_some_and(|dtypes| dtypes.blocks_have_axis) {
            let bytes = shape.pop().unwrap_or(1);
            shape.last_mut().into_iter().for_each(|n| *n *= bytes);
        }
        let Some(last) = shape.last_mut() else {
            return Err(FileError::new(format!("`{}` is a single number", tensor::name(part.data))));
        };
        let counted = matches!(part.data.dtype, FileType::Safetensors(Dtype::F4));
        if !counted {
            *last = self.recipe.row_columns(*last as usize) as u64;
        }
        self.check_shapes(part, &shape)?;
        Ok(shape)
    }

    /// Whether scales are stored in the type of the input.
    fn scales_as_input(&self) -> bool {
        let dtypes =
            self.loader.map(|loader| loader.dtypes(&self.recipe).expect("read when the parts were found"));
        dtypes.is_some_and(|dtypes| dtypes.scales_as_input)
    }

    /// Whether the last two axes of a tensor of this shape are swapped.
    fn turns<T>(&self, shape: &[T]) -> bool {
        self.transposed || self.loader.is_some_and(|loader| loader.turns(shape.len()))
    }

    /// The numbers, as bytes.
    fn decode(&self, part: &Part<'_>) -> Result<(Vec<u64>, Vec<u8>), FileError> {
        let fail = |e: String| {
            FileError::new(format!("{}: `{}`: {e}", self.input.source.name, tensor::name(part.data)))
        };
        let shape = self.shape(part)?;
        let dims: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
        // Transposed tensors are stored transposed, with blocks along rows.
        let matrices = self.recipe.matrices(&dims, BlocksAlong::Rows).map_err(|e| fail(e.to_string()))?;
        let Matrices { count: matrices, rows, columns } = matrices;
        let data = tensor::bytes(self.input, part.data)?;
        let scales = part.scales.map(|s| tensor::bytes(self.input, s)).transpose()?.unwrap_or_default();
        let scale_shape = self.recipe.scale_shape(rows, columns);
        let scales = plain_scales(&scales, self.swizzled, scale_shape)?;
        let narrow = part.scales.and_then(|s| tensor::input_type(s, None)).filter(|_| self.scales_as_input());
        let scales = narrow.map_or(scales.clone(), |input| widened(&scales, input));
        let mut out = vec![0; matrices * rows * columns * self.output.bytes()];
        if matrices == 0 || out.is_empty() {
            return Ok((shape, out));
        }
        let options = BlockOptions { threads: self.threads, ..BlockOptions::default() };
        let size = out.len() / matrices;
        for (number, out) in out.chunks_mut(size).enumerate() {
            let (d, s) = (data.len() / matrices, scales.len() / matrices);
            let quantized = Parts {
                data: &data[number * d..(number + 1) * d],
                scales: &scales[number * s..(number + 1) * s],
                global: part.global,
                shape: (rows, columns),
            };
            dequantize_into(&self.recipe, quantized, self.output, &options, out)
                .map_err(|e| fail(e.to_string()))?;
        }
        Ok((shape, out))
    }
}

/// The shape with the last two axes swapped.
fn exchanged<T: Copy>(shape: &[T]) -> Vec<T> {
    let mut shape = shape.to_vec();
    if let [.., rows, columns] = shape.as_mut_slice() {
        std::mem::swap(rows, columns);
    }
    shape
}

/// The matrices transposed; an array of one axis is one row.
fn turn(shape: &[u64], bytes: Vec<u8>, width: usize) -> Vec<u8> {
    let [.., rows, columns] = *shape else { return bytes };
    let (rows, columns) = (rows as usize, columns as usize);
    let mut out = Vec::with_capacity(bytes.len());
    for matrix in bytes.chunks_exact((rows * columns * width).max(1)) {
        for c in 0..columns {
            for r in 0..rows {
                let at = (r * columns + c) * width;
                out.extend_from_slice(&matrix[at..at + width]);
            }
        }
    }
    out
}
