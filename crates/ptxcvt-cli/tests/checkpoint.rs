//! `ptxcvt quantize` and `dequantize` on a checkpoint of three files: names and types for each loader, the
//! library's bytes, and runs that are killed at random points and resumed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

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
        // Six weights, three of which are not quantised, and three norms.
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
fn killed_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    // Small pieces, so that there are many points at which to kill.
    let arguments = |output: &str| {
        format!("quantize nvfp4-modelopt . --for modelopt --memory 4KB --threads 1 -o {output}")
    };
    succeeds(folder, &arguments("whole"));
    let bytes_in = |folder: &Path| -> u64 {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
    };
    let size = bytes_in(&folder.join("whole"));
    let part = folder.join("killed.part");
    let mut random = SplitMix64::new(std::process::id().into());
    let mut killed = 0;
    for round in 0.. {
        let mut child = command(folder, &arguments("killed")).stderr(Stdio::null()).spawn().unwrap();
        // The first run is killed when it has started, others when they have written a number of bytes, so
        // that the timing does not depend on the machine. The last run completes.
        if round < 12 {
            let enough = if round == 0 { 0 } else { random.next_u64() % size };
            while child.try_wait().unwrap().is_none() && !(part.exists() && bytes_in(&part) >= enough) {
                std::thread::sleep(Duration::from_micros(100));
            }
            let _ = child.kill();
        }
        // The folder can be complete although the process was killed just after renaming it; see below.
        if child.wait().unwrap().success() || folder.join("killed").exists() {
            break;
        }
        killed += 1;
        if part.exists() {
            for (name, bytes) in files(&part).iter().filter(|(name, _)| name.starts_with("model-")) {
                assert!(
                    *bytes == fs::read(folder.join("whole").join(name)).unwrap(),
                    "{name} is whole or not there"
                );
            }
        }
    }
    assert!(killed > 0, "no round was killed");
    let (whole, resumed) = (files(&folder.join("whole")), files(&folder.join("killed")));
    let names = |files: &BTreeMap<String, Vec<u8>>| {
        files.keys().filter(|n| n.starts_with("model")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(&whole), names(&resumed));
    assert!(names(&whole).iter().all(|name| whole[name] == resumed[name]));
    assert!(!folder.join("killed.part").exists());
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

/// Copies of an earlier run may be read-only, or links to files elsewhere: they are replaced, not written into.
#[test]
fn copies_of_an_earlier_run_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    fs::write(folder.join("LICENSE"), "new").unwrap();
    fs::create_dir(folder.join("out.part")).unwrap();
    fs::create_dir(folder.join("other")).unwrap();
    fs::write(folder.join("other/LICENSE"), "old").unwrap();
    let mut permissions = fs::metadata(folder.join("other/LICENSE")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(folder.join("other/LICENSE"), permissions).unwrap();
    fs::hard_link(folder.join("other/LICENSE"), folder.join("out.part/LICENSE")).unwrap();
    succeeds(folder, "quantize nvfp4-modelopt . --for modelopt -o out");
    assert_eq!(fs::read_to_string(folder.join("out/LICENSE")).unwrap(), "new");
    assert_eq!(fs::read_to_string(folder.join("other/LICENSE")).unwrap(), "old");
}

/// A resumed run keeps only the files whose input is unchanged.
#[test]
fn a_changed_input_is_quantised_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    let first = "model-00001-of-00003.safetensors";
    let quantise =
        |output: &str| run(folder, &format!("quantize nvfp4-modelopt . --for modelopt -o {output}"));
    assert!(quantise("before").status.success());
    // Like the state of a run that stopped before the last file.
    let interrupted = |name: &str| {
        fs::create_dir(folder.join(name)).unwrap();
        for file in [first, "model-00002-of-00003.safetensors"] {
            fs::copy(folder.join("before").join(file), folder.join(name).join(file)).unwrap();
        }
    };
    interrupted("same.part");
    let output = quantise("same");
    assert!(output.status.success() && output.stderr.is_empty());
    // Same names, shapes and size, but different numbers.
    interrupted("changed.part");
    let bytes = fs::read(folder.join(first)).unwrap();
    let middle = bytes.len() / 2;
    let changed: Vec<u8> =
        bytes.iter().enumerate().map(|(i, b)| if i == middle { b ^ 0x55 } else { *b }).collect();
    fs::write(folder.join("other"), changed).unwrap();
    fs::rename(folder.join("other"), folder.join(first)).unwrap();
    let output = quantise("changed");
    assert!(output.status.success());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        stderr,
        format!("note: written again because the input has changed since the earlier run: {first}\n")
    );
    assert!(quantise("anew").status.success());
    let (changed, anew) = (files(&folder.join("changed")), files(&folder.join("anew")));
    assert!(changed == anew && changed[first] != files(&folder.join("before"))[first]);
}

