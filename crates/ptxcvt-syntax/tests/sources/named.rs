//! Constants that macros declare, functions that do not return, and loops without an end.

use super::{ASM, ERROR, NOTE, cpp, kinds};

/// The findings in a function for sm_80 and higher, with these lines before it.
fn judged(before: &str, body: &str) -> String {
    let body = body.replace("ASM", ASM);
    kinds(&cpp(&format!(
        "#if __CUDA_ARCH__ >= 800\n{before}\nvoid k(int x, Log *p) {{\n{body}\n}}\n#endif\n"
    )))
}

#[test]
fn names_that_macros_declare_are_unknown() {
    let declare = "#define DECLARE(name, value) constexpr bool name = value\n";
    let paste = "#define DECLARE(name, value) const bool is_##name = value\n";
    let whole = "#define DEFINE constexpr bool ok = __CUDA_ARCH__ >= 890;\n";
    let name = "#define NAME ok\n#define CAT(a, b) a##b\n#define ONE(x) ok\n";
    for (before, body) in [
        (format!("{declare}DECLARE(ok, __CUDA_ARCH__ >= 890);"), "if (ok) ASM"),
        (declare.to_owned(), "DECLARE(ok, __CUDA_ARCH__ >= 890); if (ok) ASM"),
        (format!("{declare}DECLARE(ok, __CUDA_ARCH__ >= 890);\n#undef DECLARE"), "if (ok) ASM"),
        (format!("{paste}DECLARE(ok, __CUDA_ARCH__ >= 890);"), "if (is_ok) ASM"),
        (format!("{whole}DEFINE"), "if (ok) ASM"),
        (whole.to_owned(), "DEFINE if (ok) ASM"),
        (name.to_owned(), "const bool NAME = __CUDA_ARCH__ >= 890; if (ok) ASM"),
        (name.to_owned(), "const bool CAT(o, k) = __CUDA_ARCH__ >= 890; if (ok) ASM"),
        (name.to_owned(), "bool ONE(q) = __CUDA_ARCH__ >= 890; if (ok) ASM"),
        ("#define CONSTEXPR constexpr\nCONSTEXPR bool ok = __CUDA_ARCH__ >= 890;".to_owned(), "if (ok) ASM"),
        (
            "#define CONSTEXPR static constexpr\nstruct S { CONSTEXPR bool ok{__CUDA_ARCH__ >= 890}; };"
                .to_owned(),
            "if (ok) ASM",
        ),
        ("#define CONSTEXPR constexpr".to_owned(), "CONSTEXPR bool ok = __CUDA_ARCH__ >= 890; if (ok) ASM"),
        ("#define ARCHS enum { kArch = __CUDA_ARCH__ }\nARCHS;".to_owned(), "if (kArch >= 890) ASM"),
        (
            "#define IF(c) for (const bool once = (c); once;)".to_owned(),
            "IF(__CUDA_ARCH__ >= 890) { ASM break; }",
        ),
        ("#define IF(c) if (bool once = (c); once)".to_owned(), "IF(__CUDA_ARCH__ >= 890) ASM"),
    ] {
        assert_eq!(judged(&before, body), NOTE, "{before}\n{body}");
    }
    // The target decides nothing.
    for (before, body) in [
        (format!("{declare}DECLARE(ok, x > 1);"), "if (ok) ASM"),
        (format!("{declare}DECLARE(other, __CUDA_ARCH__ >= 890);"), "if (ok) ASM"),
        ("#define LOOP(n) for (int i = 0; i < n; ++i)".to_owned(), "LOOP(4) ASM"),
    ] {
        assert_eq!(judged(&before, body), ERROR, "{before}\n{body}");
    }
    // Only what is declared is unknown, not what the declaration reads.
    let kernel = "#define KERNEL(name, n) __global__ void name(int x) { const int arch = __CUDA_ARCH__; f(n, arch); }\n";
    for before in [
        format!("{declare}DECLARE(k, __CUDA_ARCH__);"),
        format!("{kernel}KERNEL(first, 4)"),
        "#define HAS(name) bool name() { return __CUDA_ARCH__ >= 860; }\nHAS(has)".to_owned(),
        "#define VAR(n, v) int n = v\nVAR(k, __CUDA_ARCH__ / 10 * x);".to_owned(),
        "#define LANE const int l = x, arch = __CUDA_ARCH__\nvoid f() { LANE; }".to_owned(),
        "#define ARCHS enum { kArch = __CUDA_ARCH__ }\nARCHS;".to_owned(),
        "#define LOG(...) const int n = 1; printf(__VA_ARGS__)\nvoid f() { LOG(\"%d\", __CUDA_ARCH__); }"
            .to_owned(),
        "#define CONSTEXPR constexpr\nCONSTEXPR int k = __CUDA_ARCH__;".to_owned(),
    ] {
        assert_eq!(judged(&before, "if (__CUDA_ARCH__ >= 800) ASM"), ERROR, "{before}");
        assert_eq!(judged(&before, "if (__CUDA_ARCH__ >= 890) ASM"), "", "{before}");
        assert_eq!(judged(&before, "if (x) ASM"), ERROR, "{before}");
    }
}

