//! Conditions of C++ whose outcome is unknown: they have notes, never nothing, and no error that a target cannot reach.

use super::{ASM, ERROR, NOTE, cpp, found_and_counted, kinds};

/// Compares the severities and codes of the findings, and the number of conversions that are not judged, in texts with
/// an assembly for sm_89 in place of `ASM`.
fn compare(cases: &[(&str, &str, usize)]) {
    for (text, expected, counted) in cases {
        let text = text.replace("ASM", ASM);
        let (found, not_judged) = found_and_counted(&text);
        assert_eq!((kinds(&found).as_str(), not_judged), (*expected, *counted), "{text}");
    }
}

/// A conditional around one macro is not an include guard.
#[test]
fn a_macro_with_a_default_is_an_unknown_flag_in_code() {
    const FP8: &str = "#ifndef FP8\n#define FP8 0\n#endif\n";
    const ARCH: &str = "#ifndef ARCH\n#define ARCH 750\n#endif\n";
    let texts = [
        (FP8, "void f() { if (FP8 && __CUDA_ARCH__ >= 800) ASM }"),
        (FP8, "void f() { if constexpr (FP8 && __CUDA_ARCH__ >= 800) ASM }"),
        (FP8, "constexpr bool v = FP8 && __CUDA_ARCH__ >= 800; void f() { if (v) ASM }"),
        (FP8, "void f() { if (!FP8 || __CUDA_ARCH__ < 800) return; ASM }"),
        (FP8, "void f() {\n#if FP8 && __CUDA_ARCH__ >= 800\nASM\n#endif\n}"),
        (ARCH, "void f() { if (__CUDA_ARCH__ >= ARCH) ASM }"),
        (ARCH, "void f() {\n#if __CUDA_ARCH__ >= ARCH\nASM\n#endif\n}"),
    ];
    for (definition, code) in texts {
        compare(&[
            (&format!("{definition}{code}"), NOTE, 0),
            (&format!("{}{code}", definition.replace("#ifndef ", "#if !defined ")), NOTE, 0),
            (&format!("#include \"a.h\"\n{definition}{code}"), NOTE, 0),
        ]);
    }
    // With all code inside, it is one.
    compare(&[(
        "/* A */\n#pragma once\n#ifndef FP8\n#define FP8 0\nvoid f() { if (FP8) ASM }\n#endif // FP8\n// B\n",
        "",
        1,
    )]);
}

#[test]
fn a_name_with_several_definitions_is_unknown() {
    for definitions in [
        "template <class T> constexpr bool v = false; template <> constexpr bool v<char> = true;",
        "template <class T> constexpr bool v = false; template <class T> constexpr bool v<T*> = true;",
        "template <class T> inline constexpr bool v = false;\ntemplate <> inline constexpr bool v<char>{true};",
        "template <class T> constexpr bool v = __CUDA_ARCH__ < 800; template <> constexpr bool v<char> = true;",
    ] {
        let text = |condition: &str| format!("{definitions} template <class T> void f() {{ {condition} }}");
        compare(&[
            (&text("if constexpr (v<T> && __CUDA_ARCH__ >= 800) ASM"), NOTE, 0),
            (&text("if (v<char> && __CUDA_ARCH__ >= 800) ASM"), NOTE, 0),
            (&text("if constexpr (!(v<T> && __CUDA_ARCH__ >= 800)) return; ASM"), NOTE, 0),
        ]);
    }
}

#[test]
fn a_statement_continues_after_dead_code() {
    for (begin, end) in [
        ("#ifdef USE_ROCM\nif (b)\n#endif\n", ""),
        ("#if 0\nif (b)\n#endif\n", ""),
        ("#ifndef __CUDA_ARCH__\nif (b)\n#endif\n", ""),
        ("#ifdef USE_ROCM\nif (b)\n#else\n", "#endif\n"),
        ("#if __CUDA_ARCH__ >= 750\n#if __CUDA_ARCH__ < 750\nif (b)\n#endif\n", "#endif\n"),
    ] {
        let text = |code: &str| format!("void f(bool b) {{\n{begin}{code}\n{end}\n}}");
        compare(&[(&text("if (__CUDA_ARCH__ < 890) return;\nASM"), "", 0)]);
        compare(&[(&text("if (__CUDA_ARCH__ < 860) return;\nASM"), ERROR, 0)]);
    }
    // A statement that began before.
    let text = format!(
        "void f(bool b) {{ int n =\n#if 0\n1;\n#else\n2;\n#endif\nif (__CUDA_ARCH__ < 890) return; {ASM} }}"
    );
    assert_eq!(cpp(&text), Vec::<String>::new(), "{text}");
}

