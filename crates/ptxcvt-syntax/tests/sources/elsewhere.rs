//! Macros of other files around statements: what they may begin, hide or choose.

use super::{ASM, ERROR, NOTE, kinds};

/// The findings in a function for sm_75 and higher, with these lines before it, and the number of assemblies that no
/// device compiler sees.
fn judged(before: &str, body: &str) -> (String, usize) {
    let body = body.replace("ASM", ASM);
    let text = format!("{before}\n#if __CUDA_ARCH__ >= 750\nvoid k(int x, int y) {{\n{body}\n}}\n#endif\n");
    let (found, unseen) = super::found_and_counted(&text);
    (kinds(&found), unseen)
}

/// Asserts what each of these bodies has.
fn all_have(before: &str, expected: &str, bodies: &[&str]) {
    for body in bodies {
        assert_eq!(judged(before, body), (expected.to_owned(), 0), "{body}");
    }
}

/// Without a semicolon, a macro may begin the statement after it.
#[test]
fn a_macro_may_be_the_beginning_of_an_exit() {
    for exit in ["return;", "if (x) return; else return;", "{ return; }", "NO_FP8(x)\nreturn;"] {
        for first in ["CHECK_ARCH(x)", "MY_FENCE", "A_B(x) B_C(y)"] {
            let body = format!("{first}\n#if __CUDA_ARCH__ < 890\n{exit}\n#endif\nASM");
            assert_eq!(judged("", &body), (NOTE.to_owned(), 0), "{body}");
        }
    }
    let exits = [
        "MY_FENCE\nif (__CUDA_ARCH__ < 890) return; ASM",
        "MY_FENCE return; ASM",
        "A_B(x) B_C(y) return; ASM",
    ];
    all_have("", NOTE, &exits);
    let others = [
        "A_B(x)\n#if __CUDA_ARCH__ < 890\nfor (;;) { if (x) break; }\n#endif\nASM",
        "A_B(x)\n#ifdef FOO\nx = 1;\n#endif\nASM",
        "SYNC_ALL\n#ifdef DEBUG\nDUMP(a)\n#endif\nif (x > 4) return; ASM",
        "HINT_LOOP for (int i = 0; i < 4; ++i) if (x == i) return; ASM",
    ];
    all_have("", ERROR, &others);
    // The macro is complete before another statement.
    assert_eq!(judged("", "A_B(x)\n#if __CUDA_ARCH__ < 890\ng(x);\nreturn;\n#endif\nASM").0, "");
}

#[test]
fn exits_among_the_arguments_before_a_block() {
    for body in [
        "CHECK_OR(x, return) { ASM }",
        "CHECK_OR(x, return) if (y) { ASM }",
        "CHECK_OR(x, return) for (;;) { ASM return; }",
        "for (;;) { IF_OLD(x) { continue; } ASM return; }",
        "IF_NEW(x) { y = 1; } else { return; } ASM",
    ] {
        assert_eq!(judged("", body), (NOTE.to_owned(), 0), "{body}");
    }
    all_have(
        "",
        ERROR,
        &[
            "LAUNCH(i, n) { for (;;) { if (y) continue; break; } } ASM",
            "MODES(x) { case 1: break; } ASM",
            "FOR_EACH(i) { continue; } ASM",
            "if (x) FOR_EACH(i) { y = 1; } else { return; } ASM",
        ],
    );
}

/// As if the macro had the statements alone.
#[test]
fn statements_that_begin_an_argument() {
    for first in [
        "if (__CUDA_ARCH__ < 890) return;",
        "switch (__CUDA_ARCH__) { case 750: case 800: case 860: case 870: case 880: return; }",
        "static_assert(__CUDA_ARCH__ >= 890);",
        "NV_IF_ELSE_TARGET(NV_PROVIDES_SM_89, (;), (return;))",
        "if (__CUDA_ARCH__ >= 890) { y = 1; } else { return; }",
    ] {
        assert_eq!(judged("", &format!("DISPATCH(t, \"f\", {first} ASM);")), (String::new(), 0), "{first}");
    }
    all_have("", ERROR, &["DISPATCH(t, \"f\", if (__CUDA_ARCH__ < 800) return; ASM);"]);
    // The macro may choose between its arguments.
    for first in ["return;", "for (;;) {}", "if (y) return; else return;"] {
        assert_eq!(judged("", &format!("SELECT(x > 3, {first}, ASM);")), (NOTE.to_owned(), 0), "{first}");
    }
}

