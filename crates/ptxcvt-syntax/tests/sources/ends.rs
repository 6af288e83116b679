//! Macros and expressions that may call a function which does not return, and `#error` in a branch next to the code.

use super::{ASM, ERROR, NOTE, cpp, kinds};

/// The findings in a function for sm_80 and higher, with these lines before it.
fn judged(before: &str, body: &str) -> String {
    let body = body.replace("ASM", ASM);
    kinds(&cpp(&format!("{before}\n#if __CUDA_ARCH__ >= 800\nvoid k(int x) {{\n{body}\n}}\n#endif\n")))
}

#[test]
fn macros_that_call_functions_without_return() {
    let die = "[[noreturn]] __device__ void die(int);\ntemplate <class T> [[noreturn]] void stop(T);\n\
         namespace n { [[noreturn]] void end(); }\nvoid other(int);\n";
    for (macros, statement) in [
        ("#define NO_CODE die(1)", "NO_CODE;"),
        ("#define DIE(n) die(n)", "DIE(1);"),
        ("#define DIE(n) do { die(n); } while (0)", "DIE(1);"),
        ("#define DIE(n) { other(n); die(n); }", "DIE(1)"),
        ("#define DIE die", "DIE(1);"),
        ("#define INNER(n) die(n)\n#define DIE INNER(1)", "DIE;"),
        ("#define DIE stop<int>(1)", "DIE;"),
        ("#define DIE n::end()", "DIE;"),
        ("#define DIE(n) (die(n), 0)", "x = DIE(1);"),
        ("#define DIE(n) (die(n), 0)", "other(DIE(1));"),
        (
            "#ifdef __CUDA_ARCH__\n#define DIE(n) die(n)\n#else\n#define DIE(n) std::abort()\n#endif",
            "DIE(1);",
        ),
    ] {
        let before = format!("{die}{macros}");
        for body in [
            format!("if (__CUDA_ARCH__ < 890) {{ {statement} }} ASM"),
            format!("if (__CUDA_ARCH__ < 890) {statement} else {{ }} ASM"),
            format!("\n#if __CUDA_ARCH__ < 890\n{statement}\n#endif\nASM"),
        ] {
            assert_eq!(judged(&before, &body), NOTE, "{macros}\n{body}");
        }
        // The same macro with a function that returns.
        let returns = before.replace("[[noreturn]]", "").replace("std::abort", "other");
        let body = format!("if (__CUDA_ARCH__ < 890) {{ {statement} }} ASM");
        assert_eq!(judged(&returns, &body), ERROR, "{macros}");
    }
    for check in [
        "#define CHECK(c) if (!(c)) die(1)",
        "#define CHECK(c) do { if (!(c)) { die(1); } } while (0)",
        "#define CHECK(c) ((c) || (die(1), 0))",
        "#define CHECK(c) ((c) ? (void)0 : die(1))",
    ] {
        let before = format!("{die}{check}");
        assert_eq!(judged(&before, "CHECK(__CUDA_ARCH__ >= 890); ASM"), NOTE, "{check}");
        assert_eq!(judged(&before, "CHECK(x); ASM"), ERROR, "{check}");
    }
}

#[test]
fn expressions_that_may_not_come_to_their_end() {
    let before =
        "[[noreturn]] void die(int);\n#define TRAP (__trap(), 0)\n#define CHECK(c) ((c) || (abort(), 0))";
    for body in [
        "($C) ? (void)0 : __trap();",
        "(($C) ? (void)0 : __trap());",
        "$C ? (void)0 : __trap();",
        "!($C) ? __trap() : (void)0;",
        "$C || (__trap(), 0);",
        "$C or (__trap(), 0);",
        "(void)($C || (abort(), 0));",
        "bool q = $C || (abort(), 0);",
        "x = $C ? 1 : (std::abort(), 2);",
        "x = $C ? 1 : TRAP;",
        "int y{$C ? 1 : (abort(), 2)};",
        "auto q = $C ? 2 : throw 1;",
        "$C ? (void)0 : throw 1;",
        "$C ? (void)0 : die(1);",
        "x ? abort() : __trap();",
        "f(x || y, abort());",
        "x = ({ if (!($C)) __trap(); 1; });",
        "x = ({ if (!($C)) return; 1; });",
        "if (!($C) && (__trap(), true)) g(1);",
        "if ($C) g(1); else if ((__trap(), true)) g(1);",
        "while (!($C) && (__trap(), true)) g(1);",
        "for (int i = $C ? 0 : (__trap(), 1); i < x; ++i) g(1);",
        "do { g(1); } while (!($C) && (__trap(), x));",
        "switch ($C ? 1 : (__trap(), 2)) { case 1: g(1); break; default: g(2); }",
        "if (x == CHECK($C)) g(1);",
        "x = CHECK($C);",
        "bool has = $C; has ? (void)0 : __trap();",
        "kHas ? (void)0 : __trap();",
        "\n#if __CUDA_ARCH__ < 890\nx = (__trap(), 2);\n#endif\n",
        "\n#if __CUDA_ARCH__ < 890\nx = TRAP;\n#endif\n",
    ] {
        let body = format!("{} ASM", body.replace("$C", "__CUDA_ARCH__ >= 890"));
        assert_eq!(judged(before, &body), NOTE, "{body}");
    }
    // The statement after such a condition.
    assert_eq!(judged(before, "if (__CUDA_ARCH__ >= 890 || (die(1), true)) ASM"), NOTE);
    // A variable decides, or a function of another name returns.
    for body in [
        "x ? (void)0 : __trap();",
        "x || (abort(), 0);",
        "int y = x ? 1 : throw 2;",
        "if (x && (__trap(), 1)) g(1);",
        "if (x == CHECK(x)) g(1);",
        "x = CHECK(x);",
        "x = __CUDA_ARCH__ >= 890 ? 1 : g(2);",
        "auto f = [&] { if (__CUDA_ARCH__ < 890) abort(); };",
        "g(\"abort()\", __CUDA_ARCH__); /* abort() */",
        "p->exit = __CUDA_ARCH__;",
        "x = sizeof(x), assert(x > 1);",
    ] {
        assert_eq!(judged(before, &format!("{body} ASM")), ERROR, "{body}");
    }
}

