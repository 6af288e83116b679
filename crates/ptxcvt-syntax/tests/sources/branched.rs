//! Names that have a value in each branch of the preprocessor, and variables whose values a constant or a flag decides.

use super::{ASM, ERROR, NOTE, cpp, kinds};

/// Text with the branches for sm_89 and higher, and for others, in place of `{A|B}`.
fn with_branches(text: &str, condition: &str) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<<") {
        let (both, after) = after.split_once(">>").expect("it ends");
        let (new, old) = both.split_once("||").expect("two branches");
        written += &format!("{before}\n#if {condition}\n{new}\n#else\n{old}\n#endif\n");
        rest = after;
    }
    (written + rest).replace("ASM", ASM)
}

/// A file, and a function for sm_80 and higher with these statements.
fn guarded(before: &str, body: &str) -> String {
    let text = format!("{before}\nvoid k(int x, int *p) {{\n{}\n}}\n", outside(body));
    with_branches(&text, "__CUDA_ARCH__ >= 890")
}

/// Definitions before `---` are for every target, what follows only for sm_80 and higher.
fn outside(body: &str) -> String {
    let (before, after) = body.split_once("---").unwrap_or(("", body));
    format!("{before}\n#if __CUDA_ARCH__ >= 800\n{after}\n#endif")
}

#[test]
fn a_name_with_a_value_in_each_branch_depends_on_the_target() {
    for (before, body) in [
        ("", "<<bool h = true;||bool h = false;>> --- if (h) ASM"),
        ("", "<<int h = 1;||int h = 0;>> --- switch (h) { case 1: ASM }"),
        ("", "<<auto n = 4;||auto n = 0;>> --- if (n) ASM"),
        ("", "<<Cfg c{true};||Cfg c{false};>> --- if (c.fp8) ASM"),
        ("", "<<int *q = kTable;||int *q = nullptr;>> --- if (q) ASM"),
        ("", "<<int a[] = {1, 2};||int a[] = {0, 0};>> --- if (a[0]) ASM"),
        ("", "bool h = <<true||false>>; --- if (h) ASM"),
        (
            "",
            "<<constexpr int kStages = 3;||constexpr int kStages = 1;>> int n = kStages; --- if (n > 1) ASM",
        ),
        (
            "<<constexpr int kStages = 3;||constexpr int kStages = 1;>>",
            "int n = kStages; --- for (int i = 1; i < n; ++i) ASM",
        ),
        (
            "<<constexpr int kMax = 4;||constexpr int kMax = 0;>>",
            "int n = kMax; --- switch (n) { case 4: ASM }",
        ),
        (
            "<<constexpr bool kFp8 = true;||constexpr bool kFp8 = false;>>",
            "bool use = kFp8 && x; --- if (use) ASM",
        ),
        (
            "<<constexpr bool kFp8 = true;||constexpr bool kFp8 = false;>>",
            "const bool use = kFp8 && x; --- if (use) ASM",
        ),
        ("<<constexpr bool kFp8 = true;||constexpr bool kFp8 = false;>>", "bool h = !kFp8; --- if (!h) ASM"),
        (
            "<<constexpr bool kFp8 = true;||constexpr bool kFp8 = false;>> bool has() { return kFp8; }",
            "if (has()) ASM",
        ),
        ("<<static bool has() { return true; }||static bool has() { return false; }>>", "if (has()) ASM"),
        (
            "<<int level(int) { return 2; }||int level(int) { return 1; }>>",
            "int l = level(x); --- if (l >= 2) ASM",
        ),
        (
            "struct Pol { <<static bool fp8() { return true; }||static bool fp8() { return false; }>> };",
            "if (Pol::fp8()) ASM",
        ),
        ("<<#define FP8 1||#define FP8 0>>", "bool g = FP8; g = g && x; --- if (g) ASM"),
        ("<<#define FP8 1||#define FP8 0>>", "bool h = FP8; bool g = h && x; --- if (g) ASM"),
        (
            "<<const int level = 2;||const int level = 1;>> void other() { int level = src(1); }",
            "if (x && level >= 2) ASM",
        ),
        // Nothing changes it, so the compiler knows it.
        ("", "bool h = false; --- if (h) ASM"),
    ] {
        let text = guarded(before, body);
        let found = kinds(&cpp(&text));
        assert!(found == NOTE || found.is_empty(), "{found}\n{text}");
    }
}

