//! Checkpoints: an index and the headers of files, consistent or not. A checkpoint that can be quantised can be
//! dequantised; one that cannot leaves no folder.
//!
//! The input has a line for the index, one for `config.json`, and one for the header of each file.

use std::fs;
use std::path::Path;

use ptxcvt_blocks::{Input, Recipe};
use ptxcvt_files::quantize::{Axis, Loader, Options, dequantize, model};

/// Valid checkpoints of one and of two files, and one whose files contradict the index.
pub const SEEDS: &[&str] = &[
    "{\"weight_map\":{\"a.weight\":\"0.safetensors\"}}\n{}\n{\"a.weight\":{\"dtype\":\"F32\",\"shape\":[2,32],\"data_offsets\":[0,256]}}",
    "{\"metadata\":{\"total_size\":1},\"weight_map\":{\"a.weight\":\"0.safetensors\",\"b.weight\":\"1.safetensors\"}}\n{\"quantization_config\":null}\n{\"a.weight\":{\"dtype\":\"BF16\",\"shape\":[1,32],\"data_offsets\":[0,64]}}\n{\"b.weight\":{\"dtype\":\"F16\",\"shape\":[2,1,32],\"data_offsets\":[0,128]}}",
    "{\"weight_map\":{\"a\":\"1.safetensors\"}}\n{\"x\":1}\n{\"a\":{\"dtype\":\"F32\",\"shape\":[64],\"data_offsets\":[0,256]}}\n{\"a\":{\"dtype\":\"F32\",\"shape\":[64],\"data_offsets\":[0,256]}}",
];

/// The largest file.
const DATA: usize = 4096;

/// Writes the checkpoint, quantises it, and turns the result back.
///
/// # Panics
///
/// Panics if the library does, or if a checkpoint that it made cannot be read.
pub fn run(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let model = folder.join("model");
    fs::create_dir(&model).expect("a folder");
    write(&model, bytes);
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    for loader in [None, Some(Loader::Modelopt)] {
        let recipe = if loader.is_none() { "mx-floor/e4m3" } else { "mxfp8-modelopt" };
        let options = Options {
            recipe: Recipe::named(recipe).expect("a recipe of the table"),
            tensors: Vec::new(),
            exclude: Vec::new(),
            loader,
            dtype: None,
            big_endian: false,
            global_amax: None,
            fuse: Vec::new(),
            no_fuse: false,
            seed: None,
            axis: Axis::Rows,
            swizzle: false,
            report: false,
            threads: 1,
            memory: 1 << 20,
        };
        let output = format!("{recipe}-quantised").replace('/', "-");
        if model::quantize(&options, &path("model"), &path(&output), &()).is_err() {
            assert!(!folder.join(&output).exists(), "a failed run leaves no folder of that name");
            continue;
        }
        let back = dequantize::Options { recipe: None, output: Input::F32, loader: None, threads: 1 };
        let result = dequantize::model(&back, &path(&output), &path(&format!("{output}-back")), &());
        assert!(result.is_ok(), "{result:?}");
    }
}

/// Writes the index, the configuration and the files.
fn write(model: &Path, bytes: &[u8]) {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    fs::write(model.join("model.safetensors.index.json"), first).expect("a file");
    fs::write(model.join("config.json"), lines.next().unwrap_or_default()).expect("a file");
    for (number, header) in lines.take(4).enumerate() {
        // The data have the length of the largest offset in the header that is at most `DATA`.
        let text = String::from_utf8_lossy(header);
        let numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<usize>().ok());
        let data = vec![0x3f; numbers.filter(|n| *n <= DATA).max().unwrap_or(0)];
        let file = [&(header.len() as u64).to_le_bytes()[..], header, &data].concat();
        fs::write(model.join(format!("{number}.safetensors")), file).expect("a file");
    }
}
