//! Runs that find the output of an earlier run whose input had other tensors or another recipe, or whose files were cut off.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use safetensors::SafeTensors;

use super::resume::interrupt;
use super::{INDEX, files, run, succeeds, write_model};

const FIRST: &str = "model-00001-of-00003.safetensors";
const SECOND: &str = "model-00002-of-00003.safetensors";

/// Moves a tensor from the first file of a model to the second.
fn move_tensor(folder: &Path, moved: &str) {
    let all = [FIRST, SECOND].map(|name| fs::read(folder.join(name)).unwrap());
    let [mut from, mut to] = all.each_ref().map(|file| SafeTensors::deserialize(file).unwrap().tensors());
    let at = from.iter().position(|(name, _)| name == moved).unwrap();
    to.push(from.remove(at));
    for (name, tensors) in [(FIRST, from), (SECOND, to)] {
        safetensors::serialize_to_file(tensors, None, &folder.join("new")).unwrap();
        fs::rename(folder.join("new"), folder.join(name)).unwrap();
    }
    let mut index: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join(INDEX)).unwrap()).unwrap();
    index["weight_map"][moved] = SECOND.into();
    fs::write(folder.join(INDEX), index.to_string()).unwrap();
}

/// Runs the command, which must succeed and say that it made the first file again. Returns its files.
fn made_again(folder: &Path, arguments: &str, output: &str) -> BTreeMap<String, Vec<u8>> {
    let found = run(folder, &format!("{arguments} -o {output}"));
    let stderr = String::from_utf8(found.stderr).unwrap();
    assert!(found.status.success(), "{stderr}");
    assert!(stderr.contains("note: written again because the input has changed since"), "{stderr}");
    assert!(stderr.contains(FIRST), "{stderr}");
    files(&folder.join(output))
}

/// A tensor that is now in another file, or that is not chosen any more because of `config.json`, is a change of the input,
/// not of the options.
#[test]
fn a_file_with_other_tensors_is_quantised_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    let work = "quantize mxfp8-modelopt . --for modelopt";
    interrupt(folder, work, "moved", FIRST);
    move_tensor(folder, "layers.0.down.weight");
    let moved = made_again(folder, work, "moved");
    succeeds(folder, &format!("{work} -o anew"));
    assert!(moved == files(&folder.join("anew")));
    // A matrix outside of the numbered layers, one of whose axes is the size of the vocabulary, stays unquantised.
    let bytes = fs::read(folder.join(FIRST)).unwrap();
    let old = SafeTensors::deserialize(&bytes).unwrap();
    let tensors = old.tensors().into_iter().map(|(name, tensor)| (name.replace("layers.0.up", "up"), tensor));
    safetensors::serialize_to_file(tensors, None, &folder.join("new")).unwrap();
    fs::rename(folder.join("new"), folder.join(FIRST)).unwrap();
    let index = fs::read_to_string(folder.join(INDEX)).unwrap().replace("layers.0.up", "up");
    fs::write(folder.join(INDEX), index).unwrap();
    interrupt(folder, work, "vocabulary", FIRST);
    fs::write(folder.join("config.json"), r#"{"model_type": "llama", "vocab_size": 256}"#).unwrap();
    let vocabulary = made_again(folder, work, "vocabulary");
    let _ = fs::remove_dir_all(folder.join("anew"));
    succeeds(folder, &format!("{work} -o anew"));
    assert!(vocabulary == files(&folder.join("anew")));
}

/// A recipe that the input names is part of it; a recipe that the user names is an option.
#[test]
fn an_input_of_another_recipe_is_dequantised_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    succeeds(folder, "quantize mx-rceil/e4m3 . -o quantised");
    let work = "dequantize quantised --dtype bf16";
    succeeds(folder, &format!("{work} -o old"));
    fs::create_dir(folder.join("back.part")).unwrap();
    fs::copy(folder.join("old").join(FIRST), folder.join("back.part").join(FIRST)).unwrap();
    fs::remove_dir_all(folder.join("quantised")).unwrap();
    succeeds(folder, "quantize mx-floor/e5m2 . -o quantised");
    let back = made_again(folder, work, "back");
    succeeds(folder, &format!("{work} -o anew"));
    assert!(back == files(&folder.join("anew")));
}

/// Whatever is wrong in the unfinished folder, the error says how to begin again.
#[test]
fn what_cannot_be_resumed_can_be_begun_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_model(folder);
    let work = "quantize mx-rceil/e4m3 .";
    let part = folder.join("out.part");
    let (file, state) = (part.join(FIRST), part.join(format!(".{FIRST}.state")));
    for (what, damage) in [
        (
            "cut off",
            Box::new(|| fs::write(&file, &fs::read(&file).unwrap()[..1000]).unwrap()) as Box<dyn Fn()>,
        ),
        ("empty", Box::new(|| fs::write(&file, "").unwrap())),
        ("no state", Box::new(|| fs::write(&state, "{").unwrap())),
        ("not text", Box::new(|| fs::write(&state, [0xff]).unwrap())),
    ] {
        interrupt(folder, work, "out", FIRST);
        damage();
        let found = run(folder, &format!("{work} -o out"));
        let stderr = String::from_utf8(found.stderr).unwrap();
        assert_eq!(found.status.code(), Some(2), "{what}: {stderr}");
        assert!(stderr.contains("out.part/"), "{what}: {stderr}");
        assert!(stderr.contains("help: remove out.part to begin again"), "{what}: {stderr}");
        fs::remove_dir_all(&part).unwrap();
    }
}
