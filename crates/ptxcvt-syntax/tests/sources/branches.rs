//! Branches of the preprocessor, within a statement and around it.

use std::fmt::Write as _;

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::check::TargetSet;
use ptxcvt_syntax::sources::Language;

use super::{check, cpp, found, found_and_counted, machine};

#[test]
fn every_branch_between_the_strings_of_a_statement_is_judged() {
    // TransformerEngine's ptx.cuh has `#if (defined X)` between the strings.
    let text = r#"
asm volatile("{\n"
#if (defined _LOOSE_PRECISION)
    "cvt.f16.f32 %0, %1;\n"
#elif __CUDA_ARCH__ >= 800
    "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;\n"
#else
    "cvt.rn.f16.f32 %0, %2;\n"
#endif
    "}"
    : "=h"(d) : "f"(a), "h"(b));
"#;
    assert_eq!(cpp(text), ["4 error CVT006", "6 note CVT011", "8 error CVT105"]);
    let stats = check(text, Language::Cpp, &CheckOptions::default()).stats;
    assert_eq!((stats.conversions, stats.skipped.len()), (3, 0));
    // The statement ends in each branch.
    let text = r#"
#if __CUDA_ARCH__ >= 700
asm("cvt.rna.tf32.f32 %0, %1;"
#if __CUDA_ARCH__ >= 800
    : "=r"(d) : "f"(a));
#else
    : "=f"(d) : "f"(a));
#endif
asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(d) : "f"(a));
#endif
"#;
    assert_eq!(cpp(text), ["3 error CVT011", "3 error CVT105", "9 error CVT011"]);
}

/// TransformerEngine's ptx.cuh gives the random bits of four conversions in 64 bits.
#[test]
fn the_operands_of_each_branch_are_judged() {
    let text = r#"
asm volatile("{\n"
#if (defined _LOOSE_PRECISION)
    "cvt.rs.satfinite.e4m3x4.f32 %0, {%1, %2, %3, %4}, %5;\n"
#else
    "cvt.rs.satfinite.e5m2x4.f32 %0, {%4, %3, %2, %1}, %6;\n"
#endif
    "}" : "=r"(d) : "f"(a), "f"(b), "f"(c), "f"(e), "l"(bits), "r"(bits));
"#;
    assert_eq!(cpp(text), ["4 error CVT105"]);
    assert_eq!(cpp(&text.replace("%6", "%5")), ["4 error CVT105", "6 error CVT105"]);
    assert_eq!(cpp(&text.replace("%5", "%6")), [""; 0]);
}

/// A cast after `return` does not hide the end of the statement, as a macro could.
#[test]
fn operators_before_parentheses_end_no_statement() {
    let wrong = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(h) : "f"(a));"#;
    for statement in ["return (float)x;", "return (int) y + 1;", "delete[] x;", "throw (E) x;"] {
        let text = format!(
            "#if __CUDA_ARCH__ >= 700\nvoid f() {{\nif (__CUDA_ARCH__ >= 900) {statement}\nelse g();\n{wrong}\n}}\n#endif\n"
        );
        assert_eq!(cpp(&text), ["5 error CVT011"], "{statement}");
    }
}

#[test]
fn alternatives_that_contradict_an_outer_guard_are_none() {
    // CUDA's mma.h.
    let text = r#"
#if __CUDA_ARCH__ >= 700
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));
#endif
#else
asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));
#endif
"#;
    assert_eq!(cpp(text), ["7 error CVT011"]);
}

