//! `ptxcvt quantize` and `dequantize` on a checkpoint of three files: names and types for each loader, the
//! library's bytes, and runs that are killed at random points and resumed.

mod resume;
mod resume_other_input;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use ptxcvt::inputs::SplitMix64;
use ptxcvt_blocks::{Input, Matrix, Options, Recipe, dequantize_into, quantize};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

const INDEX: &str = "model.safetensors.index.json";
const ROWS: usize = 256;
const COLUMNS: usize = 1024;

/// The bf16 numbers of a tensor.
fn numbers(seed: u64) -> Vec<u8> {
    let mut random = SplitMix64::new(seed);
    (0..ROWS * COLUMNS)
        .flat_map(|_| {
            let x = (random.next_u64() as i32 as f32) / 3e9;
            ((x.to_bits() >> 16) as u16).to_le_bytes()
        })
        .collect()
}

/// Three files with two weights and a norm each, and their index.
fn write_model(folder: &Path) {
    let mut map = BTreeMap::new();
    for file in 0..3 {
        let name = format!("model-{:05}-of-00003.safetensors", file + 1);
        let weights = [numbers(2 * file), numbers(2 * file + 1)];
        let names = [
            format!("layers.{file}.up.weight"),
            format!("layers.{file}.down.weight"),
            format!("layers.{file}.norm.weight"),
        ];
        let shape = vec![ROWS, COLUMNS];
        let tensors = vec![
            (names[0].clone(), TensorView::new(Dtype::BF16, shape.clone(), &weights[0]).unwrap()),
            (names[1].clone(), TensorView::new(Dtype::BF16, shape, &weights[1]).unwrap()),
            (
                names[2].clone(),
                TensorView::new(Dtype::BF16, vec![COLUMNS], &weights[0][..2 * COLUMNS]).unwrap(),
            ),
        ];
        safetensors::serialize_to_file(tensors, None, &folder.join(&name)).unwrap();
        map.extend(names.into_iter().map(|tensor| (tensor, name.clone())));
    }
    let index =
        serde_json::json!({ "metadata": { "total_size": 1, "made_by": "a test" }, "weight_map": map });
    fs::write(folder.join(INDEX), index.to_string()).unwrap();
}

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.current_dir(folder).args(arguments.split_whitespace());
    command
}

fn run(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

fn succeeds(folder: &Path, arguments: &str) {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    // Skip folders.
    let entries =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    entries
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap()))
        .collect()
}

/// Every tensor in the index, with type, shape and bytes.
fn tensors(folder: &Path) -> BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)> {
    let index: serde_json::Value = serde_json::from_slice(&fs::read(folder.join(INDEX)).unwrap()).unwrap();
    let map = index["weight_map"].as_object().unwrap();
    let mut all = BTreeMap::new();
    let mut total = 0;
    for (name, file) in map {
        let file = fs::read(folder.join(file.as_str().unwrap())).unwrap();
        let file = SafeTensors::deserialize(&file).unwrap();
        let tensor = file.tensor(name).unwrap();
        total += tensor.data().len();
        all.insert(name.clone(), (tensor.dtype(), tensor.shape().to_vec(), tensor.data().to_vec()));
    }
    assert_eq!(index["metadata"]["total_size"], total);
    assert_eq!(index["metadata"]["made_by"], "a test");
    all
}

