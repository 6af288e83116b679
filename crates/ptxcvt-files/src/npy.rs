//! `.npy`, NumPy's array format: one array per file. Formats that NumPy cannot name, such as bf16, FP8 and FP4, are
//! stored as unsigned integers of the same width.

use ptxcvt::Format;
use ptxcvt::formats::Kind;
use ptxcvt_report::npy::{Element, Header, HeaderError, PREFIX, Prefix};

use crate::array::{Array, FileType, Output, Stored};
use crate::error::FileError;
use crate::npy_header::npy_header;
use crate::source::Source;

/// Reads the header: the array's place, shape and type.
///
/// # Errors
///
/// Fails if the file is not `.npy`, has records instead of numbers, or has a different length than its header
/// says.
pub fn read(source: &Source) -> Result<Array, FileError> {
    let fail = |what: String| FileError::new(format!("{}: not a readable .npy file: {what}", source.name));
    let failed = |error: HeaderError| fail(error.to_string());
    let Prefix { start: before, length, .. } = Prefix::read(&source.peek(PREFIX)?).map_err(failed)?;
    if source.size().is_some_and(|len| length > len) {
        return Err(fail(format!("its header would have {}", ptxcvt::counted(length, "byte"))));
    }
    let text = source.peek(before + length as usize)?.split_off(before);
    if text.len() as u64 != length {
        return Err(fail("it ends within its header".into()));
    }
    let header = Header::read(&text).map_err(failed)?;
    let (start, wanted) = (before as u64 + length, header.bytes());
    if let Some(rest) = source.size().map(|len| len.saturating_sub(start)).filter(|rest| *rest != wanted) {
        return Err(fail(format!(
            "it has {} of data, but its shape needs {wanted}",
            ptxcvt::counted(rest, "byte")
        )));
    }
    let Header { element, shape, fortran, .. } = header;
    // Each part of such a number is reversed on its own, not the whole element.
    if element.is_big_endian() && element.kind() == 'c' {
        return Err(fail(format!("big-endian complex numbers ({element}) are not supported")));
    }
    Ok(Array {
        name: None,
        start,
        len: Some(wanted),
        shape,
        fortran,
        big_endian: element.is_big_endian(),
        dtype: FileType::Npy(element.to_string()),
    })
}

/// The header of a file that holds `output`.
///
/// # Errors
///
/// Fails if NumPy has no type for the elements, or if a row has an odd number of 4-bit elements.
pub fn header(output: &Output) -> Result<Vec<u8>, FileError> {
    let name = match &output.stored {
        Stored::Elements { format, .. } => name(*format).to_owned(),
        Stored::Registers(width) => unsigned(*width).to_owned(),
        Stored::Copied(other) => other.to_string(),
    };
    let dtype = Element::read(&name).ok_or_else(|| FileError::new(format!("NumPy has no type {name}")))?;
    Ok(npy_header(&format!("'{dtype}'"), output.fortran, &output.byte_shape()?))
}

/// True if elements of NumPy's type `dtype` can be `format`: its own type or, for a format that NumPy cannot name,
/// unsigned integers and opaque bytes of the same width. The byte order is ignored.
pub fn holds(dtype: &str, format: Format) -> bool {
    let bare = dtype.trim_start_matches(['<', '>', '|', '=']);
    let own = name(format).trim_start_matches(['<', '|']);
    let nameless = !format.is_integer() && own.starts_with('u');
    bare == own || (nameless && bare.strip_prefix('V') == own.strip_prefix('u'))
}

/// The width of an element of NumPy's type `dtype` in bits, if it has one.
pub fn width(dtype: &str) -> Option<u32> {
    let (kind, count) = dtype.split_at(dtype.find(|c: char| c.is_ascii_digit())?);
    // The number of a string type counts characters of 32 bits, other numbers count bytes.
    let unit = if kind.ends_with('U') { 32 } else { 8 };
    count.parse::<u32>().ok()?.checked_mul(unit)
}

/// NumPy's type string for elements of `format`.
pub fn name(format: Format) -> &'static str {
    match (format, format.parameters().kind) {
        (Format::F16, _) => "<f2",
        (Format::F32 | Format::Tf32, _) => "<f4",
        (Format::F64, _) => "<f8",
        (_, Kind::Integer { signed: true } | Kind::Fixed { .. }) => match format.storage() {
            8 => "|i1",
            16 => "<i2",
            32 => "<i4",
            64 => "<i8",
            width => unreachable!("no array has signed integers of {width} bits"),
        },
        _ => unsigned(format.storage()),
    }
}

fn unsigned(width: u32) -> &'static str {
    match width {
        0..=8 => "|u1",
        9..=16 => "<u2",
        17..=32 => "<u4",
        33..=64 => "<u8",
        _ => unreachable!("no format has {width} bits"),
    }
}
