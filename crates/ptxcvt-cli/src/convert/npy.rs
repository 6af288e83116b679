//! `.npy`, NumPy's array format: one array a file. NumPy has no type below 8 bits and no bf16, so those are
//! unsigned integers of the same width, as is everything that NumPy cannot name.

use npyz::{DType, Endianness, NpyHeader, Order, TypeStr, WriteOptions, WriterBuilder};
use ptxcvt::Format;
use ptxcvt::formats::Kind;

use super::array::{Array, FileType, Output, Stored};
use super::source::Source;
use crate::failure::Failure;
use crate::output::clip;

/// Headers beyond this describe no array of numbers.
const LONGEST_HEADER: u64 = 1 << 20;

/// An array's header has a tuple in a dictionary, one of records a few levels more. The parser takes several times
/// longer for each level, so that thirty would take it years.
const DEEPEST_HEADER: usize = 6;

/// Reads the header: the array's place, shape and type.
pub fn read(source: &Source) -> Result<Array, Failure> {
    let fail = |what: String| Failure::new(format!("{}: not a readable .npy file: {what}", source.name));
    let first = source.peek(12)?;
    if !first.starts_with(b"\x93NUMPY") {
        return Err(fail("it does not begin as one".into()));
    }
    let length = match first[..] {
        [.., 1, _, low, high, _, _] => u64::from(low) | u64::from(high) << 8,
        [_, _, _, _, _, _, _, _, a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => return Err(fail("it ends in its header".into())),
    };
    if length > LONGEST_HEADER || source.len().is_some_and(|len| length > len) {
        return Err(fail(format!("its header would have {length} bytes")));
    }
    let mut reader = source.reader(0);
    let strange = || fail("its header is not a dictionary of descr, fortran_order and shape".into());
    if nesting(&source.peek(12 + length as usize)?[10..]) > DEEPEST_HEADER {
        return Err(strange());
    }
    // The parser's own account is a trace of its grammar.
    let header = NpyHeader::from_reader(&mut reader).map_err(|_| strange())?;
    let start = reader.at;
    let DType::Plain(dtype) = header.dtype() else {
        return Err(fail("its elements are records; plain numbers are needed".into()));
    };
    let name = clip(&dtype.to_string());
    let size = dtype.num_bytes().ok_or_else(|| fail(format!("elements of type {name} have no size")))?;
    let count = header.shape().iter().try_fold(1_u64, |n, axis| n.checked_mul(*axis));
    let wanted =
        count.and_then(|n| n.checked_mul(size as u64)).ok_or_else(|| fail("its shape overflows".into()))?;
    if let Some(rest) = source.len().map(|len| len.saturating_sub(start)).filter(|rest| *rest != wanted) {
        return Err(fail(format!("it has {rest} bytes of data where its shape needs {wanted}")));
    }
    let big_endian = dtype.endianness() == Endianness::Big && size > 1;
    Ok(Array {
        name: None,
        start,
        len: Some(wanted),
        shape: header.shape().to_vec(),
        fortran: header.order() == Order::Fortran,
        big_endian,
        dtype: FileType::Npy(dtype.to_string()),
    })
}

/// How deep brackets stand in each other; those in strings count, for there are no such names of types.
fn nesting(header: &[u8]) -> usize {
    let mut depth = 0_usize;
    let deeper = header.iter().map(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth
    });
    deeper.max().unwrap_or(0)
}

/// The header of a file that holds `output`.
pub fn header(output: &Output) -> Result<Vec<u8>, Failure> {
    let name = match &output.stored {
        Stored::Elements { format, .. } => name(*format).to_owned(),
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

/// True where elements of NumPy's type `dtype` are `format`: its own type or, for what NumPy cannot name, unsigned
/// integers and opaque bytes of the same width. Byte order is not looked at.
pub fn holds(dtype: &str, format: Format) -> bool {
    let bare = dtype.trim_start_matches(['<', '>', '|', '=']);
    let own = name(format).trim_start_matches(['<', '|']);
    let nameless = !format.is_integer() && own.starts_with('u');
    bare == own || (nameless && bare.strip_prefix('V') == own.strip_prefix('u'))
}

/// The width of an element in bits.
pub fn width(dtype: &str) -> Option<u32> {
    let bytes: u32 = dtype.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    bytes.checked_mul(8)
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
