//! Assemblies of C++ whose text comes from elsewhere: constant arrays, macros for `asm`, included files, functions that
//! format.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::{check, cpp, found_and_counted};

/// An assembly with the constraint `C`.
fn constant(before: &str, template: &str, operand: &str) -> String {
    format!("{before}\nasm(\"{template}\" : \"=h\"(d) : \"f\"(a), \"C\"({operand}));\n")
}

#[test]
fn constant_arrays_are_put_in_place_of_their_placeholders() {
    let array = "static constexpr char mode[] = \".rn\";";
    let good = constant(array, "cvt%2.f16.f32 %0, %1;", "mode");
    assert_eq!(found_and_counted(&good), (Vec::new(), 0));
    let report = check(&good, Language::Cpp, &CheckOptions::default());
    let forms: Vec<String> = report.stats.forms.keys().map(ToString::to_string).collect();
    assert_eq!(forms, ["cvt.rn.f16.f32"]);
    let named = "asm(\"cvt%[m].f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a), [m] \"C\"(mode));\n";
    assert_eq!(found_and_counted(&format!("{array}\n{named}")), (Vec::new(), 0));
    // A wrong text, and operands that are judged as usual.
    let wrong = array.replace(".rn", ".f15");
    assert!(!cpp(&constant(&wrong, "cvt%2.f16.f32 %0, %1;", "mode")).is_empty());
    assert!(!cpp(&constant(array, "cvt%2.f16.f32 %1, %0;", "mode")).is_empty());
    for (before, operand) in [
        ("", "mode"),
        (array, "other"),
        (array, "traits<T>::mode"),
        ("const char mode[] = {'.', 'r', 'n', 0};", "mode"),
        ("const char mode[] = PREFIX \"rn\";", "mode"),
        ("#ifdef A\nconst char mode[] = \".rn\";\n#else\nconst char mode[] = \".rz\";\n#endif", "mode"),
    ] {
        for template in ["cvt%2.f16.f32 %0, %1;", "cvt.rn%2.f16.f32 %0, %1;", "%2.f16.f32 %0, %1;", "%2"] {
            let text = constant(before, template, operand);
            assert_eq!(found_and_counted(&text), (Vec::new(), 1), "{text}");
        }
    }
}

#[test]
fn macros_for_the_keyword_begin_statements() {
    for macros in ["#define ASM asm volatile", "#define A __asm__\n#define ASM A volatile", "#define ASM asm"]
    {
        for (template, expected) in [
            ("\"cvt.f16.f32 %0, %1;\"", (1, 0)),
            ("\"cvt.\" TYPE \".f32 %0, %1;\"", (0, 1)),
            ("OP \" %0, %1;\"", (0, 1)),
            ("TEXT", (0, 1)),
        ] {
            let text = format!("{macros}\nvoid f() {{ ASM({template} : \"=h\"(d) : \"f\"(a)); }}\n");
            let (found, counted) = found_and_counted(&text);
            assert_eq!((found.len(), counted), expected, "{text}");
        }
    }
    // In macros with parameters, unknown assemblies are counted at the macro's `asm`.
    for macros in
        ["#define ASM(...) asm volatile(__VA_ARGS__)", "#define ASM(x, d, a) asm(x : \"=h\"(d) : \"f\"(a))"]
    {
        let text = format!("{macros}\nvoid f() {{ ASM(OP \" %0, %1;\", d, a); }}\n");
        assert_eq!(found_and_counted(&text), (Vec::new(), 1), "{text}");
    }
}

#[test]
fn included_parts_of_a_statement_are_unknown() {
    for (text, expected) in [
        ("asm(\n#include \"a.inc\"\n: \"=h\"(d) : \"f\"(a));\n", (0, 1)),
        ("asm(\"cvt.rn\"\n#include \"a.inc\"\n\".f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));\n", (0, 1)),
        ("asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=r\"(d) :\n#include \"a.inc\"\n);\n", (0, 0)),
        ("asm(\"cvt.f16.f32 %0, %1;\"\n#pragma once\n : \"=h\"(d) : \"f\"(a));\n", (1, 0)),
    ] {
        let (found, counted) = found_and_counted(text);
        assert_eq!((found.len(), counted), expected, "{text}");
    }
}

#[test]
fn formatted_conversions_are_counted_where_they_are_not_known() {
    for call in [
        "fmt::format(\"cvt.rn.{}.f32 {}, {};\", ty, d, a)",
        "std::format(\"cvt.rn.{0}.f32 {1}, {2};\", ty, d, a)",
        "std::format(R\"(cvt.rn.{0:s}.f32 h, f;)\", ty)",
        "absl::StrCat(\"cvt.rn.\", ty, \".f32 h, f;\")",
        "absl::Substitute(\"cvt.rn.$0.f32 $1, $2;\", ty, d, a)",
        "absl::StrFormat(\"cvt.rn.%s.f32 %s, %s;\", ty, d, a)",
        "llvm::formatv(\"cvt.rn.{0}.f32 {1}, {2};\", ty, d, a)",
        "snprintf(text, sizeof text, \"cvt.rn.%s.f32 %%h1, %%f%d;\", ty, 1)",
        "sprintf(text, \"cvt.%s.%s.f32 \" REGISTERS, mode, ty)",
        "text << \"cvt.rn.\" << ty << \".f32 h, f;\"",
        "std::string(\"cvt.rn.\") + ty + \".f32 h, f;\"",
    ] {
        let text = format!("auto x = {call};\n");
        let (found, counted) = found_and_counted(&text);
        assert_eq!((found, counted), (Vec::new(), 1), "{text}");
    }
}
