//! PTX modules and snippets: checking and rendering never panic, and findings are ordered and inside the text.

use ptxcvt::targets::Machine;
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::sources::check_named;
use ptxcvt_syntax::{CheckOptions, Source};

/// Valid modules. The files of `tests/ptx` are added by `cargo xtask fuzz`.
pub const SEEDS: &[&str] = &[
    ".version 9.1\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b16 %rs<3>; .reg .f32 %f<3>;\n\
     cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;\n@%p1 cvt.rn.bf16.f32 %rs2, 0f3F800000;\nret;\n}",
    "cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r2;",
];

/// Checks `bytes` as a module and as a snippet, and renders the findings in every format.
///
/// # Panics
///
/// Panics if a finding is outside the text, or if findings are not in order.
pub fn run(bytes: &[u8]) {
    for snippet in [false, true] {
        let source = Source::new("fuzz.ptx", bytes);
        let target = if snippet { "sm_100a".parse().ok() } else { None };
        let machine = Machine::new(target, None).expect("the target exists");
        let report = check_named(&source, None, &CheckOptions::default().snippet(snippet).machine(machine));
        let mut last = 0;
        for d in &report.diagnostics {
            let text = source.text().len() as u32;
            assert!(d.span().start <= d.span().end && d.span().end <= text, "{d:?}");
            assert!(source.text().is_char_boundary(d.span().start as usize), "{d:?}");
            assert!(source.text().is_char_boundary(d.span().end as usize), "{d:?}");
            assert!(d.span().start >= last && !d.message().is_empty(), "{d:?}");
            last = d.span().start;
        }
        assert!(report.stats.conversions <= report.stats.instructions);
        for &format in OutputFormat::ALL {
            let mut renderer = Renderer::new(format, snippet);
            let mut out = Vec::new();
            // Rendering is linear in the number of findings, so render only the first ones.
            let some = &report.diagnostics[..report.diagnostics.len().min(1_000)];
            renderer.file(&mut out, &source, some).expect("writing to memory succeeds");
            renderer.finish(&mut out).expect("writing to memory succeeds");
        }
    }
}
