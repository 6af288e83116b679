//! No output replaces a file that the same command reads, under any name.
#![cfg(unix)]

mod common;

use std::fs;

use common::{Bench, files, shell, text};

/// The number of floats in the arrays.
const COUNT: usize = 4096;

#[test]
fn an_input_is_not_replaced_by_its_own_output() {
    let bench = Bench::with_inputs(COUNT);
    fs::hard_link(bench.path("x.npy"), bench.path("same.npy")).unwrap();
    let before = files(bench.folder.path());
    for (command, message) in [
        ("convert f32->f16 x.npy -o x.npy", "error: x.npy: is the input; the output would replace it\n"),
        (
            "run block.ptx x.npy -o same.npy",
            "error: same.npy: is the same file as the input x.npy, which it would replace\n",
        ),
        (
            "dequantize q.safetensors -o ./q.safetensors",
            "error: ./q.safetensors: is the same file as the input q.safetensors, which it would replace\n\
             help: name another output file\n",
        ),
        ("quantize mx-rceil/e4m3 q.safetensors --tensor scales -o q.safetensors", "error: "),
        (
            "check --lower --target sm_80 module.ptx -o module.ptx",
            "error: module.ptx: is the input; the output would replace it\n",
        ),
    ] {
        let q = fs::read(bench.path("q.safetensors")).unwrap();
        let output = shell(&bench, "\"$ptxcvt\" \"$@\"", command);
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(text(&output.stderr).starts_with(message), "{command}: {}", text(&output.stderr));
        assert!(
            fs::read(bench.path("q.safetensors")).unwrap() == q && files(bench.folder.path()) == before,
            "{command}"
        );
    }
}

/// Redirection names the file as well as an argument does.
#[cfg(target_os = "linux")]
#[test]
fn a_redirected_input_is_not_replaced_either() {
    let bench = Bench::with_inputs(COUNT);
    fs::hard_link(bench.path("x.npy"), bench.path("same.npy")).unwrap();
    let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F32, vec![32], &[0; 128]).unwrap();
    safetensors::serialize_to_file([("w", view)], None, &bench.path("x.safetensors")).unwrap();
    let before = fs::read(bench.path("x.npy")).unwrap();
    for script in [
        "\"$ptxcvt\" convert cvt.rn.f16.f32 - -o x.npy < x.npy",
        "\"$ptxcvt\" convert cvt.rn.f16.f32 - -o same.npy < x.npy",
        "\"$ptxcvt\" quantize mx-rceil/e4m3 - -o x.npy < x.npy",
        "\"$ptxcvt\" run block.ptx - -o x.npy < x.npy",
        "\"$ptxcvt\" check --lower --target sm_80 --lang ptx - -o module.ptx < module.ptx",
        "\"$ptxcvt\" convert cvt.rn.f16.f32 x.npy -o - 1<> x.npy",
        "\"$ptxcvt\" convert cvt.rn.f16.f32 x.npy -o /dev/stdout >> same.npy",
        "\"$ptxcvt\" quantize mx-rceil/e4m3 x.npy -o /dev/fd/3 3<> x.npy",
        "\"$ptxcvt\" quantize mx-rceil/e4m3 - -o x.safetensors < x.safetensors",
        "\"$ptxcvt\" quantize mx-rceil/e4m3 - -o - < x.safetensors 1<> x.safetensors",
        "\"$ptxcvt\" dequantize - -o q.safetensors < q.safetensors",
        "\"$ptxcvt\" check --lower --target sm_80 --lang ptx - < module.ptx 1<> module.ptx",
    ] {
        let module = fs::read(bench.path("module.ptx")).unwrap();
        let tensors = ["x.safetensors", "q.safetensors"].map(|name| fs::read(bench.path(name)).unwrap());
        let output = shell(&bench, script, "");
        assert_eq!(output.status.code(), Some(2), "{script}");
        assert!(text(&output.stderr).starts_with("error: "), "{script}: {}", text(&output.stderr));
        assert!(fs::read(bench.path("x.npy")).unwrap() == before, "{script}");
        assert!(fs::read(bench.path("module.ptx")).unwrap() == module, "{script}");
        let after = ["x.safetensors", "q.safetensors"].map(|name| fs::read(bench.path(name)).unwrap());
        assert!(after == tensors, "{script}");
    }
}

