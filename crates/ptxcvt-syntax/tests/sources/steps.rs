//! Variables whose values depend on the target through several steps, or that only some targets change.

use super::{ASM, ERROR, NOTE, cpp, kinds};

/// Compares the severities and codes of the findings in bodies of a function for sm_80 and higher, with an assembly for
/// sm_89 in place of `ASM` and a condition on sm_89 in place of `NEW`.
fn compare(before: &str, cases: &[(&str, &str)]) {
    for (body, expected) in cases {
        let text =
            format!("{before}\nvoid f(bool b, bool p) {{\n#if __CUDA_ARCH__ >= 800\n{body}\n#endif\n}}\n");
        let text = text
            .replace("ASM", ASM)
            .replace("NEW", "\n#if __CUDA_ARCH__ >= 890\n")
            .replace("END", "\n#endif\n");
        assert_eq!(kinds(&cpp(&text)), *expected, "{text}");
    }
}

#[test]
fn a_variable_that_only_some_targets_change_is_unknown() {
    compare(
        "",
        &[
            ("bool v = false; NEW v = b; END if (v) { ASM }", NOTE),
            ("bool v = false; if (__CUDA_ARCH__ >= 890) v = b; if (v) ASM", NOTE),
            ("bool v = false; if (p) { if (__CUDA_ARCH__ >= 890) { v = b; } } if (v) ASM", NOTE),
            ("bool v = false; switch (__CUDA_ARCH__) { case 890: v = b; } if (v) ASM", NOTE),
            ("bool v = false; NEW v = b; END if (!v) return; ASM", NOTE),
            ("bool v = false; { NEW v = b; END if (!v) return; } ASM", NOTE),
            ("int v = 0; NEW v++; END if (v) ASM", NOTE),
            ("int v = 0; NEW v <<= b; END if (v) ASM", NOTE),
            ("int v = 0; NEW set(&v); END if (v) ASM", NOTE),
            ("int v = 0; NEW set(p, v); END if (v) ASM", NOTE),
            // Its value reaches other variables.
            ("bool v = false; NEW v = b; END bool w = v; if (w) ASM", NOTE),
            ("bool v = false; NEW v = b; END bool w = false; if (v) w = b; if (w) ASM", NOTE),
            ("int v = 0; NEW if ((v = g()) > 0) h(); END if (v) ASM", NOTE),
            // The next round of the loop reads it.
            ("bool v = false; while (b) { if (v) ASM NEW v = b; END }", NOTE),
            // A parameter.
            ("\n#if __CUDA_ARCH__ < 890\np = false; END if (p) ASM", NOTE),
        ],
    );
}

#[test]
fn a_variable_with_any_value_in_every_target_is_known() {
    compare(
        "",
        &[
            ("bool v = false; if (b) v = p; if (v) ASM", ERROR),
            ("bool v = false; v = b; if (v) ASM", ERROR),
            ("int v = g(); if (__CUDA_ARCH__ < 860) { v = h(); } if (v) ASM", ERROR),
            ("int v = 0; v = g(); if (__CUDA_ARCH__ < 860) { v = h(); } if (v) ASM", ERROR),
            ("int v; if (__CUDA_ARCH__ < 860) { v = h(); } else v = g(); if (v) ASM", ERROR),
            ("int v = 0; if (__CUDA_ARCH__ < 860) { v = h(); if (v) ASM }", ERROR),
            ("int v = 0; NEW v = h(); if (v) { ASM } END", ""),
            (
                "int v = 0; for (int i = 0; i < b; ++i) { v += i; if (__CUDA_ARCH__ < 860) v += b; } if (v) ASM",
                ERROR,
            ),
            ("\n#if __CUDA_ARCH__ < 890\np = b; END if (p) ASM", ERROR),
            // Another function has a parameter of the same name.
            ("\n#if __CUDA_ARCH__ < 890\np = false; END } void g(bool p) { if (p) ASM", ERROR),
            ("for (int i = 0; i < 4; ++i) { NEW set(i); END if (i == 2) ASM }", ERROR),
        ],
    );
}

