//! What a quantised file says about itself, and the files that `dequantize` refuses.

use std::fs;

use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::common::{Bench, write_array};

const OWN: &str = include_str!("../common/own.toml");

/// A file contains the recipe with which it is dequantised: the recipe's own file may change or disappear.
#[test]
fn a_quantised_file_is_read_by_the_lines_in_it() {
    let bench = Bench::of_any_command();
    let data: Vec<u8> = (0..64).flat_map(|i| (i as f32).to_le_bytes()).collect();
    write_array(&bench.path("x.npy"), "<f4", &[2, 32], &data);
    fs::write(bench.path("own.toml"), OWN).unwrap();
    bench.succeeds("quantize own.toml x.npy -o q.safetensors");
    bench.succeeds("dequantize q.safetensors -o first.npy");
    fs::write(bench.path("own.toml"), OWN.replace("w * 2", "w * 4")).unwrap();
    bench.succeeds("dequantize q.safetensors -o edited.npy");
    fs::remove_file(bench.path("own.toml")).unwrap();
    bench.succeeds("dequantize q.safetensors -o gone.npy");
    let read = |name: &str| fs::read(bench.path(name)).unwrap();
    assert!(read("first.npy") == read("edited.npy") && read("first.npy") == read("gone.npy"));
    let file = read("q.safetensors");
    let metadata = SafeTensors::read_metadata(&file).unwrap().1.metadata().clone().unwrap();
    for key in ["metadata", "version", "recipe", "recipe.toml", "recipe.sha256", "axis", "swizzle", "sha256"]
    {
        assert!(metadata.contains_key(&format!("ptxcvt.{key}")), "{key}: {metadata:?}");
    }
    assert!(metadata["ptxcvt.recipe.toml"].contains("v = w * 2"));
}

/// A tensor without a name is restored next to one with the name that its entry would have.
#[test]
fn a_tensor_without_a_name_next_to_one_named_array() {
    let bench = Bench::of_any_command();
    let data: Vec<u8> = (0..64).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let names = ["", "array", "array_", "w"];
    let views = names.map(|name| (name, TensorView::new(Dtype::F32, vec![2, 32], &data).unwrap()));
    safetensors::serialize_to_file(views, None, &bench.path("x.safetensors")).unwrap();
    bench.succeeds("quantize mx-rceil/e4m3 x.safetensors -o q.safetensors");
    bench.succeeds("dequantize q.safetensors -o back.safetensors");
    let back = fs::read(bench.path("back.safetensors")).unwrap();
    let back = SafeTensors::deserialize(&back).unwrap();
    let mut restored: Vec<&str> = back.names().into_iter().collect();
    restored.sort_unstable();
    assert_eq!(restored, names);
    assert!(names.iter().all(|name| back.tensor(name).unwrap().dtype() == Dtype::F32));
}

/// `dequantize` refuses metadata that were changed, such as the axis of a square matrix, whose shapes are the same
/// either way. Files of the first version have no digest of them.
#[test]
fn metadata_that_were_changed_are_refused() {
    let bench = Bench::of_any_command();
    let data: Vec<u8> = (0..64 * 64).flat_map(|i| (i as f32).to_le_bytes()).collect();
    write_array(&bench.path("x.npy"), "<f4", &[64, 64], &data);
    for recipe in ["mx-rceil/e4m3", "nvfp4-modelopt"] {
        bench.succeeds(&format!("quantize {recipe} x.npy --axis columns -o q.safetensors"));
        let file = fs::read(bench.path("q.safetensors")).unwrap();
        let tensors = SafeTensors::deserialize(&file).unwrap();
        let metadata = SafeTensors::read_metadata(&file).unwrap().1.metadata().clone().unwrap();
        bench.succeeds("dequantize q.safetensors -o right.npy");
        let changes = [
            ("axis", Some("rows")),
            ("swizzle", Some("128x4")),
            ("for", Some("modelopt")),
            ("input.array", Some("data f32 64 1 64")),
            ("input.other", Some("other f32 64 64")),
            ("global_amax", Some("1")),
            ("metadata", Some("1")),
            ("sha256", Some("0")),
            ("metadata", None),
            ("sha256", None),
        ];
        for (key, value) in changes {
            let mut changed = metadata.clone();
            match value {
                Some(value) => drop(changed.insert(format!("ptxcvt.{key}"), value.to_owned())),
                None => drop(changed.remove(&format!("ptxcvt.{key}"))),
            }
            let path = bench.path("z.safetensors");
            safetensors::serialize_to_file(tensors.tensors(), Some(changed), &path).unwrap();
            for command in ["dequantize z.safetensors", &format!("dequantize {recipe} z.safetensors")] {
                let found = bench.fails(&format!("{command} -o back.npy"));
                let message = match (key, value) {
                    ("sha256", None) => "lacks `ptxcvt.sha256`",
                    _ => "does not match its digest",
                };
                assert!(found.contains(message), "{key}: {found}");
            }
        }
        // Other keys are other programs'.
        let mut more = metadata.clone();
        more.insert("format".to_owned(), "pt".to_owned());
        let mut older = metadata;
        older.insert("ptxcvt.metadata".to_owned(), "1".to_owned());
        older.remove("ptxcvt.sha256");
        for metadata in [more, older] {
            let path = bench.path("z.safetensors");
            safetensors::serialize_to_file(tensors.tensors(), Some(metadata), &path).unwrap();
            bench.succeeds("dequantize z.safetensors -o back.npy");
            assert!(fs::read(bench.path("back.npy")).unwrap() == fs::read(bench.path("right.npy")).unwrap());
        }
    }
}

