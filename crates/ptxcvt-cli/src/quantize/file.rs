//! The output: tensors of a safetensors file that are made piece by piece, in any order.

use std::collections::HashMap;

use ::safetensors::tensor::{Dtype, Metadata, TensorInfo};

use crate::convert::sink::Sink;
use crate::failure::Failure;

/// A tensor of the output.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    pub dtype: Dtype,
    pub shape: Vec<usize>,
}

impl Entry {
    pub fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.bitsize() / 8
    }
}

/// A file whose header is written, and the place of each tensor in it.
pub struct File {
    pub sink: Sink,
    places: HashMap<String, (u64, u64)>,
}

impl File {
    /// Writes the header of a file that holds `entries`; wide types come first, so that each is aligned.
    pub fn create(path: &str, entries: &[Entry], metadata: HashMap<String, String>) -> Result<File, Failure> {
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
        if places.len() != entries.len() {
            return Err(Failure::new(format!("{path}: two tensors would have the same name")));
        }
        let metadata = Metadata::new((!metadata.is_empty()).then_some(metadata), tensors)
            .map_err(|e| Failure::new(format!("{path}: safetensors: {e}")))?;
        // By way of a value, whose keys are in order: the same input gives the same file.
        let json = serde_json::to_value(&metadata).and_then(|value| serde_json::to_vec(&value));
        let mut json = json.map_err(|e| Failure::new(e.to_string()))?;
        json.resize(json.len().next_multiple_of(8), b' ');
        let start = 8 + json.len() as u64;
        let mut sink = Sink::create(path)?;
        sink.write(&(json.len() as u64).to_le_bytes())?;
        sink.write(&json)?;
        let places = places.into_iter().map(|(name, (a, b))| (name, (a + start, b + start))).collect();
        Ok(File { sink, places })
    }

    /// Writes bytes of a tensor, from the `offset`th on.
    pub fn write(&mut self, name: &str, offset: usize, bytes: &[u8]) -> Result<(), Failure> {
        let (start, end) = self.places.get(name).copied().unwrap_or_default();
        debug_assert!(start + (offset + bytes.len()) as u64 <= end, "{name} is longer than its place");
        self.sink.seek(start + offset as u64)?;
        self.sink.write(bytes)
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<(), Failure> {
        self.sink.finish()
    }
}
