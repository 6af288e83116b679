//! Statements among the arguments of macros, in the blocks after them, and in GNU's `({ … })`.

use super::{ASM, ERROR, NOTE, kinds};

/// Macros of the file.
const MACROS: &str = "#define CHECK_OR(c, what) if (!(c)) what
#define BREAK_IF(c, what) if (c) { what; }
#define IF_BELOW(n, ...) if (__CUDA_ARCH__ < n) { __VA_ARGS__ }
#define ID(...) __VA_ARGS__
#define WHEN(c, s) do { if (c) { s; } } while (0)
#define EITHER(c, a, b) if (c) { a } else { b }
#define CASE(l, ...) l: __VA_ARGS__; break;
#define RETURN_IF(c) if (c) return
#define REQUIRE() NV_IF_TARGET(NV_PROVIDES_SM_89, (;), (return;))
#define REQUIRE_OF(c) NV_IF_TARGET(c, (;), (return;))
#define DISPATCH(a, b) NV_DISPATCH_TARGET(NV_PROVIDES_SM_89, a, NV_ANY_TARGET, b)
#define OR_TRAP() NV_IF_TARGET(NV_PROVIDES_SM_89, (;), (__trap();))
inline bool has() { NV_IF_TARGET(NV_PROVIDES_SM_89, (return true;)) return false; }
";

/// The findings in a function for sm_75 and higher, and the number of assemblies that no device compiler sees.
fn judged(body: &str) -> (String, usize) {
    let body = body.replace("ASM", ASM);
    let text = format!("{MACROS}#if __CUDA_ARCH__ >= 750\nvoid k(int x, int y) {{\n{body}\n}}\n#endif\n");
    let (found, unseen) = super::found_and_counted(&text);
    (kinds(&found), unseen)
}

#[test]
fn exits_among_the_arguments_of_macros_leave_the_code_around_them() {
    for body in [
        "CHECK_OR(__CUDA_ARCH__ >= 890, return); ASM",
        "IF_BELOW(890, return;) ASM",
        "ID(if (__CUDA_ARCH__ < 890) { return; }) ASM",
        "WHEN(__CUDA_ARCH__ < 890, return); ASM",
        "EITHER(__CUDA_ARCH__ >= 890, g();, return;) ASM",
        "if (__CUDA_ARCH__ < 890) ID(return); ASM",
        "if (__CUDA_ARCH__ < 890) ID(return;); ASM",
        "if (__CUDA_ARCH__ < 890) WHEN(1, return); ASM",
        "if (__CUDA_ARCH__ < 890) REQUIRE_OF(NV_IS_HOST); ASM",
        "while (x) { if (__CUDA_ARCH__ < 890) ID(break;); ASM }",
        "while (x) { CHECK_OR(__CUDA_ARCH__ >= 890, break); ASM }",
        "while (x) { CHECK_OR(__CUDA_ARCH__ >= 890, continue); ASM }",
        "REQUIRE() ASM",
        "REQUIRE(); ASM",
        "REQUIRE_OF(NV_PROVIDES_SM_89) ASM",
        "DISPATCH((g();), (return;)) ASM",
    ] {
        assert_eq!(judged(body), (String::new(), 0), "{body}");
    }
    for body in [
        "CHECK_OR(__CUDA_ARCH__ >= 860, return); ASM",
        "CHECK_OR(x > 1, return); ASM",
        "ID([&] { if (__CUDA_ARCH__ < 890) return; }()); ASM",
        "REQUIRE_OF(NV_PROVIDES_SM_86) ASM",
        "EITHER(__CUDA_ARCH__ >= 890, g();, h();) ASM",
    ] {
        assert_eq!(judged(body), (ERROR.to_owned(), 0), "{body}");
    }
    for body in ["OR_TRAP() ASM", "if (has()) ASM", "if (has() && x) ASM"] {
        assert_eq!(judged(body), (NOTE.to_owned(), 0), "{body}");
    }
}

#[test]
fn breaks_and_labels_among_the_arguments_of_macros() {
    for body in [
        "for (;;) { x += y; BREAK_IF(x > 8, break) } ASM",
        "while (true) { ID(if (x) break;) } ASM",
        "do { ID(if (x) break;) } while (1); ASM",
        "for (;;) { if (x) ID(break); } ASM",
    ] {
        assert_eq!(judged(body), (ERROR.to_owned(), 0), "{body}");
    }
    for body in [
        // A macro of another file may have a statement with its argument, or not.
        "for (;;) { UNKNOWN(x, break); } ASM",
        "for (;;) { UNKNOWN(if (x) break;) } ASM",
        "for (;;) { UNKNOWN(x, { if (x) break; }); } ASM",
        "for (;;) { x = ({ if (y) break; 1; }); } ASM",
        "for (;;) { UNKNOWN(x); } ASM",
        "switch (x) { MY_CASE(1, ASM) default: return; }",
        // Labels in expansions are not followed.
        "switch (x) { CASE(case 1, ASM) CASE(default, return) }",
        "switch (x) { ID(case 1: ASM;) default: return; }",
        "UNKNOWN { if (__CUDA_ARCH__ < 890) return; } ASM",
        "UNKNOWN(x, { if (__CUDA_ARCH__ < 890) return; }); ASM",
        "UNKNOWN(if (__CUDA_ARCH__ < 890) return;) ASM",
        "UNKNOWN(__CUDA_ARCH__ >= 890, return); ASM",
    ] {
        assert_eq!(judged(body), (NOTE.to_owned(), 0), "{body}");
    }
    for body in
        ["for (;;) { g(x); } ASM", "for (;;) { ID(x) = 1; } ASM", "switch (x) { ASM default: return; }"]
    {
        assert_eq!(judged(body), (String::new(), 1), "{body}");
    }
}

