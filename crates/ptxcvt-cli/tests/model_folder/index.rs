//! Errors in an index, in names of tensors and in names of outputs.

use std::fs;

use safetensors::{Dtype, SafeTensors};
use serde_json::{Value, json};

use super::{INDEX, fails, model, succeeds, write};

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
