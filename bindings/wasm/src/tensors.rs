//! Numbers from a `.npy` or `.safetensors` file in memory, for a page that has no files.
//!
//! `ptxcvt-files` reads files of any size for the command; it needs temporary files and threads, which a page lacks.
//! Headers have one reader for both; tests/tensors.rs compares what follows from them, on files that are whole, cut off and
//! damaged.

use std::ops::Range;

use ptxcvt::Format;
use ptxcvt_report::npy::{Header, HeaderError, Prefix, SIGNATURE};
use serde::Serialize;

/// The tensors of a file.
#[derive(Default, Serialize)]
pub struct Names {
    error: Option<String>,
    names: Vec<String>,
}

/// The first numbers of a tensor.
#[derive(Default, Serialize)]
pub struct Numbers {
    error: Option<String>,
    numbers: Vec<String>,
    /// How many numbers the tensor has.
    given: usize,
    /// The length of each row.
    columns: usize,
}

/// The most numbers that are returned.
const MOST: usize = 1024;

struct Tensor {
    name: String,
    format: Result<Format, String>,
    /// The rows and columns of its first matrix.
    matrix: [usize; 2],
    big_endian: bool,
    bytes: Range<usize>,
}

/// The names of the tensors; `array` for the one of a `.npy` file.
pub fn names(file: &[u8]) -> Names {
    match tensors(file) {
        Ok(all) => Names { names: all.into_iter().map(|one| one.name).collect(), error: None },
        Err(error) => Names { error: Some(error), names: Vec::new() },
    }
}

/// The first numbers of a tensor in the order in which they are stored: whole rows of its first matrix, or the beginning of
/// its first row. Blocks do not cross from one matrix to the next.
pub fn numbers(file: &[u8], name: &str) -> Numbers {
    read(file, name).unwrap_or_else(|error| Numbers { error: Some(error), ..Numbers::default() })
}

fn read(file: &[u8], name: &str) -> Result<Numbers, String> {
    let all = tensors(file)?;
    let tensor = all.into_iter().find(|one| one.name == name).ok_or_else(|| format!("no tensor `{name}`"))?;
    let format = tensor.format?;
    if format.storage() < 8 {
        return Err(format!(
            "`{name}` has {format}, of which two are in a byte: convert it with the command first"
        ));
    }
    let width = format.storage() as usize / 8;
    let number = |bytes: &[u8]| {
        let place = |at: usize| if tensor.big_endian { width - 1 - at } else { at };
        let bits = (0..width).fold(0, |bits, at| bits | u64::from(bytes[place(at)]) << (8 * at));
        match (format, bits) {
            (Format::F32, bits) if f32::from_bits(bits as u32).is_finite() => {
                f32::from_bits(bits as u32).to_string()
            }
            _ => format.decode(bits).to_string(),
        }
    };
    let data = &file[tensor.bytes];
    let given = data.len() / width;
    let [rows, columns] = tensor.matrix;
    let columns = columns.clamp(1, MOST);
    let shown = rows.min(MOST / columns) * columns;
    let numbers = data.chunks_exact(width).take(shown).map(number).collect();
    Ok(Numbers { numbers, given, columns, error: None })
}

fn tensors(file: &[u8]) -> Result<Vec<Tensor>, String> {
    if file.starts_with(SIGNATURE) {
        return npy(file).map(|one| vec![one]);
    }
    safetensors(file)
}