/// The targets from sm_75 on compile the assembly.
#[test]
fn a_name_with_a_value_in_each_branch_hides_no_finding() {
    for (before, body) in [
        ("", "<<bool h = true;||bool h = false;>> if (h) { ASM }"),
        ("<<static bool has() { return true; }||static bool has() { return false; }>>", "if (has()) { ASM }"),
        ("<<constexpr int kN = 3;||constexpr int kN = 0;>>", "int n = kN; if (n) { ASM }"),
    ] {
        let text = format!("{before}\nvoid k() {{ {body} }}\n");
        let found = kinds(&cpp(&with_branches(&text, "__CUDA_ARCH__ >= 750")));
        assert!(found == NOTE || found == ERROR, "{found}\n{text}");
    }
}

#[test]
fn a_flag_may_decide_a_variable() {
    for body in [
        "bool h = ENABLE_FP8; --- if (h) ASM",
        "int mode = MODE; --- if (mode == 2) ASM",
        "bool h = ENABLE_FP8 && x; --- if (h) ASM",
        "\n#ifdef ENABLE_FP8\nbool h = true;\n#else\nbool h = false;\n#endif\n --- if (h) ASM",
    ] {
        let text = guarded("", body);
        assert_eq!(kinds(&cpp(&text)), NOTE, "{text}");
    }
    let functions = "\n#ifdef ENABLE_FP8\nstatic bool use() { return true; }\n#else\nstatic bool use() { return false; }\n#endif\n";
    let text = guarded(functions, "if (use()) ASM");
    assert_eq!(kinds(&cpp(&text)), NOTE, "{text}");
    let template = guarded("", "bool use = kUse && x; --- if (use) ASM");
    let template = template.replace("void k", "template <bool kUse> void k");
    assert_eq!(kinds(&cpp(&template)), NOTE, "{template}");
}

#[test]
fn other_variables_differ_from_thread_to_thread() {
    for (before, body) in [
        ("", "if (x) ASM"),
        ("", "bool h = x > 0; --- if (h) ASM"),
        ("", "int i = 0; while (x) { if (i) ASM ++i; }"),
        ("", "bool h = false; h = x; --- if (h) ASM"),
        ("", "int n; get(&n); --- if (n) ASM"),
        ("", "<<int h = x;||int h = *p;>> --- if (h) ASM"),
        // All of it is in the branch.
        ("", "\n#if __CUDA_ARCH__ >= 800\nbool h = true; h = h && x; if (h) ASM\n#endif\n"),
        // Another function has a variable of this name.
        ("void g() { <<bool h = true;||bool h = false;>> use(h); }", "bool h = x; if (h) ASM"),
        // The number of elements of a thread differs, not whether there are any.
        (
            "<<constexpr int kVec = 4;||constexpr int kVec = 2;>>",
            "int i = x * kVec; if (i >= *p) return; --- ASM",
        ),
        (
            "<<constexpr int kVec = 4;||constexpr int kVec = 2;>>",
            "for (int i = 0; i < kVec; ++i) f(i); --- ASM",
        ),
        (
            "<<constexpr int kVec = 4;||constexpr int kVec = 2;>> void g() { int n = x() * kVec; use(n); }",
            "--- for (int n = x; n < *p; n += 32) ASM",
        ),
        ("enum class Act { A, B };", "bool a = act == Act::A; --- if (a) ASM"),
        ("struct T { <<int stages = 4;||int stages = 2;>> };", "int stages = x; --- if (stages > 1) ASM"),
        ("<<static int stages = 4;||static int stages = 2;>>", "int stages = x; --- if (stages > 1) ASM"),
        (
            "",
            "bool done = false; while (!done) {\n#if __CUDA_ARCH__ >= 800\nASM if (*p) done = true;\n#else\ndone = true;\n#endif\n}",
        ),
        ("", "auto f = [](int z) {\n#if __CUDA_ARCH__ >= 800\nASM\n#endif\nreturn z; }; x = f(x);"),
        // A named lambda.
        ("", "--- auto g = [&](int z) { if (z) ASM }; g(x);"),
    ] {
        let text = guarded(before, body);
        assert_eq!(kinds(&cpp(&text)), ERROR, "{text}");
    }
    let lambda =
        format!("void f(int x) {{ auto g = [&](int z) {{ if (__CUDA_ARCH__ >= 800) {{ {ASM} }} }}; g(x); }}");
    assert_eq!(kinds(&cpp(&lambda)), ERROR, "{lambda}");
}