#[test]
fn a_flag_of_another_header_makes_a_note() {
    // CUTLASS: the flag implies `a` or `f`.
    let text = r#"
#if defined(CUTLASS_ARCH_MMA_SM110_ENABLED) && __CUDA_ARCH__ >= 1100
asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
asm("cvt.rn.ue8m0x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
asm("cvt.rn.nonsense.f32 %0, %1;" : "=h"(d) : "f"(a));
#endif
"#;
    let errors = ["3 note CVT011", "4 error CVT007", "5 error CVT002"];
    assert_eq!(cpp(text), errors);
}

#[test]
fn targets_that_are_not_built_are_not_judged() {
    let text = r#"
#if __CUDA_ARCH__ >= 1000
asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
#endif
#if __CUDA_ARCH__ == 1030
asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
#endif
#if __CUDA_ARCH__ >= 890
asm("cvt.rs.f16x2.f32 %0, %1, %2, %3;" : "=r"(d) : "f"(a), "f"(b), "r"(c));
#endif
"#;
    let options = CheckOptions::default();
    assert_eq!(cpp(text), ["3 error CVT011", "6 error CVT011", "9 error CVT011"]);
    let only = |target: &str| found(text, Language::Cpp, &options.machine(machine(target)));
    assert_eq!(only("sm_100a"), Vec::<String>::new());
    assert_eq!(only("sm_120a"), ["9 error CVT011"]);
    let built = |names: &[&str]| {
        let targets: TargetSet = names.iter().map(|name| name.parse().expect("a target")).collect();
        found(text, Language::Cpp, &options.built(Some(targets)))
    };
    assert_eq!(built(&["sm_80", "sm_100a", "sm_103a"]), Vec::<String>::new());
    assert_eq!(built(&["sm_90", "sm_100a"]), ["9 error CVT011"]);
    // Code that no guard restricts is judged for `--target` alone.
    let plain = r#"asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));"#;
    let sm_75 = TargetSet::from_iter("sm_75".parse());
    assert_eq!(found(plain, Language::Cpp, &options.built(Some(sm_75))), Vec::<String>::new());
    assert_eq!(found(plain, Language::Cpp, &options.machine(machine("sm_75"))), ["1 error CVT011"]);
}

#[test]
fn toolkits_flags_of_the_file_and_code_for_the_host() {
    for (guards, expected) in [
        (&["#if CUDA_VERSION >= 11080"][..], ""),
        (&["#if __CUDA_ARCH__ >= 890 && CUDA_VERSION >= 11080"], "error CVT012"),
        (&["#if __CUDA_ARCH__ >= 890 && CUDA_VERSION >= 12010"], ""),
        (&["#if __CUDA_ARCH__ >= 890", "#define FP8", "#endif", "#ifdef FP8"], ""),
        (&["#if __CUDA_ARCH__ >= 800", "#define FP8", "#endif", "#ifdef FP8"], "error CVT011"),
        (&["#define AT_LEAST(n) (__CUDA_ARCH__ >= (n))", "#if AT_LEAST(890)"], ""),
        (&["#define AT_LEAST(n) (__CUDA_ARCH__ >= (n))", "#if AT_LEAST(860)"], "error CVT011"),
        (&["#if __CUDA_ARCH__ * 2 > 1780 ? 1 : 0"], ""),
        (&["#if !defined(USE_ROCM) && __CUDA_ARCH__ >= 800"], "error CVT011"),
        (&["#if __has_include(<x.h>) && __CUDA_ARCH__ >= 800"], "note CVT011"),
        (&["#if __CUDA_ARCH__ >= 800 || FLAG", "#if !FLAG"], "note CVT011"),
        (&["#ifdef FLAG", "#if __CUDA_ARCH__ >= 890"], ""),
        (&["#ifdef FLAG"], ""),
        (&["#if __CUDA_ARCH__ >= 500"], "error CVT011"),
        (&["#ifdef __CUDA_ARCH__"], ""),
        (&["#ifndef __CUDA_ARCH__"], "dead"),
        (&["#ifdef USE_ROCM"], "dead"),
        (&["#if 0"], "dead"),
        (&["#if __CUDA_ARCH__ >= 900", "#if __CUDA_ARCH__ < 890"], "dead"),
    ] {
        let mut text = guards.join("\n");
        text +=
            "\nasm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b));\n#endif\n";
        let report = check(&text, Language::Cpp, &CheckOptions::default());
        let what = match &report.diagnostics[..] {
            [] if report.stats.skipped.contains_key("no device compiler sees it") => "dead".to_owned(),
            [] => String::new(),
            [only] => format!("{} {}", only.severity().name(), only.code()),
            more => panic!("{more:?}"),
        };
        assert_eq!(what, expected, "{text}");
    }
    // An include guard is not an unknown flag.
    let text = "#pragma once\n#ifndef FP8_H\n#define FP8_H\n#if __CUDA_ARCH__ >= 800\n\
                asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b));\n#endif\n#endif\n";
    assert_eq!(cpp(text), ["5 error CVT011"]);
}

/// Directives as a compiler reads them: joined lines, comments, and what other code leaves of them.
#[test]
fn directives_are_read_as_a_compiler_reads_them() {
    const FP8: &str = "asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b));\n";
    for (before, compiled_for) in [
        ("#if __CUDA_ARCH__ >= 800 /* a\n and b */ && __CUDA_ARCH__ >= 890\n", 89),
        ("#if __CUDA_ARCH__ >= 800 /* a */ /* b\n */\n", 80),
        ("#if __CUDA_ARCH_\\\n_ >= 890\n", 89),
        ("#if __CUDA_ARCH__ >= 800 // a \\\n && __CUDA_ARCH__ >= 890\n", 80),
        ("%:if __CUDA_ARCH__ >= 800\n", 80),
        (" %: if __CUDA_ARCH__ >= 890\n", 89),
        // A part of a keyword is not a statement.
        ("#define ASM asm volatile\n#if __CUDA_ARCH__ >= 800\n", 80),
        ("#define CHOOSE NV_IF_TARGET\n#if __CUDA_ARCH__ >= 800\n", 80),
        ("#define ASM asm volatile\n#if __CUDA_ARCH__ >= 890\n", 89),
        ("// a \\\n#if 0\n#if __CUDA_ARCH__ >= 800\n", 80),
        ("#if defined __CUDA_ARCH__ and not (__CUDA_ARCH__ < 800)\n", 80),
        ("#if (__CUDA_ARCH__ bitand 0xffff) not_eq 0 and __CUDA_ARCH__ >= 890 or 0\n", 89),
    ] {
        let expected = if compiled_for < 89 {
            format!("{} error CVT011", before.lines().count() + 1)
        } else {
            String::new()
        };
        let text = format!("{before}{FP8}#endif\n");
        assert_eq!(cpp(&text).join(" "), expected, "{text}");
        // Spelling is judged everywhere.
        let wrong = text.replace("cvt.rn.satfinite", "cvt.rn");
        assert_eq!(cpp(&wrong).len(), 1, "{wrong}");
    }
    // A directive's lines within a statement, and lines of its strings and comments that look like some.
    let text = r###"
#if __CUDA_ARCH__ >= 890
asm(
/*
#endif
*/
R"(
#endif
)"
"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
%:ifdef A /* b
 c */
"cvt.f16.f32 %0, %1;"
%:endif
 : "=h"(d) : "f"(a), "f"(b));
#else
asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
#endif
asm VOLATILE ("cvt.f16.f32 %0, %1;" : "=h"(d) : "f"(a));
"###;
    let found = cpp(text);
    assert!(
        found.contains(&"13 error CVT006".to_owned()) && found.contains(&"17 error CVT011".to_owned()),
        "{found:?}"
    );
    assert!(found.contains(&"19 error CVT006".to_owned()), "{found:?}");
}

