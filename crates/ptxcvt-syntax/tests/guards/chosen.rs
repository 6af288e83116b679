//! Other C++ code that chooses by target: the labels of a `switch`, assertions, and variables with one value.

use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Severity, Source};

/// FP8, which targets from sm_89 on have.
const FP8: &str = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(d) : "f"(a));"#;

/// The severity of each FP8 in a function with this body, which device compilers from sm_75 on compile. `None` without
/// a finding. `after` is the text after the function.
fn judged(body: &str, after: &str) -> (Vec<Option<Severity>>, usize) {
    let lines: Vec<String> = body.lines().map(|line| line.replace("FP8", FP8)).collect();
    let text = format!(
        "#if __CUDA_ARCH__ >= 750\n__device__ void f(float a, short &d, int x) {{\n{}\n}}\n#endif\n{after}",
        lines.join("\n")
    );
    let source = Source::new("chosen.cu", text.as_bytes());
    let found = check_source(&source, Language::Cpp, &CheckOptions::default());
    let of_line = |line: usize| {
        let at = |d: &&ptxcvt_syntax::Diagnostic| source.position(d.span().start).line == line;
        found.diagnostics.iter().find(at).map(|d| d.severity())
    };
    let lines = body.lines().enumerate().filter(|(_, line)| line.contains("FP8"));
    let dead = found.stats.skipped.get("no device compiler sees it").copied().unwrap_or(0);
    (lines.map(|(number, _)| of_line(number + 3)).collect(), dead)
}

const ERROR: Option<Severity> = Some(Severity::Error);
const NOTE: Option<Severity> = Some(Severity::Note);

fn compare(cases: &[(&str, &[Option<Severity>], usize)]) {
    for (body, expected, dead) in cases {
        // A `goto` changes the way in which the file is read, even in a function that has nothing to do with it.
        for after in ["", "__device__ void g(int x) { if (x) goto done; x = 2; done: ; }\n"] {
            assert_eq!(judged(body, after), (expected.to_vec(), *dead), "{body}\n{after}");
        }
    }
}