/// `dequantize` refuses metadata that it cannot follow. The test uses metadata of the first version, without a digest.
#[test]
fn metadata_that_cannot_be_followed_are_refused() {
    let bench = Bench::of_any_command();
    let data: Vec<u8> = (0..64).flat_map(|i| (i as f32).to_le_bytes()).collect();
    write_array(&bench.path("x.npy"), "<f4", &[2, 32], &data);
    bench.succeeds("quantize mx-rceil/e4m3 x.npy -o q.safetensors");
    let file = fs::read(bench.path("q.safetensors")).unwrap();
    let mut metadata = SafeTensors::read_metadata(&file).unwrap().1.metadata().clone().unwrap();
    metadata.insert("ptxcvt.metadata".to_owned(), "1".to_owned());
    metadata.remove("ptxcvt.sha256");
    let tensors = SafeTensors::deserialize(&file).unwrap();
    let with = |changes: &[(&str, Option<&str>)]| {
        let mut metadata = metadata.clone();
        for (key, value) in changes {
            match value {
                Some(value) => drop(metadata.insert((*key).to_owned(), (*value).to_owned())),
                None => drop(metadata.remove(*key)),
            }
        }
        safetensors::serialize_to_file(tensors.tensors(), Some(metadata), &bench.path("z.safetensors"))
            .unwrap();
    };
    let without_text = [("ptxcvt.recipe.toml", None), ("ptxcvt.recipe.sha256", None)];
    let edited = metadata["ptxcvt.recipe.toml"].replace("q * s", "q * s ");
    for (changes, message) in [
        (&[("ptxcvt.metadata", Some("3"))][..], "`ptxcvt.metadata` to `3`, which is unknown"),
        (&[("ptxcvt.swizzle", Some("64x8"))], "`ptxcvt.swizzle` to `64x8`, which is unknown"),
        (&[("ptxcvt.axis", Some("diagonal"))], "`ptxcvt.axis` to `diagonal`, which is unknown"),
        (&[("ptxcvt.for", Some("unheard-of"))], "`ptxcvt.for` to `unheard-of`, which is unknown"),
        (&[("ptxcvt.recipe.toml", Some(&edited))], "does not match its digest"),
        (&[("ptxcvt.recipe.sha256", None)], "does not match its digest"),
        (
            &[("ptxcvt.recipe", Some("mx-ceil/e4m3"))],
            "names the recipe `mx-ceil/e4m3`, and its lines are those of",
        ),
        (
            &[
                ("ptxcvt.metadata", None),
                ("ptxcvt.recipe", Some("own.toml")),
                without_text[0],
                without_text[1],
            ],
            "made by the recipe in own.toml, which it does not contain",
        ),
        (
            &[
                ("ptxcvt.metadata", None),
                ("ptxcvt.recipe", Some("mx-nothing")),
                without_text[0],
                without_text[1],
            ],
            "no recipe `mx-nothing`",
        ),
        (&without_text, "lacks `ptxcvt.recipe.toml`"),
        (&[("ptxcvt.axis", None)], "lacks `ptxcvt.axis`"),
        (&[("ptxcvt.swizzle", None)], "lacks `ptxcvt.swizzle`"),
        (&[("ptxcvt.input.array", Some("data f32 -1 2"))], "`ptxcvt.input.array` to `data f32 -1 2`"),
        (&[("ptxcvt.input.array", Some("data"))], "`ptxcvt.input.array` to `data`"),
        (
            &[("ptxcvt.input.array", Some("data f32 32 2"))],
            "those of shape [2, 32], and its metadata say [32, 2]",
        ),
        (&[("ptxcvt.input.array", None)], "z.safetensors: holds no quantised tensors with known names"),
        (&[("ptxcvt.input.array", Some("d f32 2 32"))], "its metadata list `d`, which is not in it"),
        (&[("ptxcvt.input.b", Some("b.data f32 2 32"))], "its metadata list `b.data`, which is not in it"),
    ] {
        with(changes);
        for output in ["back.npy", "back.safetensors"] {
            let found = bench.fails(&format!("dequantize z.safetensors -o {output}"));
            assert!(found.contains(message), "{found}");
        }
    }
    // An older version wrote this metadata.
    with(&[("ptxcvt.metadata", None), without_text[0], without_text[1]]);
    bench.succeeds("dequantize z.safetensors -o back.npy");
}

