//! Attributes and blocks at the start of declarations.

use ptxcvt_syntax::sources::Language;
use ptxcvt_syntax::{CheckOptions, Severity};

use super::{check, machine};

/// Outside of functions, text that begins like a statement is a declaration and restricts nothing.
#[test]
fn declarations_are_no_statements() {
    let heads = [
        "[[nodiscard]]",
        "[[maybe_unused]] static",
        "[[gnu::always_inline]] [[deprecated(\"{\")]] inline",
        "__attribute__((noinline))",
        "__declspec(noinline)",
        "_Pragma(\"once\")",
        "PRAGMA_PURE(1)",
        "__extension__ __attribute__((pure))",
        "alignas(16)",
        "template <typename T> [[nodiscard]]",
        "template <typename T> requires requires(T a) { a.x; } [[nodiscard]]",
        "/* [[ */ [[nodiscard]]",
    ];
    let leaves = "if (__CUDA_ARCH__ >= 890) return 1; return 2;";
    let mut declarations: Vec<String> =
        heads.iter().map(|head| format!("{head} __device__ int f(float b) {{ {leaves} }}")).collect();
    declarations.extend(
        [
            "S() : x{1}, y{2} { if (__CUDA_ARCH__ >= 890) return; }",
            "S() : x{1} /* { */ { if (__CUDA_ARCH__ >= 890) return; }",
            "S() : x{[] { return 1; }()} { if (__CUDA_ARCH__ >= 890) return; }",
            "int f() requires requires { typename T::x; } { return 1; }",
            "struct Q { [[nodiscard]] int f() { return 1; } };",
        ]
        .map(str::to_owned),
    );
    let function = "__device__ void g(float a, float b) { unsigned short d; asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b)); }";
    let scopes = [
        ("", ""),
        ("namespace a::b {", "}"),
        ("extern \"C\" {", "}"),
        ("namespace [[deprecated(\"(\")]] a { class B : C<decltype(x)> { public:", "}; }"),
        ("struct alignas(16) S {", "};"),
        ("struct __attribute__((packed)) S {", "};"),
        ("union ALIGNED(8) S {", "};"),
        ("template <typename T> requires (sizeof(T) > 2) struct S { // see f()\n", "};"),
        ("void outer() { struct S {", "}; }"),
    ];
    for (before, after) in scopes {
        for declaration in &declarations {
            let text = format!("{before} {declaration}\n{function} {after}");
            let found =
                check(&text, Language::Cpp, &CheckOptions::default().machine(machine("sm_80"))).diagnostics;
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(found[0].severity(), Severity::Error, "{text}: {found:?}");
        }
    }
}
