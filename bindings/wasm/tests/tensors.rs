//! The page's reader of `.npy` and `.safetensors` against the command's: the same files are accepted, with the same
//! tensors and numbers.

use ptxcvt::Format;
use ptxcvt_files::array::{Array, FileType};
use ptxcvt_files::{Source, npy, safetensors};
use serde_json::{Value as Json, json};

/// Numbers that are equal on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % end as u64) as usize
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// A shape of up to three axes, some of them empty.
fn shape(random: &mut Random) -> Vec<usize> {
    (0..random.below(4)).map(|_| random.below(4)).collect()
}

fn bytes(random: &mut Random, count: usize) -> Vec<u8> {
    (0..count).map(|_| random.below(256) as u8).collect()
}

/// An array as NumPy writes it.
fn array(random: &mut Random) -> Vec<u8> {
    let (dtype, size) = random.one(&[
        ("<f2", 2),
        ("<f4", 4),
        ("<f8", 8),
        (">f4", 4),
        (">f8", 8),
        ("|i1", 1),
        ("<i2", 2),
        (">i4", 4),
        ("<i8", 8),
        ("|u1", 1),
        ("<u2", 2),
        ("<u4", 4),
        (">u8", 8),
        ("|b1", 1),
        ("<c8", 8),
        ("|S8", 8),
        ("<U2", 8),
        ("<V2", 2),
        ("|V1", 1),
        ("<M8[ns]", 8),
        ("<f16", 16),
        ("=f4", 4),
        ("|f4", 4),
        ("f8", 8),
        ("<u1", 1),
        ("<u+2", 2),
        ("<<f4", 4),
        (">=|f4", 4),
    ]);
    let shape = shape(random);
    let axes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let axes = if shape.len() == 1 { axes.trim_end() } else { axes.trim_end_matches(", ") };
    let order = random.one(&["True", "False"]);
    let header = format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': ({axes}), }}\n");
    let data = bytes(random, shape.iter().product::<usize>() * size);
    let length = header.len() as u32;
    let version = random.one(&[[1, 0], [1, 0], [2, 0], [3, 0], [1, 1], [4, 0], [9, 3]]);
    let start = match version {
        [1, _] => [&b"\x93NUMPY"[..], &version, &(length as u16).to_le_bytes()].concat(),
        _ => [&b"\x93NUMPY"[..], &version, &length.to_le_bytes()].concat(),
    };
    [start, header.into_bytes(), data].concat()
}

/// Tensors as the safetensors library writes them.
fn tensors(random: &mut Random) -> Vec<u8> {
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for index in 0..random.below(4) {
        let (dtype, bits) = random.one(&[
            ("BF16", 16),
            ("F16", 16),
            ("F32", 32),
            ("F64", 64),
            ("I8", 8),
            ("I16", 16),
            ("I64", 64),
            ("U8", 8),
            ("U32", 32),
            ("BOOL", 8),
            ("F8_E4M3", 8),
            ("F8_E5M2", 8),
            ("F8_E8M0", 8),
            ("C64", 64),
        ]);
        let shape = shape(random);
        let content = bytes(random, shape.iter().product::<usize>() * bits / 8);
        let offsets = [data.len(), data.len() + content.len()];
        data.extend(content);
        header.insert(format!("t{index}"), json!({"dtype": dtype, "shape": shape, "data_offsets": offsets}));
    }
    if random.below(2) == 0 {
        header.insert("__metadata__".to_owned(), json!({"by": "a test"}));
    }
    let header = Json::Object(header).to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()
}

/// The format that the command takes the elements of an array for; none for types that are not numbers.
fn format(dtype: &FileType) -> Option<Format> {
    Format::ALL.iter().copied().filter(|format| format.storage() >= 8 && *format != Format::Tf32).find(
        |format| match dtype {
            // Formats that NumPy cannot name are stored under the names of integers and of opaque bytes.
            FileType::Npy(name) => {
                let named = format.is_integer() || matches!(format, Format::F16 | Format::F32 | Format::F64);
                named && npy::holds(name, *format)
            }
            FileType::Safetensors(dtype) => {
                let own = format.is_integer()
                    || !format.name().contains('m')
                    || matches!(format, Format::E4m3 | Format::E5m2 | Format::Ue8m0);
                own && safetensors::holds(*dtype, *format)
            }
            FileType::Raw(_) => false,
        },
    )
}

