//! `ptxcvt quantize FOLDER --for LOADER`: the other files of a model's folder, the choice of tensors, and
//! errors in an index.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use ptxcvt_blocks::{Matrix, Options, Recipe, quantize};
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
    let config = json!({ "model_type": "llama", "rope": { "theta": 1e4 }, "big": 9007199254740993_u64 });
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
    // The list of compressed-tensors has linear layers only.
    let linear = json!(["lm_head", "model.layers.0.mlp.gate", "model.layers.0.patch"]);
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
        let said = succeeds(folder, &format!("quantize {recipe} . --for {loader} -o out{number}"));
        assert!(said.contains("not copied because they have weights: pytorch_model.bin"), "{said}");
        // transformers ignores the scales of ModelOpt's FP8.
        let misread = loader == "modelopt" && recipe != "nvfp4-modelopt";
        assert_eq!(
            said.contains("warning: transformers loads this folder without its scales"),
            misread,
            "{said}"
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
    let found = fails(folder, "quantize nvfp4-modelopt out10 --for modelopt -o out");
    assert!(found.contains("has a `quantization_config` already (quant_method `modelopt`)"), "{found}");
    // Marked in a part, or only by ModelOpt's own file.
    let plain = folder.join("config.json");
    fs::write(&plain, r#"{"text_config": {"quantization_config": {"quant_method": "fp8"}}}"#).unwrap();
    let found = fails(folder, "quantize nvfp4-modelopt . --for modelopt -o out");
    assert!(found.contains("already (quant_method `fp8`), so the model is quantised"), "{found}");
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

#[test]
fn experts_of_gpt_oss() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (experts, inputs, outputs) = (3, 64, 96);
    write(
        &folder.join("model.safetensors"),
        &[
            ("layers.0.mlp.experts.gate_up_proj", &[experts, inputs, outputs]),
            ("layers.0.mlp.experts.gate_up_proj_bias", &[experts, outputs]),
            ("layers.0.self_attn.q_proj.weight", &[64, 64]),
        ],
    );
    succeeds(folder, "quantize mx-rceil/e2m1 . --for gpt-oss -o out");
    let file = fs::read(folder.join("out/model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&file).unwrap();
    let blocks = file.tensor("layers.0.mlp.experts.gate_up_proj_blocks").unwrap();
    let scales = file.tensor("layers.0.mlp.experts.gate_up_proj_scales").unwrap();
    assert_eq!(blocks.shape(), [experts, outputs, inputs / 32, 16]);
    assert_eq!(scales.shape(), [experts, outputs, inputs / 32]);
    assert_eq!(file.tensor("layers.0.self_attn.q_proj.weight").unwrap().dtype(), Dtype::BF16);
    // Blocks run along the inputs, which are the first axis in the model.
    let recipe = Recipe::named("mx-rceil/e2m1").unwrap();
    let numbers = bytes(experts * inputs * outputs);
    let expert = &numbers[2 * inputs * outputs..4 * inputs * outputs];
    let matrix = Matrix::bytes(ptxcvt_blocks::Input::Bf16, expert, inputs, outputs).unwrap();
    let expected = quantize(&recipe, &matrix.transposed(), &Options::default()).unwrap();
    assert!(blocks.data()[expected.data.len()..2 * expected.data.len()] == expected.data[..]);
    assert!(scales.data()[expected.scales.len()..2 * expected.scales.len()] == expected.scales[..]);
    let entry = &json_of(&folder.join("out/config.json"))["quantization_config"];
    let left = json!(["layers.0.self_attn.q_proj", "lm_head"]);
    assert_eq!(*entry, json!({ "quant_method": "mxfp4", "modules_to_not_convert": left }));
    succeeds(folder, "dequantize out --dtype bf16 -o back");
    let file = fs::read(folder.join("back/model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&file).unwrap();
    let back = file.tensor("layers.0.mlp.experts.gate_up_proj").unwrap();
    assert_eq!(back.shape(), [experts, inputs, outputs]);
    // Numbers near 1 lose precision, but stay in their places.
    for (x, y) in numbers.chunks_exact(2).zip(back.data().chunks_exact(2)) {
        let number = |b: &[u8]| f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16);
        assert!((number(x) - number(y)).abs() <= 0.26 * number(x).abs(), "{} {}", number(x), number(y));
    }
    // Other loaders have matrices only.
    fs::write(folder.join("config.json"), json!({ "model_type": "gpt_oss" }).to_string()).unwrap();
    let said = succeeds(folder, "quantize fp8-channel . --for compressed-tensors -o others");
    let warning = "warning: `layers.0.mlp.experts.gate_up_proj` has all experts of a layer and is not quantised; \
        --for gpt-oss quantises them";
    assert!(said.contains(warning), "{said}");
    let quiet = "quantize fp8-channel . --for compressed-tensors --quiet -o quiet";
    assert!(!succeeds(folder, quiet).contains("warning"));
}

/// Weights of types that cannot be quantised are copied, with a warning.
#[test]
fn weights_of_other_types_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let data = vec![0; 32 * 32 * 8];
    let tensor =
        |dtype, width: usize| TensorView::new(dtype, vec![32, 32], &data[..32 * 32 * width]).unwrap();
    let tensors = [
        ("a.weight", tensor(Dtype::F32, 4)),
        ("b.weight", tensor(Dtype::F64, 8)),
        ("c.weight", tensor(Dtype::I8, 1)),
        ("d.weight", tensor(Dtype::F8_E4M3, 1)),
        ("model.embed_tokens.weight", tensor(Dtype::F64, 8)),
    ];
    safetensors::serialize_to_file(tensors, None, &folder.join("model.safetensors")).unwrap();
    fs::write(folder.join("config.json"), "{}").unwrap();
    let run = |arguments: &str| {
        succeeds(folder, &format!("quantize fp8-channel {arguments} --for compressed-tensors"))
    };
    let warning = "warning: `b.weight` holds f64, not f32, bf16 or f16, and is copied unchanged; so are 2 other tensors";
    for arguments in [". -o out", "model.safetensors -o out.safetensors"] {
        let said = run(arguments).to_lowercase();
        assert!(said.contains(warning), "{said}");
    }
    let said = run(". -o quiet --quiet") + &run(". -o chosen --exclude b.* --exclude c.* --exclude d.*");
    assert!(!said.contains("warning"), "{said}");
}

/// Embeddings, output layers and routers by other names stay whole; experts by other names are copied with a warning.
#[test]
fn weights_that_are_not_linear_layers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let whole: [(&str, &[usize]); 8] = [
        ("shared.weight", &[96, 64]),
        ("output.weight", &[96, 64]),
        ("words.weight", &[96, 64]),
        ("text.projection.weight", &[32, 80]),
        ("encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", &[32, 12]),
        ("model.layers.0.mlp.gate.wg.weight", &[32, 64]),
        ("model.layers.0.block_sparse_moe.input_linear.weight", &[4, 64, 32]),
        ("model.layers.0.mixer.conv1d.weight", &[64, 1, 4]),
    ];
    let linear: [(&str, &[usize]); 2] =
        [("model.layers.0.q_proj.weight", &[96, 64]), ("model.projector.weight", &[64, 64])];
    write(&folder.join("model.safetensors"), &[&whole[..], &linear[..]].concat());
    let config = folder.join("config.json");
    fs::write(&config, r#"{"vocab_size": 96, "text_config": {"vocab_size": 80}, "a": "\ud800"}"#).unwrap();
    let said = succeeds(folder, "quantize fp8-channel . --for compressed-tensors -o made");
    let warning = "`model.layers.0.block_sparse_moe.input_linear.weight` has three axes, as all experts of a layer have together, \
        and is not quantised";
    assert!(said.contains(warning), "{said}");
    let file = fs::read(folder.join("made/model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&file).unwrap();
    for (names, dtype) in [(&whole[..], Dtype::BF16), (&linear[..], Dtype::F8_E4M3)] {
        for (name, _) in names {
            assert_eq!(file.tensor(name).unwrap().dtype(), dtype, "{name}");
        }
    }
    assert!(fs::read_to_string(folder.join("made/config.json")).unwrap().contains(r#""a": "\ud800""#));
    // Legal JSON that no value holds is in nobody's way.
    let deep = format!(r#"{{"a": {}{}}}"#, "[".repeat(200), "]".repeat(200));
    fs::write(&config, deep).unwrap();
    succeeds(folder, "quantize fp8-channel . --for compressed-tensors -o deep");
    fs::write(&config, r#"{"compression_config": {"quant_method": "compressed-tensors"}}"#).unwrap();
    let found = fails(folder, "quantize fp8-channel . --for compressed-tensors -o out2");
    assert!(found.contains("has a `compression_config` already"), "{found}");
    fs::write(&config, r#"{"model_type": "gpt2"}"#).unwrap();
    let found = fails(folder, "quantize fp8-channel . --for modelopt -o out2");
    assert!(found.contains("`fp8-channel`"), "{found}");
    let found = fails(folder, "quantize fp8-channel . --for compressed-tensors -o out2");
    assert!(found.contains("a model of type `gpt2` has weights of the class Conv1D"), "{found}");
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
    for arguments in [" --tensor nothing", " --exclude *.weight"] {
        let message = fails(folder, &format!("quantize mx-rceil/e4m3 . --report{arguments}"));
        assert!(message.contains("no tensor is chosen"), "{arguments}: {message}");
    }
    for arguments in ["", " --for modelopt", " --json"] {
        let message = fails(folder, &format!("quantize mxfp8-modelopt .{arguments}"));
        assert!(message.contains("--output <OUT>"), "{arguments}: {message}");
    }
}

#[test]
fn what_is_wrong_with_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(&folder.join("a.safetensors"), &[("x.weight", &[32, 32]), ("y.weight", &[32, 32])]);
    write(&folder.join("b.safetensors"), &[("norm.weight", &[32])]);
    write(&folder.join("c.safetensors"), &[("x.weight", &[32, 32])]);
    let index = |map: Value| fs::write(folder.join(INDEX), json!({ "weight_map": map }).to_string()).unwrap();
    let command = "quantize mx-rceil/e2m1 . -o out";
    for (map, message) in [
        (json!({ "x.weight": "d.safetensors" }), "d.safetensors: "),
        (json!({ "x.weight": "/a.safetensors" }), "is not the name of a file next to the index"),
        (json!({ "x.weight": "sub/../a.safetensors" }), "is not the name of a file next to the index"),
        (json!({ "x.weight": ".." }), "is not the name of a file next to the index"),
        (json!({ "z.weight": "a.safetensors" }), "has no tensor `z.weight`, which the index places there"),
        (
            json!({ "norm.weight": "a.safetensors", "x.weight": "b.safetensors" }),
            "has no tensor `norm.weight`",
        ),
        (
            json!({ "x.weight": "a.safetensors", "norm.weight": "b.safetensors", "y.weight": "c.safetensors" }),
            "tensor `x.weight` is also in a.safetensors",
        ),
        (json!({}), "names no tensors"),
        (json!([]), "not an index of safetensors files"),
    ] {
        index(map.clone());
        let found = fails(folder, command);
        assert!(found.contains(message), "{map}: {found}");
    }
    // A file with one vector: it is copied, although it is the only tensor.
    index(
        json!({ "x.weight": "a.safetensors", "y.weight": "a.safetensors", "norm.weight": "b.safetensors" }),
    );
    succeeds(folder, command);
    let file = fs::read(folder.join("out/b.safetensors")).unwrap();
    assert_eq!(SafeTensors::deserialize(&file).unwrap().tensor("norm.weight").unwrap().dtype(), Dtype::BF16);
}

/// A part of a quantised tensor may have the name of another tensor. That is found before the first byte is written.
#[test]
fn two_tensors_of_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tensors: [(&str, &[usize]); 2] =
        [("a.up_proj.weight", &[32, 32]), ("a.up_proj.weight_packed", &[32])];
    write(&folder.join("model.safetensors"), &tensors);
    let found = fails(folder, "quantize nvfp4-llm-compressor . --for compressed-tensors -o out");
    let message = "error: out/model.safetensors: two tensors would have the name `a.up_proj.weight_packed`";
    assert!(found.starts_with(message), "{found}");
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    model(folder);
    std::os::unix::fs::symlink("gone", folder.join("out")).unwrap();
    for name in ["out", "out/"] {
        let message = fails(folder, &format!("quantize mx-rceil/e4m3 . -o {name}"));
        let wanted = "error: out: is a link to gone, which does not exist\n";
        assert!(message.starts_with(wanted), "{message}");
    }
    assert!(!folder.join("out.part").exists());
    std::os::unix::fs::symlink("gone/x.safetensors", folder.join("x.safetensors")).unwrap();
    let message = fails(folder, "quantize mx-rceil/e4m3 model.safetensors -o x.safetensors");
    let wanted = "x.safetensors: is a link to gone/x.safetensors; no file can be made in gone: ";
    assert!(message.contains(wanted), "{message}");
}
