//! Reads the vectors of this folder, for the tests of the library and of the command. README.md describes a line.

use std::fs;
use std::path::{Path, PathBuf};

/// A line: an array, and the bytes that a library quantised it to.
#[derive(Debug)]
pub struct Vector {
    /// The file and the line.
    pub place: String,
    /// The recipe's name.
    pub recipe: String,
    /// Rows and columns of the array.
    pub shape: (usize, usize),
    /// The elements as bf16, row by row.
    pub input: Vec<u16>,
    /// The scales. Recipes that store scales among the elements may name them here, too.
    pub scales: Vec<u8>,
    /// The elements as stored.
    pub data: Vec<u8>,
    /// The f32 bits of the global scale, if the recipe has one.
    pub global: Option<u32>,
    /// The f32 bits of the elements that dequantising returns, if they are known.
    pub back: Option<Vec<u32>>,
}

/// The lines of every file, in order of names.
pub fn all() -> Vec<Vector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/blocks");
    let entries =
        fs::read_dir(folder).expect("the folder of vectors").map(|entry| entry.expect("a file").path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "tsv")).collect();
    files.sort();
    let of_file = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a file of vectors");
        let name = path.file_name().expect("a file").to_string_lossy();
        let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
        lines.map(|(at, line)| vector(format!("{name}:{}", at + 1), line)).collect::<Vec<_>>()
    };
    files.iter().flat_map(of_file).collect()
}

/// Parses a line.
fn vector(place: String, line: &str) -> Vector {
    let mut fields = line.split('\t');
    let mut field = || fields.next().unwrap_or("");
    let (kind, input, scales, data, global, back) = (field(), field(), field(), field(), field(), field());
    let parsed = || {
        let (recipe, shape) = kind.split_once(' ')?;
        let (rows, columns) = shape.split_once('x')?;
        let word = |text: &str| u32::from_str_radix(text, 16).ok();
        let words = |text: &str| text.split(' ').map(word).collect::<Option<Vec<u32>>>();
        let input: Option<Vec<u16>> = words(input)?.into_iter().map(|bits| bits.try_into().ok()).collect();
        Some(Vector {
            place: place.clone(),
            recipe: recipe.to_owned(),
            shape: (rows.parse().ok()?, columns.parse().ok()?),
            input: input?,
            scales: bytes(scales)?,
            data: bytes(data)?,
            global: if global.is_empty() { None } else { Some(word(global)?) },
            back: if back.is_empty() { None } else { Some(words(back)?) },
        })
    };
    parsed().unwrap_or_else(|| panic!("{place}: not a vector: {line}"))
}

/// Parses pairs of hex digits.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
    pairs.map(|pair| pair.and_then(|pair| u8::from_str_radix(pair, 16).ok())).collect()
}