#[test]
fn many_branches_of_a_statement_are_all_judged() {
    let mut text = String::from("asm(\"{\"\n");
    for flag in 0..40 {
        let _ = write!(
            text,
            "#ifdef A{flag}\n\"cvt.f16.f32 %0, %1;\"\n#if B{flag}\n\"cvt.f16.f32 %0, %1;\"\n#elif C\n\"cvt.f16.f32 %0, %1;\"\n\
             #endif\n#else\n\"cvt.f16.f32 %0, %1;\"\n#endif\n"
        );
    }
    text += "\"}\" : \"=h\"(d) : \"f\"(a));\n";
    let (found, counted) = found_and_counted(&text);
    assert_eq!((found.len(), counted), (160, 0));
}

/// Deep and long files are judged to their end.
#[test]
fn many_flags_are_all_judged() {
    let wrong = "asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));\n";
    let each = |n: usize| format!("#ifdef A{n}\n{wrong}#endif\n");
    let long: String = (0..10_000).map(each).collect();
    let deep: String = (0..4_000).map(|n| format!("#ifdef A{n}\n")).collect();
    let deep = format!("{deep}{wrong}{}", "#endif\n".repeat(4_000));
    assert_eq!(cpp(&long).len(), 10_000);
    assert_eq!(cpp(&deep), ["4001 error CVT006"]);
}

