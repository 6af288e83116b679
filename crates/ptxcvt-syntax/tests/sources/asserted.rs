//! `static_assert` in macros, and assertions that the compiler checks wherever they are.

use super::{ASM, ERROR, NOTE, found_and_counted, kinds};

/// The findings of a text.
fn judged(text: &str) -> String {
    let text = text.replace("ASM", ASM);
    let (found, unseen) = found_and_counted(&text);
    assert_eq!(unseen, 0, "{text}");
    kinds(&found)
}

#[test]
fn macros_that_assert() {
    for (macro_, used) in [
        ("STATIC(c, ...) static_assert(c, __VA_ARGS__)", "STATIC(__CUDA_ARCH__ >= 890, \"no\");"),
        ("STATIC static_assert", "STATIC(__CUDA_ARCH__ >= 890, \"no\");"),
        ("STATIC(c) static_assert(c);", "STATIC(__CUDA_ARCH__ >= 890)"),
        ("STATIC(c) do { static_assert(c); } while (0)", "STATIC(__CUDA_ARCH__ >= 890);"),
        ("NEEDS(n) static_assert(__CUDA_ARCH__ >= n, \"no\")", "NEEDS(890);"),
        ("NEEDS_FP8 static_assert(__CUDA_ARCH__ >= 890)", "NEEDS_FP8;"),
        ("INNER(c) static_assert(c)\n#define STATIC(c) INNER(c)", "STATIC(__CUDA_ARCH__ >= 890);"),
    ] {
        let before = format!("#define {macro_}\n#if __CUDA_ARCH__ >= 750\n");
        for text in [
            format!("{before}void k() {{\n{used}\nASM\n}}\n#endif\n"),
            format!("{before}template <class T> void k() {{\n{used}\nASM\n}}\n#endif\n"),
        ] {
            assert_eq!(judged(&text), "", "{text}");
            let lower = text.replace("890", "860");
            assert_eq!(judged(&lower), ERROR, "{lower}");
        }
        if !used.contains("while") && !macro_.contains("do {") {
            let outside = format!("{before}{used}\nvoid k() {{\nASM\n}}\n#endif\n");
            assert_eq!(judged(&outside), "", "{outside}");
        }
    }
    let size = "#define STATIC(c) static_assert(c)\n#if __CUDA_ARCH__ >= 750\n\
         void k() {\nSTATIC(sizeof(int) == 4);\nASM\n}\n#endif\n";
    assert_eq!(judged(size), ERROR);
    // What the macro does with the condition is not known.
    let other = "#define STATIC(c) static_assert(OTHER(c))\n#if __CUDA_ARCH__ >= 750\n\
         void k() {\nSTATIC(__CUDA_ARCH__ >= 890);\nASM\n}\n#endif\n";
    assert_eq!(judged(other), NOTE);
}

/// Only `false` alone is never fulfilled.
#[test]
fn assertions_that_begin_with_zero_are_fulfilled() {
    for condition in ["0 < N", "0 == N % 16", "0 != sizeof(int)", "false == N", "false || N"] {
        for used in [
            format!("static_assert({condition});"),
            format!("#define A(c) static_assert(c)\nA({condition});"),
        ] {
            assert_eq!(
                judged(&format!("{used}\n#if __CUDA_ARCH__ >= 750\nvoid k() {{ ASM }}\n#endif\n")),
                ERROR,
                "{used}"
            );
        }
    }
}

/// The compiler refuses the whole file. In a template, perhaps nothing uses the code.
#[test]
fn assertions_on_the_target_alone_refuse_the_file() {
    const ONE: &str = "static_assert(__CUDA_ARCH__ >= 890, \"no\");";
    let code = "#if __CUDA_ARCH__ >= 750\nvoid k() { ASM }\n#endif\n";
    for block in [
        format!("namespace n {{ {ONE} }}"),
        format!("extern \"C\" {{ {ONE} }}"),
        format!("struct S {{ {ONE} }};"),
        format!("template <> struct S<int> {{ {ONE} }};"),
        format!("void g(int x) {{ if (x) {{ {ONE} }} }}"),
        format!("void g(int x) {{ for (;;) {{ {ONE} }} }}"),
        format!("auto f = [] {{ {ONE} }};"),
    ] {
        assert_eq!(judged(&format!("{block}\n{code}")), "", "{block}");
    }
    for block in [
        format!("template <class T> struct S {{ {ONE} }};"),
        format!("template <class T> void g() {{ {ONE} }}"),
        format!("auto f = [](auto x) {{ {ONE} }};"),
        format!("auto f = []<class T>(T x) {{ {ONE} }};"),
        format!("_CCCL_TEMPLATE(class T) void g() {{ {ONE} }}"),
        // The macro may drop its argument.
        format!("#define DROP(...)\nDROP({ONE})"),
        format!("#define NAME(...) #__VA_ARGS__\nconst char* name = NAME({ONE});"),
        format!("void g(int x) {{ DISPATCH_SM90(x, [&] {{ {ONE} }}); }}"),
        format!("#if __CUDA_ARCH__ >= 900\nnamespace n {{ {ONE} }}\n#endif"),
    ] {
        assert_eq!(judged(&format!("{block}\n{code}")), ERROR, "{block}");
    }
    // The names of this condition may mean something else in other functions.
    let size = "void g() {\n#if __CUDA_ARCH__ >= 890\nint x[2];\n#else\nint x[1];\n#endif\nstatic_assert(sizeof(x) == 8);\n}";
    assert_eq!(judged(&format!("{size}\n{code}")), ERROR);
}

/// As the CUDA headers write them.
#[test]
fn blocks_of_nv_target_without_parentheses() {
    let judged =
        |body: &str| judged(&format!("#if __CUDA_ARCH__ >= 750\nint k(int x) {{\n{body}\n}}\n#endif\n"));
    for body in [
        "NV_IF_ELSE_TARGET(NV_PROVIDES_SM_89, x = 1;, return 0;) ASM",
        "NV_IF_ELSE_TARGET(NV_PROVIDES_SM_89,\n  ASM\n,\n  return 0;\n)",
        "NV_IF_ELSE_TARGET(NV_PROVIDES_SM_89, g(x);, int y, z; return 0;) ASM",
        "NV_DISPATCH_TARGET(NV_PROVIDES_SM_89, x = 1;, NV_ANY_TARGET, return 1;) ASM",
    ] {
        assert_eq!(judged(body), "", "{body}");
        let lower = body.replace("SM_89", "SM_86");
        assert_eq!(judged(&lower), ERROR, "{lower}");
    }
}

/// What the standard library says about types does not depend on the target.
#[test]
fn conditions_on_types_restrict_no_target() {
    for condition in ["std::is_same_v<T, float>", "is_same_v<T, U>", "std::is_same<T, float>::value"] {
        let unguarded = format!("template <class T> void k() {{ if constexpr ({condition}) {{ ASM }} }}");
        assert_eq!(judged(&unguarded), "", "{condition}");
        let guarded = format!("#if __CUDA_ARCH__ >= 750\n{unguarded}\n#endif\n");
        assert_eq!(judged(&guarded), NOTE, "{condition}");
    }
    assert_eq!(judged("template <class A> void k() { if constexpr (A::has_fp8) { ASM } }"), NOTE);
}
