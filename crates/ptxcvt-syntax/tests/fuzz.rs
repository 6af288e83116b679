//! Nested, repetitive and unterminated texts. The fuzz targets in `fuzz/` cover mutated modules.

use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::sources::check_named;
use ptxcvt_syntax::{CheckOptions, Source, check};

/// Such texts are read to the end on the small stack of a test thread.
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
            let report = check_named(&source, None, &CheckOptions::default().snippet(true));
            let mut out = Vec::new();
            Renderer::new(OutputFormat::Json, false)
                .file(&mut out, &source, &report.diagnostics)
                .expect("memory");
        }
    }
}