/// A macro's body is compiled where the macro is used; without a use in the file, where it is defined.
#[test]
fn macros_are_compiled_where_they_are_used() {
    const BODY: &str = "asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b))";
    for (uses, expected) in [
        ("", "2 error CVT011"),
        ("#if __CUDA_ARCH__ >= 890\nvoid f() { M(d); }\n#endif\n", ""),
        ("#if __CUDA_ARCH__ >= 860\nvoid f() { M(d); }\n#endif\n", "2 error CVT011"),
        (
            "#if __CUDA_ARCH__ >= 890\nvoid f() { M(d); }\n#else\nvoid f() { M(d); }\n#endif\n",
            "2 error CVT011",
        ),
        ("#define N(x) if (x) { M(x); }\n#if __CUDA_ARCH__ >= 900\nvoid f() { N(d); }\n#endif\n", ""),
        ("#define N(x) M(x)\n#define M2 N\nvoid f() { M2(d); }\n", "2 error CVT011"),
        ("#ifdef FLAG\nvoid f() { M(d); }\n#endif\n", "2 note CVT011"),
        ("#ifndef __CUDA_ARCH__\nvoid f() { M(d); }\n#endif\n", "dead"),
        // No uses: directives, strings, comments.
        (
            "#if __CUDA_ARCH__ >= 890 && defined(M)\nconst char* t = \"M\"; // M\n#undef M\n#endif\n",
            "2 error CVT011",
        ),
    ] {
        let text = format!("#if __CUDA_ARCH__ >= 800\n#define M(x) {BODY}\n#endif\n{uses}");
        let report = check(&text, Language::Cpp, &CheckOptions::default());
        let found = match report.stats.skipped.contains_key("no device compiler sees it") {
            true => "dead".to_owned(),
            false => cpp(&text).join(" "),
        };
        assert_eq!(found, expected, "{text}");
    }
    // Each definition is compiled where both it and a use are.
    let text = format!(
        "#if __CUDA_ARCH__ >= 890\n#define M(x) {BODY}\n#else\n#define M(x) {BODY}\n#endif\n\
         #if __CUDA_ARCH__ >= 800\nvoid f() {{ M(d); }}\n#endif\n"
    );
    assert_eq!(cpp(&text), ["4 error CVT011"]);
}