/// The array of a `.npy` file.
fn npy(file: &[u8]) -> Result<Tensor, String> {
    let strange = |error: HeaderError| format!("not a readable .npy file: {error}");
    let prefix = Prefix::read(file).map_err(strange)?;
    let end = usize::try_from(prefix.length).ok().and_then(|length| prefix.start.checked_add(length));
    let text = end.and_then(|end| Some((end, file.get(prefix.start..end)?)));
    let (start, text) = text.ok_or("not a readable .npy file: it ends within its header")?;
    let header = Header::read(text).map_err(strange)?;
    if header.fortran && header.shape.len() > 1 {
        return Err("the array is in Fortran order: save numpy.ascontiguousarray of it".to_owned());
    }
    let (data, wanted) = ((file.len() - start) as u64, header.bytes());
    if data != wanted {
        return Err(format!(
            "it has {} of data, but its shape needs {wanted}",
            ptxcvt::counted(data, "byte")
        ));
    }
    let element = header.element;
    // Other letters are strings, dates and bytes: `S8` is text of eight bytes, not PTX's `.s8`.
    let kind = match element.kind() {
        'f' => Some("float"),
        'i' => Some("int"),
        'u' => Some("uint"),
        _ => None,
    };
    let format = kind.and_then(|kind| Format::from_name(&format!("{kind}{}", 8 * element.size())));
    Ok(Tensor {
        name: "array".to_owned(),
        format: format.ok_or_else(|| not_numbers(&element.to_string())),
        matrix: matrix(&header.shape),
        big_endian: element.is_big_endian(),
        bytes: start..file.len(),
    })
}

/// The lengths of the last two axes. One axis is a row.
fn matrix(shape: &[u64]) -> [usize; 2] {
    let length = |axis: &u64| usize::try_from(*axis).unwrap_or(usize::MAX);
    match shape {
        [.., rows, columns] => [length(rows), length(columns)],
        [columns] => [1, length(columns)],
        [] => [1, 1],
    }
}

fn not_numbers(dtype: &str) -> String {
    format!("elements of type {dtype} are not numbers that the page reads")
}

/// The tensors of a `.safetensors` file in the order of their data.
fn safetensors(file: &[u8]) -> Result<Vec<Tensor>, String> {
    use ptxcvt_report::safetensors::{Header, HeaderError, PREFIX, Tensor as Found};
    let strange = |error: HeaderError| format!("neither .npy nor a readable .safetensors file: {error}");
    let size = Some(file.len() as u64);
    let length = Header::length(file, size).map_err(strange)? as usize;
    let header = Header::read(&file[PREFIX..PREFIX + length], size).map_err(strange)?;
    let tensor = |Found { name, dtype, shape, start, len, .. }: Found| {
        let written = dtype.to_string();
        let common = match written.split_at_checked(1) {
            Some(("I", bits)) => format!("int{bits}"),
            Some(("U", bits)) => format!("uint{bits}"),
            _ => written.clone(),
        };
        // The order of packed 6-bit elements is not defined.
        let format = Format::from_name(&common).filter(|format| format.storage() as usize == dtype.bitsize());
        Tensor {
            name,
            format: format.ok_or_else(|| not_numbers(&written)),
            matrix: matrix(&shape),
            big_endian: false,
            bytes: start as usize..(start + len) as usize,
        }
    };
    Ok(header.tensors.into_iter().map(tensor).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(dtype: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': (2,), }}\n");
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
    }

    #[test]
    fn arrays() {
        let data: Vec<u8> = [1.5_f32, -0.1].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(names(&array("<f4", &data)).names, ["array"]);
        assert_eq!(numbers(&array("<f4", &data), "array").numbers, ["1.5", "-0.1"]);
        assert_eq!(numbers(&array(">f2", &[0x3e, 0, 0xbc, 0]), "array").numbers, ["1.5", "-1"]);
        assert_eq!(numbers(&array("|i1", &[0xff, 2]), "array").numbers, ["-1", "2"]);
        assert!(numbers(&array("|S4", &data), "array").error.is_some());
        assert!(names(b"\x93NUMPY\x01\x00\xff").error.is_some());
    }

    #[test]
    fn several_tensors() {
        let header = r#"{"__metadata__":{},"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[4,5]}}"#;
        let file =
            [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[0xc0, 0x3f, 0, 0xc0, 0x3c]]
                .concat();
        assert_eq!(names(&file).names, ["a", "b"]);
        assert_eq!(numbers(&file, "a").numbers, ["1.5", "-2"]);
        assert_eq!(numbers(&file, "b").numbers, ["1.5"]);
        assert!(numbers(&file, "c").error.is_some());
        for end in 0..file.len() {
            assert!(names(&file[..end]).error.is_some(), "{end}");
        }
    }
}
