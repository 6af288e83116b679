//! `ptxcvt quantize FOLDER --for LOADER`: the other files of a model's folder, the choice of tensors, and
//! errors in an index.

mod choice;
mod experts;
mod index;
mod lists;
mod lock;
mod recipes;
mod warnings;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde_json::{Value, json};

const INDEX: &str = "model.safetensors.index.json";

/// bf16 numbers near 1.
fn bytes(count: usize) -> Vec<u8> {
    (0..count).flat_map(|i| (0x3f00 + (i * 37 % 0x100) as u16).to_le_bytes()).collect()
}

/// A file of bf16 tensors.
fn write(path: &Path, tensors: &[(&str, &[usize])]) {
    let data: Vec<Vec<u8>> = tensors.iter().map(|(_, shape)| bytes(shape.iter().product())).collect();
    let views = tensors.iter().zip(&data).map(|((name, shape), data)| {
        (name.to_string(), TensorView::new(Dtype::BF16, shape.to_vec(), data).unwrap())
    });
    safetensors::serialize_to_file(views, None, path).unwrap();
}

fn run(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.current_dir(folder).args(arguments.split_whitespace()).output().unwrap()
}

/// Runs the command and returns its standard error.
fn succeeds(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments}: {text}");
    text
}

/// Runs the command, which must fail without leaving files, and returns its message.
fn fails(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    assert!(!folder.join("out").exists() && !folder.join("out.part").exists(), "{arguments}");
    String::from_utf8(output.stderr).unwrap()
}

fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// A model in one file, with all the usual other files.
fn model(folder: &Path) {
    write(
        &folder.join("model.safetensors"),
        &[
            ("model.embed_tokens.weight", &[128, 128]),
            ("model.layers.0.mlp.up_proj.weight", &[256, 128]),
            ("model.layers.0.mlp.gate.weight", &[32, 128]),
            ("model.layers.0.conv1d.weight", &[128, 32]),
            ("model.layers.0.patch.weight", &[32, 3, 32]),
            ("model.layers.0.norm.weight", &[128]),
        ],
    );
    let config = json!({ "model_type": "llama", "vocab_size": 128, "rope": { "theta": 1e4 }, "big": 9007199254740993_u64 });
    fs::write(folder.join("config.json"), config.to_string()).unwrap();
    for name in ["tokenizer.json", "README.md", "pytorch_model.bin", ".gitattributes"] {
        fs::write(folder.join(name), name).unwrap();
    }
    fs::create_dir(folder.join("original")).unwrap();
}