/// Commands that write the file `OUT`, the extension of its name, and every file that they read.
const READERS: &[(&str, &str, &[&str])] = &[
    ("quantize own.toml x.npy -o OUT", "safetensors", &["own.toml", "x.npy"]),
    ("quantize mx-rceil/e4m3 x.npy --compare own.toml -o OUT", "safetensors", &["own.toml", "x.npy"]),
    ("quantize mx-rceil/e4m3 x.raw --dtype f32 -o OUT", "safetensors", &["x.raw"]),
    ("quantize own.toml x.safetensors -o OUT", "safetensors", &["own.toml", "x.safetensors"]),
    ("dequantize own.toml own.safetensors -o OUT", "npy", &["own.toml", "own.safetensors"]),
    ("dequantize q.safetensors -o OUT", "safetensors", &["q.safetensors"]),
    ("convert cvt.rn.f16x2.f32 x.npy -o OUT", "npy", &["x.npy"]),
    ("convert cvt.rs.f16x2.f32 x.npy --rbits words -o OUT", "npy", &["x.npy", "words"]),
    (
        "convert cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32 x.npy --scale factors -o OUT",
        "npy",
        &["x.npy", "factors"],
    ),
    ("run block x.npy -o OUT", "npy", &["block", "x.npy"]),
    ("check --lower --target sm_80 module.ptx -o OUT", "ptx", &["module.ptx"]),
    ("check module.ptx --write-baseline OUT", "json", &["module.ptx"]),
    ("check folder --write-baseline OUT", "json", &["folder/module.ptx"]),
    ("check module.ptx --config settings.toml --write-baseline OUT", "json", &["settings.toml"]),
    ("check module.ptx --targets-from Makefile --write-baseline OUT", "json", &["Makefile"]),
    ("check built/k.cu --write-baseline OUT", "json", &["built/k.cu", "built/CMakeLists.txt"]),
];

/// Commands that print, and every file that they read.
const PRINTERS: &[(&str, &[&str])] = &[
    ("quantize own.toml x.npy --report", &["own.toml", "x.npy"]),
    ("quantize mx-rceil/e4m3 x.npy --compare own.toml", &["own.toml", "x.npy"]),
    ("recipes own.toml", &["own.toml"]),
    ("convert cvt.rn.f16x2.f32 x.npy -o new.npy --stats", &["x.npy"]),
    ("run block 1.5", &["block"]),
    ("prove block block --constraints =h,f", &["block"]),
    ("check fixable.ptx --config settings.toml", &["fixable.ptx", "settings.toml"]),
    ("check fixable.ptx --baseline known.json", &["known.json"]),
    ("check --diff --unsafe-fixes fixable.ptx", &["fixable.ptx"]),
    ("diff module.ptx fixable.ptx", &["module.ptx", "fixable.ptx"]),
];

/// A folder with every file of [`READERS`] and [`PRINTERS`].
fn with_every_input() -> Bench {
    let bench = Bench::with_inputs(COUNT);
    fs::create_dir(bench.path("folder")).unwrap();
    fs::create_dir(bench.path("built")).unwrap();
    let own = include_str!("common/own.toml");
    for (name, bytes) in [
        ("own.toml", own.as_bytes()),
        ("block", b"cvt.rn.f16.f32 %0, %1;"),
        ("factors", &[127; COUNT / 2][..]),
        ("words", &[7; COUNT * 2][..]),
        ("settings.toml", b"target = \"sm_80\""),
        ("known.json", b"[]"),
        ("Makefile", b"FLAGS = -arch=sm_90"),
        ("built/CMakeLists.txt", b"project(k CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 90)\nadd_library(k k.cu)\n"),
        ("built/k.cu", b"#if __CUDA_ARCH__ >= 900\n__device__ void f() { asm(\"exit;\"); }\n#endif\n"),
    ] {
        fs::write(bench.path(name), bytes).unwrap();
    }
    fs::copy(bench.path("module.ptx"), bench.path("folder/module.ptx")).unwrap();
    let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F32, vec![32], &[0; 128]).unwrap();
    safetensors::serialize_to_file([("w", view)], None, &bench.path("x.safetensors")).unwrap();
    let output = shell(&bench, "\"$ptxcvt\" \"$@\"", "quantize own.toml x.npy -o own.safetensors");
    assert!(output.status.success(), "{}", text(&output.stderr));
    bench
}

