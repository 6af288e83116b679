//! Code that is compiled for only some targets without an `#if` around it: by constants, macros that hide statements,
//! operators, text that no compiler reads, and statements that leave a function early.

use super::cpp;

const ASM: &str = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(d) : "f"(a));"#;

/// The severities and codes of the findings in a text for sm_80 and newer, with an assembly for sm_89 in place of
/// `ASM`.
fn findings(text: &str) -> String {
    let text = format!("#if __CUDA_ARCH__ >= 800\n{}\n#endif\n", text.replace("ASM", ASM));
    let found = cpp(&text);
    let worst =
        ["error CVT011", "note CVT011"].into_iter().find(|what| found.iter().any(|one| one.ends_with(what)));
    assert_eq!(worst.is_some(), !found.is_empty(), "{found:?}\n{text}");
    worst.unwrap_or_default().to_owned()
}

fn compare(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(findings(text), *expected, "{text}");
    }
}

#[test]
fn constants_decide_and_unknown_ones_are_flags() {
    compare(&[
        ("constexpr bool NEW = __CUDA_ARCH__ >= 890; if constexpr (NEW) ASM", ""),
        ("constexpr bool NEW = __CUDA_ARCH__ >= 860; if constexpr (NEW) ASM", "error CVT011"),
        ("static const int arch{__CUDA_ARCH__}; if (arch >= 890) ASM", ""),
        ("constexpr int N = 4; if constexpr (N) ASM", "error CVT011"),
        ("constexpr int N = 4; if constexpr (N == 5) ASM", ""),
        ("constexpr int N = 4; if constexpr (N == 5) f(); else ASM", "error CVT011"),
        // A definition in each branch.
        (
            "#if __CUDA_ARCH__ >= 890\nconstexpr bool k = true;\n#else\nconstexpr bool k = false;\n#endif\nif constexpr (k) ASM",
            "",
        ),
        (
            "#if __CUDA_ARCH__ >= 890\nconstexpr bool k = true;\n#else\nconstexpr bool k = false;\n#endif\nif (!k) ASM",
            "error CVT011",
        ),
        (
            "#if __CUDA_ARCH__ >= 890\nconst int level = 3;\n#else\nconst int level = 2;\n#endif\nif (level > 2) ASM",
            "",
        ),
        (
            "#if FLAG\nconstexpr bool k = true;\n#else\nconstexpr bool k = false;\n#endif\nif constexpr (k) ASM",
            "note CVT011",
        ),
        ("#if FLAG\nconstexpr bool k = true;\n#endif\nif constexpr (k) ASM", "note CVT011"),
        // Each name of a declaration, and of an enumeration.
        ("constexpr int A = 1, B = 0; if constexpr (B) ASM", ""),
        ("constexpr int A = 1, B = 0; if constexpr (A) ASM", "error CVT011"),
        ("constexpr int A{1}, B(0); if constexpr (B) ASM", ""),
        ("enum { OLD, NEW = 5, NEXT }; if constexpr (OLD) ASM", ""),
        ("enum Kind : int { OLD, NEW = 5, NEXT }; if constexpr (NEXT == 6) ASM", "error CVT011"),
        ("enum { OLD = __CUDA_ARCH__ < 890 }; if constexpr (!OLD) ASM", ""),
        ("enum class Kind { OLD }; if constexpr (OLD) ASM", "note CVT011"),
        // Nothing says what these are.
        ("template <bool kUse = false> void f() { if constexpr (kUse) ASM }", "note CVT011"),
        ("template <bool use = false> void f() { if (use) ASM }", "note CVT011"),
        ("constexpr bool use = true; template <bool use> void f() { if (use) ASM }", "note CVT011"),
        ("template <class Arch> void f() { if constexpr (Arch::kFlag) ASM }", "note CVT011"),
        ("template <class Arch> void f() { if (Arch::kFlag) ASM }", "note CVT011"),
        ("if (x && Arch<T>::value) ASM", "note CVT011"),
        ("if constexpr (std::is_same_v<T, U>) ASM", "note CVT011"),
        ("if constexpr (flag) ASM", "note CVT011"),
        ("if constexpr (flag) f(); else ASM", "note CVT011"),
        ("if (kFlag) ASM", "note CVT011"),
        ("if (HAS_FP8) ASM", "note CVT011"),
        ("if (!HAS_FP8 || y) f(); else ASM", "note CVT011"),
        ("extern const int N; if constexpr (N) ASM", "note CVT011"),
        ("constexpr int N = other(3); if constexpr (N) ASM", "note CVT011"),
        ("constexpr float F = 0.5f; if constexpr (F > 0) ASM", "note CVT011"),
        ("constexpr char C = 300; if constexpr (C == 300) ASM", "note CVT011"),
        ("constexpr unsigned N = 4; if constexpr (N - 5 > 0) ASM", "error CVT011"),
        ("constexpr bool N = 4; if constexpr (N == 1) ASM", "error CVT011"),
        // A constant of another scope.
        ("struct A { static constexpr bool k = true; }; void f() { if constexpr (k) ASM }", "note CVT011"),
        (
            "constexpr bool k = false; void f() { constexpr bool k = true; if constexpr (k) ASM }",
            "error CVT011",
        ),
        (
            "constexpr bool k = true; void f() { { constexpr bool k = false; } if constexpr (k) ASM }",
            "error CVT011",
        ),
        ("constexpr bool k = false; void f(bool k) { if (k) ASM }", "note CVT011"),
        // A function of the file.
        (
            "constexpr bool has() { return __CUDA_ARCH__ >= 890; } void f() { if constexpr (has()) ASM }",
            "note CVT011",
        ),
        ("__device__ bool has() { return __CUDA_ARCH__ >= 890; } void f() { if (has()) ASM }", "note CVT011"),
        (
            "__device__ bool has() {\n#if __CUDA_ARCH__ >= 890\nreturn true;\n#else\nreturn false;\n#endif\n} void f() { if (has()) ASM }",
            "note CVT011",
        ),
        // Variables of threads.
        ("if (i < N) ASM", "error CVT011"),
        ("const int n = blockDim.x; if (n > 3) ASM", "error CVT011"),
        ("if (x && !(y || f(3))) ASM", "error CVT011"),
        ("for (int i = 0; i < N; ++i) ASM", "error CVT011"),
        ("int M; if (M) ASM", "error CVT011"),
        ("switch (kMode) { case 1: ASM }", "note CVT011"),
        ("switch (mode) { case 1: ASM }", "error CVT011"),
    ]);
}