/// The time of modification can be set; the time of the last change cannot.
#[cfg(unix)]
#[test]
fn an_input_with_the_same_size_and_time_is_quantised_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    let first = "model-00001-of-00003.safetensors";
    succeeds(folder, "quantize mx-rceil/e4m3 . -o before");
    fs::create_dir(folder.join("after.part")).unwrap();
    fs::copy(folder.join("before").join(first), folder.join("after.part").join(first)).unwrap();
    // Written in place, so that it is the same file.
    let mut bytes = fs::read(folder.join(first)).unwrap();
    let time = fs::metadata(folder.join(first)).unwrap().modified().unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::thread::sleep(Duration::from_millis(20));
    fs::write(folder.join(first), bytes).unwrap();
    fs::File::options().append(true).open(folder.join(first)).unwrap().set_modified(time).unwrap();
    let stderr = run(folder, "quantize mx-rceil/e4m3 . -o after").stderr;
    assert!(
        String::from_utf8_lossy(&stderr).contains("input has changed"),
        "{}",
        String::from_utf8_lossy(&stderr)
    );
    succeeds(folder, "quantize mx-rceil/e4m3 . -o anew");
    assert!(files(&folder.join("after")) == files(&folder.join("anew")));
}

/// Every option and every part of a recipe counts: what a run with others left is refused.
#[test]
fn leftovers_of_another_recipe_of_the_same_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    const OWN: &str = include_str!("common/own.toml");
    let first = "model-00001-of-00003.safetensors";
    let change = "quantize own.toml . -o OUT";
    for (of, to) in [("[1, 32]", "[1, 64]"), ("[1, 32]", "[16, 16]"), ("w * 2", "w * 4")] {
        fs::write(folder.join("own.toml"), OWN).unwrap();
        let _ = fs::remove_dir_all(folder.join("whole"));
        succeeds(folder, &change.replace("OUT", "whole"));
        let _ = fs::remove_dir_all(folder.join("other.part"));
        fs::create_dir(folder.join("other.part")).unwrap();
        fs::copy(folder.join("whole").join(first), folder.join("other.part").join(first)).unwrap();
        fs::write(folder.join("own.toml"), OWN.replace(of, to)).unwrap();
        let output = run(folder, &change.replace("OUT", "other"));
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{to}: {stderr}");
        assert!(stderr.contains("was left by a run with other options"), "{to}: {stderr}");
        // Back, too.
        let back = "dequantize own.toml whole -o back";
        let _ = fs::remove_dir_all(folder.join("back.part"));
        fs::create_dir(folder.join("back.part")).unwrap();
        fs::write(folder.join("own.toml"), OWN).unwrap();
        let _ = fs::remove_dir_all(folder.join("back"));
        succeeds(folder, back);
        fs::create_dir(folder.join("back.part")).unwrap();
        fs::copy(folder.join("back").join(first), folder.join("back.part").join(first)).unwrap();
        fs::remove_dir_all(folder.join("back")).unwrap();
        fs::write(folder.join("own.toml"), OWN.replace("w * 2", "w * 8")).unwrap();
        assert_eq!(run(folder, back).status.code(), Some(2), "{to}");
    }
}

/// A model of so many files with a weight each, in place of the one that the folder has.
fn write_shards(folder: &Path, shards: u64, nan: bool) {
    for old in files(folder).keys().filter(|name| name.starts_with("model")) {
        fs::remove_file(folder.join(old)).unwrap();
    }
    let mut map = BTreeMap::new();
    for shard in 0..shards {
        let name = format!("model-{:05}-of-{shards:05}.safetensors", shard + 1);
        let tensor = format!("layers.{shard}.weight");
        let mut data = numbers(10 * shards + shard);
        if nan {
            data[..2].copy_from_slice(&0x7fc0_u16.to_le_bytes());
        }
        let view = TensorView::new(Dtype::BF16, vec![ROWS, COLUMNS], &data).unwrap();
        safetensors::serialize_to_file([(tensor.clone(), view)], None, &folder.join(&name)).unwrap();
        map.insert(tensor, name);
    }
    fs::write(folder.join(INDEX), serde_json::json!({ "weight_map": map }).to_string()).unwrap();
}

