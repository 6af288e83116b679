//! `.npy`, NumPy's array format: one array a file. NumPy has no type below 8 bits and no bf16, so those are
//! unsigned integers of the same width, as is everything that NumPy cannot name.

use npyz::{DType, NpyHeader, Order, TypeStr, WriteOptions, WriterBuilder};
use ptxcvt::Format;
use ptxcvt::formats::Kind;

use super::array::{Array, FileType, Output, Stored};
use crate::failure::Failure;

/// Reads the header: the array's place, shape and type.
pub fn read(path: &str, file: &[u8]) -> Result<Array, Failure> {
    let fail = |what: String| Failure::new(format!("{path}: not a readable .npy file: {what}"));
    let mut rest = file;
    let header = NpyHeader::from_reader(&mut rest).map_err(|e| fail(e.to_string()))?;
    let DType::Plain(dtype) = header.dtype() else {
        return Err(fail("its elements are records; plain numbers are needed".into()));
    };
    let start = file.len() - rest.len();
    let size = dtype.num_bytes().ok_or_else(|| fail(format!("elements of type {dtype} have no size")))?;
    let count = header.shape().iter().try_fold(1_u64, |n, axis| n.checked_mul(*axis));
    let wanted =
        count.and_then(|n| n.checked_mul(size as u64)).ok_or_else(|| fail("its shape overflows".into()))?;
    if rest.len() as u64 != wanted {
        return Err(fail(format!("{} bytes of data where the shape needs {wanted}", rest.len())));
    }
    Ok(Array {
        name: String::new(),
        bytes: start..file.len(),
        shape: header.shape().to_vec(),
        fortran: header.order() == Order::Fortran,
        dtype: FileType::Npy(dtype.to_string()),
    })
}

/// The header of a file that holds `output`.
pub fn header(output: &Output) -> Result<Vec<u8>, Failure> {
    let name = match &output.stored {
        Stored::Elements(format) => name(*format).to_owned(),
        Stored::Registers(width) => unsigned(*width).to_owned(),
        Stored::Copied(other) => other.to_string(),
    };
    let dtype: TypeStr = name.parse().map_err(|_| Failure::new(format!("NumPy has no type {name}")))?;
    let order = if output.fortran { Order::Fortran } else { Order::C };
    let mut header = Vec::new();
    WriteOptions::new_header_only()
        .dtype(DType::Plain(dtype))
        .shape(&output.byte_shape()?)
        .order(order)
        .writer(&mut header)
        .write_header_only()?;
    Ok(header)
}

/// True where elements of NumPy's type `dtype` may be taken as `format`: its own type, or integers and
/// opaque bytes of the same width. Another float type of that width is surely a mistake.
pub fn holds(dtype: &str, format: Format) -> bool {
    let size = format.storage().div_ceil(8);
    let own = [name(format)];
    let opaque = [format!("u{size}"), format!("i{size}"), format!("V{size}")];
    let integer = format.is_integer();
    own.contains(&dtype) || (!integer && opaque.iter().any(|o| dtype.strip_prefix(['<', '|']) == Some(o)))
}

/// NumPy's type for elements of `format`.
pub fn name(format: Format) -> &'static str {
    match (format, format.parameters().kind) {
        (Format::F16, _) => "<f2",
        (Format::F32 | Format::Tf32, _) => "<f4",
        (Format::F64, _) => "<f8",
        (_, Kind::Integer { signed: true } | Kind::Fixed { .. }) => match format.storage() {
            8 => "|i1",
            16 => "<i2",
            32 => "<i4",
            _ => "<i8",
        },
        _ => unsigned(format.storage()),
    }
}

fn unsigned(width: u32) -> &'static str {
    match width {
        0..=8 => "|u1",
        9..=16 => "<u2",
        17..=32 => "<u4",
        _ => "<u8",
    }
}
