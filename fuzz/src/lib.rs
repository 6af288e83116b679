//! What the fuzzer does to the checker, and what must hold of the answer.

pub mod blocks;
pub mod files;
pub mod mutate;

use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::{CheckOptions, Source, check};

/// Checks `bytes` as a module and as a snippet and renders the findings in every format.
///
/// # Panics
/// Where a finding is not in the text, the findings are not in order, or anything in the path panics.
pub fn exercise(bytes: &[u8]) {
    for snippet in [false, true] {
        let source = Source::new("fuzz.ptx", bytes);
        let target = if snippet { "sm_100a".parse().ok() } else { None };
        let report = check(&source, &CheckOptions::default().snippet(snippet).target(target));
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
            // Rendering is linear in the findings; the first thousand show what the rest would.
            let some = &report.diagnostics[..report.diagnostics.len().min(1_000)];
            renderer.file(&mut out, &source, some).expect("memory takes all");
            renderer.finish(&mut out).expect("memory takes all");
        }
    }
}