/// The lines of the recipe that the metadata repeat must be the recipe's, unless the user names the recipe.
#[test]
fn lines_of_another_recipe_are_refused() {
    let bench = Bench::of_any_command();
    let data: Vec<u8> = (0..64).flat_map(|i| (i as f32).to_le_bytes()).collect();
    write_array(&bench.path("x.npy"), "<f4", &[2, 32], &data);
    bench.succeeds("quantize nvfp4-modelopt x.npy -o q.safetensors");
    let file = fs::read(bench.path("q.safetensors")).unwrap();
    let tensors = SafeTensors::deserialize(&file).unwrap();
    for key in ["ptxcvt.global_scale", "ptxcvt.dequantize"] {
        let mut metadata = SafeTensors::read_metadata(&file).unwrap().1.metadata().clone().unwrap();
        assert!(metadata.insert(key.to_owned(), "G = 7".to_owned()).is_some());
        safetensors::serialize_to_file(tensors.tensors(), Some(metadata), &bench.path("z.safetensors"))
            .unwrap();
        let found = bench.fails("dequantize z.safetensors -o back.npy");
        assert!(found.contains(&format!("its metadata sets `{key}` to `G = 7`, but the recipe")), "{found}");
        bench.succeeds("dequantize nvfp4-modelopt z.safetensors -o back.npy");
    }
}

/// Elements and scales of another type or shape than the recipe's are refused; bytes may hold any format.
#[test]
fn tensors_of_another_recipe_are_refused() {
    let bench = Bench::of_any_command();
    let data: Vec<u8> = (0..4096).flat_map(|i| (i as f32).to_le_bytes()).collect();
    write_array(&bench.path("x.npy"), "<f4", &[64, 64], &data);
    bench.succeeds("quantize mx-rceil/e4m3 x.npy -o q.safetensors");
    let found = bench.fails("dequantize mx-rceil/e5m2 q.safetensors -o back.npy");
    assert!(found.contains("`data` holds F8_E4M3, not the e5m2 of the recipe"), "{found}");
    let file = fs::read(bench.path("q.safetensors")).unwrap();
    let metadata = SafeTensors::read_metadata(&file).unwrap().1.metadata().clone();
    let tensors = SafeTensors::deserialize(&file).unwrap();
    let written = |ty: Dtype, scales: Dtype, shape: &[usize]| {
        let [data, old] = ["data", "scales"].map(|name| tensors.tensor(name).unwrap());
        let data = TensorView::new(ty, vec![64, 64], data.data()).unwrap();
        let scales = TensorView::new(scales, shape.to_vec(), old.data()).unwrap();
        let all = [("data", data), ("scales", scales)];
        safetensors::serialize_to_file(all, metadata.clone(), &bench.path("z.safetensors")).unwrap();
    };
    for (ty, scales, shape, message) in [
        (Dtype::F8_E5M2, Dtype::F8_E8M0, &[64, 2][..], "`data` holds F8_E5M2, not the e4m3 of the recipe"),
        (Dtype::F8_E4M3, Dtype::F8_E4M3, &[64, 2], "`scales` holds F8_E4M3, not the ue8m0 of the recipe"),
        (Dtype::F8_E4M3, Dtype::F8_E8M0, &[2, 64], "the scales have shape [2, 64], not [64, 2]"),
        (Dtype::F8_E4M3, Dtype::F8_E8M0, &[128], "the scales have shape [128], not [64, 2]"),
    ] {
        written(ty, scales, shape);
        let found = bench.fails("dequantize z.safetensors -o back.npy");
        assert!(found.contains(message), "{found}");
    }
    for (ty, shape) in [(Dtype::F8_E4M3, &[64, 2][..]), (Dtype::U8, &[64, 2, 1]), (Dtype::I8, &[1, 64, 2])] {
        written(ty, Dtype::U8, shape);
        bench.succeeds("dequantize z.safetensors -o back.npy");
    }
    written(Dtype::U8, Dtype::U8, &[64, 2]);
    bench.succeeds("dequantize mx-rceil/e5m2 z.safetensors -o back.npy");
}