/// An `#if` around the macros of `<nv/target>` is part of the condition.
#[test]
fn blocks_of_nv_target_in_conditionals() {
    const NV: &str = "NV_IF_TARGET(NV_PROVIDES_SM_89, (g();), (return;))";
    for (body, expected) in [
        (format!("#if __CUDA_ARCH__ < 900\n{NV}\n#endif\nASM"), ""),
        (format!("#ifdef A\n{NV}\n#else\n{NV}\n#endif\nASM"), ""),
        (format!("#ifdef A\n{NV}\n#endif\nASM"), NOTE),
        (format!("#if __CUDA_ARCH__ < 860\n{NV}\n#endif\nASM"), ERROR),
    ] {
        assert_eq!(judged(&body), (expected.to_owned(), 0), "{body}");
    }
}

#[test]
fn assertions_of_literals_may_not_return() {
    for condition in [
        "!\"unsupported\"",
        "\"no\" && false",
        "(0)",
        "(false && \"a\")",
        "(\"no\", false)",
        "nullptr",
        "1 == 2",
    ] {
        let body = format!("if (__CUDA_ARCH__ < 890) {{ assert({condition}); }} ASM");
        assert_eq!(judged(&body), (NOTE.to_owned(), 0), "{body}");
    }
    for condition in ["x > 0", "kWarps == 4", "p != nullptr"] {
        let body = format!("if (__CUDA_ARCH__ < 890) {{ assert({condition}); }} ASM");
        assert_eq!(judged(&body), (ERROR.to_owned(), 0), "{body}");
    }
}

/// A macro whose use ends a statement needs no semicolon.
#[test]
fn statements_after_macros_without_a_semicolon() {
    const DEV: &str = "#define TRACE(...)\n#define LOG(s) g(s);\n";
    let judged = |body: &str| {
        let body = body.replace("ASM", ASM);
        let text =
            format!("{DEV}{MACROS}#if __CUDA_ARCH__ >= 750\nvoid k(int x, int y) {{\n{body}\n}}\n#endif\n");
        kinds(&super::cpp(&text))
    };
    for use_ in [
        "ID(g(1);)",
        "ID({ g(1); })",
        "ID(if (x) g(1);)",
        "ID()",
        "ID(ID(g(1);))",
        "TRACE(1)",
        "LOG(1)",
        "if (y) LOG(1)",
    ] {
        for exit in [
            "if (__CUDA_ARCH__ < 890) return;",
            "if (__CUDA_ARCH__ < 890) { return; } else { g(2); }",
            "#if __CUDA_ARCH__ < 890\nreturn;\n#endif\n",
            "CHECK_OR(__CUDA_ARCH__ >= 890, return);",
            "NV_IF_TARGET(NV_PROVIDES_SM_89, (;), (return;))",
        ] {
            let body = format!("{use_}\n{exit} ASM");
            assert_eq!(judged(&body), "", "{body}");
        }
        let body = format!("{use_}\nif (__CUDA_ARCH__ < 860) return; ASM");
        assert_eq!(judged(&body), ERROR, "{body}");
    }
}

#[test]
fn macros_of_other_files_with_blocks() {
    for body in [
        "switch (x) { MY_CASE(1) { ASM break; } default: return; }",
        "switch (x) { case 0: return; MY_CASE(1, ASM) }",
        "switch (x) { case 0: return; MY_CASE(1) { ASM break; } }",
        "for (;;) { ON(x) { break; } } ASM",
        "for (;;) { ON(x) { if (y) break; } } ASM",
    ] {
        assert_eq!(judged(body), (NOTE.to_owned(), 0), "{body}");
    }
    for body in [
        "KERNEL_LOOP(i, x) { auto op = [=](float v) { return v; }; g(op); } ASM",
        "KERNEL_LOOP(i, x) { if (y) break; } ASM",
        "ID(if (__CUDA_ARCH__ < 860) [[unlikely]] { return; }) ASM",
    ] {
        assert_eq!(judged(body), (ERROR.to_owned(), 0), "{body}");
    }
    for body in [
        "ID(if (__CUDA_ARCH__ < 890) [[unlikely]] { return; }) ASM",
        "ID(RETURN_IF(__CUDA_ARCH__ < 890);) ASM",
        "ID(RETURN_IF(__CUDA_ARCH__ < 890)); ASM",
    ] {
        assert_eq!(judged(body), (String::new(), 0), "{body}");
    }
}
