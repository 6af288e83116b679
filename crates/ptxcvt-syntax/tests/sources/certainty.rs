//! Conditions of C++ whose outcome is unknown: they have notes, never nothing, and no error that a target cannot reach.

use super::{cpp, found_and_counted};

const ASM: &str = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(d) : "f"(a));"#;

/// Compares the severities and codes of the findings, and the number of conversions that are not judged, in texts with
/// an assembly for sm_89 in place of `ASM`.
fn compare(cases: &[(&str, &str, usize)]) {
    for (text, expected, counted) in cases {
        let text = text.replace("ASM", ASM);
        let (found, not_judged) = found_and_counted(&text);
        let found: Vec<&str> =
            found.iter().map(|finding| finding.split_once(' ').map_or("", |(_, rest)| rest)).collect();
        assert_eq!((found.join(", ").as_str(), not_judged), (*expected, *counted), "{text}");
    }
}

const NOTE: &str = "note CVT011";
const ERROR: &str = "error CVT011";

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