/// The compiler removes a statement whose condition on the target is false.
#[test]
fn an_if_on_the_target_is_a_guard() {
    const ASM: &str = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(d) : "f"(a));"#;
    for (statement, expected) in [
        ("if constexpr (__CUDA_ARCH__ >= 890) ASM", ""),
        ("if constexpr (__CUDA_ARCH__ >= 890) { ASM }", ""),
        ("if (__CUDA_ARCH__ >= 890) { f(\"}\"); /* } */ ASM } else { f(); }", ""),
        ("if constexpr (__CUDA_ARCH__ < 890) { f(); } else { ASM }", ""),
        ("if constexpr (__CUDA_ARCH__ < 890) f(); else if (x) ASM else ASM", ""),
        ("if constexpr (__CUDA_ARCH__ < 800) f(); else if constexpr (__CUDA_ARCH__ >= 900) ASM", ""),
        ("if (x)\n#if __CUDA_ARCH__ >= 890\nASM\n#endif\n", ""),
        ("if constexpr (__CUDA_ARCH__ >= 800) ASM", "error CVT011"),
        ("if constexpr (__CUDA_ARCH__ < 890) ASM", "error CVT011"),
        ("if constexpr (__CUDA_ARCH__ >= 890) f(); ASM", "error CVT011"),
        ("if constexpr (__CUDA_ARCH__ >= 890) { f(); } ASM", "error CVT011"),
        ("if constexpr (__CUDA_ARCH__ >= 890) { f(); } else ASM", "error CVT011"),
        ("if constexpr (__CUDA_ARCH__ >= 890) f(); else f(); ASM", "error CVT011"),
        // Threads may differ, so that both statements are compiled.
        ("if (x >= 890) ASM", "error CVT011"),
        ("if (x >= 890) f(); else ASM", "error CVT011"),
        ("if constexpr (__CUDA_ARCH__ >= 800 && kFlag) ASM", "note CVT011"),
        ("if constexpr (__CUDA_ARCH__ >= 890 || kFlag) ASM", "note CVT011"),
        ("if constexpr (__CUDA_ARCH__ >= 890 && kFlag) ASM", ""),
        // If a condition of the preprocessor crosses the boundary of the statement, the targets are unknown.
        ("if constexpr (__CUDA_ARCH__ >= 890) {\n#if Y\n} else {\n#endif\nASM }", "note CVT011"),
        ("if (__CUDA_ARCH__ >= 890)\n#if Y\nASM\n#else\nASM\n#endif\n", "note CVT011"),
        ("{ if (__CUDA_ARCH__ >= 890)\n#if Y\nf();\n#else\ng();\n#endif\n} ASM", "error CVT011"),
        ("if (__CUDA_ARCH__ >= 890) {\n#define OPEN {\n/*\n#if Y\n*/ ASM }", ""),
        (
            "if (__CUDA_ARCH__ >= 890) {\n#if Y\nif (y) {\n#else\nif (z) {\n#endif\nASM } } ASM",
            "error CVT011",
        ),
        // Every statement has its own end.
        ("if (__CUDA_ARCH__ >= 890) for (;;) { f(); } ASM", "error CVT011"),
        ("if (__CUDA_ARCH__ < 890) for (;;) { f(); } else ASM", ""),
        ("if (__CUDA_ARCH__ < 890) while (x) f(); else ASM", ""),
        ("if (__CUDA_ARCH__ >= 890) while (x) { f(); } ASM", "error CVT011"),
        ("if (__CUDA_ARCH__ < 890) do { f(); } while (x); else ASM", ""),
        ("if (__CUDA_ARCH__ < 890) do f(); while (x); else ASM", ""),
        ("if (__CUDA_ARCH__ < 890) switch (x) { case A::B: f(); default: g(); } else ASM", ""),
        ("if (__CUDA_ARCH__ >= 890) switch (x) { case 1: f(); } ASM", "error CVT011"),
        ("if (__CUDA_ARCH__ < 890) try { f(); } catch (int) { g(); } catch (...) { } else ASM", ""),
        ("if (__CUDA_ARCH__ >= 890) try { f(); } catch (...) { } ASM", "error CVT011"),
        ("if (__CUDA_ARCH__ < 890) [[unlikely]] { f(); } else ASM", ""),
        ("if (__CUDA_ARCH__ >= 890) [[likely]] { f(); } ASM", "error CVT011"),
        ("if (__CUDA_ARCH__ >= 890) __attribute__((x)) { f(); } ASM", "error CVT011"),
        ("if (__CUDA_ARCH__ >= 890)\n#pragma unroll\nfor (;;) { f(); }\nASM", "error CVT011"),
        ("if (__CUDA_ARCH__ < 890) _Pragma(\"unroll\") for (;;) { f(); } else ASM", ""),
        ("if (__CUDA_ARCH__ < 890) CUTLASS_PRAGMA_UNROLL for (;;) { f(); } else ASM", ""),
        ("if (__CUDA_ARCH__ < 890) UNROLL(4) for (;;) { f(); } else ASM", ""),
        ("if (__CUDA_ARCH__ >= 890) FOR_EACH(i, n) { f(); } ASM", "error CVT011"),
        ("if (__CUDA_ARCH__ >= 890) here: f(); ASM", "error CVT011"),
        ("if (__CUDA_ARCH__ >= 890) [&] { f(); }(); ASM", "error CVT011"),
        ("if (__CUDA_ARCH__ < 890) x = [=](int a) -> int { return a; }(1) + T{2}; else ASM", ""),
        ("if (__CUDA_ARCH__ >= 890) auto u8 = u8\"}\"; ASM", "error CVT011"),
        ("if (__CUDA_ARCH__ < 890) if (x) f(); else g(); else ASM", ""),
        ("if (__CUDA_ARCH__ < 890) if consteval { f(); } else { g(); } else ASM", ""),
        ("if (__CUDA_ARCH__ < 890) if !consteval { f(); } else g(); else ASM", ""),
        ("if (__CUDA_ARCH__ < 890) if CONSTEXPR (x) { f(); } else { g(); } else ASM", ""),
        ("if CONSTEXPR (__CUDA_ARCH__ < 890) { f(); } else ASM", ""),
        ("if (__CUDA_ARCH__ >= 890) CHECK(x) else f(); ASM", "error CVT011"),
        // A macro is the statement or begins a loop, which is not known.
        ("if (__CUDA_ARCH__ >= 890) CHECK(x) for (;;) { f(); } ASM", "note CVT011"),
        ("{ if (__CUDA_ARCH__ >= 890) CHECK(x) f(); } ASM", "error CVT011"),
        // Conditions.
        ("if (__CUDA_ARCH__ >= // the first\n890) ASM", ""),
        ("if (__CUDA_ARCH__ < 890 || // too old\n__CUDA_ARCH__ < 870) f(); else ASM", ""),
        ("if (int n = 1; __CUDA_ARCH__ >= 890) ASM", ""),
        ("if constexpr (is_new<__CUDA_ARCH__>()) ASM", "note CVT011"),
        (
            "if (x == 1 && __CUDA_ARCH__ > 0) { x = 2; if (x == 2 && __CUDA_ARCH__ >= 800) ASM }",
            "error CVT011",
        ),
        ("while (__CUDA_ARCH__ >= 890) ASM", ""),
        ("constexpr int N = 4; if constexpr (N) ASM", "error CVT011"),
        ("switch (__CUDA_ARCH__) { case 890: ASM }", ""),
        ("if (0) ASM", ""),
        ("if (x < 0) ASM", "error CVT011"),
    ] {
        let text = format!("#if __CUDA_ARCH__ >= 800\n{}\n#endif\n", statement.replace("ASM", ASM));
        let found: Vec<String> =
            cpp(&text).iter().map(|finding| finding.split_once(' ').unwrap().1.to_owned()).collect();
        assert_eq!(found.first().map_or("", String::as_str), expected, "{text}");
        // In a macro, too.
        if !statement.contains('\n') {
            let text = format!(
                "#if __CUDA_ARCH__ >= 800\n#define M(d, a) {}\nM(d, a)\n#endif\n",
                statement.replace("ASM", ASM)
            );
            assert_eq!(cpp(&text).is_empty(), expected.is_empty(), "{text}");
        }
    }
}