/// For each part: the suffix of its name, its type and shape.
type Part = (&'static str, Dtype, Vec<usize>);

#[test]
fn names_and_types_of_every_loader() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    let (r, c) = (ROWS, COLUMNS);
    let cases: &[(&str, &str, &[Part])] = &[
        (
            "nvfp4-compressed-tensors",
            "compressed-tensors",
            &[
                (".weight_packed", Dtype::U8, vec![r, c / 2]),
                (".weight_scale", Dtype::F8_E4M3, vec![r, c / 16]),
                (".weight_global_scale", Dtype::F32, vec![1]),
            ],
        ),
        (
            "nvfp4-modelopt",
            "modelopt",
            &[
                (".weight", Dtype::U8, vec![r, c / 2]),
                (".weight_scale", Dtype::F8_E4M3, vec![r, c / 16]),
                (".weight_scale_2", Dtype::F32, vec![]),
            ],
        ),
        (
            "deepseek-128x128",
            "deepseek",
            &[
                (".weight", Dtype::F8_E4M3, vec![r, c]),
                (".weight_scale_inv", Dtype::F32, vec![r / 128, c / 128]),
            ],
        ),
        (
            "mx-rceil/e2m1",
            "gpt-oss",
            &[("_blocks", Dtype::U8, vec![r, c / 32, 16]), ("_scales", Dtype::U8, vec![r, c / 32])],
        ),
    ];
    for (recipe, loader, parts) in cases {
        // By default GPT-OSS quantises experts, which have one more axis.
        let chosen = if *loader == "gpt-oss" { "--tensor *.up.*" } else { "--exclude *.down.*" };
        succeeds(folder, &format!("quantize {recipe} {INDEX} --for {loader} {chosen} -o {loader}"));
        let made = tensors(&folder.join(loader));
        // Six weights (three of them are not quantised) and three norms.
        assert_eq!(made.len(), 3 * parts.len() + 6, "{loader}");
        let recipe = Recipe::named(recipe).unwrap();
        for layer in 0..3 {
            let data = numbers(2 * layer);
            let matrix = Matrix::bytes(Input::Bf16, &data, r, c).unwrap();
            let expected = quantize(&recipe, &matrix, &Options::default()).unwrap();
            let bytes = [
                &expected.data[..],
                &expected.scales[..],
                &expected.global.first().map_or([0; 4], |global| global.to_le_bytes())[..],
            ];
            for ((part, dtype, shape), bytes) in parts.iter().zip(bytes) {
                let (d, s, b) = &made[&format!("layers.{layer}.up{part}")];
                assert_eq!((d, s), (dtype, shape), "{loader} {part}");
                assert!(b == bytes, "{loader} {part}");
            }
            let (dtype, _, bytes) = &made[&format!("layers.{layer}.down.weight")];
            assert!(*dtype == Dtype::BF16 && *bytes == numbers(2 * layer + 1));
            assert_eq!(made[&format!("layers.{layer}.norm.weight")].1, [c]);
        }
        // And back. The file names its loader; a checkpoint of another program needs the option.
        let options =
            if *loader == "modelopt" { format!("{} --for modelopt ", recipe.name()) } else { String::new() };
        succeeds(folder, &format!("dequantize {options}{loader} --dtype bf16 -o {loader}-back"));
        let back = tensors(&folder.join(format!("{loader}-back")));
        assert_eq!(back.len(), 9, "{loader}");
        for layer in 0..3 {
            let data = numbers(2 * layer);
            let matrix = Matrix::bytes(Input::Bf16, &data, r, c).unwrap();
            let quantized = quantize(&recipe, &matrix, &Options::default()).unwrap();
            let mut expected = vec![0; data.len()];
            dequantize_into(&recipe, &quantized, Input::Bf16, &Options::default(), &mut expected).unwrap();
            let (dtype, shape, bytes) = &back[&format!("layers.{layer}.up.weight")];
            assert_eq!((dtype, &shape[..]), (&Dtype::BF16, &[r, c][..]), "{loader}");
            assert!(*bytes == expected, "{loader}");
            assert!(back[&format!("layers.{layer}.down.weight")].2 == numbers(2 * layer + 1), "{loader}");
        }
        let first = fs::read(folder.join(loader).join("model-00001-of-00003.safetensors")).unwrap();
        let (_, metadata) = SafeTensors::read_metadata(&first).unwrap();
        let scale = metadata.metadata().as_ref().unwrap().get("ptxcvt.global_scale").cloned();
        match *loader {
            "modelopt" => assert_eq!(scale.unwrap(), "G = tensor_amax / 2688"),
            "compressed-tensors" => assert!(scale.unwrap().contains("G = G * 2688")),
            _ => assert_eq!(scale, None),
        }
    }
}