#[test]
fn a_folder_that_loads() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    model(folder);
    let left = json!([
        "lm_head",
        "model.embed_tokens",
        "model.layers.0.conv1d",
        "model.layers.0.mlp.gate",
        "model.layers.0.patch"
    ]);
    // The list of compressed-tensors omits embeddings of tokens.
    let linear =
        json!(["lm_head", "model.layers.0.conv1d", "model.layers.0.mlp.gate", "model.layers.0.patch"]);
    // Loader, recipe, an entry of the configuration and its value, the key of the modules that are not
    // quantised.
    let cases = [
        ("compressed-tensors", "nvfp4-compressed-tensors", "format", json!("nvfp4-pack-quantized"), "ignore"),
        ("compressed-tensors", "mx-even/e2m1", "format", json!("mxfp4-pack-quantized"), "ignore"),
        ("compressed-tensors", "nvfp4-llm-compressor", "format", json!("nvfp4-pack-quantized"), "ignore"),
        ("compressed-tensors", "mxfp4-compressed-tensors", "format", json!("mxfp4-pack-quantized"), "ignore"),
        ("compressed-tensors", "mxfp6-compressed-tensors", "format", json!("mxfp6-pack-quantized"), "ignore"),
        ("compressed-tensors", "mxfp8-compressed-tensors", "format", json!("mxfp8-quantized"), "ignore"),
        ("compressed-tensors", "fp8-channel", "format", json!("float-quantized"), "ignore"),
        ("compressed-tensors", "fp8-tensor", "format", json!("float-quantized"), "ignore"),
        ("compressed-tensors", "fp8-block", "format", json!("float-quantized"), "ignore"),
        ("modelopt", "fp8-channel-modelopt", "quant_algo", json!("FP8_PER_CHANNEL_PER_TOKEN"), "ignore"),
        ("modelopt", "fp8-block-modelopt", "quant_algo", json!("fp8_pb_wo"), "ignore"),
        ("modelopt", "nvfp4-modelopt", "quant_algo", json!("W4A16_NVFP4"), "ignore"),
        ("modelopt", "mxfp8-modelopt", "quant_algo", json!("MXFP8"), "ignore"),
        ("deepseek", "deepseek-128x128", "weight_block_size", json!([128, 128]), "modules_to_not_convert"),
        ("deepseek", "deepseek-128x128-ue8m0", "scale_fmt", json!("ue8m0"), "modules_to_not_convert"),
    ];
    for (number, (loader, recipe, key, value, list)) in cases.into_iter().enumerate() {
        let out = folder.join(format!("out{number}"));
        let stderr = succeeds(folder, &format!("quantize {recipe} . --for {loader} -o out{number}"));
        assert!(stderr.contains("not copied because they have weights: pytorch_model.bin"), "{stderr}");
        // transformers ignores the scales of ModelOpt's FP8.
        let misread = loader == "modelopt" && recipe != "nvfp4-modelopt";
        assert_eq!(
            stderr.contains("warning: transformers loads this folder without its scales"),
            misread,
            "{stderr}"
        );
        let config = json_of(&out.join("config.json"));
        let entry = &config["quantization_config"];
        let listed = if loader == "compressed-tensors" { &linear } else { &left };
        assert_eq!((&entry[key], &entry[list]), (&value, listed), "{recipe}");
        assert_eq!((&config["model_type"], &config["rope"]["theta"]), (&json!("llama"), &json!(1e4)));
        assert_eq!(config["big"], json!(9007199254740993_u64));
        let quant = out.join("hf_quant_config.json");
        assert_eq!(quant.exists(), loader == "modelopt");
        if quant.exists() {
            assert_eq!(json_of(&quant)["quantization"]["exclude_modules"], left);
        }
        assert!(out.join("tokenizer.json").exists() && out.join("README.md").exists());
        assert!(!out.join("pytorch_model.bin").exists() && !out.join(INDEX).exists());
        // The quantised model is marked as such, and the dequantised one is not.
        assert!(
            run(folder, &format!("quantize {recipe} out{number} --for {loader} -o out")).status.code()
                == Some(2)
        );
        succeeds(folder, &format!("dequantize out{number} --dtype bf16 -o back{number}"));
        let back = folder.join(format!("back{number}"));
        assert_eq!(json_of(&back.join("config.json")), json_of(&folder.join("config.json")));
        assert!(back.join("tokenizer.json").exists() && !back.join("hf_quant_config.json").exists());
    }
    // Every mark that a quantised model may have is removed.
    let (marked, entry) = (folder.join("out10"), json!({ "quant_method": "modelopt" }));
    for (number, config) in [
        json!({ "compression_config": entry, "limit": 1 }),
        json!({ "limit": 1, "text_config": { "quantization_config": entry, "deep": { "a": [1] } } }),
    ]
    .into_iter()
    .enumerate()
    {
        let plain = fs::read(marked.join("config.json")).unwrap();
        fs::write(marked.join("config.json"), config.to_string()).unwrap();
        succeeds(folder, &format!("dequantize out10 --dtype bf16 -o restored{number}"));
        fs::write(marked.join("config.json"), plain).unwrap();
        let mut expected = config;
        expected.as_object_mut().unwrap().remove("compression_config");
        if let Some(part) = expected.get_mut("text_config") {
            part.as_object_mut().unwrap().remove("quantization_config");
        }
        assert_eq!(json_of(&folder.join(format!("restored{number}/config.json"))), expected);
        succeeds(
            folder,
            &format!("quantize mxfp8-modelopt restored{number} --for modelopt -o again{number}"),
        );
    }
    let found = fails(folder, "quantize nvfp4-modelopt out10 --for modelopt -o out");
    assert!(found.contains("has a `quantization_config` already (quant_method `modelopt`)"), "{found}");
    // Marked in a part, or only by ModelOpt's own file.
    let plain = folder.join("config.json");
    fs::write(&plain, r#"{"text_config": {"quantization_config": {"quant_method": "fp8"}}}"#).unwrap();
    let found = fails(folder, "quantize nvfp4-modelopt . --for modelopt -o out");
    assert!(found.contains("already (quant_method `fp8`), so the model is quantised"), "{found}");
    assert_eq!(fails(folder, "quantize nvfp4-modelopt . --for modelopt --report"), found);
    fs::write(&plain, "{}").unwrap();
    fs::write(folder.join("hf_quant_config.json"), "{}").unwrap();
    let found = fails(folder, "quantize nvfp4-modelopt . --for modelopt -o out");
    assert!(found.contains("hf_quant_config.json: describes how the model was quantised"), "{found}");
    fs::remove_file(folder.join("hf_quant_config.json")).unwrap();
    // What Python's json writes, and numbers that no type of ours holds, are kept as they are written.
    let kept = r#"  "time_step_limit": [0.0, Infinity],
  "big": 123456789012345678901234567890,
  "a": 1e-05"#;
    fs::write(&plain, format!("{{\n{kept}\n}}\n")).unwrap();
    succeeds(folder, "quantize nvfp4-modelopt . --for modelopt -o infinite");
    let written = fs::read_to_string(folder.join("infinite/config.json")).unwrap();
    assert!(written.starts_with(&format!("{{\n{kept},\n  \"quantization_config\": {{")), "{written}");
    succeeds(folder, "dequantize infinite -o finite");
    assert_eq!(
        fs::read_to_string(folder.join("finite/config.json")).unwrap(),
        fs::read_to_string(&plain).unwrap()
    );
    // transformers before version 5 asks for the format of the tensors.
    let file = fs::read(folder.join("infinite/model.safetensors")).unwrap();
    let (_, header) = SafeTensors::read_metadata(&file).unwrap();
    assert_eq!(header.metadata().as_ref().unwrap()["format"], "pt");
    fs::write(folder.join("config.json"), "[]").unwrap();
    let found = fails(folder, "quantize nvfp4-modelopt . --for modelopt -o out");
    assert!(found.contains("config.json: not the JSON object of a model"), "{found}");
}

