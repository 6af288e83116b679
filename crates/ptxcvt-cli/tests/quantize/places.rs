//! Which file and which tensor a message is about, and tensors with unusual names.

use std::fs;

use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::common::{Bench, write_array};

/// In a model of many files a message without them is of no use.
#[test]
fn errors_name_the_file_and_the_tensor() {
    let bench = Bench::of_any_command();
    let data: Vec<u8> = (0..4096).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let shaped = |shape: &[usize]| {
        TensorView::new(Dtype::F32, shape.to_vec(), &data[..shape.iter().product::<usize>() * 4]).unwrap()
    };
    let save = |name: &str, tensors: &[(&str, &[usize])]| {
        let tensors = tensors.iter().map(|(name, shape)| (*name, shaped(shape)));
        safetensors::serialize_to_file(tensors, None, &bench.path(name)).unwrap();
    };
    write_array(&bench.path("x.npy"), "<f4", &[2, 33], &data[..264]);
    write_array(&bench.path("half.npy"), "<f2", &[2, 32], &[0; 128]);
    write_array(&bench.path("one.npy"), "<f4", &[], &data[..4]);
    write_array(&bench.path("cube.npy"), "<f4", &[2, 16, 32], &data[..4096]);
    write_array(&bench.path("none.npy"), "<f4", &[0, 1 << 40, 1 << 21], &[]);
    save("m.safetensors", &[("a", &[32, 32]), ("b", &[2, 33]), ("c", &[2, 16, 32]), ("d", &[])]);
    fs::create_dir(bench.path("model")).unwrap();
    save("model/model.safetensors", &[("a.weight", &[32, 32]), ("b.weight", &[2, 33])]);
    let whole = "is not a whole number of blocks of 1x32, which `mx-rceil/e4m3` needs";
    for (command, place, what) in [
        ("mx-rceil/e4m3 x.npy", "x.npy", format!("an array of 2 rows and 33 columns {whole}")),
        ("mx-rceil/e4m3 one.npy", "one.npy", "cannot quantise a single number".into()),
        ("mx-rceil/e4m3 none.npy", "none.npy", "its shape overflows".into()),
        ("nvfp4-te-1x16 cube.npy --axis columns --swizzle", "cube.npy", "takes one matrix, not 2".into()),
        ("nvfp4-te-16x16 cube.npy --compare nvfp4-te-16x16", "cube.npy", "only one matrix".into()),
        ("mx-rceil/e4m3 m.safetensors --tensor b", "m.safetensors: tensor `b`", whole.into()),
        ("mx-rceil/e4m3 m.safetensors --tensor d", "m.safetensors: tensor `d`", "a single number".into()),
        ("jax-mxfp8/e4m3 half.npy", "half.npy", "does not accept f16".into()),
        ("mx-rceil/e4m3 model", "model/model.safetensors: tensor `b.weight`", whole.into()),
        (
            "mxfp8-modelopt model --for modelopt",
            "model/model.safetensors: tensor `b.weight`",
            "is not a whole number".into(),
        ),
    ] {
        let found = bench.fails(&format!("quantize {command} -o out.safetensors"));
        assert!(found.starts_with(&format!("error: {place}: ")), "{command}: {found}");
        assert!(found.contains(&what), "{command}: {found}");
    }
    // Quantised tensors that others changed.
    bench.succeeds("quantize nvfp4-torchao m.safetensors --tensor a --swizzle -o q.safetensors");
    let file = fs::read(bench.path("q.safetensors")).unwrap();
    let metadata = SafeTensors::read_metadata(&file).unwrap().1.metadata().clone();
    let tensors = SafeTensors::deserialize(&file).unwrap().tensors();
    for (part, shape, place, what) in [
        ("a.scales", Some(&[4, 4][..]), "a.data", "the swizzled scales take 512 bytes, not 16"),
        ("a.data", Some(&[]), "a.data", "is a single number"),
        ("a.scales", None, "a.data", "has no `a.scales` next to it"),
        ("a.global_scale", None, "a.data", "has no `a.global_scale` next to it"),
        ("a.global_scale", Some(&[2]), "a.global_scale", "holds 2 bytes, not one f32"),
    ] {
        let changed =
            tensors.iter().filter(|(name, _)| name != part || shape.is_some()).map(|(name, old)| {
                let new = shape.filter(|_| name == part).map(|shape| {
                    let bytes = &old.data()[..shape.iter().product()];
                    TensorView::new(Dtype::U8, shape.to_vec(), bytes).unwrap()
                });
                (name.as_str(), new.unwrap_or_else(|| old.clone()))
            });
        safetensors::serialize_to_file(changed, metadata.clone(), &bench.path("z.safetensors")).unwrap();
        let found = bench.fails("dequantize z.safetensors -o back.safetensors");
        assert!(found.starts_with(&format!("error: z.safetensors: tensor `{place}`")), "{what}: {found}");
        assert!(found.contains(what), "{what}: {found}");
    }
}