#[test]
fn macros_with_the_target_among_their_arguments() {
    for body in [
        "WHEN_ARCH(__CUDA_ARCH__ >= 890, { ASM })",
        "IF_ARCH(__CUDA_ARCH__ >= 890) { ASM }",
        "IF_ARCH(__CUDA_ARCH__ >= 890) { y = 1; } else { ASM }",
        "MY_ASSERT(__CUDA_ARCH__ >= 890); ASM",
        "require(__CUDA_ARCH__ >= 890, 1); ASM",
        "RETURN_IF(__CUDA_ARCH__ < 890); ASM",
        "_CCCL_IF_CONSTEXPR (kFp8) { ASM }",
    ] {
        assert_eq!(judged("", body), (NOTE.to_owned(), 0), "{body}");
    }
    for (body, expected) in [
        ("_CCCL_IF_CONSTEXPR (__CUDA_ARCH__ >= 890) { ASM }", ""),
        ("_CCCL_IF_CONSTEXPR (__CUDA_ARCH__ >= 890) { y = 1; } else { return; } ASM", ""),
        ("_CCCL_IF_CONSTEXPR (__CUDA_ARCH__ >= 890) { y = 1; } else { ASM }", ERROR),
        (
            "_CCCL_IF_CONSTEXPR (__CUDA_ARCH__ >= 1000) { y = 1; } _CCCL_ELSE_IF_CONSTEXPR (__CUDA_ARCH__ >= 890) { ASM } \
             else { y = 2; }",
            "",
        ),
        ("MY_ASSERT(x > 1); ASM", ERROR),
        ("checksum(__CUDA_ARCH__); ASM", ERROR),
        ("TRACE_ALL(__CUDA_ARCH__); ASM", ERROR),
        ("FOR_EACH(i, n) { ASM }", ERROR),
    ] {
        assert_eq!(judged("", body), (expected.to_owned(), 0), "{body}");
    }
}

/// Outside of functions, no statement is possible.
#[test]
fn macros_before_functions() {
    let text = format!(
        "#if __CUDA_ARCH__ >= 750\nLAUNCH_BOUNDS(256, __CUDA_ARCH__ >= 900 ? 3 : 2) __global__ void k() {{ {ASM} }}\n#endif\n"
    );
    assert_eq!(kinds(&super::cpp(&text)), ERROR);
}

/// What may be a `break` or a label.
#[test]
fn macros_that_may_hide_breaks_and_labels() {
    let macros =
        "#define W(x) UB(x)\n#define DO_W(x) do { UB(x); } while (0)\n#define ALIAS UB\n#define ID(x) x\n";
    for body in [
        "switch (x) { case 0: return; MY_CASE(1) MY_CASE(2) { ASM break; } }",
        "switch (x) { case 0: return; MY_CASE(1) if (y) { ASM } }",
        "switch (x) { case 0: return; MY_CASE(1) ASM }",
        "switch (x) { case 0: return; MY_CASE ASM break; }",
        "switch (x) { case 0: return;\n#include \"cases.inc\"\nASM break; }",
        "for (;;) { if (x) MY_BREAK; } ASM",
        "while (true) { MY_BREAK } ASM",
        "for (;;) { W(x); } ASM",
        "for (;;) { x++; DO_W(x); } ASM",
        "for (;;) { ALIAS(x); } ASM",
        "for (;;) { ID(UB(x)); } ASM",
        "for (;;) {\n#include \"body.inc\"\n} ASM",
    ] {
        assert_eq!(judged(macros, body), (NOTE.to_owned(), 0), "{body}");
    }
    for body in ["for (;;) { ID(x) = 1; } ASM", "return; MY_LABEL(x) ASM", "for (;;) { my_break(x); } ASM"] {
        assert_eq!(judged(macros, body), (String::new(), 1), "{body}");
    }
}

/// The last `while` begins no loop, even if an `#if` crosses the statements of the body.
#[test]
fn the_end_of_a_do_loop_that_a_conditional_crosses() {
    for crossed in [
        "#ifdef A\nif (x) { y = 1; break; } else\n#endif\n{ x--; }",
        "#ifdef A\nif (x) {\n#else\nif (y) {\n#endif\nbreak; }",
    ] {
        let body = format!("do {{\n{crossed}\n}} while (true); ASM");
        assert_eq!(judged("", &body), (NOTE.to_owned(), 0), "{body}");
    }
}

#[test]
fn endless_loops_in_macros_of_the_file() {
    for (body, statement) in [
        ("SPIN() while (1)", "SPIN();"),
        ("SPIN() while (1) {}", "SPIN();"),
        ("SPIN() do {} while (1)", "SPIN();"),
        ("SPIN() do { while (true) {} } while (0)", "{ g(x); SPIN(); }"),
        ("SPIN for (;;) {}", "SPIN"),
    ] {
        let before = format!("#define {body}");
        let body = format!("if (__CUDA_ARCH__ < 890) {statement} ASM");
        assert_eq!(judged(&before, &body), (String::new(), 0), "{before}");
    }
    let wait = "#define WAIT() while (__CUDA_ARCH__ < 890) {}";
    assert_eq!(judged(wait, "WAIT(); ASM"), (String::new(), 0));
    for loops in ["do {} while (0)", "while (x) {}", "for (int i = 0; i < 4; ++i) {}"] {
        let before = format!("#define LOOP() {loops}");
        assert_eq!(judged(&before, "if (__CUDA_ARCH__ < 890) LOOP(); ASM"), (ERROR.to_owned(), 0), "{loops}");
    }
}