/// A function with this body for sm_80 and higher.
fn function(before: &str, body: &str) -> String {
    format!("{before}\nvoid f(bool p) {{\n#if __CUDA_ARCH__ >= 800\n{body}\n#endif\n}}\n")
}

#[test]
fn a_variable_may_have_another_value_in_each_condition() {
    for body in [
        "bool v = __CUDA_ARCH__ >= 890; if (!v) { v = r(); if (v) ASM }",
        "bool v = __CUDA_ARCH__ >= 890; if (!v) { bool v = r(); if (v) ASM }",
        "bool v = __CUDA_ARCH__ >= 890; if (!v) { v = !v; if (v) return; } ASM",
        "bool v = __CUDA_ARCH__ >= 890; while (p && !v) { v = r(); if (v) ASM }",
        "int v = p; if (__CUDA_ARCH__ >= 890) v = 1; if (v == 0) return; v = p; if (v == 0) ASM",
        "int v[2] = {__CUDA_ARCH__, 0}; if (v[1]) return; v[1] = r(); if (v[1]) ASM",
        "const bool kV = r(1); if (kV) return; { const bool kV = r(2); if (kV) ASM }",
        "if (q::n < 4) { q::n++; if (q::n == 4) ASM }",
        "if (!T::done) { T::done = r(); if (T::done) ASM }",
    ] {
        compare(&[(&function("", body), NOTE, 0)]);
    }
    let other = "int g(int n) { int v[2] = {__CUDA_ARCH__, 0}; return v[n]; }";
    let body = "int v = 0; while (v != 2) { v = r(v); if (v == 2) ASM }";
    compare(&[(&function(other, body), NOTE, 0)]);
    // Within a condition, equal names have equal values, and so have constants of other files.
    let body = "bool v = r(__CUDA_ARCH__); if (v && !v) ASM";
    compare(&[(&function("", body), "", 1)]);
    for name in ["kFp8", "FP8", "T::kFp8", "T::value"] {
        compare(&[(&function("", &format!("if ({name}) return; if ({name}) ASM")), "", 1)]);
    }
}

#[test]
fn a_declarator_hides_a_constant() {
    const CONSTANT: &str = "constexpr bool v = __CUDA_ARCH__ >= 890;";
    compare(&[(&function(CONSTANT, "if (v) ASM"), "", 0)]);
    for parameter in [
        "Tensor<float> *v",
        "Tensor<float> &v",
        "Tensor<float> const *v",
        "std::array<int, 2> &v",
        "Tensor<float> &&v",
        "Tensor<float *> v",
        "Tensor<Tensor<float>> v",
        "half2 *const v",
    ] {
        let text = format!(
            "{CONSTANT}\nvoid f(int n, {parameter}) {{\n#if __CUDA_ARCH__ >= 800\nif (v) ASM\n#endif\n}}\n"
        );
        compare(&[(&text, NOTE, 0)]);
    }
    for declaration in [
        "half2 w, *v = p;",
        "half2 w, *v;",
        "half2 w, &v = q;",
        "half2 w, **v = p;",
        "half2 w, *const v = p;",
        "half2 w, *v{p};",
        "half2 w = g(a, b), *v = g(c);",
        "Tensor<float> *v = p;",
        "Tensor<float> *v;",
        "extern half2 *v;",
        "a::half2 *v;",
        "register half2 v asm(\"r1\");",
    ] {
        compare(&[(&function(CONSTANT, &format!("{declaration} if (v) ASM")), NOTE, 0)]);
    }
}
