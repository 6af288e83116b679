//! Warnings about folders that a program misreads or refuses.

use safetensors::{Dtype, tensor::TensorView};

use super::{succeeds, write};

/// The command's messages when it quantises a model of these tensors.
fn warnings(arguments: &str, tensors: &[(&str, &[usize])]) -> String {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("model.safetensors"), tensors);
    std::fs::write(folder.path().join("config.json"), r#"{"model_type": "llama"}"#).unwrap();
    succeeds(folder.path(), &format!("quantize {arguments} -o out"))
}

/// Programs compute garbage for tensors with a partial last block, or refuse them, for some loaders.
#[test]
fn blocks_that_are_not_whole() {
    let tensors: [(&str, &[usize]); 4] = [
        ("layers.0.q_proj.weight", &[256, 128]),
        ("layers.0.up_proj.weight", &[160, 128]),
        ("layers.0.down_proj.weight", &[128, 192]),
        ("layers.0.norm.weight", &[160]),
    ];
    for recipe in ["deepseek-128x128", "deepseek-128x128-ue8m0"] {
        let warning = "warning: `layers.0.down_proj.weight` is 128x192, not whole blocks of 128x128; so is 1 other tensor: where \
            transformers dequantises such tensors it computes garbage or refuses them, and vLLM and SGLang refuse those that they \
            join or split\n";
        assert_eq!(warnings(&format!("{recipe} . --for deepseek"), &tensors), warning);
        assert_eq!(warnings(&format!("{recipe} . --for deepseek --quiet"), &tensors), "");
        assert_eq!(warnings(&format!("{recipe} . --for deepseek"), &tensors[..1]), "");
    }
    let arguments = "fp8-block . --for compressed-tensors";
    let columns = "warning: `layers.0.down_proj.weight` is 128x192, not whole blocks of 128x128; so is 1 other tensor: vLLM and SGLang \
        refuse such tensors where they join or split them; where the columns are not whole blocks, the first pass in transformers \
        fails, unless you load the folder with `quantization_config=CompressedTensorsConfig(dequantize=True)`\n";
    assert_eq!(warnings(arguments, &tensors), columns);
    let rows = "warning: `layers.0.up_proj.weight` is 160x128, not whole blocks of 128x128: vLLM and SGLang refuse such tensors where \
        they join or split them\n";
    assert_eq!(warnings(arguments, &tensors[..2]), rows);
    assert_eq!(warnings(arguments, &tensors[..1]), "");
    let modelopt = "warning: `layers.0.down_proj.weight` is 128x192, not whole blocks of 128x128; so is 1 other tensor: vLLM refuses such \
        tensors\n";
    let all = warnings("fp8-block-modelopt . --for modelopt", &tensors);
    assert!(all.ends_with(modelopt), "{all}");
    // Blocks of whole rows are never partial.
    assert_eq!(warnings("fp8-channel . --for compressed-tensors", &tensors), "");
}

/// vLLM and SGLang join layers only if all of them are quantised, or none.
#[test]
fn a_part_of_what_loaders_join() {
    let tensors: [(&str, &[usize]); 5] = [
        ("layers.0.attn.q_proj.weight", &[128, 128]),
        ("layers.0.attn.k_proj.weight", &[128, 128]),
        ("layers.0.attn.v_proj.weight", &[128, 128]),
        ("layers.1.attn.q_proj.weight", &[128, 128]),
        ("layers.1.attn.v_proj.weight", &[128, 128]),
    ];
    for recipe in ["nvfp4-llm-compressor . --for compressed-tensors", "fp8-channel-modelopt . --for modelopt"]
    {
        let all = warnings(recipe, &tensors);
        assert!(!all.contains("join"), "{all}");
        let none = warnings(&format!("{recipe} --exclude layers.0.*"), &tensors);
        assert!(!none.contains("join"), "{none}");
        for choice in ["--exclude *.v_proj.weight", "--tensor *.q_proj.weight --tensor *.k_proj.weight"] {
            let some = warnings(&format!("{recipe} {choice}"), &tensors);
            let warning = "warning: `layers.0.attn.k_proj.weight` is quantised and `layers.0.attn.v_proj.weight` is not (and 1 pair more): \
                vLLM and SGLang join these layers, and refuse them unless all or none are quantised";
            assert!(some.contains(warning), "{some}");
        }
    }
}

