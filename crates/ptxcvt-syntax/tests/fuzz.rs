//! A short run of the fuzzer in `fuzz/`, always the same: mutated files of `tests/ptx` never panic.

#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;

use std::path::Path;

use mutate::mutate;
use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::{CheckOptions, Source, check};

#[test]
fn mutated_files() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ptx");
    let mut files: Vec<_> =
        std::fs::read_dir(directory).expect("tests/ptx").flatten().map(|e| e.path()).collect();
    files.sort();
    let corpus: Vec<Vec<u8>> = files.iter().map(|path| std::fs::read(path).expect("a file")).collect();
    let mut random = SplitMix64::new(5);
    for _ in 0..2_000 {
        let mut text = corpus[random.below(corpus.len())].clone();
        let other = random.below(corpus.len());
        mutate(&mut random, &mut text, &corpus[other]);
        for snippet in [false, true] {
            let source = Source::new("fuzz.ptx", &text);
            let report = check(&source, &CheckOptions::default().snippet(snippet));
            for d in &report.diagnostics {
                assert!(source.text().get(d.span().range()).is_some(), "{d:?}");
            }
            let some = &report.diagnostics[..report.diagnostics.len().min(100)];
            let mut out = Vec::new();
            Renderer::new(OutputFormat::Full, true).file(&mut out, &source, some).expect("memory");
        }
    }
}

/// Texts that nest, repeat or do not end: read to the end, on a test's small stack.
#[test]
fn deep_and_long() {
    let head = ".version 9.1\n.target sm_100a\n.entry k {\n";
    for piece in [
        "{",
        "(",
        "[",
        "}",
        ";",
        "@",
        "cvt.",
        ".reg .u32 %r<9>; {",
        "cvt.rn.f16.f32 a,",
        "/*",
        "\"",
        "-",
        "1?",
        "é",
        "x:",
        "cvt.u32.u32 a, ((((((((",
        ".loc 1 ",
        ".section x {",
        ".func (",
        "#",
        "cvt.nonsense a;\n",
        "\0",
    ] {
        for prefix in ["", head, "cvt.u32.u32 a, ", ".global .u32 x = "] {
            let text = prefix.to_owned() + &piece.repeat(20_000);
            let source = Source::new("deep.ptx", text.as_bytes());
            check(&source, &CheckOptions::default());
            let report = check(&source, &CheckOptions::default().snippet(true));
            let mut out = Vec::new();
            Renderer::new(OutputFormat::Json, false)
                .file(&mut out, &source, &report.diagnostics)
                .expect("memory");
        }
    }
}
