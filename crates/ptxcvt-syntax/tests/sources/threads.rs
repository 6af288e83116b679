//! Conditions in which variables of threads are joined to the target: each thread may take either way, so only the
//! target decides whether code is compiled.

use super::{ASM, ERROR, NOTE, cpp, kinds};

/// Compares the severities and codes of the findings in texts with an assembly for sm_89 in place of `ASM`.
fn compare(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(kinds(&cpp(&text.replace("ASM", ASM))), *expected, "{text}");
    }
}

#[test]
fn a_variable_next_to_the_target_takes_every_value() {
    compare(&[
        ("void f(int x) { if (__CUDA_ARCH__ >= 750 && x) ASM }", ERROR),
        ("void f(int x) { if (__CUDA_ARCH__ >= 890 && x) ASM }", ""),
        ("void f(int x) { if (x && __CUDA_ARCH__ >= 750) { ASM } else g(); }", ERROR),
        ("void f(int x) { if (x > 0 || __CUDA_ARCH__ < 750) g(); else ASM }", ERROR),
        ("void f(int x) { if (x > 0 || __CUDA_ARCH__ < 890) g(); else ASM }", ""),
        ("void f(int x) { if (threadIdx.x == 0 && __CUDA_ARCH__ >= 750) ASM }", ERROR),
        ("void f(int x) { if (threadIdx.x == 0 && __CUDA_ARCH__ >= 890) ASM }", ""),
        ("void f(int x) { if (p->q[3] && __CUDA_ARCH__ >= 750) ASM }", ERROR),
        ("void f(int x) { if (*p == 1.5f && __CUDA_ARCH__ >= 750) ASM }", ERROR),
        ("void f(int x) { if (g(x, \"(\") && __CUDA_ARCH__ >= 750) ASM }", ERROR),
        ("void f(int x) { if ((x & 1) == 0 && __CUDA_ARCH__ >= 750) ASM }", ERROR),
        // Every target compiles these, so only `--target` says more.
        ("void f(int x) { if ((__CUDA_ARCH__ != 800) || x) ASM }", ""),
        ("void f(int x) { if (!(__CUDA_ARCH__ >= 900 && x)) ASM }", ""),
        ("void f(int x) { if (x) ASM else ASM }", ""),
        // A path that a thread can take is counted as taken.
        ("void f(int x) { if (x && __CUDA_ARCH__ < 900) return; ASM }", ""),
        // A variable has one value in a condition.
        ("void f(int x) { if ((x && __CUDA_ARCH__ < 890) || !x) g(); else ASM }", ""),
        ("void f(int x) { if ((x && __CUDA_ARCH__ < 860) || !x) g(); else ASM }", ERROR),
        ("void f(int x) { if (__CUDA_ARCH__ >= (x ? 890 : 900)) ASM }", ""),
        ("void f(int x) { if (__CUDA_ARCH__ >= (x ? 890 : 860)) ASM }", ERROR),
        ("void f(int x) { if (__CUDA_ARCH__ >= 750 && x && kFlag) ASM }", NOTE),
        ("#define IF(c) if (c)\nvoid f(int x) { IF(x && __CUDA_ARCH__ >= 750) ASM }", ERROR),
        ("void f(int x) { for (; x && __CUDA_ARCH__ >= 750; ) ASM }", ERROR),
    ]);
}

#[test]
fn initialisers_and_casts_are_read() {
    compare(&[
        ("void f() { if (int x = 3; __CUDA_ARCH__ >= 800) ASM }", ERROR),
        ("void f() { if (int x = 3; __CUDA_ARCH__ >= 890) { ASM } }", ""),
        ("void f() { if (constexpr int x = __CUDA_ARCH__; x >= 800) { ASM } }", ERROR),
        ("void f() { if (constexpr int x = __CUDA_ARCH__; x >= 890) { ASM } }", ""),
        (
            "constexpr int x = 1; void f() { if (constexpr int x = 0; x) g(); if (!x && __CUDA_ARCH__ > 0) ASM }",
            "",
        ),
        ("#define IF(c) if (c)\nvoid f() { IF(int x = 3; __CUDA_ARCH__ >= 800) ASM }", ERROR),
        ("void f() { if (bool(__CUDA_ARCH__ >= 800)) ASM }", ERROR),
        ("void f() { if (bool(__CUDA_ARCH__ >= 890)) ASM }", ""),
        ("void f() { if ((bool)(__CUDA_ARCH__ >= 800)) ASM }", ERROR),
        ("void f() { if (static_cast<bool>(__CUDA_ARCH__ >= 800)) ASM }", ERROR),
        ("void f() { if constexpr (static_cast<bool>(__CUDA_ARCH__ >= 890)) ASM }", ""),
        ("void f() { if ((int)__CUDA_ARCH__ >= 800) ASM }", ERROR),
        ("void f() { if (unsigned(__CUDA_ARCH__) - 801u < 100u) ASM }", ERROR),
        ("void f() { if (static_cast<std::uint32_t>(__CUDA_ARCH__) - 890u < 1000u) ASM }", ""),
        ("#define OLD ((bool)(__CUDA_ARCH__ < 890))\nvoid f() { if (!OLD) ASM }", ""),
        ("constexpr bool k = static_cast<bool>(__CUDA_ARCH__ / 890); void f() { if (k) ASM }", ""),
        ("#if (1, __CUDA_ARCH__ >= 800)\nASM\n#endif", "error CVT011"),
        ("#if (0, __CUDA_ARCH__ >= 890)\nASM\n#endif", ""),
    ]);
}

/// A condition that cannot be read, but names the target, may hold for any target.
#[test]
fn what_is_unknown_about_the_target_is_a_note() {
    compare(&[
        ("void f() { if constexpr (X<__CUDA_ARCH__>::v) { ASM } }", NOTE),
        ("void f() { if (is_new(__CUDA_ARCH__)) { ASM } }", NOTE),
        ("void f() { if ((char)__CUDA_ARCH__ > 3) { ASM } }", NOTE),
        ("void f() { if (bool b = __CUDA_ARCH__ >= 890) { ASM } }", NOTE),
        ("#if IS_NEW(__CUDA_ARCH__)\nASM\n#endif", NOTE),
        ("__device__ bool has() { return __CUDA_ARCH__ >= 890; } void f() { if (has()) ASM }", NOTE),
        ("constexpr bool k = is_new(__CUDA_ARCH__); void f() { if (k) ASM }", NOTE),
        (
            "void f() {\n#if A\nif (__CUDA_ARCH__ >= 800) {\n#else\nif (__CUDA_ARCH__ >= 750) {\n#endif\nASM } }",
            NOTE,
        ),
        ("void f() { if (kFlag) { ASM } }", ""),
    ]);
}
