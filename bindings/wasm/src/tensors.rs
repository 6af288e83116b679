//! Numbers from a `.npy` or `.safetensors` file in memory, for a page that has no files.
//!
//! `ptxcvt-files` reads files of any size for the command; it needs temporary files and threads, which a page lacks.
//! Headers of `.npy` have one reader; for `.safetensors`, tests/tensors.rs compares the two readers on files that are
//! whole, cut off and damaged.

use std::ops::Range;

use ptxcvt::Format;
use ptxcvt_report::npy::{Header, HeaderError, Prefix, SIGNATURE};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

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
}

/// The most numbers that are returned.
const MOST: usize = 1024;

struct Tensor {
    name: String,
    format: Result<Format, String>,
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

/// The first numbers of a tensor in the order in which they are stored.
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
    let numbers = data.chunks_exact(width).take(MOST).map(number).collect();
    Ok(Numbers { numbers, given: data.len() / width, error: None })
}

fn tensors(file: &[u8]) -> Result<Vec<Tensor>, String> {
    if file.starts_with(SIGNATURE) {
        return npy(file).map(|one| vec![one]);
    }
    safetensors(file).ok_or_else(|| "neither .npy nor .safetensors, or cut off".to_owned())
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
        big_endian: element.is_big_endian(),
        bytes: start..file.len(),
    })
}

/// How many elements a shape has.
fn elements(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |n, axis| n.checked_mul(*axis))
}

fn not_numbers(dtype: &str) -> String {
    format!("elements of type {dtype} are not numbers that the page reads")
}

/// A tensor in the header of a `.safetensors` file.
#[derive(Deserialize)]
struct About {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

/// The tensors of a `.safetensors` file in the order of their data: the length of the header, the header as JSON, then
/// the data. They follow each other without gaps and fill the file.
fn safetensors(file: &[u8]) -> Option<Vec<Tensor>> {
    let length = usize::try_from(u64::from_le_bytes(*file.first_chunk::<8>()?)).ok()?;
    let data = length.checked_add(8)?;
    let mut header: serde_json::Map<String, Json> = serde_json::from_slice(file.get(8..data)?).ok()?;
    header.remove("__metadata__");
    let about = |(name, about)| Some((name, serde_json::from_value::<About>(about).ok()?));
    let mut all = header.into_iter().map(about).collect::<Option<Vec<(String, About)>>>()?;
    all.sort_by_key(|(_, about)| about.data_offsets);
    let mut end = 0;
    let mut tensor = |(name, about): (String, About)| {
        let About { dtype, shape, data_offsets: (from, to) } = about;
        // A type's width is the first number of its name, as in F8_E4M3; BOOL has a byte.
        let digits = dtype.trim_start_matches(|c: char| !c.is_ascii_digit());
        let digits = &digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())];
        let width = if dtype == "BOOL" { 8 } else { digits.parse().ok()? };
        let begins = std::mem::replace(&mut end, to) == from;
        let fills = elements(&shape)?.checked_mul(width)? == to.checked_sub(from)?.checked_mul(8)?;
        (begins && fills).then_some(())?;
        let common = match dtype.split_at_checked(1)? {
            ("I", bits) => format!("int{bits}"),
            ("U", bits) => format!("uint{bits}"),
            _ => dtype.clone(),
        };
        // The order of packed 6-bit elements is not defined.
        let format = Format::from_name(&common).filter(|format| format.storage() as usize == width);
        let format = format.ok_or_else(|| not_numbers(&dtype));
        Some(Tensor {
            name,
            format,
            big_endian: false,
            bytes: from.checked_add(data)?..to.checked_add(data)?,
        })
    };
    let tensors = all.into_iter().map(&mut tensor).collect::<Option<Vec<Tensor>>>()?;
    (end.checked_add(data)? == file.len()).then_some(tensors)
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
