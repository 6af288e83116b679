//! Alternatives in strings of LLVM's inline assembly, `$(a$|b$)`, and in its constraints, `f|r`.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::{check, found};

/// The generic form of MLIR's operations.
#[test]
fn generic_operations_have_constraints() {
    for operation in ["llvm.inline_asm", "tt.elementwise_inline_asm"] {
        for (opcode, expected) in [("cvt.rn.f16.f32", "CVT105"), ("cvt.rn.f16.f33", "CVT002")] {
            let text = format!(
                "%1 = \"{operation}\"(%a) <{{asm_string = \"{opcode} $0, $1;\", constraints = \"=h,h\"}}> : (f16) -> f16\n"
            );
            let all = found(&text, Language::Mlir, &CheckOptions::default());
            assert_eq!(all, [format!("1 error {expected}")], "{text}");
        }
    }
}

/// LLVM prints the first one for NVIDIA's GPUs.
#[test]
fn the_first_alternative_is_judged() {
    const DEAD: &str = "no device compiler sees it";
    for (template, expected, counted) in [
        ("cvt$(.rn$|.rz$).f16.f32 $0, $1;", None, None),
        ("cvt.$(rn.$|$)f16.f32 $0, $1;", None, None),
        ("cvt$(.rn$).f16.f32 $0, $1;", None, None),
        ("cvt$($|.rn$|.rz$).f16.f32 $0, $1;", Some("CVT006"), None),
        ("$(cvt.f16.f32 $0, $1;$|mov.b16 $0, 0;$)", Some("CVT006"), None),
        ("$(mov.b16 $0, 0;$|cvt.f16.f32 $0, $1;$)", None, Some(DEAD)),
        ("cvt.rn.f16.f32 $0, $($1$|$0$);", None, None),
        // The operands keep their places.
        ("cvt$(.rn$|.rz$).f32.f16 $0, $1;", Some("CVT007"), None),
        // Elsewhere they are a bar and a brace, and `$$` is a dollar sign.
        ("{ .reg .f32 t$$1; mov.f32 t$$1, $1; cvt.f16.f32 $0, t$$1; $)", Some("CVT006"), None),
        // LLVM refuses nested ones.
        ("cvt$(.rn$($|.rz$)$).f16.f32 $0, $1;", None, Some("the statement cannot be read")),
    ] {
        let llvm = format!("%1 = call i16 asm \"{template}\", \"=h,f\"(float %a)\n");
        let mlir = format!("%1 = llvm.inline_asm \"{template}\", \"=h,f\" %a : (f32) -> i16\n");
        for (language, text) in [(Language::Llvm, llvm), (Language::Mlir, mlir)] {
            let options = CheckOptions::default();
            let codes: Vec<String> = found(&text, language, &options);
            let codes: Vec<&str> = codes.iter().map(|line| &line[line.len() - 6..]).collect();
            assert_eq!(codes, expected.into_iter().collect::<Vec<_>>(), "{text}");
            let skipped: Vec<_> = check(&text, language, &options).stats.skipped.into_keys().collect();
            assert_eq!(skipped, counted.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }
    let text = "%1 = call i16 asm \"cvt$(.rn$|.rz$).f16.f32 $0, $1;\", \"=h,h\"(half %a)\n";
    let report = check(text, Language::Llvm, &CheckOptions::default());
    assert_eq!(report.diagnostics.len(), 1);
    assert_eq!(report.diagnostics[0].code().as_str(), "CVT105");
    assert_eq!((report.stats.strings, report.stats.judged_strings), (1, 1));
}

/// What `llc` accepts, and `ptxas` accepts of its output.
#[test]
fn alternatives_of_constraints() {
    for (constraints, expected) in [
        ("=h|r,f|f", &[][..]),
        ("=h|h,f|f", &[]),
        ("=h|h,h|h", &["1 error CVT105"]),
        ("=h,m", &["1 error CVT105"]),
        ("=*m,f", &["1 error CVT105"]),
        ("=h|z,f", &["1 error CVT118"]),
    ] {
        let text = format!("%1 = call i16 asm \"cvt.rn.f16.f32 $0, $1;\", \"{constraints}\"(float %a)\n");
        assert_eq!(found(&text, Language::Llvm, &CheckOptions::default()), expected, "{text}");
    }
    let load = "%1 = call float asm \"ld.f32 $0, $1;\", \"=f,m\"(float %a)\n";
    assert_eq!(found(load, Language::Llvm, &CheckOptions::default()), [""; 0]);
    let cpp = "asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h|r\"(d) : \"f\"(a));";
    assert_eq!(found(cpp, Language::Cpp, &CheckOptions::default()), ["1 error CVT118"]);
}
