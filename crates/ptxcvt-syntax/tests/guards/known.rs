//! Single files: configurations that an `#error` rejects, and conditions that cannot be decided.

use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Severity, Source};

/// An `#error` refuses a file for some configurations, both before and after the code: it is a guard of the whole file.
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
    let codes: Vec<_> = found.diagnostics.iter().map(|d| (d.code().as_str(), d.severity())).collect();
    assert_eq!(codes, [("CVT011", Severity::Error)], "sm_75 has no TF32: {:?}", found.diagnostics);
    assert_eq!(found.stats.skipped.get("no device compiler sees it"), Some(&1));
}

/// An `#error` for some targets guards the whole file, whatever its form. The message names the lowest target that is
/// left.
#[test]
fn guards_of_a_file_are_guards() {
    let kernel = |body: &str| format!("__device__ void f(float a) {{ short h; {body} }}\n");
    let fp8 = kernel("FP8");
    for (text, expected) in [
        (format!("#if __CUDA_ARCH__ < 800\n#error old\n#endif\n{fp8}"), Some("sm_80")),
        (format!("{fp8}#if __CUDA_ARCH__ < 750\n#error old\n#endif\n"), Some("sm_75")),
        (
            format!(
                "#ifndef __CUDA_ARCH__\n#error host\n#elif __CUDA_ARCH__ < 860\n#error old\n#endif\n{fp8}"
            ),
            Some("sm_86"),
        ),
        (format!("static_assert(__CUDA_ARCH__ >= 800, \"new\");\n{fp8}"), Some("sm_80")),
        (format!("static_assert(__CUDA_ARCH__ >= 890);\n{fp8}"), None),
        (kernel("\n#if __CUDA_ARCH__ < 800\n#error old\n#endif\nFP8"), Some("sm_80")),
        (format!("#if __CUDA_ARCH__ < 890\n#error old\n#endif\n{fp8}"), None),
        // Some configurations have to be left.
        (format!("#ifdef __CUDACC__\n#error host\n#endif\n{fp8}"), None),
        (format!("#if CUDA_VERSION < 11080\n#error old\n#endif\n{fp8}"), None),
        (format!("#ifdef FLAG\n#error no\n#endif\n{fp8}"), None),
    ] {
        assert_eq!(first_error(&text).as_deref(), expected, "{text}");
    }
}

/// Each use of a macro with a whole statement has its own guards, independent of other uses.
#[test]
fn each_use_of_a_macro_is_judged() {
    let file = |body: &str| {
        format!(
            "#define CVT FP8\n#define OUTER if constexpr (__CUDA_ARCH__ >= 900) CVT\n__device__ void f(float a) {{ short h;\n{body}\n}}\n"
        )
    };
    for (body, expected) in [
        ("CVT", None),
        ("#if __CUDA_ARCH__ >= 800\nCVT\n#endif\nCVT", Some("sm_80")),
        ("CVT\n#if __CUDA_ARCH__ >= 860\nCVT\n#endif", Some("sm_86")),
        ("#if __CUDA_ARCH__ >= 800\nCVT\n#else\nCVT\n#endif", Some("sm_50")),
        ("#if __CUDA_ARCH__ >= 860\nCVT\n#endif\n#if __CUDA_ARCH__ >= 750\nCVT\n#endif", Some("sm_75")),
        ("#if __CUDA_ARCH__ >= 890\nCVT\n#endif\nCVT", None),
        ("NV_IF_TARGET(NV_PROVIDES_SM_80, (CVT), (CVT))", Some("sm_50")),
        ("NV_IF_TARGET(NV_PROVIDES_SM_89, (CVT), (h = 0;))", None),
        // The condition in the outer macro is one of the inner one.
        ("#if __CUDA_ARCH__ >= 800\nOUTER\n#endif", None),
        ("#if __CUDA_ARCH__ >= 800\nOUTER\nCVT\n#endif", Some("sm_80")),
    ] {
        assert_eq!(first_error(&file(body)).as_deref(), expected, "{body}");
    }
}