#[test]
fn a_macro_that_is_undefined_hides_no_constant() {
    let text = |value| format!("#undef ok\nconstexpr bool ok = __CUDA_ARCH__ >= {value};");
    assert_eq!(judged(&text("800"), "if (ok) ASM"), ERROR);
    assert_eq!(judged(&text("890"), "if (ok) ASM"), "");
    assert_eq!(judged(&format!("#define ok 1\n{}", text("890")), "if (ok) ASM"), "");
    assert_eq!(judged("constexpr bool ok = __CUDA_ARCH__ >= 890;\n#undef ok", "if (ok) ASM"), "");
}

#[test]
fn functions_that_do_not_return() {
    let before = "struct Log { [[noreturn]] void fatal(); [[noreturn]] static void stop(int); };\n\
         [[noreturn]] int fail(int); void leave(int) __attribute__((noreturn)); _Noreturn void end();\n\
         struct Bad { [[noreturn]] __device__ Bad(int); }; __attribute__((noreturn)) __launch_bounds__(32) void quit();";
    for ends in [
        "p->fatal();",
        "Log().fatal();",
        "Log::stop(1);",
        "int e = fail(1);",
        "x = fail(1);",
        "leave(x);",
        "end();",
        "Bad b(89);",
        "quit();",
        "fail(1) + 2;",
    ] {
        assert_eq!(judged(before, &format!("if (__CUDA_ARCH__ < 890) {{ {ends} }} ASM")), NOTE, "{ends}");
        assert_eq!(judged(before, &format!("if (__CUDA_ARCH__ < 890) {ends} ASM")), NOTE, "{ends}");
    }
    assert_eq!(judged(before, "int k = __CUDA_ARCH__ < 890 ? fail(1) : 2; ASM"), NOTE);
    let by_macro =
        "#define NORETURN [[noreturn]]\nstruct S { int n; };\nNORETURN __device__ void die();\nvoid other();";
    assert_eq!(judged(by_macro, "if (__CUDA_ARCH__ < 890) die(); ASM"), NOTE);
    let comment =
        "// noreturn\nvoid other();\n#if __has_cpp_attribute(noreturn)\n#endif\n/* noreturn */ void die();";
    assert_eq!(judged(comment, "if (__CUDA_ARCH__ < 890) { other(); die(); } ASM"), ERROR);
    assert_eq!(judged(by_macro, "if (__CUDA_ARCH__ < 890) other(); ASM"), ERROR);
    assert_eq!(judged(by_macro, "if (__CUDA_ARCH__ < 890) { S s; } ASM"), ERROR);
    assert_eq!(judged(before, "if (__CUDA_ARCH__ < 890) { p->log(); } ASM"), ERROR);
    assert_eq!(judged("", "if (__CUDA_ARCH__ < 890) { x = fail(1); } ASM"), ERROR);
}

#[test]
fn endless_loops_that_a_conditional_crosses() {
    let crossed = "\n#ifdef DEBUG\nif (x)\n#endif\n__nanosleep(x);\n";
    for head in ["for (;;)", "while (true)", "while (__CUDA_ARCH__ < 890)", "while (1)"] {
        let body = format!("if (__CUDA_ARCH__ < 890) {{ {head} {{ {crossed} }} }} ASM");
        assert_eq!(judged("", &body), NOTE, "{head}");
    }
    for head in ["for (int i = 0; i < 4; ++i)", "while (x)", "if (x)"] {
        let body = format!("if (__CUDA_ARCH__ < 890) {{ {head} {{ {crossed} }} }} ASM");
        assert_eq!(judged("", &body), ERROR, "{head}");
    }
}

#[test]
fn loops_in_lambdas_are_followed() {
    for outer in ["if (x)", "for (int i = 0; i < x; ++i)", "do", "switch (x) { default:", "if (x) {}\nelse"] {
        let end = match outer {
            "do" => " while (x);",
            _ if outer.ends_with(':') => "}",
            _ => "",
        };
        let lambda = "auto g = [&] { if (__CUDA_ARCH__ < 890) for (;;) __nanosleep(1); ASM }; g();";
        assert_eq!(judged("", &format!("{outer} {{ {lambda} }}{end}")), "", "{outer}");
        let local = "struct L { void m() { if (__CUDA_ARCH__ < 890) while (true) stay(); ASM } };";
        assert_eq!(judged("", &format!("{outer} {{ {local} }}{end}")), "", "{outer}");
        let other = "auto g = [&] { if (__CUDA_ARCH__ < 890) while (x) stay(); ASM }; g();";
        assert_eq!(judged("", &format!("{outer} {{ {other} }}{end}")), ERROR, "{outer}");
    }
}