#[test]
fn labels_of_a_switch() {
    compare(&[
        (
            "switch (__CUDA_ARCH__) {\ncase 890: FP8 break;\ncase 800: FP8 break;\ndefault: FP8\n}",
            &[None, ERROR, ERROR],
            0,
        ),
        (
            "switch (__CUDA_ARCH__ / 10) {\ncase 75: case 80: case 86: case 87: case 88: break;\ndefault:\nFP8\n}\nFP8",
            &[None, ERROR],
            0,
        ),
        // One falls through to the next.
        (
            "switch (__CUDA_ARCH__) {\ncase 800:\ng();\ncase 890:\nFP8\nbreak;\ncase 900: FP8\n}",
            &[ERROR, None],
            0,
        ),
        (
            "switch (__CUDA_ARCH__) {\ncase 800:\ng();\nbreak;\ncase 890:\nFP8\n[[fallthrough]];\ncase 900: FP8\n}",
            &[None, None],
            0,
        ),
        // Statements that leave the function.
        ("switch (__CUDA_ARCH__) {\ncase 750 ... 880: return;\n}\nFP8", &[None], 0),
        ("switch (__CUDA_ARCH__) {\ndefault: return;\ncase 890: case 1000: break;\n}\nFP8", &[None], 0),
        ("switch (__CUDA_ARCH__) {\ndefault: return;\ncase 860: case 890: break;\n}\nFP8", &[ERROR], 0),
        (
            "switch (__CUDA_ARCH__ >= 890) {\ncase true: { if (x) break; FP8 } break;\ncase false:\nFP8\n}",
            &[None, ERROR],
            0,
        ),
        (
            "switch (__CUDA_ARCH__ >= 890 ? 2 : 1) {\nFP8\ncase 1: break;\ncase 2: FP8\ncase 3: FP8\n}",
            &[None, None, None],
            1,
        ),
        // Labels in branches of the preprocessor.
        (
            "switch (__CUDA_ARCH__) {\n#if __CUDA_ARCH__ < 890\ncase 800: FP8 break;\n#endif\ncase 750: case 860: case 870: case 880: break;\ndefault:\nFP8\n}",
            &[ERROR, None],
            0,
        ),
        // A constant decides, a variable may be anything.
        (
            "constexpr int arch = __CUDA_ARCH__ / 10;\nswitch (arch) {\ncase 89: FP8 break;\ncase 80: FP8\n}",
            &[None, ERROR],
            0,
        ),
        ("switch (x) {\ncase 1: FP8 break;\ndefault: FP8\n}", &[ERROR, ERROR], 0),
        ("switch (x) {\ncase 0: break;\n[[unlikely]] default: FP8\n}", &[ERROR], 0),
        ("switch (x) {\n[[likely]] [[a::b(c)]] case 0: FP8 break;\n[[x]] { FP8 }\n}", &[ERROR, None], 1),
        ("switch (x) {\ndefault: break;\ncase 1: FP8 break;\n}\nFP8", &[ERROR, ERROR], 0),
        ("if (x) goto end;\nswitch (x) {\ncase 1: return;\ndefault: FP8\n}\nend:\nFP8", &[ERROR, ERROR], 0),
        (
            "switch (x) {\ncase 1: break;\ndefault: { switch (d) {\ncase 2: break;\ndefault: FP8\n} }\n}",
            &[ERROR],
            0,
        ),
        ("switch (kArch) {\ncase 1: FP8 break;\ndefault: FP8\n}", &[NOTE, NOTE], 0),
        ("switch (g(__CUDA_ARCH__)) {\ncase 1: FP8 break;\ndefault: FP8\n}", &[NOTE, NOTE], 0),
        ("switch (__CUDA_ARCH__ >= 890 ? x : 3) {\ncase 2: FP8 break;\ncase 3: FP8\n}", &[None, ERROR], 0),
        // A directive, a macro or another statement before a label.
        (
            "switch (__CUDA_ARCH__) {\ncase 890:\n#define N (3)\ncase 900: FP8 break;\ncase 800: STATEMENT(x)\ncase 860: FP8\n}",
            &[None, ERROR],
            0,
        ),
        (
            "switch (__CUDA_ARCH__) {\ncase 890: switch (x) default: g();\nFP8 break;\ndefault: return;\n}\nFP8",
            &[None, None],
            0,
        ),
        // A label in a loop, as in Duff's device.
        ("switch (__CUDA_ARCH__) {\ncase 890: do { FP8\ncase 800: FP8 } while (x);\n}", &[ERROR, ERROR], 0),
        (
            "for (;;) {\nswitch (__CUDA_ARCH__) {\ncase 750: case 800: case 860: case 870: case 880: continue;\n}\nFP8\nbreak;\n}",
            &[None],
            0,
        ),
    ]);
}

/// What a `goto` does to one function says nothing about the next one.
#[test]
fn jumps_stay_in_their_function() {
    let next = "}\n__device__ void h(float a, short &d, int x) {\nFP8\n";
    for (before, found) in [
        ("if (__CUDA_ARCH__ >= 900) {\ngoto L1;\n#ifndef FOO\nL1: x = 1;\n#endif\n}\n", ERROR),
        ("if (__CUDA_ARCH__ < 1000) {\ngoto L1;\n#if __CUDA_ARCH__ != 890\nL1: x = 1;\n#endif\n}\n", ERROR),
        (
            "if (__CUDA_ARCH__ >= 900) { if (x) { goto slow; } return;\n#ifdef USE_FAST\nslow: x = 2;\n#else\nslow: x = 3;\n#endif\n}\n",
            ERROR,
        ),
        (
            "if (x) { goto slow; } return;\n#ifdef USE_FAST\nslow: x = 2;\n#else\nslow: x = 3;\n#endif\n",
            ERROR,
        ),
    ] {
        assert_eq!(judged(&format!("{before}{next}"), ""), (vec![found], 0), "{before}");
    }
    compare(&[
        // A label after `else`.
        ("if (0x37a != __CUDA_ARCH__) goto L1;\nelse\nL1: FP8", &[ERROR], 0),
        ("if (0x37a != __CUDA_ARCH__) goto L1;\nelse {\nL1: FP8\n}", &[ERROR], 0),
        ("if (__CUDA_ARCH__ / 10 == 89) {\ngoto L1;\n#if FOO\nL1: x = 1;\n#endif\n}\nFP8", &[ERROR], 0),
    ]);
}