/// A macro whose body ends a statement needs no semicolon after its use.
#[test]
fn macros_that_end_a_statement_end_it() {
    let file = |body: &str| {
        format!(
            "#define CVT FP8\n#define WITH(x) asm(\"cvt.rn.\" x \".e4m3x2.f32 %0, %1, %1;\" : \"=h\"(h) : \"f\"(a)); /* end */\n\
             #define BLOCK(x) {{ WITH(x) }}\n__device__ void f(float a) {{ short h;\n{body}\n}}\n"
        )
    };
    let with = "WITH(\"satfinite\")";
    let block = "BLOCK(\"satfinite\")";
    for (body, expected) in [
        (format!("switch (__CUDA_ARCH__) {{ case 860: {with} break; default: h = 0; }}"), Some("sm_86")),
        (format!("switch (__CUDA_ARCH__) {{ case 890: {with} break; default: h = 0; }}"), None),
        (format!("switch (__CUDA_ARCH__) {{ case 890: {with} }}"), None),
        (format!("switch (__CUDA_ARCH__) {{ case 890: {block} break; case 860: h = 0; }}"), None),
        (format!("switch (__CUDA_ARCH__) {{ case 860: {block} break; }}"), Some("sm_86")),
        (format!("if (__CUDA_ARCH__ >= 890) {with} h = 1; CVT"), None),
        (format!("if (__CUDA_ARCH__ >= 860) {with} else h = 1;"), Some("sm_86")),
        (format!("if (__CUDA_ARCH__ >= 890) {with} else {with}"), Some("sm_50")),
        // The second statement is not the one of the `if`.
        ("if (__CUDA_ARCH__ >= 890) CVT if (__CUDA_ARCH__ >= 800) CVT".to_owned(), Some("sm_80")),
        (format!("{with} if (__CUDA_ARCH__ < 860) return; {with}"), Some("sm_86")),
        (format!("if (__CUDA_ARCH__ < 890) {{ h = 0; CVT return; }} {with}"), Some("sm_50")),
    ] {
        let text = file(&body);
        assert_eq!(first_error(&text).as_deref(), expected, "{body}");
        let (_, notes, counted) = verdict(&text);
        let unused = usize::from(!body.contains("CVT"));
        assert!(notes == 0 && counted <= unused + 2, "{body}: {notes} notes, {counted} counted");
    }
}

/// Include guards of every form, and macros that every C++ compiler defines, are not unknown flags.
#[test]
fn include_guards_are_not_flags() {
    let guarded = "#if __CUDA_ARCH__ >= 800\nFP8\n#endif\n";
    for (begin, end, errors, notes) in [
        ("#ifndef A_H\n#define A_H\n", "#endif\n", 1, 0),
        ("#if !defined(A_H)\n#define A_H 1\n", "#endif\n", 1, 0),
        ("#if !defined A_H\n#define A_H\n", "#endif\n", 1, 0),
        ("#if (!defined(A_H)) && defined(__CUDACC__)\n#define A_H\n", "#endif\n", 1, 0),
        ("#include <x>\n#pragma once\n#ifndef A_H\n#include <y>\n#define A_H\n", "#endif\n", 1, 0),
        ("#ifdef __cplusplus\n", "#endif\n", 1, 0),
        ("#if defined(__cplusplus) && __cplusplus >= 201103L\n", "#endif\n", 1, 0),
        // A compiler may have each standard from C++11 on.
        ("#if __cplusplus >= 201703L\n", "#endif\n", 1, 0),
        ("#if __cplusplus < 201703L\n", "#endif\n", 1, 0),
        ("#if __cplusplus >= 201703L\n#else\n", "#endif\n", 1, 0),
        ("#if __cplusplus < 201103L\n", "#endif\n", 0, 0),
        ("#ifndef __cplusplus\n", "#endif\n", 0, 0),
        ("#if __cplusplus >= 201703L\n#if __cplusplus < 201703L\n", "#endif\n#endif\n", 0, 0),
        // These are flags.
        ("#if !defined(FLAG)\n", "#endif\n", 0, 1),
        ("#ifndef FLAG\n#define FLAG 1\n#endif\n#if FLAG\n", "#endif\n", 0, 1),
        ("#if !defined(A_H) && defined(FLAG)\n#define A_H\n", "#endif\n", 0, 1),
        ("#if defined(A_H)\n#define A_H\n", "#endif\n", 0, 1),
    ] {
        let text = format!("{begin}{guarded}{end}");
        let (found, doubtful, _) = verdict(&text);
        assert_eq!((found, doubtful), (errors, notes), "{text}");
    }
}

