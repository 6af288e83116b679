//! Numbers from a `.npy` or `.safetensors` file in memory, for a page that has no files.
//!
//! `ptxcvt-files` reads files of any size for the command; it needs temporary files, which a page lacks.

use std::ops::Range;

use ptxcvt::Format;
use serde::Serialize;
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
    if file.starts_with(b"\x93NUMPY") {
        return npy(file).map(|one| vec![one]);
    }
    safetensors(file).ok_or_else(|| "neither .npy nor .safetensors, or cut off".to_owned())
}

/// The array of a `.npy` file: a dictionary of `descr`, `fortran_order` and `shape`, then the data.
fn npy(file: &[u8]) -> Result<Tensor, String> {
    let strange = || "not a readable .npy file".to_owned();
    let (at, length) = match file.get(6..12) {
        Some([1, _, low, high, ..]) => (10, usize::from(*low) | usize::from(*high) << 8),
        Some([_, _, a, b, c, d]) => (12, u32::from_le_bytes([*a, *b, *c, *d]) as usize),
        _ => return Err(strange()),
    };
    let header =
        file.get(at..at + length).and_then(|bytes| std::str::from_utf8(bytes).ok()).ok_or_else(strange)?;
    let after =
        |key: &str| header.split_once(key).map(|(_, rest)| rest.trim_start_matches(['\'', '"', ':', ' ']));
    let dtype = after("descr").and_then(|rest| rest.split(['\'', '"']).next()).ok_or_else(strange)?;
    let kind = dtype.trim_start_matches(['<', '>', '|', '=']);
    let bits =
        kind.get(1..).and_then(|bytes| bytes.parse::<u32>().ok()).map_or(0, |bytes| bytes.saturating_mul(8));
    let name = match kind.as_bytes().first() {
        Some(b'f') => format!("float{bits}"),
        Some(b'i') => format!("int{bits}"),
        Some(b'u') => format!("uint{bits}"),
        _ => kind.to_owned(),
    };
    Ok(Tensor {
        name: "array".to_owned(),
        format: Format::read(&name)
            .map_err(|_| format!("elements of type {dtype} are not numbers that the page reads")),
        big_endian: dtype.starts_with('>'),
        bytes: at + length..file.len(),
    })
}

/// The tensors of a `.safetensors` file: the length of the header, the header as JSON, then the data.
fn safetensors(file: &[u8]) -> Option<Vec<Tensor>> {
    let length = u64::from_le_bytes(*file.first_chunk::<8>()?) as usize;
    let data = length.checked_add(8)?;
    let header: serde_json::Map<String, Json> = serde_json::from_slice(file.get(8..data)?).ok()?;
    let tensor = |(name, about): (&String, &Json)| {
        let offset =
            |at: usize| Some(about["data_offsets"][at].as_u64()? as usize).map(|n| n.checked_add(data));
        let bytes = offset(0)??..offset(1)??;
        file.get(bytes.clone())?;
        let dtype = about["dtype"].as_str()?;
        let integer = |sign: &str, rest: &str| format!("{sign}{rest}");
        let common = match dtype.split_at_checked(1)? {
            ("I", bits) => integer("int", bits),
            ("U", bits) => integer("uint", bits),
            _ => dtype.to_owned(),
        };
        let format = Format::read(&common)
            .map_err(|_| format!("elements of type {dtype} are not numbers that the page reads"));
        Some(Tensor { name: name.clone(), format, big_endian: false, bytes })
    };
    header.iter().filter(|(name, _)| *name != "__metadata__").map(tensor).collect()
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