/// `int` has 32 bits in code and numbers of a directive have 64. Results that differ are unknown.
#[test]
fn numbers_of_code() {
    compare(&[
        ("if (-1 == 4294967295u) {\nFP8\n}", &[NOTE], 0),
        ("if (0xFFFFFFFF + 1 == 0) {\nFP8\n}", &[NOTE], 0),
        ("if ((1u << 31) * 2 == 0) {\nFP8\n}", &[NOTE], 0),
        ("if (~0u == 4294967295) {\nFP8\n}", &[NOTE], 0),
        ("if (__CUDA_ARCH__ * 5000000u < 890u * 5000000u) {} else {\nFP8\n}", &[NOTE], 0),
        ("constexpr unsigned k = 3000000000u + 2000000000u;\nif (k > 3000000000u) {\nFP8\n}", &[NOTE], 0),
        ("if ((1u << 31) != 0) {\nFP8\n}", &[ERROR], 0),
        ("if (-1 > 0u) {\nFP8\n}", &[ERROR], 0),
        ("if ((unsigned)-1 == 0xFFFFFFFFu) {\nFP8\n}", &[ERROR], 0),
        ("if (__CUDA_ARCH__ * 1000 < 890 * 1000) {} else {\nFP8\n}", &[None], 0),
        ("#if 1 / 4294967296 == 0 && 1 << 32 == 4294967296\nFP8\n#endif", &[ERROR], 0),
        ("#if 0xFFFFFFFF + 1 == 0 || -1 == 4294967295u\nFP8\n#endif", &[None], 1),
    ]);
}

#[test]
fn assertions() {
    compare(&[
        ("static_assert(__CUDA_ARCH__ >= 890, \"it has fp8, please\");\nFP8", &[None], 0),
        ("static_assert(__CUDA_ARCH__ >= 860);\nFP8", &[ERROR], 0),
        ("FP8\nstatic_assert(__CUDA_ARCH__ >= 890);", &[None], 0),
        ("{ static_assert(__CUDA_ARCH__ >= 890);\nFP8 }\nFP8", &[None, None], 0),
        ("constexpr bool kFp8 = __CUDA_ARCH__ >= 890;\n_Static_assert(kFp8, \"\");\nFP8", &[None], 0),
        (
            "if constexpr (__CUDA_ARCH__ >= 890) {\nFP8\n} else { static_assert(always_false<T>); }\nFP8",
            &[None, None],
            0,
        ),
        (
            "if constexpr (__CUDA_ARCH__ >= 890) { FP8 } else static_assert(false, \"no\");\nFP8",
            &[None, None],
            0,
        ),
        ("static_assert(sizeof(T) == 2, \"__CUDA_ARCH__ >= 890\");\nFP8", &[ERROR], 0),
        ("static_assert(is_same_v<A, B> && __CUDA_ARCH__ >= 890);\nFP8", &[None], 0),
        ("static_assert(kOther || __CUDA_ARCH__ >= 890);\nFP8", &[NOTE], 0),
        ("#ifdef __CUDA_ARCH__\nstatic_assert(__CUDA_ARCH__ >= 890);\n#endif\nFP8", &[None], 0),
        ("#if __CUDA_ARCH__ < 900\nstatic_assert(__CUDA_ARCH__ >= 860);\n#endif\nFP8", &[ERROR], 0),
    ]);
    // At the file's level it is for all of the file.
    let file = |before: &str, after: &str| {
        let text =
            format!("{before}#if __CUDA_ARCH__ >= 750\n__device__ void f() {{ {FP8} }}\n#endif\n{after}");
        let source = Source::new("asserted.cu", text.as_bytes());
        check_source(&source, Language::Cpp, &CheckOptions::default()).diagnostics.len()
    };
    let asserted = "#ifdef __CUDA_ARCH__\nstatic_assert(__CUDA_ARCH__ >= 890, \"\");\n#endif\n";
    assert_eq!((file(asserted, ""), file("", asserted), file("", "")), (0, 0, 1));
    assert_eq!(file("#define CHECKED static_assert(__CUDA_ARCH__ >= 890)\n", ""), 1);
}

