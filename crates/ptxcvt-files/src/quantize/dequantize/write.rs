//! Writes the decoded tensors of a file, as a .safetensors file or as one array.

use std::collections::HashMap;

use ptxcvt_blocks::NonFinite;

use super::parts::Part;
use super::quantised::Quantised;
use super::shapes::{exchanged, turn};
use crate::array::{self, Container, FileType, Stored};
use crate::error::FileError;
use crate::progress::Progress;
use crate::quantize::files::Filled;
use crate::quantize::metadata::PREFIX;
use crate::quantize::output::{Entry, File};
use crate::quantize::target::Job;
use crate::quantize::tensor;
use crate::specials::Specials;
use crate::writer::Writer;
use crate::{npy, safetensors};

impl Quantised<'_> {
    /// The tensors of the output.
    pub fn entries(&self) -> Result<Vec<Entry>, FileError> {
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

    /// Writes every tensor to a .safetensors file, without finishing it.
    pub fn fill(&self, path: &str, job: Option<&Job>, progress: &dyn Progress) -> Result<Filled, FileError> {
        let mut specials = Specials::default();
        let entries = self.entries()?;
        let kept = self.input.metadata.iter().flatten().filter(|(key, _)| !key.starts_with(PREFIX));
        let mut metadata: HashMap<String, String> =
            kept.map(|(key, value)| (key.clone(), value.clone())).collect();
        metadata.extend(job.map(Job::metadata));
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
        Ok(Filled { file, entries, specials })
    }

    /// Writes one tensor as a file of one array.
    pub fn write_one(&self, part: &Part<'_>, path: &str) -> Result<Specials, FileError> {
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