#[test]
fn macros_that_hide_statements_are_followed() {
    compare(&[
        ("#define IF(x) if (x)\nIF(__CUDA_ARCH__ >= 890) { ASM }", ""),
        ("#define IF(x) if (x)\nIF(__CUDA_ARCH__ >= 890) { f(); } ASM", "error CVT011"),
        ("#define IF(x) if (x)\nIF(__CUDA_ARCH__ < 890) f(); else ASM", ""),
        ("#define IF(x) if (x)\nIF(y) ASM", "error CVT011"),
        ("#define IF(x) if constexpr (x)\nIF(kFlag) ASM", "note CVT011"),
        ("#define IF_FP8 if constexpr (__CUDA_ARCH__ >= 890)\nIF_FP8 { ASM }", ""),
        ("#define IF_FP8 if constexpr (__CUDA_ARCH__ >= 890)\nIF_FP8 { ASM } else { ASM }", "error CVT011"),
        ("#define IF(x) if (x)\n#define IF_FP8 IF(__CUDA_ARCH__ >= 890)\nIF_FP8 { ASM }", ""),
        (
            "#if __CUDA_ARCH__ >= 890\n#define IF_FP8 if (true)\n#else\n#define IF_FP8 if (false)\n#endif\nIF_FP8 { ASM }",
            "",
        ),
        (
            "#if __CUDA_ARCH__ >= 890\n#define IF_FP8\n#else\n#define IF_FP8 if (false)\n#endif\nIF_FP8 { ASM }",
            "note CVT011",
        ),
        ("#define DO(x) if (x)\nif (__CUDA_ARCH__ < 890) DO(y) f(); else g(); else ASM", ""),
        ("#define DO(x) if (x) f();\nDO(__CUDA_ARCH__ < 890) else ASM", "note CVT011"),
        ("#define ELSE else\nif (__CUDA_ARCH__ < 890) { f(); } ELSE ASM", "note CVT011"),
        ("#define GUARD(c, ...) if (c) { __VA_ARGS__ }\nGUARD(__CUDA_ARCH__ >= 890, ASM)", ""),
        (
            "#define GUARD(c, ...) do { if constexpr (c) { __VA_ARGS__ } } while (0)\nvoid f() { GUARD(kNew, ASM); }",
            "note CVT011",
        ),
        ("#define GUARD(c, d, a) if (c) { ASM }\nGUARD(__CUDA_ARCH__ >= 890, d, a)", ""),
        ("#define GUARD(c, d, a) if (c) { ASM }\nGUARD(__CUDA_ARCH__ >= 800, d, a)", "error CVT011"),
        (
            "#define GUARD(c, ...) if (c) { __VA_ARGS__ }\nvoid f() { GUARD(__CUDA_ARCH__ >= 890, g();) ASM }",
            "error CVT011",
        ),
        (
            "#define BEGIN if (__CUDA_ARCH__ >= 890) {\n#define END }\nvoid f() { BEGIN ASM END }",
            "note CVT011",
        ),
        (
            "#define BEGIN(x) if (x) {\n#define END }\nvoid f() { BEGIN(__CUDA_ARCH__ >= 890) ASM END }",
            "note CVT011",
        ),
        ("#define BEGIN(x) if (x) {\n#define END }\nvoid f() { BEGIN(y) ASM END }", "error CVT011"),
        ("#define BEGIN {\n#define END }\nif (__CUDA_ARCH__ < 890) BEGIN f(); END else ASM", "note CVT011"),
        ("#define REQUIRE if (__CUDA_ARCH__ < 890) return\nvoid f() { REQUIRE; ASM }", ""),
        (
            "#define CHECK(x) do { if ((x) != 0) { printf(\"\"); exit(EXIT_FAILURE); } } while (0)\nvoid f() { CHECK(g()); ASM }",
            "error CVT011",
        ),
        (
            "#define CHECK(x) do { if ((x) != 0) { printf(\"\"); } } while (0)\nvoid f() { CHECK(g(N)); ASM }",
            "error CVT011",
        ),
        ("#define IF_CONSTEXPR if constexpr\nIF_CONSTEXPR (__CUDA_ARCH__ >= 890) ASM", ""),
        ("#define IF_CONSTEXPR if constexpr\nIF_CONSTEXPR (kFlag) f(); else ASM", "note CVT011"),
        ("#define WHEN if\nWHEN (__CUDA_ARCH__ < 890) f(); else ASM", ""),
        ("#define WHEN if\nif (__CUDA_ARCH__ < 890) WHEN (x) f(); else g(); else ASM", ""),
        ("#define WHEN if\nvoid f() { WHEN (__CUDA_ARCH__ < 890) return; ASM }", ""),
        ("#define FOR for\nFOR (; __CUDA_ARCH__ >= 890; ) ASM", ""),
        (
            "#if __CUDA_ARCH__ >= 890\n#define FP8_ONLY(...) __VA_ARGS__\n#else\n#define FP8_ONLY(...)\n#endif\nFP8_ONLY(ASM)",
            "",
        ),
        ("#define ALL(...) __VA_ARGS__\nALL(ASM)", "error CVT011"),
        ("for (; __CUDA_ARCH__ >= 890;) { ASM break; }", ""),
        ("for (int i = 0; __CUDA_ARCH__ >= 890 && i < 4; ++i) ASM", ""),
        // Whether the loop runs for each bound is not followed.
        ("for (int i = 0; i < (__CUDA_ARCH__ >= 900 ? 4 : 2); ++i) ASM", "note CVT011"),
        ("for (; kFlag;) ASM", "note CVT011"),
        ("void f() { __CUDA_ARCH__ >= 890 ? [&] { ASM }() : g(); }", "note CVT011"),
        ("void f() { auto g = (__CUDA_ARCH__ >= 890) ? h : [=] { ASM }; }", "note CVT011"),
        ("void f() { __CUDA_ARCH__ >= 890 && [&] { ASM return true; }(); }", "note CVT011"),
        ("void f() { return Arch::kNew ? [&] { ASM }() : g(); }", "note CVT011"),
        ("void f() { x ? [&] { ASM }() : g(); }", "error CVT011"),
        ("void f() { __CUDA_ARCH__ >= 890 ? [&] { g(); }() : h(); ASM }", "error CVT011"),
        ("template <class T> void f(T&& x) { ASM }", "error CVT011"),
    ]);
}