#[test]
fn an_else_that_the_preprocessor_may_leave_out() {
    let old = "if (__CUDA_ARCH__ >= 800) { x = 0; }";
    for (first, found) in [
        ("#if __CUDA_ARCH__ >= 890\nelse\n#endif\n{ ASM }", NOTE),
        ("#ifndef FLAG\nelse\n#endif\n{ ASM }", NOTE),
        ("#ifdef FLAG\nelse {\n#else\n{\n#endif\nASM }", NOTE),
        ("#ifdef FLAG\nelse if (x)\n#endif\n{ ASM }", NOTE),
    ] {
        assert_eq!(judged("", &format!("{old}\n{first}\n")), found, "{first}");
    }
}

#[test]
fn a_case_that_only_some_targets_have() {
    for (body, found) in [
        ("case 0:\n#if __CUDA_ARCH__ < 890\nreturn;\n#else\ncase 1:\n#endif\nASM", ""),
        ("\n#if __CUDA_ARCH__ >= 890\ncase 2:\n#endif\nASM break; case 1: x = 0;", ""),
        ("\n#if __CUDA_ARCH__ >= 860\ncase 2:\n#endif\nASM break; case 1: x = 0;", ERROR),
        ("case 0:\n#ifdef FLAG\nx = 2; break; case 3:\n#endif\nx = 1; break; case 1: ASM", ERROR),
        ("case 0: x = 1;\n#if __CUDA_ARCH__ >= 890\ncase 2:\n#endif\nASM break; case 1: x = 0;", ERROR),
    ] {
        assert_eq!(judged("", &format!("switch (x) {{ {body} }}")), found, "{body}");
        assert_eq!(
            judged("", &format!("switch (x) {{ {} }} ASM", body.replace("ASM", "x = 4;"))),
            ERROR,
            "{body}"
        );
    }
}

#[test]
fn conditions_that_name_the_target_and_are_not_read() {
    let found = |before: &str, condition: &str| {
        kinds(&cpp(&format!("{before}\nvoid k() {{ if ({condition}) {ASM} }}\n")))
    };
    let sm = "template <int N> constexpr bool sm_at_least() { return __CUDA_ARCH__ >= N; }";
    assert_eq!(found(sm, "sm_at_least<800>()"), NOTE);
    assert_eq!(found(sm, "!sm_at_least<800>() && x"), NOTE);
    assert_eq!(found("", "__CUDA_ARCH__ / sizeof(int) >= 200"), NOTE);
    assert_eq!(found("", "__CUDA_ARCH__ - sizeof(int) * 200 < 90"), NOTE);
    assert_eq!(found("template <int N> constexpr bool is_odd() { return N % 2; }", "is_odd<3>()"), "");
}

#[test]
fn members_and_enumerators_in_conditions() {
    let before = "enum class Mode { A, B };\nenum Sm { kSm70 = 700, kSm80 = 800, kSm89 = 890 };";
    for body in [
        "if (mode == Mode::B) return; ASM",
        "if (row >= Shape::kM) return; ASM",
        "if (x % T::kA == 0) ASM",
        "if (p[x] == T<2>::kA) ASM",
        "if (x > std::lim<int>::max()) return; ASM",
        "if (__CUDA_ARCH__ >= kSm80) ASM",
    ] {
        assert_eq!(judged(before, body), ERROR, "{body}");
    }
    assert_eq!(judged(before, "if (__CUDA_ARCH__ >= kSm89) ASM"), "");
    for body in [
        "if (Arch::kSm >= 89) ASM",
        "if constexpr (Arch::has_fp8) ASM",
        "if (Arch::kSm >= 89 && x) ASM",
        "if constexpr (T::kA == T::kB) ASM",
    ] {
        assert_eq!(judged(before, body), NOTE, "{body}");
    }
}

#[test]
fn conditions_in_statements_that_a_macro_opens() {
    let loops = "#define BEGIN(n) for (int i = 0; i < n; ++i) {\n#define END }";
    let found = |body: &str| {
        let body = body.replace("ASM", ASM);
        kinds(&cpp(&format!("{loops}\nvoid k(int x) {{ BEGIN(4) {body} END }}\n")))
    };
    assert_eq!(found("if (__CUDA_ARCH__ >= 800) { ASM }"), NOTE);
    assert_eq!(found("if (x) { ASM }"), "");
}

#[test]
fn directives_in_lambdas_are_processed() {
    for (define, found) in [("#define USE 1", ERROR), ("#define USE 0", "")] {
        let body = format!(
            "switch (__CUDA_ARCH__ / 10) {{ case 80: x = [&](int n) {{\n{define}\nreturn n; }}(1); if (USE != 0) ASM }}"
        );
        assert_eq!(judged("#define USE 0", &body), found, "{define}");
    }
}

/// `T && name(x)` declares a name, `1 && name(x)` calls one.
#[test]
fn a_call_after_a_number_declares_nothing() {
    for (condition, expected) in [("x > 1 && V(1)", ""), ("x & 1 && V(1)", ""), ("y && V(1)", NOTE)] {
        let body =
            format!("if ({condition} && __CUDA_ARCH__ >= 700) g();\n#if !V(1)\nif (V(1)) ASM\n#endif\n");
        assert_eq!(judged("", &body), expected, "{condition}");
    }
}
