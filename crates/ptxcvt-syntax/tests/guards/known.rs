//! Single files: what an `#error` refuses, and conditions that cannot be decided.

use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

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