/// A finished folder has exactly the files that this run makes, whatever an earlier run left.
#[test]
fn files_that_only_an_earlier_run_makes_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let stale = "model-00001-of-00003.safetensors";
    for (work, more) in [("quantize mx-rceil/e4m3 .", ""), ("dequantize quantised", " --dtype bf16")] {
        // An earlier run made the first of three files, and noted its NaN.
        let run_to = |output: &str| run(folder, &format!("{work} -o {output}{more}"));
        let prepare = |shards, nan| {
            write_shards(folder, shards, nan);
            let _ = fs::remove_dir_all(folder.join("quantised"));
            let output = run(folder, "quantize mx-rceil/e4m3 . -o quantised");
            assert!(output.status.success());
        };
        for name in ["old", "whole", "out", "out.part"] {
            let _ = fs::remove_dir_all(folder.join(name));
        }
        prepare(3, true);
        assert!(run_to("old").status.success());
        let part = folder.join("out.part");
        let interrupted = || {
            let _ = fs::remove_dir_all(&part);
            fs::create_dir(&part).unwrap();
            fs::copy(folder.join("old").join(stale), part.join(stale)).unwrap();
            fs::write(part.join(format!(".{stale}.specials")), "[]").unwrap();
            fs::copy(folder.join("old").join(INDEX), part.join("hf_quant_config.json")).unwrap();
        };
        prepare(2, false);
        assert!(run_to("whole").status.success());
        interrupted();
        let output = run_to("out");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{stderr}");
        assert!(
            stderr.contains(&format!(
                "note: removed because this run does not make them: hf_quant_config.json, {stale}, left by"
            )),
            "{stderr}"
        );
        assert!(files(&folder.join("out")) == files(&folder.join("whole")), "{work}");
        // A file of the user is neither removed nor part of the model.
        fs::remove_dir_all(folder.join("out")).unwrap();
        interrupted();
        fs::write(part.join("notes.txt"), "mine").unwrap();
        let before = files(&part);
        let output = run_to("out");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("out.part/notes.txt: is not a file of this run"), "{stderr}");
        assert!(stderr.contains("move it elsewhere, or remove out.part to begin again"), "{stderr}");
        assert!(files(&part) == before && !folder.join("out").exists());
    }
}

/// NaN in a file that a resumed run keeps are reported as by a whole run.
#[test]
fn a_resumed_run_says_what_a_whole_one_says() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    let first = "model-00001-of-00003.safetensors";
    let mut bytes = fs::read(folder.join(first)).unwrap();
    // Within the first weight; in the middle is the norm, which is copied.
    let quarter = (bytes.len() / 4) & !1;
    bytes[quarter..quarter + 2].copy_from_slice(&0x7fc0_u16.to_le_bytes());
    fs::write(folder.join(first), bytes).unwrap();
    let arguments = |output: &str, more: &str| {
        format!("quantize mx-rceil/e4m3 . --memory 4KB --threads 1 -o {output}{more}")
    };
    let whole = run(folder, &arguments("whole", ""));
    let stderr = String::from_utf8(whole.stderr).unwrap();
    assert!(stderr.contains("1 NaN in the input"), "{stderr}");
    let report = String::from_utf8(run(folder, &arguments("report", " --report")).stdout).unwrap();
    for (name, more) in [("quiet", ""), ("loud", " --report")] {
        let part = folder.join(format!("{name}.part"));
        let mut child = command(folder, &arguments(name, "")).stderr(Stdio::null()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && !part.join(first).exists() {
            std::thread::sleep(Duration::from_micros(100));
        }
        let _ = child.kill();
        child.wait().unwrap();
        assert!(part.join(first).exists(), "the run was stopped after the first file");
        let resumed = run(folder, &arguments(name, more));
        assert!(resumed.status.success());
        assert_eq!(String::from_utf8(resumed.stderr).unwrap(), stderr, "{name}");
        let expected = if more.is_empty() { "" } else { &report };
        assert_eq!(String::from_utf8(resumed.stdout).unwrap(), expected, "{name}");
        assert!(files(&folder.join("whole")) == files(&folder.join(name)), "{name}");
    }
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
