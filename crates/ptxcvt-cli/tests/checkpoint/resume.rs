//! Runs that are killed or find the output of an earlier run: what they keep, what they replace, and what they refuse.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use ptxcvt::inputs::SplitMix64;
use safetensors::{Dtype, tensor::TensorView};

use super::{COLUMNS, INDEX, ROWS, command, files, numbers, run, succeeds, write_model};

/// Runs the command for a model in pieces, and kills it when it has made the file in the unfinished folder `OUT.part`.
pub(super) fn interrupt(folder: &Path, arguments: &str, output: &str, file: &str) {
    let part = folder.join(format!("{output}.part"));
    for _ in 0..20 {
        let arguments = format!("{arguments} --memory 4KB --threads 1 -o {output}");
        let mut child = command(folder, &arguments).stderr(Stdio::null()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && !part.join(file).exists() {
            std::thread::sleep(Duration::from_micros(100));
        }
        let _ = child.kill();
        child.wait().unwrap();
        if part.join(file).exists() {
            return;
        }
        let _ = fs::remove_dir_all(folder.join(output));
    }
    panic!("the run was not stopped after {file}");
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
    fs::write(folder.join("config.json"), r#"{"model_type": "llama"}"#).unwrap();
    let first = "model-00001-of-00003.safetensors";
    let quantise =
        |output: &str| run(folder, &format!("quantize nvfp4-modelopt . --for modelopt -o {output}"));
    assert!(quantise("before").status.success());
    let interrupted = |name: &str| interrupt(folder, "quantize nvfp4-modelopt . --for modelopt", name, first);
    interrupted("same");
    let output = quantise("same");
    assert!(output.status.success() && output.stderr.is_empty());
    // Same names, shapes and size, but different numbers.
    interrupted("changed");
    for second in ["model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors"] {
        let _ = fs::remove_file(folder.join("changed.part").join(second));
    }
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
    interrupt(folder, "quantize mx-rceil/e4m3 .", "after", first);
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

/// Every option and every part of a recipe counts: files of a run with other options or another recipe are refused.
#[test]
fn leftovers_of_another_recipe_of_the_same_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    const OWN: &str = include_str!("../common/own.toml");
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

/// Replaces the model in the folder by a model of that many files with one weight each.
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
            fs::write(part.join(format!(".{stale}.state")), "[]").unwrap();
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
        interrupt(folder, "quantize mx-rceil/e4m3 .", name, first);
        let resumed = run(folder, &arguments(name, more));
        assert!(resumed.status.success());
        assert_eq!(String::from_utf8(resumed.stderr).unwrap(), stderr, "{name}");
        let expected = if more.is_empty() { "" } else { &report };
        assert_eq!(String::from_utf8(resumed.stdout).unwrap(), expected, "{name}");
        assert!(files(&folder.join("whole")) == files(&folder.join(name)), "{name}");
    }
}

/// A copy of a model elsewhere, of another time, gives the same files, and none names the place or the time of its input.
#[test]
fn the_same_model_gives_the_same_files_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for place in ["here", "there"] {
        fs::create_dir(folder.join(place)).unwrap();
        write_model(&folder.join(place));
        fs::write(folder.join(place).join("config.json"), r#"{"model_type": "llama"}"#).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    for (work, back) in [
        ("quantize nvfp4-llm-compressor", " --for compressed-tensors"),
        ("quantize mx-rceil/e4m3", ""),
        ("dequantize", " --dtype bf16"),
    ] {
        let made = ["here", "there"].map(|place| {
            let output = format!("{place}-made");
            let input = if work == "dequantize" { format!("{place}-quantised") } else { place.to_owned() };
            let _ = fs::remove_dir_all(folder.join(&output));
            succeeds(folder, &format!("{work} {input}{back} -o {output}"));
            let made = files(&folder.join(&output));
            if work != "dequantize" {
                let _ = fs::remove_dir_all(folder.join(format!("{place}-quantised")));
                fs::rename(folder.join(&output), folder.join(format!("{place}-quantised"))).unwrap();
            }
            made
        });
        assert!(made[0].keys().any(|name| name.ends_with(".safetensors")), "{work}");
        assert!(made[0] == made[1], "{work}: {:?}", made[0].keys());
        // Words of Rust's own notation have no place in a file.
        let texts = made[0].values().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert!(!texts.into_iter().any(|text| text.contains("Some(") || text.contains("None")), "{work}");
    }
}