/// The target that the first error of a text names, with `FP8` as in [`verdict`].
fn first_error(text: &str) -> Option<String> {
    let text = text.replace("FP8", FP8);
    let source = Source::new("file.cu", text.as_bytes());
    let found = check_source(&source, Language::Cpp, &CheckOptions::default());
    let error = found.diagnostics.iter().find(|d| d.severity() == Severity::Error)?;
    let message = error.message();
    Some(message[message.rfind("sm_")?..].to_owned())
}

/// The low 32 bits of a difference.
#[test]
fn casts_to_unsigned() {
    for (condition, expected) in [
        ("(unsigned)(__CUDA_ARCH__ - 801) == 0xffffffffu", (1, 0, 0)),
        ("static_cast<uint32_t>(__CUDA_ARCH__ - 801) == 4294967295", (1, 0, 0)),
        // Only in 64 bits the difference is another number, and the width of a number is not followed.
        ("(unsigned long long)(__CUDA_ARCH__ - 801) == 0xffffffffu", (0, 1, 0)),
        ("(unsigned)(__CUDA_ARCH__ - 890) < 1000u", (0, 0, 0)),
    ] {
        assert_eq!(verdict(&format!("void f() {{ if ({condition}) {{ FP8 }} }}")), expected, "{condition}");
    }
}

#[test]
fn definitions_that_are_put_aside() {
    let guarded = "#if X && __CUDA_ARCH__ >= 800\nFP8\n#endif\n";
    for (lines, expected) in [
        (
            "#define X 1\n#pragma push_macro(\"X\")\n#undef X\n#define X 0\n#pragma pop_macro(\"X\")\n",
            (1, 0, 0),
        ),
        (
            "#define X 0\n#pragma push_macro(\"X\")\n#undef X\n#define X 1\n#pragma pop_macro(\"X\")\n",
            (0, 0, 1),
        ),
        ("#pragma push_macro( \"X\" )\n#undef X\n#pragma pop_macro(\"X\")\n", (0, 1, 0)),
        ("#define X 1\n#pragma push_macro(\"X\")\n#undef X\n", (0, 0, 1)),
        ("#define X 1\n#pragma pop_macro(\"X\")\n#pragma once\n", (1, 0, 0)),
    ] {
        assert_eq!(verdict(&format!("{lines}{guarded}")), expected, "{lines}");
    }
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
    // The name of a macro with parameters is 0 in a condition if no arguments follow it.
    for condition in ["CALLED", "FLAG_B > 3 && FLAG_B < 4", "FLAG_B / 1000 >= 12 && !(FLAG_B / 1000 > 11)"] {
        let text = format!(
            "#define CALLED(x) x\n#if {condition}\nasm(\"cvt.rn.f16x2.f33 %0, %1;\" : \"=r\"(y) : \"f\"(a));\n#endif\n"
        );
        let source = Source::new("dead.cu", text.as_bytes());
        let found = check_source(&source, Language::Cpp, &CheckOptions::default());
        assert!(found.diagnostics.is_empty(), "{condition}: {:?}", found.diagnostics);
    }
}

const FP8: &str = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(h) : "f"(a));"#;

