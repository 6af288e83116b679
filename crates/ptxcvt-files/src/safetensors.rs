//! `.safetensors`: named tensors behind a JSON header, with types for FP8, ue8m0 and FP4.
//!
//! FP6 is stored as bytes, one element per byte, as PTX pads it: the file format has FP6 types, but does not define the
//! order of their packed bits.

use ::safetensors::tensor::{self, Dtype, TensorInfo};
use ptxcvt::Format;
use ptxcvt::formats::Kind;
use ptxcvt_report::safetensors::{Header, HeaderError, LONGEST, PREFIX, Tensor};

use crate::array::{Array, FileType, Metadata, Output, Stored};
use crate::error::FileError;
use crate::source::Source;

/// Reads the header: every tensor, in the order of the data, and the file's metadata.
///
/// # Errors
///
/// Fails if the header is not a valid `.safetensors` header, or if the length of the file does not match the header.
pub fn read(source: &Source) -> Result<(Vec<Array>, Metadata), FileError> {
    let failed = |error: HeaderError| {
        FileError::new(format!("{}: not a readable .safetensors file: {error}", source.name))
    };
    let length = Header::length(&source.peek(PREFIX)?, source.size()).map_err(failed)?;
    let mut text = vec![0; length as usize];
    source.read_exact(PREFIX as u64, &mut text)?;
    let Header { tensors, metadata, .. } = Header::read(&text, source.size()).map_err(failed)?;
    let array = |tensor: Tensor| Array {
        name: Some(tensor.name),
        start: tensor.start,
        len: Some(tensor.len),
        shape: tensor.shape,
        fortran: false,
        big_endian: false,
        dtype: FileType::Safetensors(tensor.dtype),
    };
    Ok((tensors.into_iter().map(array).collect(), metadata))
}

/// The name of a tensor that has none in its file.
const UNNAMED: &str = "tensor";

/// The header of a file that holds `outputs`, in this order.
///
/// # Errors
///
/// Fails if an output has no known length or a type that the format lacks.
pub fn header(outputs: &[Output], metadata: Metadata) -> Result<Vec<u8>, FileError> {
    let mut end = 0;
    let mut tensors = Vec::new();
    for output in outputs {
        let start = end;
        let bytes = output.bytes.and_then(|bytes| usize::try_from(bytes).ok());
        end += bytes.ok_or_else(|| {
            FileError::new("a .safetensors file needs the lengths of its tensors beforehand")
        })?;
        let dtype = match &output.stored {
            Stored::Elements { format, spread: false } => dtype(*format),
            Stored::Elements { spread: true, .. } => Dtype::U8,
            Stored::Registers(width) => unsigned(*width),
            Stored::Copied(FileType::Safetensors(dtype)) => *dtype,
            Stored::Copied(other) => return Err(FileError::new(format!("safetensors has no type {other}"))),
        };
        let shape = if dtype == Dtype::F4 { output.shape.clone() } else { output.byte_shape()? };
        let shape = shape.into_iter().map(|n| n as usize).collect();
        let name = output.name.clone().unwrap_or_else(|| UNNAMED.into());
        tensors.push((name, TensorInfo { dtype, shape, data_offsets: (start, end) }));
    }
    let metadata =
        tensor::Metadata::new(metadata, tensors).map_err(|e| FileError::new(format!("safetensors: {e}")))?;
    framed(serde_json::to_vec(&metadata).map_err(|e| FileError::new(e.to_string()))?)
}

/// A header with its length before it.
///
/// # Errors
///
/// Fails if the header is longer than readers accept, for example because of too much metadata.
pub(crate) fn framed(mut json: Vec<u8>) -> Result<Vec<u8>, FileError> {
    // The format requires data aligned to 8 bytes; trailing spaces belong to the header.
    json.resize(json.len().next_multiple_of(8), b' ');
    let length = json.len() as u64;
    if length > LONGEST {
        let length = ptxcvt::counted(length, "byte");
        return Err(FileError::new(format!(
            "safetensors: the header would have {length}; readers accept {LONGEST}"
        )));
    }
    let mut header = length.to_le_bytes().to_vec();
    header.append(&mut json);
    Ok(header)
}

/// True if tensors of type `given` hold elements of `format`.
pub fn holds(given: Dtype, format: Format) -> bool {
    given == dtype(format)
}

/// The type of tensors with elements of `format`.
pub fn dtype(format: Format) -> Dtype {
    match (format, format.parameters().kind) {
        (Format::F16, _) => Dtype::F16,
        (Format::Bf16, _) => Dtype::BF16,
        (Format::F32 | Format::Tf32, _) => Dtype::F32,
        (Format::F64, _) => Dtype::F64,
        (Format::E4m3, _) => Dtype::F8_E4M3,
        (Format::E5m2, _) => Dtype::F8_E5M2,
        (Format::Ue8m0, _) => Dtype::F8_E8M0,
        (Format::E2m1, _) => Dtype::F4,
        (_, Kind::Integer { signed: true } | Kind::Fixed { .. }) => match format.storage() {
            8 => Dtype::I8,
            16 => Dtype::I16,
            32 => Dtype::I32,
            64 => Dtype::I64,
            width => unreachable!("no tensor has signed integers of {width} bits"),
        },
        _ => unsigned(format.storage()),
    }
}

fn unsigned(width: u32) -> Dtype {
    match width {
        0..=8 => Dtype::U8,
        9..=16 => Dtype::U16,
        17..=32 => Dtype::U32,
        33..=64 => Dtype::U64,
        _ => unreachable!("no format has {width} bits"),
    }
}
