//! Code before a label, and macros that hide `return`, `goto`, `break`, `continue`, loops and labels. `g++ -O1` keeps
//! the same assemblies for each target.

use super::found;
use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

/// FP8, which targets from sm_89 on have.
const FP8: &str = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(d) : "f"(a));"#;

/// The severity of each `A` in a function with this body, which device compilers from sm_75 on compile. `-` stands for
/// no finding.
fn judged(defines: &str, body: &str) -> String {
    let body = body.replace("OLD", "__CUDA_ARCH__ < 890").replace("NEW", "__CUDA_ARCH__ >= 890");
    let lines: Vec<&str> = body.split("A;").collect();
    let body = lines.join(&format!("\n{FP8} // A\n"));
    let head = "#if __CUDA_ARCH__ >= 750\n__device__ void f(float a, short &d, int n) {\n";
    let text = format!("{defines}\n{head}{body}\n}}\n#endif\n");
    let all = found(&text, Language::Cpp, &CheckOptions::default());
    let severity = |line: usize| {
        let one = all.iter().find_map(|one| one.strip_prefix(&format!("{line} ")));
        one.map_or("-", |rest| rest.split(' ').next().unwrap_or_default())
    };
    let lines = text.lines().enumerate().filter(|(_, line)| line.ends_with("// A"));
    lines.map(|(number, _)| severity(number + 1)).collect::<Vec<_>>().join(" ")
}

fn compare(cases: &[(&str, &str, &str)]) {
    for (defines, body, expected) in cases {
        assert_eq!(judged(defines, body), *expected, "{defines}\n{body}");
    }
}

#[test]
fn code_before_a_label_is_not_reached_by_jumps_to_it() {
    compare(&[
        ("", "if (OLD) goto L; { A; L: A; }", "- error"),
        ("", "if (NEW) { A; L: n--; return; } goto L;", "-"),
        ("", "if (NEW) { switch (n) { case 8: A; } L: ; } goto L;", "-"),
        ("", "if (OLD) { goto L; } else { A; L: ; }", "-"),
        ("", "if (OLD) return; else { A; L: ; } goto L;", "-"),
        // A loop leads back to it.
        ("", "if (OLD) goto L; while (n) { A; L: n--; }", "error"),
        ("", "if (OLD) goto L; do { A; L: n--; } while (n);", "error"),
        ("", "if (OLD) goto L; do { A; L: n--; } while (0);", "-"),
        // Before the first label of a `switch`.
        ("", "switch (n) { A; case 1: A; }", "- error"),
        ("", "switch (n) { A; { A; case 1: A; } }", "- - error"),
        ("", "switch (n) { for (;;) { A; case 1: A; } }", "error error"),
        ("", "switch (n) { A; } A;", "- error"),
    ]);
}

/// Constants of a function that is followed, because of its labels.
#[test]
fn constants_among_labels() {
    compare(&[
        ("", "enum : bool { k = NEW }; if (k) { A; } goto e; e: ;", "-"),
        ("", "enum { k = NEW }; if (n) { enum { k = OLD }; if (k) { A; } } if (k) { A; } e: ;", "error -"),
        ("", "const bool k = NEW; if (!k) goto e; A; e: ;", "-"),
    ]);
}

#[test]
fn macros_with_jumps_are_expanded() {
    const FAIL: &str = "#define FAIL(x) do { if (x) { g(); goto fail; } } while (0)";
    compare(&[
        ("#define R return", "R; A;", "-"),
        ("#define R return", "if (n) R; A;", "error"),
        ("#define R return", "if (OLD) R; A;", "-"),
        ("#define R return\n#define RR R", "RR; A;", "-"),
        ("#define REQUIRE(x) if (!(x)) return", "REQUIRE(NEW); A;", "-"),
        ("#define REQUIRE(x) if (!(x)) return", "REQUIRE(n); A;", "error"),
        ("#if __CUDA_ARCH__ >= 890\n#define R\n#else\n#define R return\n#endif", "R; A;", "-"),
        ("#define FOREVER for (;;)", "FOREVER { if (n) return; } A;", "-"),
        ("#define B break", "for (;;) { if (n) B; A; } A;", "error error"),
        ("#define B break", "for (;;) { B; A; } A;", "- error"),
        ("#define C continue", "do { C; A; } while (n); A;", "- error"),
        ("#define B break;", "switch (n) { case 1: B A; case 2: A; }", "- error"),
        (FAIL, "FAIL(n); A; return; fail: A;", "error error"),
        (FAIL, "if (NEW) { FAIL(n); } return; fail: A;", "-"),
        ("#define JUMP(x) goto x", "JUMP(L); A; L: A;", "- error"),
    ]);
}