/// Macros of the file in the condition of a statement.
#[test]
fn the_condition_of_a_statement_may_be_a_macro() {
    const ASM: &str = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(d) : "f"(a));"#;
    for (text, expected) in [
        ("#define HAS_FP8 (__CUDA_ARCH__ >= 800)\nif constexpr (HAS_FP8) { ASM }", "2 error CVT011"),
        ("#define HAS_FP8 (__CUDA_ARCH__ >= 890)\nif constexpr (HAS_FP8) { ASM }", ""),
        ("#define AT_LEAST(n) (__CUDA_ARCH__ >= (n))\nif (AT_LEAST(800)) ASM", "2 error CVT011"),
        (
            "#if __CUDA_ARCH__ >= 800\n#define HAS 1\n#else\n#define HAS 0\n#endif\nif (HAS) ASM",
            "6 error CVT011",
        ),
        ("#if __CUDA_ARCH__ >= 800\n#define N 8\n#else\n#define N 4\n#endif\nif (i < N) ASM", ""),
        ("#define N 4\n#if __CUDA_ARCH__ >= 800\nif (i < N) ASM\n#endif", "3 error CVT011"),
        // A definition in a statement counts for every target.
        (
            "if (__CUDA_ARCH__ >= 900) {\n#define N 1\n}\n#if N && __CUDA_ARCH__ >= 800\nASM\n#endif",
            "5 error CVT011",
        ),
    ] {
        assert_eq!(cpp(&text.replace("ASM", ASM)).join(" "), expected, "{text}");
    }
}

/// Many macros with several definitions: the rest of a condition stays known.
#[test]
fn a_condition_of_many_macros_is_a_note() {
    for count in [2, 4, 8, 12, 40] {
        for function in [false, true] {
            let (parameters, arguments) = if function { ("(x)", "(1)") } else { ("", "") };
            let mut text = String::new();
            for n in 0..count {
                let _ = writeln!(
                    text,
                    "#if F{n}\n#define G{n}{parameters} 1\n#else\n#define G{n}{parameters} 0\n#endif"
                );
            }
            let both: Vec<String> =
                (0..count).map(|n| format!("(G{n}{arguments} || !F{})", (n + 1) % count)).collect();
            let asm = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(d) : "f"(a));"#;
            let guarded = |least: u32| {
                let condition = both.join(" && ");
                cpp(&format!("{text}#if {condition} && __CUDA_ARCH__ >= {least}\n{asm}\n#endif\n"))
            };
            let found = guarded(800);
            assert!(matches!(&found[..], [one] if one.ends_with("note CVT011")), "{count} {found:?}");
            assert_eq!(guarded(890), [""; 0], "{count}");
        }
    }
}