/// vLLM looks for the names of ModelOpt's list in the names of modules.
#[test]
fn a_name_that_contains_one_of_the_list() {
    let tensors: [(&str, &[usize]); 4] = [
        ("layers.0.mlp.gate.weight", &[32, 128]),
        ("layers.0.mlp.gate_proj.weight", &[128, 128]),
        ("layers.0.mlp.up_proj.weight", &[128, 128]),
        ("layers.1.mlp.gate_proj.weight", &[128, 128]),
    ];
    let warning = "warning: `layers.0.mlp.gate_proj` is quantised and its name contains `layers.0.mlp.gate`, which is in the list of \
        modules that are not: vLLM takes it for one of them and misreads its weight\n";
    assert!(warnings("nvfp4-modelopt . --for modelopt", &tensors).contains(warning));
    assert_eq!(warnings("nvfp4-modelopt . --for modelopt", &tensors[1..3]), "");
    assert_eq!(warnings("nvfp4-llm-compressor . --for compressed-tensors", &tensors), "");
}

/// transformers joins experts.
#[test]
fn folders_that_transformers_does_not_load() {
    let linear: (&str, &[usize]) = ("layers.0.fc1.weight", &[128, 128]);
    let [up, down]: [(&str, &[usize]); 2] =
        [("layers.0.experts.0.up.weight", &[128, 128]), ("layers.0.experts.1.up.weight", &[128, 128])];
    let part = "it joins experts with packed weights only if all are quantised, and `layers.0.experts.0.up.weight` is not";
    let blocks =
        "it joins experts, such as `layers.0.experts.0.up.weight`, but not the scales of their blocks";
    let none = "";
    for (recipe, tensors, exclude, why) in [
        ("mxfp6-compressed-tensors", [up, down], "nothing", none),
        ("mxfp6-compressed-tensors", [up, down], "*.0.up.weight", part),
        ("nvfp4-llm-compressor", [linear, up], "*.up.weight", part),
        ("fp8-channel", [up, down], "*.0.up.weight", none),
        ("fp8-tensor", [up, down], "nothing", none),
        ("fp8-block", [up, down], "nothing", blocks),
        ("mxfp8-compressed-tensors", [up, down], "nothing", blocks),
        ("mxfp8-compressed-tensors", [linear, up], "*.up.weight", none),
    ] {
        let arguments = format!("{recipe} . --for compressed-tensors --exclude {exclude}");
        let expected = match why {
            "" => String::new(),
            why => format!("warning: transformers does not load this folder: {why}\n"),
        };
        let unmatched = "warning: --exclude nothing matches no name of a tensor\n";
        assert_eq!(warnings(&arguments, &tensors).replace(unmatched, ""), expected, "{arguments}");
    }
}

