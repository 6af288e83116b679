//! A checkpoint whose files have one tensor each: every tensor keeps its name, and the index has all of them.

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::{Bench, bytes, finite};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

const INDEX: &str = "model.safetensors.index.json";

/// Writes a file with one tensor of 64 rows.
fn write_file(bench: &Bench, path: &str, tensor: &str, data: &[f32]) {
    let data = bytes(data);
    let view = TensorView::new(Dtype::F32, vec![64, data.len() / 256], &data).unwrap();
    safetensors::serialize_to_file([(tensor, view)], None, &bench.path(path)).unwrap();
}

/// The tensors that an index has.
fn listed(bench: &Bench, folder: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(bench.path(&format!("{folder}/{INDEX}"))).unwrap();
    let index: serde_json::Value = serde_json::from_str(&text).unwrap();
    index["weight_map"].as_object().unwrap().keys().cloned().collect()
}

fn bench(names: [&str; 2]) -> Bench {
    let bench = Bench::of_any_command();
    fs::create_dir(bench.path("model")).unwrap();
    let file = |at: usize| format!("model-{:05}-of-00002.safetensors", at + 1);
    let map: serde_json::Map<_, _> =
        names.iter().enumerate().map(|(at, name)| ((*name).to_owned(), file(at).into())).collect();
    let index = serde_json::json!({ "metadata": {}, "weight_map": map });
    fs::write(bench.path(&format!("model/{INDEX}")), index.to_string()).unwrap();
    for (at, name) in names.iter().enumerate() {
        write_file(&bench, &format!("model/{}", file(at)), name, &finite(64 * 64, at as u64));
    }
    bench
}

#[test]
fn every_tensor_keeps_its_name() {
    let names = ["layers.0.up.weight", "layers.1.up.weight"];
    let bench = bench(names);
    bench.succeeds("quantize mx-rceil/e4m3 model -o quantised");
    let parts = names.iter().flat_map(|name| ["data", "scales"].map(|part| format!("{name}.{part}")));
    assert_eq!(listed(&bench, "quantised"), parts.collect());
    bench.succeeds("dequantize quantised -o back");
    assert_eq!(listed(&bench, "back"), names.map(str::to_owned).into());
    for (at, name) in names.iter().enumerate() {
        let file = fs::read(bench.path(&format!("back/model-{:05}-of-00002.safetensors", at + 1))).unwrap();
        let tensors = SafeTensors::deserialize(&file).unwrap();
        let back = tensors.tensor(name).unwrap();
        let back = back.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        for (x, y) in finite(64 * 64, at as u64).iter().zip(back) {
            assert!((x - y).abs() <= 0.26, "{name}: {x} became {y}");
        }
    }
}

/// The name of one tensor may equal the name of a part of another.
#[test]
fn two_files_with_one_name_are_refused() {
    let bench = bench(["w", "w.data"]);
    let message = bench.fails("quantize mx-rceil/e4m3 model --tensor w -o quantised");
    assert_eq!(
        message,
        "error: quantised: model-00001-of-00002.safetensors and model-00002-of-00002.safetensors would both have a \
         tensor `w.data`\n"
    );
}