#[test]
fn the_target_reaches_a_variable_through_functions() {
    let uses: Vec<(&str, &str)> = [
        "bool v = at_least(890); if (v) ASM",
        "auto v = at_least(890); if (v) ASM",
        "bool v{at_least(890)}; if (v) ASM",
        "bool v; v = at_least(890); if (v) ASM",
        "const bool v = at_least(890); if (v) ASM",
        "bool v = false; get(v, 890); if (v) ASM",
        "if (at_least(890)) ASM",
    ]
    .map(|body| (body, NOTE))
    .to_vec();
    let get = "void get(bool& r, int n) { r = at_least(n); }";
    for functions in [
        "constexpr int arch() { return __CUDA_ARCH__; } constexpr bool at_least(int n) { return arch() >= n; }",
        "constexpr int kArch = __CUDA_ARCH__; constexpr bool at_least(int n) { return kArch >= n; }",
        // Each is defined after the function that calls it.
        "int last(); int arch(); bool at_least(int n) { return arch() >= n; } int arch() { return last(); } int last() { return __CUDA_ARCH__; }",
    ] {
        compare(&format!("{functions} {get}"), &uses);
    }
    let class = "struct S { static constexpr bool at_least(int n) { return v >= n; } static constexpr int v = __CUDA_ARCH__; };";
    compare(class, &[("bool v = S::at_least(890); if (v) ASM", NOTE)]);
    // A function that does not depend on the target.
    compare("bool at_least(int n) { return n > 3; }", &[("bool v = at_least(890); if (v) ASM", ERROR)]);
}

/// What a conditional of the preprocessor crosses depends on it.
#[test]
fn statements_that_a_directive_crosses_are_unknown() {
    for condition in ["true", "__CUDA_ARCH__ >= 700", "__CUDA_ARCH__ != 899"] {
        let text = format!(
            "void f(bool b) {{\nif (b) {{ }}\n#if __CUDA_ARCH__ >= 800\nelse if ({condition}) {{ }}\n#endif\nelse {{ {ASM} }}\n}}"
        );
        assert_eq!(cpp(&text), ["6 note CVT011"], "{text}");
    }
    for condition in ["false", "__CUDA_ARCH__ < 600"] {
        let text = format!(
            "void f() {{\n#if __CUDA_ARCH__ >= 751\nif ({condition}) {{\n#endif\n{ASM}\n#if __CUDA_ARCH__ >= 751\n}}\n#endif\n}}"
        );
        assert_eq!(cpp(&text), ["5 note CVT011"], "{text}");
    }
    // A jump before the `else` whose statement is crossed.
    let text = format!(
        "void f(bool b) {{\nif (__CUDA_ARCH__ != 600) return;\nelse {{\n#if __CUDA_ARCH__ >= 900\nif (b)\n#else\nif (!b)\n#endif\n{{ g(); }}\n}}\n{ASM}\n}}"
    );
    assert_eq!(cpp(&text), ["11 note CVT011"], "{text}");
    // The directive does not depend on the target.
    let text = format!("void f() {{\n#if FLAG\nif (false) {{\n#endif\n{ASM}\n#if FLAG\n}}\n#endif\n}}");
    assert_eq!(cpp(&text), Vec::<String>::new(), "{text}");
}

#[test]
fn a_product_with_0_is_0() {
    for condition in
        ["b & (530 < __CUDA_ARCH__ ? false : __CUDA_ARCH__ == 600)", "b * 0", "0 & b", "0 << b", "0 / b"]
    {
        compare("", &[(&format!("if ({condition}) {{ ASM }}"), "")]);
    }
    compare("", &[("if (b & 1) { ASM }", ERROR), ("if (b | 0) { ASM }", ERROR)]);
}