/// What was tried of each kind of model, and what was not.
#[test]
fn kinds_of_models_that_were_tried_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let linear: (&str, &[usize]) = ("layers.0.fc1.weight", &[128, 128]);
    let vision: (&str, &[usize]) = ("vision_tower.layers.0.fc1.weight", &[128, 128]);
    write(&folder.join("model.safetensors"), &[linear, vision]);
    let option = "`quantization_config=CompressedTensorsConfig(dequantize=True)`";
    let check = "compare the outputs of the loaded folder with those of the original model";
    let packed = |kind: &str, more: &str| {
        format!(
            "transformers 5.24.0 does not load this folder as it is, because it is of a model of type `{kind}`; with {option} it does{more}"
        )
    };
    let untried = |kind: &str| {
        format!("ptxcvt has not tried models of type `{kind}` with transformers 5.24.0: {check}")
    };
    let nameless = format!(
        "config.json has no `model_type`, so ptxcvt cannot tell whether the tensors' names fit the loader: {check}"
    );
    let of = |kind: &str| format!(r#"{{"model_type": "{kind}"}}"#);
    let parts = |kind: &str, vision: &str| {
        format!(r#"{{"model_type": "{kind}", "vision_config": {{"model_type": "{vision}"}}}}"#)
    };
    let chosen = "; this was tried with all linear layers quantised";
    for (config, options, warning) in [
        (of("llama"), "mxfp4-compressed-tensors --for compressed-tensors", String::new()),
        (of("t5"), "fp8-channel --for compressed-tensors", String::new()),
        (of("t5"), "mxfp4-compressed-tensors --for compressed-tensors", packed("t5", "")),
        (of("t5"), "nvfp4-llm-compressor --for compressed-tensors --exclude v*", packed("t5", chosen)),
        (of("t6"), "fp8-channel --for compressed-tensors", untried("t6")),
        (of("t6"), "fp8-channel --for compressed-tensors --quiet", String::new()),
        (of("t6"), "nvfp4-modelopt --for modelopt", untried("t6")),
        (of("t6"), "fp8-channel", String::new()),
        ("{}".to_owned(), "fp8-channel --for compressed-tensors", nameless.clone()),
        (String::new(), "nvfp4-modelopt --for modelopt", nameless),
        (parts("gemma3", "siglip_vision_model"), "fp8-channel --for compressed-tensors", String::new()),
        (
            parts("gemma3", "siglip_vision_model"),
            "nvfp4-llm-compressor --for compressed-tensors",
            packed("gemma3", ""),
        ),
        // A part that the model which was tried does not have.
        (parts("llama", "eyes"), "fp8-channel --for compressed-tensors", untried("eyes")),
        (parts("llama", "eyes"), "fp8-channel --for compressed-tensors --exclude vision*", String::new()),
    ] {
        let path = folder.join("config.json");
        match config.as_str() {
            "" => std::fs::remove_file(path).unwrap(),
            text => std::fs::write(path, text).unwrap(),
        }
        let _ = std::fs::remove_dir_all(folder.join("out"));
        let (recipe, more) = options.split_once(' ').unwrap_or((options, ""));
        let expected = match warning.as_str() {
            "" => String::new(),
            text => format!("warning: {text}\n"),
        };
        assert_eq!(
            succeeds(folder, &format!("quantize {recipe} . {more} -o out")),
            expected,
            "{config} {options}"
        );
    }
}

/// transformers runs a model in the type of its configuration or of its first tensor of numbers, and
/// compressed-tensors restores most weights in bf16: conformance/blocks/dtypes.py.
#[test]
fn models_of_other_types_than_bf16() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let zeros = vec![0; 128 * 128 * 4];
    // A tensor of norms that is before or behind the weight, and the weight.
    let write = |norm: &str, dtype: Dtype| {
        let width = dtype.bitsize() / 8;
        let view = |shape: &[usize]| {
            let bytes = shape.iter().product::<usize>() * width;
            TensorView::new(dtype, shape.to_vec(), &zeros[..bytes]).unwrap()
        };
        let tensors = [(norm, view(&[128])), ("layers.0.fc1.weight", view(&[128, 128]))];
        safetensors::serialize_to_file(tensors, None, &folder.join("model.safetensors")).unwrap();
    };
    let run = |config: &str, options: &str| {
        std::fs::write(folder.join("config.json"), config).unwrap();
        let _ = std::fs::remove_dir_all(folder.join("out"));
        succeeds(folder, &format!("quantize {options} -o out"))
    };
    let fails = |dtype: &str| {
        format!(
            "warning: transformers 5.24.0 loads this folder in {dtype}, and its first pass fails, because the package compressed-tensors \
            restores such weights in bf16: load it with `dtype=torch.bfloat16`, or with \
            `quantization_config=CompressedTensorsConfig(dequantize=True)`\n"
        )
    };
    let llama = |dtype: &str| format!(r#"{{"model_type": "llama"{dtype}}}"#);
    let of_config = |key: &str, dtype: &str| llama(&format!(r#", "{key}": "{dtype}""#));
    let [packed, mxfp8, fp8] = ["mxfp4-compressed-tensors", "mxfp8-compressed-tensors", "fp8-channel"]
        .map(|recipe| format!("{recipe} . --for compressed-tensors"));
    write("a.norm.weight", Dtype::F16);
    for recipe in ["nvfp4-llm-compressor", "mxfp6-compressed-tensors"] {
        assert_eq!(run(&llama(""), &format!("{recipe} . --for compressed-tensors")), fails("f16"));
    }
    assert_eq!(run(&llama(""), &packed), fails("f16"));
    assert_eq!(run(&llama(""), &format!("{packed} --quiet")), "");
    assert_eq!(run(&of_config("dtype", "float32"), &mxfp8), fails("f32"));
    assert_eq!(run(&of_config("torch_dtype", "torch.float16"), &mxfp8), fails("f16"));
    // The type of the configuration counts.
    assert_eq!(run(&of_config("dtype", "bfloat16"), &packed), "");
    assert_eq!(run(&llama(""), &fp8), "");
    assert!(!run(&llama(""), "mxfp8-modelopt . --for modelopt").contains("bf16"));
    // A model that does not load at all has one warning.
    let t5 = run(r#"{"model_type": "t5", "dtype": "float16"}"#, &packed);
    assert!(t5.contains("of type `t5`") && !t5.contains("bf16"), "{t5}");
    // A kind of model that was not tried has both.
    let unknown = run(r#"{"model_type": "t6", "dtype": "float16"}"#, &packed);
    assert!(unknown.contains("has not tried") && unknown.contains(&fails("f16")), "{unknown}");
    // The global scale is f32, and is the first tensor by its name here.
    write("z.norm.weight", Dtype::BF16);
    let nvfp4 = "nvfp4-llm-compressor . --for compressed-tensors";
    assert_eq!(run(&llama(""), nvfp4), fails("f32"));
    assert_eq!(run(&of_config("dtype", "bfloat16"), nvfp4), "");
    write("a.norm.weight", Dtype::BF16);
    assert_eq!(run(&llama(""), nvfp4), "");
}

/// A file alone does not say how it is quantised.
#[test]
fn a_single_file_has_no_configuration() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("model.safetensors"), &[("layers.0.mlp.down_proj.weight", &[128, 128])]);
    let notes = |more: &str| {
        succeeds(
            folder.path(),
            &format!("quantize nvfp4-modelopt model.safetensors{more} -o out.safetensors"),
        )
    };
    let note = "note: out.safetensors has no config.json, in which loaders find how it is quantised: quantise the folder of the model\n";
    assert_eq!(notes(" --for modelopt"), note);
    assert_eq!(notes(" --for modelopt --quiet"), "");
    assert_eq!(notes(""), "");
}

/// Tensors that the user names may be other tensors than weights of linear layers.
#[test]
fn tensors_that_no_loader_reads_quantised() {
    let tensors: [(&str, &[usize]); 4] = [
        ("lm_head.weight", &[128, 128]),
        ("model.embed_tokens.weight", &[128, 128]),
        ("model.layers.0.q_norm.weight", &[4, 32]),
        ("model.layers.0.norm.weight", &[128]),
    ];
    let recipe = "mxfp4-compressed-tensors . --for compressed-tensors --tensor";
    let warning = "warning: `model.embed_tokens.weight` is quantised, and by its name and its axes it is not the weight of a linear layer; so \
        are 2 other tensors: loaders expect such tensors unquantised\n";
    assert_eq!(warnings(&format!("{recipe} *"), &tensors), warning);
    assert_eq!(warnings(&format!("{recipe} lm_head*"), &tensors), "");
}

/// A single file has the warnings of a folder, and one about layers that may be in other files.
#[test]
fn a_single_file_of_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let tensors: [(&str, &[usize]); 4] = [
        ("layers.0.q_proj.weight", &[128, 128]),
        ("layers.0.up_proj.weight", &[128, 128]),
        ("layers.0.gate_proj.weight", &[128, 128]),
        ("layers.0.experts.up", &[4, 128, 128]),
    ];
    write(&folder.path().join("a.safetensors"), &tensors);
    let notes = |arguments: &str| {
        succeeds(
            folder.path(),
            &format!("quantize nvfp4-llm-compressor a.safetensors -o b.safetensors {arguments}"),
        )
    };
    let apart = "warning: `layers.0.q_proj.weight` shares no global scale with the layers that loaders join with it, which may be in other \
        files\n";
    let experts = "`layers.0.experts.up` has all experts of a layer and is not quantised";
    let of_loader = notes("--for compressed-tensors");
    assert!(of_loader.contains(apart) && of_loader.contains(experts), "{of_loader}");
    assert!(!notes("--for compressed-tensors --no-fuse").contains(apart));
    let split = notes("--for compressed-tensors --exclude *gate*");
    assert!(split.contains("vLLM and SGLang join these layers"), "{split}");
    assert_eq!(notes(""), "");
}