/// How many errors and notes there are, and how many conversions were counted. `FP8` in the text is a conversion for
/// sm_89 and higher, and `WRONG` is one for no target.
fn verdict(text: &str) -> (usize, usize, usize) {
    let asm = |opcode: &str| format!("asm(\"{opcode} %0, %1, %1;\" : \"=h\"(d) : \"f\"(a));");
    let wrong = asm("cvt.rn.f16.f32").replace(", %1, %1", ", %1").replace(".rn", "");
    let text = text.replace("FP8", FP8).replace("WRONG", &wrong);
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

/// Calls of a function may have other results, unless it is declared with `constexpr`. A name in capitals is treated as
/// a macro.
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

/// The condition of a `switch` has the macros that are defined before it, whatever is defined between its labels.
#[test]
fn macros_between_the_labels_of_a_switch() {
    let fp8 = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));"#;
    let define = |of: &str| format!("#define PICK({of}) ((c) ? (yes) : (no))");
    let (usual, inverted) = (define("c, yes, no"), format!("#undef PICK\n{}", define("c, no, yes")));
    for (selector, between, label, errors) in [
        ("PICK(__CUDA_ARCH__ >= 900, 0, 1)", "", "case 0", 0),
        ("PICK(__CUDA_ARCH__ >= 900, 0, 1)", &inverted[..], "case 0", 0),
        ("PICK(__CUDA_ARCH__ < 900, 0, 1)", "", "case 0", 1),
        ("PICK(__CUDA_ARCH__ < 900, 0, 1)", &inverted, "case 0", 1),
        ("PICK(__CUDA_ARCH__ >= 900, 2, 1)", &inverted, "default", 0),
        // The label's own macro is that of its place.
        ("__CUDA_ARCH__ / 100", "#undef HOPPER\n#define HOPPER 9", "case HOPPER", 0),
    ] {
        let text = format!(
            "{usual}\n__device__ void f() {{\nswitch ({selector}) {{\ncase 1: g(); break;\n{between}\n\
             {label}:\n{fp8}\nbreak;\n}}\n}}\n"
        );
        let source = Source::new("k.cu", text.as_bytes());
        let found = check_source(&source, Language::Cpp, &CheckOptions::default());
        let is_error = |d: &&ptxcvt_syntax::Diagnostic| d.severity() == Severity::Error;
        assert_eq!(
            found.diagnostics.iter().filter(is_error).count(),
            errors,
            "{text}\n{:?}",
            found.diagnostics
        );
    }
}

/// Two macros, one with a value for each target and one for each toolkit, have a value for each pair.
#[test]
fn macros_by_target_and_toolkit() {
    let ladder = |name: &str, numbers: &[u32], condition: &str| {
        let branch = |(number, value): (usize, &u32)| {
            let word = if number == 0 { "if" } else { "elif" };
            format!("#{word} {condition} {value}\n#define {name} {number}\n")
        };
        let all: String = numbers.iter().enumerate().map(branch).collect();
        format!("#undef {name}\n{all}#else\n#define {name} 99\n#endif\n")
    };
    let targets = [
        500, 520, 530, 600, 610, 620, 700, 720, 750, 800, 860, 870, 880, 890, 900, 1000, 1010, 1030, 1100,
        1200, 1210,
    ];
    let toolkits = [9_000, 10_000, 11_000, 11_020, 11_040, 11_060, 11_080, 12_000, 12_010, 12_040];
    let macros = ladder("A", &targets, "__CUDA_ARCH__ ==") + &ladder("B", &toolkits, "CUDA_VERSION <=");
    let fp8 = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));"#;
    // `A` is 9 for sm_80, and 13 for sm_89.
    for (condition, severity) in [
        ("A * 100 + B >= 900", Some(Severity::Error)),
        ("A * 100 + B >= 1300 && B == 99", None),
        ("A * 100 + B >= 900 && FLAG", Some(Severity::Note)),
    ] {
        let text = format!("{macros}#if {condition}\n{fp8}\n#endif\n");
        let source = Source::new("k.cu", text.as_bytes());
        let found = check_source(&source, Language::Cpp, &CheckOptions::default()).diagnostics;
        assert_eq!(found.first().map(|d| d.severity()), severity, "{condition}: {found:?}");
    }
}