/// Why a tensor is not one of those that are quantised.
#[test]
fn a_choice_of_nothing_is_explained() {
    let bench = Bench::of_any_command();
    let data = vec![0; 32 * 32 * 8];
    let view = |dtype, bytes: usize| TensorView::new(dtype, vec![32, 32], &data[..1024 * bytes]).unwrap();
    let save = |tensors: &[(&str, TensorView<'_>)]| {
        safetensors::serialize_to_file(tensors.iter().cloned(), None, &bench.path("m.safetensors")).unwrap();
    };
    save(&[("a.weight", view(Dtype::F64, 8)), ("b.weight", view(Dtype::F64, 8))]);
    for options in ["mx-rceil/e4m3", "fp8-channel --for compressed-tensors"] {
        let found = bench.fails(&format!("quantize {options} m.safetensors -o q.safetensors"));
        let help = "help: `a.weight` holds F64, not f32, bf16 or f16\n";
        assert!(found.contains("no tensor is chosen") && found.contains(help), "{found}");
    }
    save(&[("a.weight", view(Dtype::F32, 4)), ("b", view(Dtype::F64, 8)), ("c", view(Dtype::I64, 8))]);
    let found = bench.fails("quantize mx-rceil/e2m1 m.safetensors --for gpt-oss -o q.safetensors");
    assert!(
        found.contains("help: --for gpt-oss quantises the experts of GPT-OSS: tensors of three axes"),
        "{found}"
    );
    let output = bench.run("quantize mx-rceil/e2m1 m.safetensors -o q.safetensors");
    let warning = "warning: `b` holds F64, not f32, bf16 or f16, and is copied unchanged\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), warning);
}

/// A tensor with the name of a part that the recipe does not have is a tensor as any other.
#[test]
fn no_tensor_is_lost_for_its_name() {
    let bench = Bench::of_any_command();
    let data = vec![0; 4096];
    let view = TensorView::new(Dtype::F32, vec![32, 32], &data).unwrap();
    let names = ["a", "a.weight", "", ".weight", "a.weight_columns"];
    let tensors = || names.iter().map(|name| (*name, view.clone()));
    safetensors::serialize_to_file(tensors(), None, &bench.path("m.safetensors")).unwrap();
    for options in ["fp8-channel --for compressed-tensors", "mxfp8-modelopt --for modelopt", "gguf-mxfp4"] {
        bench.succeeds(&format!("quantize {options} m.safetensors --tensor *.weight -o q.safetensors"));
        bench.succeeds("dequantize q.safetensors -o back.safetensors");
        let back = fs::read(bench.path("back.safetensors")).unwrap();
        let tensors = SafeTensors::deserialize(&back).unwrap();
        let mut found = tensors.names();
        found.sort_unstable();
        assert_eq!(found, ["", ".weight", "a", "a.weight", "a.weight_columns"], "{options}");
    }
}