/// A model can be reported on and compared without an output; what needs one names `-o`.
#[test]
fn a_model_without_an_output() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tensors: [(&str, &[usize]); 2] = [("a.weight", &[64, 64]), ("b.weight", &[32, 64])];
    write(&folder.join("model.safetensors"), &tensors);
    let report = |arguments: &str| {
        let output = run(folder, arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let whole = report("quantize mx-rceil/e4m3 . --report");
    assert!(whole.contains("a.weight 64x64 by mx-rceil/e4m3\n  mean square error"), "{whole}");
    assert!(whole.contains("b.weight 32x64 by mx-rceil/e4m3\n"), "{whole}");
    assert_eq!(whole, report("quantize mx-rceil/e4m3 model.safetensors --report"));
    fs::write(
        folder.join(INDEX),
        r#"{"weight_map":{"a.weight":"model.safetensors","b.weight":"model.safetensors"}}"#,
    )
    .unwrap();
    assert_eq!(whole, report(&format!("quantize mx-rceil/e4m3 {INDEX} --report")));
    let data: Value = serde_json::from_str(&report("quantize mx-rceil/e4m3 . --report --json")).unwrap();
    assert_eq!(data["tensors"].as_array().unwrap().len(), tensors.len());
    let message = fails(folder, "quantize mx-rceil/e4m3 . --compare mx-rceil-te/e4m3");
    assert_eq!(message, "error: .: a checkpoint cannot be compared; --compare is for a file of arrays\n");
    let message = fails(folder, "quantize mx-rceil/e4m3 . --report --dtype bf16");
    assert!(
        message.starts_with("error: .: a checkpoint declares the types of its tensors; --dtype is for"),
        "{message}"
    );
    for arguments in [" --tensor nothing", " --exclude *.weight"] {
        let message = fails(folder, &format!("quantize mx-rceil/e4m3 . --report{arguments}"));
        assert!(message.contains("no tensor is chosen"), "{arguments}: {message}");
    }
    for arguments in ["", " --for modelopt", " --json"] {
        let message = fails(folder, &format!("quantize mxfp8-modelopt .{arguments}"));
        assert!(message.contains("--output <OUT>"), "{arguments}: {message}");
    }
}