#[test]
fn variables_with_one_value() {
    compare(&[
        ("int arch = __CUDA_ARCH__;\nif (arch >= 890) FP8\nif (arch >= 860) FP8", &[None, ERROR], 0),
        ("// has it\nbool has = __CUDA_ARCH__ >= 890;\nif (has) FP8\nif (!has) FP8", &[None, ERROR], 0),
        ("auto arch = __CUDA_ARCH__ / 10;\nunsigned fp8 = arch >= 89;\nif (fp8 && x) { FP8 }", &[None], 0),
        ("bool has{__CUDA_ARCH__ >= 890};\nif (!has) return;\nFP8", &[None], 0),
        (
            "int arch = __CUDA_ARCH__;\nswitch (arch) {\ncase 800: FP8 break;\ncase 900: FP8\n}",
            &[ERROR, None],
            0,
        ),
        ("for (int i = __CUDA_ARCH__; i > 890; ++i) FP8", &[NOTE], 0),
        (
            "if (int arch = __CUDA_ARCH__; arch >= 890) FP8\nif constexpr (const int arch = __CUDA_ARCH__; arch >= 860) FP8",
            &[None, ERROR],
            0,
        ),
        // Another value may be assigned.
        ("int i;\nfor (i = __CUDA_ARCH__; i > 890; ++i) FP8", &[NOTE], 0),
        ("bool has = __CUDA_ARCH__ >= 890;\nhas = false;\nif (has) FP8", &[NOTE], 0),
        ("int arch = __CUDA_ARCH__;\narch += 10;\nif (arch >= 890) FP8", &[NOTE], 0),
        ("int arch = __CUDA_ARCH__;\nchange(arch);\nif (arch >= 890) FP8", &[NOTE], 0),
        ("int arch = __CUDA_ARCH__;\nchange(x, &arch);\nif (arch >= 890) FP8", &[NOTE], 0),
        ("bool has = __CUDA_ARCH__ >= 890 && x;\nif (has) FP8", &[NOTE], 0),
        ("bool has = false;\n#if __CUDA_ARCH__ >= 890\nhas = true;\n#endif\nif (has) FP8", &[NOTE], 0),
        ("bool has;\nhas = __CUDA_ARCH__ >= 890;\nif (has) FP8", &[NOTE], 0),
        // The value of a variable that the target does not decide.
        ("#if __CUDA_ARCH__ >= 890\nx = g();\n#endif\nif (x) FP8", &[ERROR], 0),
        ("int n = 4;\nn = 5;\nif (n) FP8", &[ERROR], 0),
        ("if (__CUDA_ARCH__ >= 700) {\nfor (int i = 0; i < 4; ++i) FP8\n}", &[ERROR], 0),
        // One of another block.
        ("{ int x = __CUDA_ARCH__ >= 890; }\nif (x) FP8", &[NOTE], 0),
    ]);
}

/// The `return` of a function that a macro defines leaves nothing of the code around the macro's use.
#[test]
fn macros_that_define_functions() {
    let after =
        format!("__device__ void g(float a, short &d) {{\n#if __CUDA_ARCH__ >= 750\n{FP8}\n#endif\n}}\n");
    for (body, severity) in [
        ("__device__ uint16_t to_##NAME(float a) { uint16_t d = LIMIT(a); TYPE; return d; }", ERROR),
        ("static T NAME(int n) noexcept { if constexpr (TYPE) return 1; return 2; }", ERROR),
        ("template <class T> __global__ void __launch_bounds__(128) NAME(T *x) { if (TYPE) return; }", ERROR),
        // A loop of another file's macro, or a statement.
        ("FOR_EACH(NAME, n) { if constexpr (TYPE) return; }", NOTE),
        ("if constexpr (TYPE) { NAME(x) { return; } }", NOTE),
    ] {
        let text = format!("#define DEFINE(NAME, TYPE) {body}\nDEFINE(a, kB)\nDEFINE(c, kD)\n{after}");
        let source = Source::new("defined.cu", text.as_bytes());
        let found = check_source(&source, Language::Cpp, &CheckOptions::default());
        let severities: Vec<_> = found.diagnostics.iter().map(|d| Some(d.severity())).collect();
        assert_eq!(severities, [severity], "{text}");
    }
}