/// The tensor of the global scale holds one f32.
#[test]
fn a_global_scale_of_another_size_or_type_is_refused() {
    let bench = Bench::of_any_command();
    let data: Vec<u8> = (0..512).flat_map(|i| (i as f32).to_le_bytes()).collect();
    write_array(&bench.path("x.npy"), "<f4", &[16, 32], &data);
    bench.succeeds("quantize nvfp4-torchao x.npy -o q.safetensors");
    let file = fs::read(bench.path("q.safetensors")).unwrap();
    let metadata = SafeTensors::read_metadata(&file).unwrap().1.metadata().clone();
    let two = TensorView::new(Dtype::F32, vec![2], &[0; 8]).unwrap();
    let tensors = SafeTensors::deserialize(&file).unwrap().tensors().into_iter();
    let tensors: Vec<_> = tensors
        .map(|(name, tensor)| if name == "global_scale" { (name, two.clone()) } else { (name, tensor) })
        .collect();
    safetensors::serialize_to_file(tensors, metadata.clone(), &bench.path("z.safetensors")).unwrap();
    let found = bench.fails("dequantize z.safetensors -o back.npy");
    assert!(found.contains("z.safetensors: tensor `global_scale` holds 8 bytes, not one f32"), "{found}");
    // Four bytes of another type are not an f32; bytes may hold one.
    let old = SafeTensors::deserialize(&file).unwrap();
    let word = old.tensor("global_scale").unwrap().data();
    for (ty, shape, is_right) in [
        (Dtype::BF16, &[2][..], false),
        (Dtype::I32, &[], false),
        (Dtype::F8_E4M3, &[4], false),
        (Dtype::BOOL, &[4], false),
        (Dtype::U8, &[4], true),
        (Dtype::I8, &[4], true),
        (Dtype::F32, &[1], true),
    ] {
        let other = TensorView::new(ty, shape.to_vec(), word).unwrap();
        let tensors = old.tensors().into_iter();
        let tensors =
            tensors.map(
                |(name, tensor)| if name == "global_scale" { (name, other.clone()) } else { (name, tensor) },
            );
        safetensors::serialize_to_file(tensors, metadata.clone(), &bench.path("z.safetensors")).unwrap();
        if is_right {
            bench.succeeds("dequantize z.safetensors -o back.npy");
            continue;
        }
        let found = bench.fails("dequantize z.safetensors -o back.npy");
        assert!(
            found.contains(&format!("tensor `global_scale` holds {ty}, not the f32 of the recipe")),
            "{found}"
        );
    }
    bench.succeeds("quantize nvfp4-te-row-scaled-1x16 x.npy --axis both -o q.safetensors");
    let file = fs::read(bench.path("q.safetensors")).unwrap();
    let tensors = SafeTensors::deserialize(&file).unwrap();
    // The largest magnitudes of rows, and of columns.
    assert_eq!(tensors.tensor("global_scale").unwrap().shape(), [16]);
    assert_eq!(tensors.tensor("global_scale_columns").unwrap().shape(), [32]);
    bench.succeeds("dequantize q.safetensors -o back.npy");
    let metadata = SafeTensors::read_metadata(&file).unwrap().1.metadata().clone();
    let three = TensorView::new(Dtype::F32, vec![3], &[0; 12]).unwrap();
    let tensors = tensors.tensors().into_iter();
    let tensors: Vec<_> = tensors
        .map(|(name, tensor)| if name == "global_scale" { (name, three.clone()) } else { (name, tensor) })
        .collect();
    safetensors::serialize_to_file(tensors, metadata, &bench.path("z.safetensors")).unwrap();
    let found = bench.fails("dequantize z.safetensors -o back.npy");
    assert!(found.contains("3 global scales for `nvfp4-te-row-scaled-1x16`: expected 16"), "{found}");
    let found = bench.fails("quantize nvfp4-te-row-scaled-1x16 x.npy --global-amax 3 -o q.safetensors");
    assert!(found.contains("has a global scale for each row, so --global-amax has no use"), "{found}");
}
