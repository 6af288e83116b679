//! Attributes and blocks at the start of declarations.

use ptxcvt_syntax::sources::Language;
use ptxcvt_syntax::{CheckOptions, Severity};

use super::{check, cpp, found_and_counted, machine};

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

/// `asm("…")` after a declarator names a symbol, and is not code. The string is counted.
#[test]
fn labels_of_declarations_are_not_code() {
    for declaration in [
        "extern int f(int) asm(\"cvt.f16.f32\");",
        "int y asm(\"cvt.f16.f32\");",
        "int y __asm__(\"cvt.f16.f32\") = 1;",
        "static __device__ float *y asm(\"cvt\" \".f16.f32\");",
        "register int y asm(\"cvt.f16.f32 a, b;\");",
        "std::vector<T> y[2] asm(\"cvt.f16.f32\"), z;",
        "int a asm(\"x\"), b asm(\"cvt.f16.f32\");",
        "T f(int n = 1) __asm(\"cvt.f16.f32\") __attribute__((weak));",
        "[[gnu::weak]] extern int y asm(\"cvt.f16.f32\");",
        "#define DECLARE(x) extern int x asm(\"cvt.f16.f32\")\nDECLARE(y);",
    ] {
        for text in [declaration.to_owned(), format!("__device__ void g() {{ {declaration} }}")] {
            assert_eq!(found_and_counted(&text), (vec![], 1), "{text}");
        }
    }
    // Statements, though words or groups precede them.
    for statement in [
        "asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(a));",
        "if (c) asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(a));",
        "if (c) g(); else asm(\"cvt.f16.f32 a, b;\");",
        "for (int i = 0; i < n; ++i) asm(\"cvt.f16.f32 a, b;\");",
        "do asm(\"cvt.f16.f32 a, b;\"); while (c);",
        "UNROLL asm(\"cvt.f16.f32 a, b;\");",
        "A_MACRO ANOTHER asm(\"cvt.f16.f32 a, b;\");",
        "FOR_EACH(i, n) asm(\"cvt.f16.f32 a, b;\");",
        "A(x) B(y) asm(\"cvt.f16.f32 a, b;\");",
        "here: asm volatile(\"cvt.f16.f32 a, b;\");",
        "x = 1, y; asm(\"cvt.f16.f32 a, b;\");",
        "int z = 1; asm(\"cvt.f16.f32 a, b;\");",
    ] {
        let text = format!("__device__ void g() {{ {statement} }}");
        assert_eq!(cpp(&text), ["1 error CVT006"], "{text}");
    }
    let text = "#define A(x) asm(\"cvt.f16.f32 a, \" x \";\")\n__device__ void g() { A(\"b\"); }\n";
    assert_eq!(cpp(text), ["1 error CVT006"], "{text}");
}

/// An assembly without instructions needs no warning, in a file or in a function; the word in its comment is not a
/// conversion.
#[test]
fn assemblies_without_instructions() {
    for text in [
        "asm(\".global .b32 x; /* cvt.f16.f32 a, b; */\");",
        "asm(\"// cvt.f16.f32 a, b;\");",
        "__device__ void f() { asm(\"/* cvt.f16.f32 a, b; */\"); }",
        "const char *text = \"/*\\ncvt.f16.f32 a, b;\\n*/\";",
    ] {
        assert_eq!(found_and_counted(text), (vec![], 0), "{text}");
    }
}