#[test]
fn errors_of_the_preprocessor_decide_flags() {
    let code = format!("#if __CUDA_ARCH__ >= 800\nvoid k() {{ {ASM} }}\n#endif\n");
    for (head, foot) in [
        ("#if !defined(A)", "#else\n#error no\n#endif"),
        ("#ifndef A", "#else\n#error no\n#endif"),
        ("#ifdef A", "#else\n#error no\n#endif"),
        ("#if !defined(A) && !defined(B)", "#else\n#error no\n#endif"),
        ("#if A > 3", "#else\n#error no\n#endif"),
        ("#ifndef A\n#error no\n#endif\n#ifdef A", "#endif"),
        ("#ifndef A\n#error no\n#endif\n#if A > 1\n#error no\n#endif\n#if A < 2", "#endif"),
        ("#if A\n#error no\n#endif\n#if A\n#elif 1", "#endif"),
        ("#if __cplusplus < 201703L\n#error no\n#endif\n#if __cplusplus >= 201703L", "#endif"),
    ] {
        assert_eq!(kinds(&cpp(&format!("{head}\n{code}{foot}\n"))), ERROR, "{head}");
    }
    for (head, foot) in [
        // Some targets reach no `#error`.
        ("#if !defined(A)", "#elif __CUDA_ARCH__ < 890\n#error no\n#endif"),
        // The other value of another flag.
        ("#if !defined(A) && !defined(B)", "#elif !defined(B)\n#error no\n#endif"),
        ("#ifndef A\n#error no\n#endif\n#if A", "#endif"),
        ("#if defined(A) == defined(B)\n#error no\n#endif\n#ifdef A", "#endif"),
    ] {
        assert_eq!(kinds(&cpp(&format!("{head}\n{code}{foot}\n"))), NOTE, "{head}\n{foot}");
    }
    // No file compiles this.
    assert_eq!(kinds(&cpp(&format!("#ifdef A\n{code}#error no\n#endif\n"))), "");
}

/// The blocks of `<nv/target>` are left as those of an `#if`.
#[test]
fn statements_in_the_blocks_of_nv_target_leave_the_code_around_them() {
    for (body, expected) in [
        ("NV_IF_ELSE_TARGET(NV_PROVIDES_SM_89, (g();), (return;)) ASM", ""),
        ("NV_IF_ELSE_TARGET(NV_PROVIDES_SM_86, (g();), (return;)) ASM", ERROR),
        ("NV_IF_TARGET(NV_PROVIDES_SM_89, (ASM return;)) g();", ""),
        ("NV_IF_TARGET(NV_PROVIDES_SM_89, (g(); return;)); ASM", ERROR),
        ("NV_IF_TARGET(NV_PROVIDES_SM_80, (if (__CUDA_ARCH__ < 890) return; ASM))", ""),
        ("NV_IF_TARGET(NV_PROVIDES_SM_80, (if (__CUDA_ARCH__ < 860) return; ASM))", ERROR),
        ("if (__CUDA_ARCH__ < 890) { NV_IF_TARGET(NV_IS_DEVICE, (return;)) } ASM", ""),
        ("if (__CUDA_ARCH__ < 890) { NV_IF_TARGET(NV_IS_HOST, (return;)) } ASM", ERROR),
        (
            "NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (ASM), NV_PROVIDES_SM_89, (g();), NV_IS_DEVICE, (return;)) ASM",
            "",
        ),
        (
            "NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (ASM), NV_PROVIDES_SM_86, (g();), NV_IS_DEVICE, (return;)) ASM",
            ERROR,
        ),
        ("NV_IF_ELSE_TARGET(NV_PROVIDES_SM_89, (ASM), (__trap();)) ASM", NOTE),
        ("NV_IF_ELSE_TARGET(NV_PROVIDES_SM_89, (g();), (g();)) if (__CUDA_ARCH__ < 890) return; ASM", ""),
        ("while (x) { NV_IF_ELSE_TARGET(NV_PROVIDES_SM_89, (g();), (break;)) ASM }", ""),
    ] {
        assert_eq!(judged("", body), expected, "{body}");
    }
}
