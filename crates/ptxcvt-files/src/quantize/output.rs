//! The output: a `.safetensors` file whose tensors are written piece by piece, in any order.

use std::collections::{HashMap, HashSet};

use ::safetensors::tensor::{Dtype, Metadata, TensorInfo};
use ptxcvt::clip;

use crate::error::FileError;
use crate::safetensors::framed;
use crate::writer::Writer;

/// The file of a checkpoint that maps each tensor to its file.
pub const INDEX: &str = "model.safetensors.index.json";

/// A tensor of the output.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    pub dtype: Dtype,
    pub shape: Vec<usize>,
}

impl Entry {
    /// Its length in bytes.
    pub fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.bitsize() / 8
    }
}

/// A file with its header, and the position of each tensor in it.
pub struct File {
    pub sink: Writer,
    places: HashMap<String, (u64, u64)>,
}

impl File {
    /// Creates a file and writes its header. Wide types are first, so that every tensor is aligned.
    pub fn create(
        path: &str,
        entries: &[Entry],
        metadata: HashMap<String, String>,
    ) -> Result<File, FileError> {
        let mut ordered: Vec<&Entry> = entries.iter().collect();
        ordered.sort_by_key(|entry| std::cmp::Reverse(entry.dtype.bitsize()));
        let mut end = 0;
        let mut tensors = Vec::new();
        for entry in ordered {
            let start = end;
            end += entry.bytes();
            let info =
                TensorInfo { dtype: entry.dtype, shape: entry.shape.clone(), data_offsets: (start, end) };
            tensors.push((entry.name.clone(), info));
        }
        let places: HashMap<String, (u64, u64)> = tensors
            .iter()
            .map(|(name, info)| (name.clone(), (info.data_offsets.0 as u64, info.data_offsets.1 as u64)))
            .collect();
        let mut names = HashSet::new();
        if let Some(twice) = entries.iter().find(|entry| !names.insert(&entry.name)) {
            return Err(same_name(path, &twice.name));
        }
        let metadata = Metadata::new((!metadata.is_empty()).then_some(metadata), tensors)
            .map_err(|e| FileError::new(format!("{path}: safetensors: {e}")))?;
        // A JSON value has its keys in order, so that equal inputs give equal files.
        let json = serde_json::to_value(&metadata).and_then(|value| serde_json::to_vec(&value));
        let json = json.map_err(|e| FileError::new(e.to_string()))?;
        let header = framed(json).map_err(|e| FileError::new(format!("{path}: {e}")))?;
        let start = header.len() as u64;
        let mut sink = Writer::create_seekable(path)?;
        sink.write(&header)?;
        let places = places.into_iter().map(|(name, (a, b))| (name, (a + start, b + start))).collect();
        Ok(File { sink, places })
    }

    /// Writes bytes of a tensor, from its byte `offset` on.
    pub fn write(&mut self, name: &str, offset: usize, bytes: &[u8]) -> Result<(), FileError> {
        let (start, end) = *self.places.get(name).expect("only tensors of the header are written");
        assert!(start + (offset + bytes.len()) as u64 <= end, "{name} is longer than the header says");
        self.sink.seek(start + offset as u64)?;
        self.sink.write(bytes)
    }

    /// Completes the file.
    pub fn finish(self) -> Result<(), FileError> {
        self.sink.finish()
    }
}

/// The error for two tensors of a file with the same name.
pub(super) fn same_name(path: &str, name: &str) -> FileError {
    FileError::new(format!("{path}: two tensors would have the name `{}`", clip(name)))
        .with_help("rename one of the input's tensors, or omit one: --tensor, --exclude")
}
