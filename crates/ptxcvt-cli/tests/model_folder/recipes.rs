//! Recipes of the user's own with `--for`: the loader must read their bytes alike, whatever their names are.

use std::fs;

use ptxcvt_blocks::Recipe;

use super::{fails, succeeds, write};

/// A model, and a recipe of its own: a recipe of the table with some text replaced.
fn prepare(folder: &std::path::Path, recipe: &str, replaced: &[(&str, &str)]) {
    write(&folder.join("model.safetensors"), &[("layers.0.fc1.weight", &[256, 256])]);
    fs::write(folder.join("config.json"), r#"{"model_type": "llama"}"#).unwrap();
    let mut text = Recipe::named(recipe).unwrap().to_toml();
    for (from, to) in replaced {
        assert!(text.contains(from), "{recipe}: {from}: {text}");
        text = text.replace(from, to);
    }
    fs::write(folder.join("own.toml"), text).unwrap();
    let _ = fs::remove_dir_all(folder.join("out"));
}

/// Another recipe by the name of one that the loader reads.
#[test]
fn the_name_of_a_recipe_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let block = |rows: u32, columns: u32| format!("block = [\n    {rows},\n    {columns},\n]");
    let [b16, b32, b64, b128] = [block(1, 16), block(1, 32), block(64, 64), block(128, 128)];
    let row = block(1, 1 << 24);
    let f32_scales = "`fp8-channel`";
    for (recipe, replaced, loader, what) in [
        (
            "fp8-tensor",
            &[("v = q * s", "v = q / s"), ("y = x / s", "y = x * s")][..],
            "compressed-tensors",
            "",
        ),
        ("fp8-channel", &[("\"e4m3\"", "\"e5m2\""), (".e4m3x2.", ".e5m2x2.")], "compressed-tensors", ""),
        ("fp8-channel", &[(row.as_str(), block(1, 64).as_str())], "compressed-tensors", ""),
        ("fp8-channel", &[("\"t = input(t)\",", "")], "compressed-tensors", f32_scales),
        ("fp8-block", &[(b128.as_str(), b64.as_str())], "compressed-tensors", ""),
        ("nvfp4-llm-compressor", &[(b16.as_str(), b32.as_str())], "compressed-tensors", ""),
        ("nvfp4-llm-compressor", &[("\"rows\"", "\"rows-high-first\"")], "compressed-tensors", ""),
        ("nvfp4-modelopt", &[("d = s * G", "d = s / G")], "modelopt", ""),
        ("mxfp4-compressed-tensors", &[(b32.as_str(), b16.as_str())], "compressed-tensors", ""),
        ("mxfp4-compressed-tensors", &[("\"refused\"", "\"partial\"")], "compressed-tensors", ""),
        ("mxfp6-compressed-tensors", &[("\"packed\"", "\"rows\"")], "compressed-tensors", ""),
        ("deepseek-128x128", &[(b128.as_str(), b64.as_str())], "deepseek", ""),
    ] {
        prepare(folder, recipe, replaced);
        let error = fails(folder, &format!("quantize own.toml . --for {loader} -o out"));
        let expected = match what {
            "" => format!("--for {loader} does not support `{recipe}`"),
            _ => format!("--for {loader} does not support the scales of {what}"),
        };
        assert!(error.contains(&expected), "{error}");
    }
}

/// The recipe of a loader by another name, and other choices of scales that the loader reads.
#[test]
fn recipes_that_the_loader_reads_alike() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (recipe, replaced, loader) in [
        ("fp8-tensor", &[("name = \"fp8-tensor\"", "name = \"mine\"")][..], "compressed-tensors"),
        // Another name of a value.
        (
            "nvfp4-modelopt",
            &[("d = s * G", "w = s * G"), ("v = q * d", "v = q * w"), ("x / d", "x / w")],
            "modelopt",
        ),
        // Another scale.
        ("mxfp8-compressed-tensors", &[("0x00200000", "0x00100000")], "compressed-tensors"),
        ("deepseek-128x128", &[("0.0001", "0.001")], "deepseek"),
    ] {
        prepare(folder, recipe, &[]);
        let of_table = succeeds(folder, &format!("quantize {recipe} . --for {loader} -o out"));
        let read = |file: &str| fs::read(folder.join("out").join(file)).unwrap();
        let config = read("config.json");
        prepare(folder, recipe, replaced);
        assert_eq!(succeeds(folder, &format!("quantize own.toml . --for {loader} -o out")), of_table);
        assert!(read("config.json") == config, "{recipe}");
        let _ = fs::remove_dir_all(folder.join("back"));
        assert_eq!(succeeds(folder, "dequantize out --dtype bf16 -o back"), "");
    }
}

/// Powers of two need lines that make them: config.json says that there are no other scales.
#[test]
fn scales_that_are_no_powers_of_two() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let both = ["deepseek-128x128-ue8m0", "deepseek-128x128"].map(|recipe| {
        prepare(folder, recipe, &[]);
        succeeds(folder, "quantize own.toml . --for deepseek -o out");
        fs::read_to_string(folder.join("out/config.json")).unwrap().contains("scale_fmt")
    });
    assert_eq!(both, [true, false]);
    // With other lines for the scale, it is not said that they are powers of two.
    prepare(folder, "deepseek-128x128-ue8m0", &[("0.0001", "0.001")]);
    succeeds(folder, "quantize own.toml . --for deepseek -o out");
    assert!(!fs::read_to_string(folder.join("out/config.json")).unwrap().contains("scale_fmt"));
}