#[test]
fn macros_with_labels_are_reached_by_jumps() {
    compare(&[
        ("#define LABEL(x) x:", "goto L; A; LABEL(L) A;", "- error"),
        ("#define LABEL(x) x: ;", "goto L; A; LABEL(L); A;", "- error"),
        ("#define LABEL(x) label_##x:", "if (n) goto label_e; return; LABEL(e) A;", "error"),
        ("#define LABEL(x) x:", "if (n) goto L; return; LABEL(L) if (OLD) return; A;", "-"),
        // A statement that is not followed, and macros of other files.
        ("", "goto L; UNKNOWN(L) A;", "note"),
        ("", "goto L; UNKNOWN(L); A;", "note"),
        ("", "if (NEW) goto L; return; UNKNOWN(L); A;", "-"),
        ("#define GO goto", "GO L; return; L: A;", "note"),
    ]);
}

/// Expressions are not followed. Their jumps may lead to each label.
#[test]
fn jumps_in_expressions() {
    const JUMPS: &str = "#define JUMPS(x) ({ if (x) goto fail; 1; })";
    compare(&[
        (JUMPS, "int y = JUMPS(n); return; fail: A;", "note"),
        (JUMPS, "JUMPS(n); return; fail: A;", "note"),
        (JUMPS, "if (JUMPS(n)) return; return; fail: A;", "note"),
        (JUMPS, "return JUMPS(n); fail: A;", "note"),
        ("", "if (({ if (n) goto fail; 1; })) return; return; fail: A;", "note"),
    ]);
}

/// Many uses of a macro with a jump, and chains of jumps, take no longer than their text. A chain of many jumps backward
/// is not followed to its end.
#[test]
fn many_jumps() {
    let check = "#define CHECK(x) if ((x) != 0) goto fail";
    let uses = "CHECK(g(n)); if (n) { CHECK(h(n)); }\n".repeat(500);
    assert_eq!(judged(check, &format!("{uses} return; fail: A;")), "error");
    let chain: String = (1..500).rev().map(|number| format!("L{number}: goto L{};\n", number + 1)).collect();
    assert_eq!(judged("", &format!("goto L1; {chain} L500: A;")), "note");
}

/// Macros without a semicolon. Of one that another file defines, nothing is known.
#[test]
fn macros_before_a_statement() {
    for (defines, macro_use) in [
        ("#define CHECK(c) if (!(c)) { __trap(); }", "CHECK(n > 3)"),
        ("#define CHECK(c) if (c) { f(); } else { g(); }", "CHECK(n > 3)"),
        ("#define EACH(c) for (int i = 0; i < c; ++i) { f(i); }", "EACH(n)"),
        ("#define LOG(...)", "LOG(n)"),
        ("#define EMPTY", "EMPTY"),
    ] {
        compare(&[
            (defines, &format!("{macro_use}\nif (OLD) return; A;"), "-"),
            (defines, &format!("{macro_use} {{ if (OLD) return; }} A;"), "-"),
            (defines, &format!("{macro_use}\nif (n) return; A;"), "error"),
            (defines, &format!("if (n) {macro_use}; if (OLD) return; A;"), "-"),
            (defines, &format!("{macro_use} }} void g(float a, short &d) {{ A;"), "error"),
        ]);
    }
    compare(&[
        ("", "CHECK(n > 3)\nif (OLD) return; A;", "note"),
        ("", "CHECK(n > 3)\nreturn; A;", "note"),
        ("", "CHECK(n > 3); if (OLD) return; A;", "-"),
        // Nothing is left of the macro, so that the `return` is the whole statement of the `if`.
        ("#define EMPTY", "if (n) EMPTY return; A;", "error"),
        ("#define EMPTY", "if (OLD) EMPTY return; A;", "-"),
    ]);
}

/// The statement after the conditional of the preprocessor is there in all configurations.
#[test]
fn statements_across_directives() {
    compare(&[
        ("", "#if NEW\nif (n > 2)\n#endif\n{ return; }\nA;", "note"),
        ("", "#if NEW\nif (n > 2) { return; } else\n#endif\n{ return; }\nA;", "note"),
        ("", "#if NEW\nif (n > 2) { return; }\n#endif\nA;", "error"),
    ]);
}
