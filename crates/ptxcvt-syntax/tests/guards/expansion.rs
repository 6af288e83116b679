//! Replacement of macros in conditions, compared with GCC's `cpp`.

use std::io::Write;
use std::process::{Command, Stdio};

use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

/// Definitions, a condition, and whether it is true; `None` if it is not valid.
const CASES: &[(&str, &str, Option<bool>)] = &[
    ("#define E\n", "E 1", Some(true)),
    ("#define E\n", "1 E E", Some(true)),
    ("#define E\n", "E + 1 == 1", Some(true)),
    ("#define E\n", "E", None),
    ("#define E\n", "1 && E", None),
    ("#define E\n", "defined(E) && defined E", Some(true)),
    ("#define D defined(E)\n#define E\n", "D", Some(true)),
    ("#define CAT(a, b) a##b\n#define V12 5\n", "CAT(V, 12) == 5", Some(true)),
    ("#define CAT(a, b) a ## b\n", "CAT(1, 2) == 12", Some(true)),
    ("#define CAT(a, b) a ## b\n", "CAT(0x3, 20) == 800", Some(true)),
    ("#define CAT(a, b) a ## b\n", "CAT(800, u) - 801 > 0", Some(true)),
    ("#define CAT(a, b) a ## b\n#define V0x1 3\n", "CAT(V, 0x1) == 3", Some(true)),
    ("", "1 / 0", None),
    ("", "1 % (2 - 2) == 0", None),
    ("", "0 && 1 / 0", Some(false)),
    ("", "1 || 1 / 0", Some(true)),
    ("", "1 ? 2 : 1 / 0", Some(true)),
    ("#define CAT(a, b) a ## b\n#define A 1\n#define AB 7\n", "CAT(A, B) == 7", Some(true)),
    ("#define CAT(a, b) a ## b\n", "CAT(, 1) == 1", Some(true)),
    ("#define CAT(a, b) a ## b\n", "CAT(1, ) == 1", Some(true)),
    ("#define CAT(a, b) a ## b\n", "1 CAT(&, &) 0", Some(false)),
    ("#define O V ## 1\n#define V1 3\n", "O == 3", Some(true)),
    ("#define F(...) G(__VA_ARGS__)\n#define G(a, b) ((a) < (b))\n", "F(1, 2)", Some(true)),
    ("#define TWO 1, 2\n#define F(x) G(x)\n#define G(a, b) ((a) < (b))\n", "F(TWO)", Some(true)),
    ("#define TWO 2, 1\n#define F(x) G(x)\n#define G(a, b) ((a) < (b))\n", "F(TWO)", Some(false)),
    ("#define TWO 1, 2\n#define G(a, b) ((a) < (b))\n", "G(TWO)", None),
    ("#define G(a, b) ((a) < (b))\n", "G((1), (2))", Some(true)),
    ("#define X X + 1\n", "X == 1", Some(true)),
    ("#define A B\n#define B A\n", "A", Some(false)),
    ("#define A B + 1\n#define B A + 1\n", "A == 2", Some(true)),
    ("#define F(x) F(x)\n", "F(1)", None),
    ("#define F(x) (x)\n", "F(F(F(1)))", Some(true)),
    ("#define F(x) x\n#define G(y) ((y) + 1)\n", "F(G)(1) == 2", Some(true)),
    ("#define F(x) (x)\n", "F", Some(false)),
    ("#define F() 4\n", "F() == 4", Some(true)),
    ("#define H(a, ...) a __VA_OPT__(+ 1)\n", "H(1) == 1", Some(true)),
    ("#define H(a, ...) a __VA_OPT__(+ 1)\n", "H(1, x) == 2", Some(true)),
    ("#define H(a, ...) a __VA_OPT__(+ (1))\n", "H(1,) == 1", Some(true)),
    (
        "#define I(a, ...) J(a, ## __VA_ARGS__)\n#define J(...) K(__VA_ARGS__, 2, 1)\n#define K(a, b, ...) b\n",
        "I(0) == 2",
        Some(true),
    ),
    ("#define L(a, r...) (r)\n", "L(0, 3) == 3", Some(true)),
    (
        "#define COUNT(...) PICK(__VA_ARGS__, 3, 2, 1)\n#define PICK(a, b, c, n, ...) n\n",
        "COUNT(7, 8) == 2",
        Some(true),
    ),
];

fn file(definitions: &str, condition: &str) -> String {
    let assembly = "asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(a));\n";
    format!("{definitions}#if {condition}\n{assembly}#else\n\n{assembly}#endif\n")
}

#[test]
fn macros_are_replaced_as_the_compiler_does() {
    for (definitions, condition, expected) in CASES {
        let dead = |condition: &str| {
            let text = file(definitions, condition);
            let found =
                check_source(&Source::new("a.cu", text.as_bytes()), Language::Cpp, &CheckOptions::default());
            found.stats.skipped.get("no device compiler sees it").copied().unwrap_or(0)
        };
        // If the condition is decided, one branch is dead, and with another test it is the first one.
        assert_eq!(dead(condition), usize::from(expected.is_some()), "{definitions}#if {condition}");
        if let Some(expected) = expected {
            let both = format!("({condition}) && 0");
            assert_eq!(dead(&both), 1, "{definitions}#if {both}");
            let other = format!("({condition}) || FLAG");
            assert_eq!(dead(&other), usize::from(*expected), "{definitions}#if {other}");
        }
    }
}

#[test]
fn macros_that_grow_without_end_are_not_decided() {
    let doubled: String = (1..60).map(|n| format!("#define A{n} A{0} + A{0}\n", n - 1)).collect();
    let nested: String = (1..200).map(|n| format!("#define F{n}(x) F{0}(F{0}(x))\n", n - 1)).collect();
    for (definitions, condition) in [
        (format!("#define A0 1\n{doubled}"), "A59"),
        (format!("#define F0(x) (x)\n{nested}"), "F199(1)"),
        ("#define F(x) F(x) F(x x)\n".to_owned(), "F(F(F(F(1))))"),
    ] {
        let text = file(&definitions, condition);
        let found =
            check_source(&Source::new("a.cu", text.as_bytes()), Language::Cpp, &CheckOptions::default());
        assert!(!found.stats.skipped.contains_key("no device compiler sees it"), "{condition}");
    }
}

#[test]
#[ignore = "needs cpp"]
fn cpp_decides_the_same_conditions() {
    for (definitions, condition, expected) in CASES {
        let mut cpp = Command::new("cpp");
        cpp.args(["-P", "-w", "-std=gnu++20"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = cpp.spawn().expect("cpp");
        let text = format!("{definitions}#if {condition}\nYES\n#else\nNO\n#endif\n");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("cpp reads its input");
        let output = child.wait_with_output().expect("cpp");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let found = output.status.success().then(|| printed.trim() == "YES");
        assert_eq!(found, *expected, "{text}");
    }
}