#[test]
fn what_is_wrong_is_said_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    let message = |arguments: &str| {
        let before: Vec<_> = files(folder).into_keys().collect();
        let output = run(folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert_eq!(files(folder).into_keys().collect::<Vec<_>>(), before, "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    };
    let found = message("quantize nvfp4-te-1x16 . --for modelopt -o out");
    assert!(found.contains("--for modelopt does not support `nvfp4-te-1x16`"), "{found}");
    assert!(found.contains("its loader reads nvfp4-modelopt, mxfp8-modelopt"), "{found}");
    let found = message("quantize nvfp4-modelopt . --for modelopt --tensor nothing* -o out");
    assert!(found.contains("no tensor is chosen"), "{found}");
    let found = message("quantize nvfp4-modelopt . --for modelopt --compare nvfp4-te-1x16");
    assert!(found.contains(".: a checkpoint cannot be compared"), "{found}");
    let found = message("quantize nvfp4-modelopt . --axis columns -o out");
    assert!(found.contains(".: a checkpoint has blocks along rows"), "{found}");
    fs::write(folder.join("bad.index.json"), "{\"weight_map\": {\"a\": \"../up.safetensors\"}}").unwrap();
    let found = message("quantize nvfp4-modelopt bad.index.json -o out");
    assert!(found.contains("`../up.safetensors` is not the name of a file next to the index"), "{found}");
    fs::write(folder.join("bad.index.json"), "{\"weight_map\": {\"a\": \"config.json\"}}").unwrap();
    let found = message("quantize nvfp4-modelopt bad.index.json -o out");
    assert!(found.contains("`config.json` is not the name of a .safetensors file"), "{found}");
    for output in ["./other/.", "/"] {
        let _ = fs::create_dir(folder.join("other"));
        let found = message(&format!("quantize nvfp4-modelopt . -o {output}"));
        assert!(found.contains(": exists already"), "{found}");
    }
    fs::remove_dir(folder.join("other")).unwrap();
    // `dequantize` would refuse the configuration, which is copied without a loader.
    let config = fs::read(folder.join("config.json")).unwrap_or_else(|_| b"{}".to_vec());
    for wrong in ["{\"a\":", "[]", "null"] {
        fs::write(folder.join("config.json"), wrong).unwrap();
        let found = message("quantize nvfp4-modelopt . -o out");
        assert!(found.contains("config.json: not the JSON object of a model"), "{found}");
    }
    fs::write(folder.join("config.json"), config).unwrap();
    // A file that can be opened and not read, by the superuser either.
    #[cfg(target_os = "linux")]
    {
        std::os::unix::fs::symlink("/proc/self/mem", folder.join("notes.txt")).unwrap();
        let output = run(folder, "quantize nvfp4-modelopt . --for modelopt -o out");
        let found = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && found.contains("notes.txt"), "{found}");
        assert!(!folder.join("out.part").exists(), "{found}");
        fs::remove_file(folder.join("notes.txt")).unwrap();
    }
    // Leftovers of a different run are not reused.
    fs::create_dir(folder.join("out.part")).unwrap();
    fs::copy(
        folder.join("model-00001-of-00003.safetensors"),
        folder.join("out.part").join("model-00001-of-00003.safetensors"),
    )
    .unwrap();
    let output = run(folder, "quantize nvfp4-modelopt . --for modelopt -o out");
    assert_eq!(output.status.code(), Some(2));
    let found = String::from_utf8(output.stderr).unwrap();
    assert!(found.contains("was left by a run with other options"), "{found}");
}

/// Without an output, a checkpoint is only measured.
#[test]
fn a_checkpoint_can_be_reported_on() {
    let folder = tempfile::tempdir().unwrap();
    write_model(folder.path());
    let output = run(folder.path(), "quantize nvfp4-modelopt . --for modelopt --report --json");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["tensors"].as_array().unwrap().len(), 6);
}
