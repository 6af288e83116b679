//! Names that are not outputs: standard output, pipes, devices and files for every command that writes a folder; the empty
//! name for every command that writes or reads files.
#![cfg(unix)]

mod common;

use std::fs;
use std::process::Command;

use common::{Bench, bytes, files, finite};
use safetensors::{Dtype, tensor::TensorView};

/// Commands that write the folder `OUT`.
const COMMANDS: [&str; 4] = [
    "man OUT",
    "conform --ptx OUT --target sm_90 --form cvt.rn.satfinite.e4m3x2.f32",
    "quantize mx-rceil/e4m3 model -o OUT",
    "dequantize quantised -o OUT",
];

/// A bench with a model of one file, and with that model quantised.
fn bench() -> Bench {
    let bench = Bench::of_any_command();
    fs::create_dir(bench.path("model")).unwrap();
    fs::write(bench.path("model/config.json"), "{\"model_type\": \"llama\"}").unwrap();
    let data = bytes(&finite(64 * 64, 1));
    let view = TensorView::new(Dtype::F32, vec![64, 64], &data).unwrap();
    let weights = [("model.layers.0.mlp.up_proj.weight", view)];
    safetensors::serialize_to_file(weights, None, &bench.path("model/model.safetensors")).unwrap();
    bench.succeeds("quantize mx-rceil/e4m3 model -o quantised");
    bench
}

#[test]
fn a_folder_is_made_with_those_above_it() {
    let bench = bench();
    for (at, command) in COMMANDS.iter().enumerate() {
        let name = format!("new/{at}/folder");
        bench.succeeds(&command.replace("OUT", &name));
        assert!(!files(&bench.path(&name)).is_empty(), "{command}");
        // A folder of this name can be written, too.
        let name = format!("{at}-");
        bench.succeeds(&command.replace("OUT", &format!("./{name}")));
        assert!(!files(&bench.path(&name)).is_empty(), "{command}");
    }
}

#[test]
fn what_is_no_folder_is_refused() {
    let bench = bench();
    fs::write(bench.path("file"), "old").unwrap();
    assert!(Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap().success());
    for command in COMMANDS {
        let message = bench.fails(&command.replace("OUT", "-"));
        assert_eq!(
            message,
            "error: -: is standard output; the output must be a folder\nhelp: `./-` is a folder of this name\n",
            "{command}"
        );
        for name in ["file", "pipe", "/dev/null", "/dev/stdout", "/dev/fd/2"] {
            let message = bench.fails(&command.replace("OUT", name));
            let wanted = format!("error: {name}: is a file; the output must be a folder\n");
            assert_eq!(message, wanted, "{command}");
        }
    }
}

/// Commands with the name of a file, which is `NAME`.
const NAMED: &[&str] = &[
    "convert f32->f16 x.npy -o NAME",
    "convert f32->f16 NAME -o y.npy",
    "quantize mx-rceil/e4m3 x.npy -o NAME",
    "quantize mx-rceil/e4m3 NAME -o y.safetensors",
    "dequantize x.safetensors -o NAME",
    "dequantize NAME -o y.npy",
    "run cvt.rn.f16.f32 x.npy -o NAME",
    "eval cvt.rn.f16.f32 1 --svg NAME",
    "format e4m3 --svg NAME",
    "where cvt.rn.f16.f32 --svg NAME",
    "lower cvt.rn.satfinite.e4m3x2.f32 --target sm_80 -o NAME",
    "vectors f16->e2m1 -o NAME",
    "check x.ptx --lower --target sm_80 -o NAME",
    "check x.ptx --write-baseline NAME",
    "check NAME",
    "diff x.ptx NAME",
    "conform NAME",
    "conform --ptx NAME",
    "man NAME",
];

#[test]
fn an_empty_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for command in NAMED {
        let arguments = command.split(' ').map(|word| if word == "NAME" { "" } else { word });
        let mut run = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
        let output = run.current_dir(folder.path()).args(arguments).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(message.starts_with("error: a value is required for '"), "{command}: {message}");
        assert!(files(folder.path()).is_empty(), "{command}");
    }
}
