//! The lowest target for a module.

use ptxcvt_syntax::report::ModuleReport;
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source, check};

fn lowest(opcodes: &[&str]) -> Option<(String, String)> {
    let text: String = opcodes.iter().map(|opcode| format!("{opcode} a;\n")).collect();
    let found = check(&Source::new("k.ptx", text.as_bytes()), &CheckOptions::default().snippet(true));
    found.stats.lowest().map(|lowest| (lowest.target.to_string(), lowest.isa.to_string()))
}

/// Code for a family runs on more machines than code for one architecture, so `f` is lower than `a`.
#[test]
fn a_family_is_lower_than_an_architecture() {
    let of = |opcodes: &[&str]| lowest(opcodes).map(|(target, _)| target);
    assert_eq!(of(&["cvt.rn.satfinite.e2m1x2.f32"]).as_deref(), Some("sm_100f"));
    assert_eq!(of(&["cvt.rs.f16x2.f32"]).as_deref(), Some("sm_100a"));
    assert_eq!(of(&["cvt.rn.satfinite.e4m3x2.f32"]).as_deref(), Some("sm_89"));
    assert_eq!(of(&["cvt.rn.f16.f32"]).as_deref(), Some("sm_50"));
    assert_eq!(lowest(&["cvt.rn.satfinite.e2m1x2.f32"]).unwrap().1, "8.8");
}

/// Sentences about targets count only legal conversions. Without conversions, every target is possible.
#[test]
fn sentences_about_targets() {
    let all = "all of them are legal from sm_50 at ISA 4.0 on";
    for (statements, expected) in [
        ("", &["no conversion, so every target is possible"][..]),
        ("cvt.rn.f16.f32 a, b;", &["the conversion is legal from sm_50 at ISA 4.0 on"]),
        ("cvt.rn.f16.f32 a, b; cvt.rz.f16.f32 a, b;", &[all]),
        ("cvt.f16.f32 a, b;", &["the conversion is legal on no target"]),
        ("cvt.f16.f32 a, b; cvtt.f16.f32 a, b;", &["none of them is legal on any target"]),
        (
            "cvt.f16.f32 a, b; cvt.rn.f16.f32 a, b;",
            &["1 of them is not a form; the other one is legal from sm_50 at ISA 4.0 on"],
        ),
        (
            "cvt.rn.f16.f32 a, b;\ncvt.f16.f32 a, b;\ncvt.rn.e3m3.f32 a, b;\ncvt.rn.satfinite.e4m3x2.f32 a, b, c;",
            &[
                "2 of them are not forms; the 2 others are legal from sm_89 at ISA 8.1 on",
                "sm_50 at ISA 4.0 accepts the legal ones except in line 4",
            ],
        ),
        (
            "cvt.rn.f16.f32\u{b} a, b;",
            &[
                "no conversion could be read, so nothing is known about targets",
                "1 syntax error: conversions may be missing",
            ],
        ),
        (
            "cvt.rn.f16.f32 a, b; cvt.rz.f16.f32 a, b; cvt.\u{b} a, b;",
            &[all, "1 syntax error: conversions may be missing"],
        ),
    ] {
        let source = Source::new("k.ptx", statements.as_bytes());
        let found = check(&source, &CheckOptions::default().snippet(true));
        assert_eq!(ModuleReport::new(&source, &found).targets, expected, "{statements}");
    }
}

/// Contents and what was left out are sentences that fit their numbers; forms are ordered by how often they occur.
#[test]
fn sentences_about_contents() {
    let report = |statements: &str| {
        let source = Source::new("k.ptx", statements.as_bytes());
        ModuleReport::new(&source, &check(&source, &CheckOptions::default().snippet(true)))
    };
    assert_eq!(report("").contents(), "0 instructions, 0 of them conversions");
    assert_eq!(report("cvt.rn.f16.f32 a, b;").contents(), "1 instruction, 1 of them a conversion");
    let three = report("cvt.rn.f16.f32 a, b; cvt.rz.f16.f32 a, b; cvt.rz.f16.f32 a, b; add.s32 a, b, c;");
    assert_eq!(three.contents(), "4 instructions, 3 of them conversions");
    let forms: Vec<_> = three.by_use().iter().map(|form| (form.form.as_str(), form.count)).collect();
    assert_eq!(forms, [("cvt.rz.f16.f32", 2), ("cvt.rn.f16.f32", 1)]);

    let source =
        Source::new("k.cu", br#"void f(int n) { asm("cvt.rn." TYPE ".f32 %0, %1;" : "=h"(a) : "f"(b)); }"#);
    let found = check_source(&source, Language::Cpp, &CheckOptions::default());
    let left_out = ModuleReport::new(&source, &found).left_out();
    assert!(left_out.len() == 1 && left_out[0].starts_with("1 conversion not judged: "), "{left_out:?}");
}

/// Intrinsics and casts of a source become conversions that are not read, so nothing is said of targets.
#[test]
fn a_source_without_inline_ptx_may_need_any_target() {
    for (text, language) in [
        ("  %r = call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float %a, float %b)\n", Language::Llvm),
        ("__half f(float x) { return __float2half_rn(x); }\n", Language::Cpp),
        ("y = x.to(torch.float8_e4m3fn)\n", Language::Python),
    ] {
        let source = Source::new("k", text.as_bytes());
        let found = check_source(&source, language, &CheckOptions::default());
        let targets = ModuleReport::new(&source, &found).targets;
        assert!(targets[0].ends_with("so nothing is known about targets"), "{targets:?}");
    }
}