/// The numbers of the first matrix of an array according to the command's reader.
fn numbers(file: &[u8], array: &Array) -> Option<Vec<String>> {
    let format = format(&array.dtype)?;
    let width = format.storage() as usize / 8;
    let (start, length) = (array.start as usize, array.len.expect("a file has a length") as usize);
    let matrix: usize = array.shape.iter().rev().take(2).map(|axis| *axis as usize).product();
    let length = length.min(matrix * width);
    let number = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        if !array.big_endian {
            bytes.reverse();
        }
        let bits = bytes.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let value = format.decode(bits);
        match format {
            Format::F32 if f32::from_bits(bits as u32).is_finite() => f32::from_bits(bits as u32).to_string(),
            _ => value.to_string(),
        }
    };
    Some(file[start..start + length].chunks_exact(width).map(number).collect())
}

/// The arrays in the order of their names: empty ones have no order in a file.
fn sorted<T>(mut all: Vec<(String, T)>) -> Vec<(String, T)> {
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

/// The command's arrays by name; none if it does not read the file, or if a `.npy` file has no numbers.
fn command(file: &[u8]) -> Option<Vec<(String, Option<Vec<String>>)>> {
    let source = Source::memory("x", file.to_vec());
    if file.starts_with(b"\x93NUMPY") {
        let array = npy::read(&source).ok()?;
        // The page shows blocks of consecutive numbers, which are columns in this order.
        let shown = !array.fortran || array.shape.len() < 2;
        return numbers(file, &array).filter(|_| shown).map(|all| vec![("array".to_owned(), Some(all))]);
    }
    let (arrays, _) = safetensors::read(&source).ok()?;
    let all = arrays.iter().map(|one| (one.name.clone().expect("a tensor has a name"), numbers(file, one)));
    Some(sorted(all.collect()))
}

/// The page's arrays by name; none if it does not read the file.
fn page(file: &[u8]) -> Option<Vec<(String, Option<Vec<String>>)>> {
    let strings = |list: &Json| -> Vec<String> {
        list.as_array().expect("a list").iter().map(|one| one.as_str().expect("a text").to_owned()).collect()
    };
    let names: Json = serde_json::from_str(&ptxcvt_wasm::tensors(file)).expect("JSON");
    if !names["error"].is_null() {
        return None;
    }
    let numbers = |name: String| {
        let answer: Json = serde_json::from_str(&ptxcvt_wasm::tensor_numbers(file, &name)).expect("JSON");
        let numbers = answer["error"].is_null().then(|| strings(&answer["numbers"]));
        (name, numbers)
    };
    let all: Vec<_> = strings(&names["names"]).into_iter().map(numbers).collect();
    let no_numbers = file.starts_with(b"\x93NUMPY") && all[0].1.is_none();
    (!no_numbers).then(|| sorted(all))
}

#[test]
fn whole_and_cut_off() {
    let random = &mut Random(1);
    for round in 0..4000 {
        let mut file = if round % 2 == 0 { array(random) } else { tensors(random) };
        match random.below(4) {
            0 => file.truncate(random.below(file.len() + 1)),
            1 => file.extend(bytes(random, 1 + round % 3)),
            _ => {}
        }
        assert_eq!(page(&file), command(&file), "{}", file.escape_ascii());
    }
}

#[test]
fn damaged() {
    let random = &mut Random(2);
    let mut read = 0;
    for round in 0..20_000 {
        let mut file = if round % 2 == 0 { array(random) } else { tensors(random) };
        let at = random.below(file.len());
        file[at] = if random.below(2) == 0 {
            random.below(256) as u8
        } else {
            random.one(b"'\"(){}[]:,<>|=0123456789 ")
        };
        let shown = page(&file);
        assert_eq!(shown, command(&file), "{}", file.escape_ascii());
        read += usize::from(shown.is_some());
    }
    assert!(read > 1000, "{read}");
}
