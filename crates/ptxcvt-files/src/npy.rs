//! `.npy`, NumPy's array format: one array per file. Formats that NumPy cannot name, such as bf16, FP8 and FP4, are
//! stored as unsigned integers of the same width.

use npyz::{DType, Endianness, NpyHeader, Order, TypeStr};
use ptxcvt::formats::Kind;
use ptxcvt::{Format, clip};

use crate::array::{Array, FileType, Output, Stored};
use crate::error::FileError;
use crate::npy_header::{SIGNATURE, npy_header};
use crate::source::Source;

/// The longest header that is read; arrays of numbers need far less.
const LONGEST_HEADER: u64 = 1 << 20;

/// The deepest nesting of brackets that is parsed. An array's header has a tuple in a dictionary, one of records a few
/// levels more. Each level multiplies the time of the parser: thirty levels would take years.
const DEEPEST_HEADER: usize = 6;

/// Reads the header: the array's place, shape and type.
///
/// # Errors
///
/// Fails if the file is not `.npy`, has records instead of numbers, or has a different length than its header
/// says.
pub fn read(source: &Source) -> Result<Array, FileError> {
    let fail = |what: String| FileError::new(format!("{}: not a readable .npy file: {what}", source.name));
    let first = source.peek(12)?;
    if !first.starts_with(SIGNATURE) {
        return Err(fail("it does not begin with the signature of the format".into()));
    }
    let length = match first[..] {
        [.., 1, _, low, high, _, _] => u64::from(low) | u64::from(high) << 8,
        [_, _, _, _, _, _, _, _, a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => return Err(fail("it ends within its header".into())),
    };
    if length > LONGEST_HEADER || source.size().is_some_and(|len| length > len) {
        return Err(fail(format!("its header would have {}", ptxcvt::counted(length, "byte"))));
    }
    let strange = || {
        fail("its header is not a dictionary of descr (a type with its byte order, such as '<f4'), fortran_order and shape".into())
    };
    // Version 1 has a length of 16 bits, later ones one of 32.
    let before = if first[6] == 1 { 10 } else { 12 };
    let text = source.peek(before + length as usize)?.split_off(before);
    if text.len() as u64 != length {
        return Err(fail("it ends within its header".into()));
    }
    if nesting(&text) > DEEPEST_HEADER {
        return Err(strange());
    }
    if !is_countable(&text) {
        return Err(fail("its shape overflows".into()));
    }
    // The parser's own error is a trace of its grammar.
    let header = NpyHeader::from_reader(&mut &with_byte_order(&text)[..]).map_err(|_| strange())?;
    let start = before as u64 + length;
    let DType::Plain(dtype) = header.dtype() else {
        return Err(fail("its elements are records, not plain numbers".into()));
    };
    let name = clip(&dtype.to_string());
    let size = dtype.num_bytes().ok_or_else(|| fail(format!("elements of type {name} have no size")))?;
    let count = header.shape().iter().try_fold(1_u64, |n, axis| n.checked_mul(*axis));
    let wanted =
        count.and_then(|n| n.checked_mul(size as u64)).ok_or_else(|| fail("its shape overflows".into()))?;
    if let Some(rest) = source.size().map(|len| len.saturating_sub(start)).filter(|rest| *rest != wanted) {
        return Err(fail(format!(
            "it has {} of data, but its shape needs {wanted}",
            ptxcvt::counted(rest, "byte")
        )));
    }
    let big_endian = dtype.endianness() == Endianness::Big && size > 1;
    // Each part of such a number is reversed on its own, not the whole element.
    if big_endian && name.starts_with(">c") {
        return Err(fail(format!("big-endian complex numbers ({name}) are not supported")));
    }
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

/// A header in which the type of the elements has a byte order, as the parser requires. As in NumPy, a type without one, or
/// with `=`, has that of the machine.
fn with_byte_order(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    if let Some(at) = type_place(&text) {
        let width: &[u8] = text.get(at..).unwrap_or_default();
        let width = width.strip_prefix(b"=").unwrap_or(width);
        // Single bytes have no order.
        let is_byte = matches!(width, [b'b' | b'i' | b'u', b'1', quote, ..] if !quote.is_ascii_digit());
        let native = if cfg!(target_endian = "big") { b'>' } else { b'<' };
        let order = if is_byte || matches!(width, [b'S' | b'V' | b'a' | b'O', ..]) { b'|' } else { native };
        match text.get(at) {
            Some(b'=') => text[at] = order,
            Some(first) if first.is_ascii_alphabetic() => text.insert(at, order),
            _ => {}
        }
    }
    let mut header = SIGNATURE.to_vec();
    header.extend([2, 0]);
    header.extend((text.len() as u32).to_le_bytes());
    header.extend(text);
    header
}

/// The place of the name of a type of plain numbers: after the quote that follows `'descr':`.
fn type_place(text: &[u8]) -> Option<usize> {
    const KEY: &[u8] = b"descr";
    let key = text.windows(KEY.len()).position(|part| part == KEY)? + KEY.len();
    let blanks =
        |from: usize| from + text[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let quote = |byte: Option<&u8>| matches!(byte, Some(b'\'' | b'"'));
    let colon = blanks(key + usize::from(quote(text.get(key))));
    let value = blanks(colon + usize::from(text.get(colon) == Some(&b':')));
    quote(text.get(value)).then_some(value + 1)
}

/// False if the axes of the shape have a product beyond 2^63, like zeros counted as ones, which NumPy refuses. The
/// parser does not look for an overflow.
fn is_countable(header: &[u8]) -> bool {
    let header = String::from_utf8_lossy(header);
    let Some((_, shape)) = header.split_once("shape") else { return true };
    let end = shape.find([')', ']']).unwrap_or(shape.len());
    let numbers = shape[..end].split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let count = numbers.map(str::parse::<i64>).try_fold(1_i64, |n, axis| n.checked_mul(axis.ok()?.max(1)));
    count.is_some()
}

/// The depth of nested brackets. Brackets in strings count, since no name of a type has any.
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
    let dtype: TypeStr = name.parse().map_err(|_| FileError::new(format!("NumPy has no type {name}")))?;
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
