//! Single files: what an `#error` refuses, and conditions that cannot be decided.

use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Severity, Source};

/// An `#error` refuses a file for some targets, both before and after the code. What it does not restrict stays unrestricted.
#[test]
fn what_error_refuses_is_not_compiled() {
    let tf32 = r#"asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(a));"#;
    let guarded = format!("#if __CUDA_ARCH__ >= 700\n{tf32}\n#endif\n");
    for (error, errors) in [
        ("", 1),
        ("#if __CUDA_ARCH__ < 800\n#error \"too old\"\n#endif\n", 0),
        ("#if __CUDA_ARCH__ < 750\n#error it isn't built\n#endif\n", 1),
        // Another flag may be the reason.
        ("#if __CUDA_ARCH__ < 800 && defined(STRICT)\n#error too old\n#endif\n", 1),
        ("#ifndef WITH_TF32\n#error needed\n#endif\n", 1),
        ("#if __CUDACC_VER_MAJOR__ < 12\n#error too old\n#endif\n", 1),
        ("#if __CUDA_ARCH__ < 800\n#warning too old\n#endif\n", 1),
    ] {
        for text in [format!("{error}{guarded}"), format!("{guarded}{error}")] {
            let source = Source::new("refused.cu", text.as_bytes());
            let found = check_source(&source, Language::Cpp, &CheckOptions::default());
            assert_eq!(found.diagnostics.len(), errors, "{text}\n{:?}", found.diagnostics);
            assert_eq!(found.stats.skipped.len(), 0, "{text}");
        }
    }
    let text = format!("#if __CUDA_ARCH__ < 750\n#error too old\n{tf32}\n#endif\n{tf32}\n");
    let source = Source::new("refused.cu", text.as_bytes());
    let found = check_source(&source, Language::Cpp, &CheckOptions::default());
    assert!(found.diagnostics.is_empty(), "{:?}", found.diagnostics);
    assert_eq!(found.stats.skipped.get("no device compiler sees it"), Some(&1));
}

/// Conditions on flags and macros of other files, each with a number that makes it true.
#[test]
fn what_cannot_be_decided_is_alive() {
    for condition in [
        "FLAG_B / 1000 >= 12",
        "FLAG_B / 10 == 3",
        "FLAG_B / 100 % 10 == 8",
        "(FLAG_B >> 8) == 12",
        "VER(FLAG_B, 2) >= 12",
        "VER(9,2) >= 12",
        "FLAG_B < 1 && FLAG_B",
        "FLAG_B < 1 && FLAG_B && __CUDA_ARCH__ >= 890",
        "FLAG_B - FLAG_C == 5 && FLAG_B > 100",
        "FLAG_B >= LEAST && FLAG_B < LEAST + 1",
        "~FLAG_B == 7",
        "FLAG_B >= 100u && FLAG_B < 0",
        "ANY(FLAG_B) && !ANY(FLAG_C)",
        "PAIR(VER(1, 2), FLAG_B) >= 40",
        "VER(\"a\") && !VER(\"b\")",
        "VER(defined FLAG_B) && !VER(defined FLAG_C)",
    ] {
        let text = format!(
            "#define LEAST (3 * 100)\n#define ANY(...) (__VA_ARGS__)\n#define PAIR(a, b) ((a) + (b) * 10)\n\
             #if {condition}\n__device__ void f() {{ asm(\"cvt.rn.f16x2.f33 %0, %1;\" : \"=r\"(y) : \"f\"(a)); }}\n#endif\n"
        );
        let source = Source::new("flag.cu", text.as_bytes());
        let found = check_source(&source, Language::Cpp, &CheckOptions::default());
        assert!(!found.diagnostics.is_empty(), "{condition}: {:?}", found.stats.skipped);
    }
    // A name that is a macro of the file with parameters is 0 where it has no arguments.
    for condition in ["CALLED", "FLAG_B > 3 && FLAG_B < 4", "FLAG_B / 1000 >= 12 && !(FLAG_B / 1000 > 11)"] {
        let text = format!(
            "#define CALLED(x) x\n#if {condition}\nasm(\"cvt.rn.f16x2.f33 %0, %1;\" : \"=r\"(y) : \"f\"(a));\n#endif\n"
        );
        let source = Source::new("dead.cu", text.as_bytes());
        let found = check_source(&source, Language::Cpp, &CheckOptions::default());
        assert!(found.diagnostics.is_empty(), "{condition}: {:?}", found.diagnostics);
    }
}

/// How many errors and notes there are, and how many conversions were counted. `FP8` in the text is a conversion for sm_89 and
/// higher, and `WRONG` is one for no target.
fn verdict(text: &str) -> (usize, usize, usize) {
    let asm = |opcode: &str| format!("asm(\"{opcode} %0, %1, %1;\" : \"=h\"(d) : \"f\"(a));");
    let wrong = asm("cvt.rn.f16.f32").replace(", %1, %1", ", %1").replace(".rn", "");
    let text = text.replace("FP8", &asm("cvt.rn.satfinite.e4m3x2.f32")).replace("WRONG", &wrong);
    let found = check_source(&Source::new("k.cu", text.as_bytes()), Language::Cpp, &CheckOptions::default());
    let errors = found.diagnostics.iter().filter(|d| d.severity() == Severity::Error).count();
    (errors, found.diagnostics.len() - errors, found.stats.skipped.values().sum())
}

/// A label that only the code after a guard jumps to is guarded, too.
#[test]
fn labels_after_a_guard() {
    for (body, errors) in [
        ("if (__CUDA_ARCH__ < 890) return; if (a > 1) goto low; a = 2; low: FP8", 0),
        ("if (__CUDA_ARCH__ < 890) return; again: FP8 if (a > 1) goto again;", 0),
        ("if (__CUDA_ARCH__ < 890) return; { if (a > 1) goto low; } low: FP8 other: FP8", 0),
        ("if (a > 1) goto low; if (__CUDA_ARCH__ < 890) return; a = 2; low: FP8", 1),
        ("if (a > 1) { if (__CUDA_ARCH__ < 890) return; low: FP8 } goto low;", 1),
        (
            "if (__CUDA_ARCH__ < 860) return; if (a > 1) goto low; if (__CUDA_ARCH__ < 890) return; low: FP8",
            1,
        ),
    ] {
        let text =
            format!("#if __CUDA_ARCH__ >= 800\n__device__ void f(float a, short d) {{ {body} }}\n#endif\n");
        assert_eq!(verdict(&text), (errors, 0, 0), "{text}");
    }
}

/// Calls of a function may have other results, unless it is declared with `constexpr`. By its capitals, a name is that of a macro.
#[test]
fn equal_calls_may_differ() {
    for (before, call, is_constant) in [
        ("", "g()", false),
        ("", "a.g()", false),
        ("", "IS_FAST()", true),
        ("", "Queue::full()", false),
        ("", "ns::Queue<int>::full(1)", false),
        ("constexpr bool is_fast();", "is_fast()", true),
        ("struct Queue { static constexpr bool full(); };", "Queue::full()", true),
    ] {
        for body in [
            "if (CALL) return; if (CALL) { WRONG }",
            "if (!CALL) { if (CALL) { WRONG } }",
            "if (CALL && !CALL) { WRONG }",
        ] {
            let body = body.replace("CALL", call);
            let text = format!("{before}\n__device__ void f(float a, short d) {{ {body} }}\n");
            let (errors, notes, counted) = verdict(&text);
            let is_judged = errors + notes == 1 && counted == 0;
            assert_eq!(is_judged, !is_constant, "{text}");
        }
    }
}