/// A link, a hard link, redirection and a descriptor name a file as well as its own name does.
#[cfg(target_os = "linux")]
#[test]
fn no_file_that_a_command_reads_is_replaced() {
    let bench = with_every_input();
    for (command, extension, inputs) in READERS {
        // The command itself works, so that nothing else is refused below.
        let works = shell(&bench, "\"$ptxcvt\" \"$@\"", &command.replace("OUT", &format!("new.{extension}")));
        assert!(works.status.code() < Some(2), "{command}: {}", text(&works.stderr));
        fs::remove_file(bench.path(&format!("new.{extension}"))).unwrap();
        for input in *inputs {
            let (link, hard) = (format!("link.{extension}"), format!("hard.{extension}"));
            std::os::unix::fs::symlink(input, bench.path(&link)).unwrap();
            fs::hard_link(bench.path(input), bench.path(&hard)).unwrap();
            let before = (files(bench.folder.path()), fs::read(bench.path(input)).unwrap());
            for (redirection, out) in [
                ("", &*link),
                ("", &hard),
                ("1<> FILE", "-"),
                (">> FILE", "-"),
                (">> FILE", "/dev/stdout"),
                ("5<> FILE", "/dev/fd/5"),
            ] {
                let script = format!("\"$ptxcvt\" \"$@\" {}", redirection.replace("FILE", input));
                let output = shell(&bench, &script, &command.replace("OUT", out));
                let case = format!("{command} {redirection} to {out}, {input}: {}", text(&output.stderr));
                assert_eq!(output.status.code(), Some(2), "{case}");
                assert!(text(&output.stderr).contains("error: "), "{case}");
                assert!(text(&output.stderr).contains("same file as the input"), "{case}");
                let after = (files(bench.folder.path()), fs::read(bench.path(input)).unwrap());
                assert!(after == before, "{case}");
            }
            [link, hard].iter().for_each(|name| fs::remove_file(bench.path(name)).unwrap());
        }
    }
}

/// Nor is printed text written over it or added to it.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_printed_into_a_file_that_a_command_reads() {
    let bench = with_every_input();
    let on_input = [("eval -", "x.npy"), ("run block -", "x.npy")];
    let on_input = on_input.map(|(command, input)| (command, input, "< FILE "));
    let named = PRINTERS.iter().flat_map(|(command, inputs)| inputs.iter().map(move |i| (*command, *i, "")));
    for (command, input, from) in named.chain(on_input) {
        let works = shell(&bench, &format!("\"$ptxcvt\" \"$@\" {}", from.replace("FILE", input)), command);
        assert!(works.status.code() < Some(2), "{command}: {}", text(&works.stderr));
        assert!(!works.stdout.is_empty(), "{command}");
        let before = fs::read(bench.path(input)).unwrap();
        for to in ["1<> FILE", ">> FILE"] {
            let script = format!("\"$ptxcvt\" \"$@\" {from}{to}").replace("FILE", input);
            let output = shell(&bench, &script, command);
            let case = format!("{command} {script}: {}", text(&output.stderr));
            assert_eq!(output.status.code(), Some(2), "{case}");
            assert!(text(&output.stderr).contains("standard output is the same file as the input"), "{case}");
            assert!(fs::read(bench.path(input)).unwrap() == before, "{case}");
        }
    }
}

/// The message for the input's own name.
#[test]
fn an_output_with_the_name_of_an_input_is_refused() {
    let bench = with_every_input();
    let before = files(bench.folder.path());
    for (command, message) in [
        ("dequantize own.toml own.safetensors -o own.toml", "own.toml: is the input"),
        ("run block x.npy -o block", "block: is the input"),
        ("convert cvt.rs.f16x2.f32 x.npy --rbits words -o words", "words: is the input"),
        ("check module.ptx --write-baseline module.ptx", "module.ptx: is the input"),
        ("check folder --write-baseline folder/module.ptx", "folder/module.ptx: is the input"),
        (
            "check module.ptx --config settings.toml --write-baseline settings.toml",
            "settings.toml: is the input",
        ),
        ("check module.ptx --targets-from Makefile --write-baseline Makefile", "Makefile: is the input"),
    ] {
        let output = shell(&bench, "\"$ptxcvt\" \"$@\"", command);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let wanted = format!("error: {message}");
        assert!(text(&output.stderr).starts_with(&wanted), "{command}: {}", text(&output.stderr));
        assert!(files(bench.folder.path()) == before, "{command}");
    }
}

/// `check --fix` changes what it reads; the baseline of the settings may be written again.
#[test]
fn files_that_a_command_is_to_change_are_changed() {
    let bench = with_every_input();
    let before = fs::read(bench.path("fixable.ptx")).unwrap();
    let run = |command: &str| {
        let output = shell(&bench, "\"$ptxcvt\" \"$@\"", command);
        assert!(output.status.code() < Some(2), "{command}: {}", text(&output.stderr));
    };
    fs::write(bench.path("with.toml"), "baseline = 'known.json'").unwrap();
    run("check --config with.toml --write-baseline known.json fixable.ptx");
    assert!(fs::read(bench.path("known.json")).unwrap().len() > 8);
    run("check --fix --unsafe-fixes fixable.ptx");
    assert!(fs::read(bench.path("fixable.ptx")).unwrap() != before);
}