#[test]
fn text_that_no_compiler_reads_is_part_of_no_statement() {
    compare(&[
        ("if (__CUDA_ARCH__ < 890) { f(); }\n#if 0\ng();\n#endif\nelse ASM", ""),
        ("if (__CUDA_ARCH__ < 890) { f(); }\n#if 0\n} it isn't (\n#endif\nelse ASM", ""),
        ("if (__CUDA_ARCH__ >= 890) {\n#if 0\n}\n#endif\nASM }", ""),
        ("if (__CUDA_ARCH__ >= 890)\n#if 0\ng();\n#else\nASM\n#endif\n", ""),
        ("if (__CUDA_ARCH__ < 890) { f(); }\n#ifndef __CUDA_ARCH__\ng();\n#endif\nelse ASM", ""),
        ("if (__CUDA_ARCH__ < 890) { f(); }\n#ifdef __CUDA_ARCH__\nelse ASM\n#else\ng();\n#endif", ""),
        ("if (__CUDA_ARCH__ < 890) { f(); }\n#define NEVER 0\n#if NEVER\ng();\n#endif\nelse ASM", ""),
        ("if (__CUDA_ARCH__ < 890) { f(); }\n#if FLAG\ng();\n#endif\nASM", "error CVT011"),
        ("#if 0\nif constexpr (x) {\n#endif\nASM\n#if 0\n}\n#endif", "error CVT011"),
    ]);
}

#[test]
fn statements_that_leave_a_block_restrict_the_rest_of_it() {
    compare(&[
        ("void f() { if (__CUDA_ARCH__ < 890) return; ASM }", ""),
        ("void f() { if constexpr (__CUDA_ARCH__ < 890) { g(); return; } ASM }", ""),
        ("void f() { if (__CUDA_ARCH__ >= 890) { g(); } else return; ASM }", ""),
        (
            "void f() { if (__CUDA_ARCH__ >= 900) g(); else if (__CUDA_ARCH__ < 890) return 0; else h(); ASM }",
            "",
        ),
        ("void f() { if (__CUDA_ARCH__ < 860) return; ASM }", "error CVT011"),
        ("void f() { if (__CUDA_ARCH__ >= 890) return; ASM }", "error CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) { if (x) return; } ASM }", "error CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) { if (x) return 1; else return 2; } ASM }", ""),
        ("void f() { if (__CUDA_ARCH__ < 890) { for (;;) { return; } } ASM }", ""),
        // Neither a statement that leaves only sometimes nor the word alone is a guard.
        ("void f() { if (__CUDA_ARCH__ < 890) { while (x) { if (h) return; } } ASM }", "error CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) { switch (x) { case 1: return; } } ASM }", "error CVT011"),
        (
            "void f() { if (__CUDA_ARCH__ < 890) { try { g(); } catch (...) { return; } } ASM }",
            "error CVT011",
        ),
        (
            "void f() { if (__CUDA_ARCH__ < 890) { for (auto y : x) { /* no return */ } } ASM }",
            "error CVT011",
        ),
        ("void f() { if (__CUDA_ARCH__ < 890) { [&] { return 1; }(); } ASM }", "error CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) { __trap(); } ASM }", "note CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) { if (__CUDA_ARCH__ < 900) return; } ASM }", ""),
        ("void f() { if (__CUDA_ARCH__ < 900) { if (__CUDA_ARCH__ < 890) return; } ASM }", ""),
        ("void f() { { if (__CUDA_ARCH__ < 890) return; } ASM }", ""),
        ("void f() { if (x) { if (__CUDA_ARCH__ < 890) return; } ASM }", "error CVT011"),
        ("void f() { if (x) { if (__CUDA_ARCH__ < 890) return; ASM } }", ""),
        ("void f() { if (x) { g(); } else if (__CUDA_ARCH__ < 890) return; ASM }", "error CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) return; g(); } void h() { ASM }", "error CVT011"),
        ("void f() { auto g = [&] { if (__CUDA_ARCH__ < 890) return; }; ASM }", "error CVT011"),
        ("void f() { auto g = [&] { if (__CUDA_ARCH__ < 890) return; ASM }; }", ""),
        ("for (;;) { if (__CUDA_ARCH__ < 890) continue; ASM }", ""),
        ("for (;;) { if (__CUDA_ARCH__ < 890) break; ASM }", ""),
        ("for (;;) { if (__CUDA_ARCH__ < 890) break; } ASM", "error CVT011"),
        ("switch (x) { case 1: if (__CUDA_ARCH__ < 890) break; ASM break; }", ""),
        ("switch (x) { case 1: if (__CUDA_ARCH__ < 890) break; case 2: ASM break; }", "error CVT011"),
        ("void f() { switch (x) default: { if (__CUDA_ARCH__ < 890) break; } ASM }", "error CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) return; switch (x) default: g(); ASM }", ""),
        ("void f() { case 1: { if (__CUDA_ARCH__ < 890) return; } ASM }", ""),
        ("void f() { if (x) goto out; if (__CUDA_ARCH__ < 890) return; out: ASM }", "error CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) goto out; ASM out: g(); }", ""),
        // Another function has a label of that name.
        (
            "void f() { if (__CUDA_ARCH__ < 890) return; out: ASM } void g() { if (x) goto out; out: h(); }",
            "",
        ),
        (
            "void g() { goto out; out: h(); } namespace a { void f() { if (__CUDA_ARCH__ < 890) return; out: ASM } }",
            "",
        ),
        ("void f() { { if (x) { goto out; } } if (__CUDA_ARCH__ < 890) return; out: ASM }", "error CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) return; switch (x) { case 1: ASM } }", ""),
        ("void f() { if constexpr (kOld) return; ASM }", "note CVT011"),
        ("void f() { if (x) return; ASM }", "error CVT011"),
        ("#define IF(x) if (x)\nvoid f() { IF(__CUDA_ARCH__ < 890) return; ASM }", ""),
        // In a branch of the preprocessor.
        (
            "void f() {\n#if __CUDA_ARCH__ >= 860\nif (__CUDA_ARCH__ < 890) return;\n#endif\nASM }",
            "error CVT011",
        ),
        ("void f() {\n#if __CUDA_ARCH__ < 890\nreturn;\n#endif\nASM }", ""),
        ("void f() {\n#if __CUDA_ARCH__ < 860\nreturn;\n#endif\nASM }", "error CVT011"),
        ("void f() {\n#if __CUDA_ARCH__ < 890\nif (x) return;\n#endif\nASM }", "error CVT011"),
        ("void f() {\n#if FLAG\nreturn;\n#endif\nASM }", "note CVT011"),
        ("void f() { {\n#if __CUDA_ARCH__ < 890\nthrow 1;\n#endif\n} ASM }", ""),
        ("void f() { if (x) {\n#if __CUDA_ARCH__ < 890\nreturn;\n#endif\n} ASM }", "error CVT011"),
        (
            "void f() {\n#if __CUDA_ARCH__ >= 890\nASM return;\n#else\ng();\n#endif\n} void h() { ASM }",
            "error CVT011",
        ),
        ("void f() {\n#define OTHER 1\nif (__CUDA_ARCH__ < 890) return;\nASM }", ""),
    ]);
    // Variables may lead to any branch.
    compare(&[
        ("void f() { do { if (__CUDA_ARCH__ < 890) return; } while (0); ASM }", ""),
        ("void f() { do { if (__CUDA_ARCH__ < 890) break; g(); } while (0); ASM }", "error CVT011"),
        ("void f() { do { if (__CUDA_ARCH__ < 890) break; ASM } while (0); }", ""),
        (
            "void f() { if (x) { if (__CUDA_ARCH__ < 890) return; } else { if (__CUDA_ARCH__ < 890) return; } ASM }",
            "",
        ),
        ("void f() { if (x) return; else if (__CUDA_ARCH__ < 890) return; ASM }", ""),
        ("void f() { if (x) return; else if (__CUDA_ARCH__ < 860) return; ASM }", "error CVT011"),
        ("void f() { [[unlikely]] if (__CUDA_ARCH__ < 890) return; ASM }", ""),
        ("void f() { if (__CUDA_ARCH__ < 890) [[unlikely]] return; ASM }", ""),
        ("void f() { __attribute__((x)) if (__CUDA_ARCH__ < 890) { return; } ASM }", ""),
        ("#define IF(c) if (c)\nvoid f() { if (x) return; else IF(__CUDA_ARCH__ < 890) return; ASM }", ""),
        (
            "void f() { if (__CUDA_ARCH__ == 890 && x) { if (__CUDA_ARCH__ != 800) return; } ASM }",
            "error CVT011",
        ),
        ("void f() { if (x && __CUDA_ARCH__ < 890) return; ASM }", "error CVT011"),
        ("void f() { if (x || __CUDA_ARCH__ < 890) return; ASM }", ""),
        // Loops and `switch`.
        ("void f() { for (;;) { if (__CUDA_ARCH__ >= 890) break; } ASM }", ""),
        ("void f() { while (true) { if (x) { if (__CUDA_ARCH__ >= 890) break; } } ASM }", ""),
        ("void f() { PRAGMA_UNROLL for (;;) { if (__CUDA_ARCH__ >= 890) break; } ASM }", ""),
        ("void f() { for (;;) { for (;;) { break; } if (__CUDA_ARCH__ < 890) return; ASM } }", ""),
        ("void f() { do { if (x) continue; } while (__CUDA_ARCH__ < 890); ASM }", ""),
        ("void f() { do g(); while (__CUDA_ARCH__ < 890); ASM }", ""),
        ("void f() { while (x) { if (__CUDA_ARCH__ < 890) return; } ASM }", "error CVT011"),
        (
            "void f() { switch (x) { case 1: if (__CUDA_ARCH__ < 890) return; break; default: return; } ASM }",
            "",
        ),
        ("void f() { switch (x) { case 1: if (__CUDA_ARCH__ < 890) return; break; } ASM }", "error CVT011"),
        ("void f() { switch (kMode) { case 1: if (__CUDA_ARCH__ < 890) return; } ASM }", "note CVT011"),
        ("void f() { try { if (__CUDA_ARCH__ < 890) return; } catch (...) { return; } ASM }", ""),
        ("void f() { try { if (__CUDA_ARCH__ < 890) return; } catch (...) { } ASM }", "error CVT011"),
        // Assertions hold, and lambdas leave only themselves.
        ("void f() { if (__CUDA_ARCH__ < 890) { assert(x > 0); } ASM }", "error CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) { assert(false); } ASM }", "note CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) { g([&] { return; }); } ASM }", "error CVT011"),
        ("void f() { if (__CUDA_ARCH__ < 890) { FOR_EACH(i, n) { return; } } ASM }", "note CVT011"),
        // Conditionals of the preprocessor within the statement.
        ("void f() { if (x) {\n#if __CUDA_ARCH__ < 890\nreturn;\n#endif\n} else return; ASM }", ""),
        ("void f() { do {\n#if __CUDA_ARCH__ < 890\nreturn;\n#else\ng();\n#endif\n} while (x); ASM }", ""),
        (
            "void f() {\n#if A\nwhile (x) {\n#else\nwhile (y) {\n#endif\nif (__CUDA_ARCH__ < 890) return; }\nASM }",
            "note CVT011",
        ),
        ("void f() { if (x) { g([&] { if (__CUDA_ARCH__ < 890) return; ASM }); } }", ""),
        ("void f() { if (x) { FOR_EACH(i, n) { if (__CUDA_ARCH__ < 890) break; ASM } } }", ""),
        ("void f() { return; ASM }", ""),
        ("void f() { if (x) { return; ASM } }", ""),
    ]);
    // A label of a `switch` may be deeper than the statement before it.
    compare(&[
        ("void f() { switch (x) { case 1: return; if (y) { case 2: ASM } } }", "error CVT011"),
        ("void f() { switch (x) { case 1: return; if (y) { default: ASM } } }", "error CVT011"),
        ("void f() { switch (x) { case 1: return; if (y) g(); else { case 2: ASM } } }", "error CVT011"),
        ("void f() { switch (x) { while (true) { } do { case 2: ASM } while (y); } }", "error CVT011"),
        (
            "void f() { switch (x) { case 1: if (__CUDA_ARCH__ < 890) return; { case 2: ASM } } }",
            "error CVT011",
        ),
        ("void f() { switch (x) { return; if (__CUDA_ARCH__ < 890) case 2: ASM } }", "error CVT011"),
        ("void f() { switch (x) { case 1: if (__CUDA_ARCH__ < 890) return; { ASM } } }", ""),
        ("void f() { switch (x) { case 1: return; switch (y) { case 2: ASM } } }", ""),
    ]);
    // Many in a row are not nested.
    let many = "if (__CUDA_ARCH__ < 890) return; g(); ".repeat(40);
    assert_eq!(findings(&format!("void f() {{ {many} ASM }}")), "");
}
