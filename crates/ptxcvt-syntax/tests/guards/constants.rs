//! Conditions of constants alone: numbers of all bases and suffixes, characters, and operators of numbers with and
//! without a sign, as GCC's `cpp` evaluates them.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

use super::tree::one_of;

const CONSTANTS: [&str; 28] = [
    "0",
    "1",
    "2",
    "7u",
    "010",
    "0x10",
    "0b11",
    "1'000",
    "63",
    "64",
    "800L",
    "900ul",
    "12LLU",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "9223372036854775807",
    "18446744073709551615u",
    "0xFFFFFFFFFFFFFFFF",
    "'A'",
    "'\\n'",
    "'\\''",
    "'\\\\'",
    "'\\x41'",
    "'\\101'",
    "'\\0'",
    "'\\xff'",
    "L'a'",
    "u8'z'",
];

const OPERATORS: [&str; 19] =
    ["||", "&&", "|", "^", "&", "==", "!=", "<=", ">=", "<", ">", "<<", ">>", "+", "-", "*", "/", "%", "?"];

fn expression(random: &mut SplitMix64, depth: u32) -> String {
    if depth == 0 || random.below(5) == 0 {
        let sign = one_of(random, &["", "", "", "-", "~", "!", "+"]);
        return format!("{sign}{}", one_of(random, &CONSTANTS));
    }
    let (a, b) = (expression(random, depth - 1), expression(random, depth - 1));
    match one_of(random, &OPERATORS) {
        // A division by 0 and a shift by more than the width are undefined.
        operator @ ("/" | "%") => format!("({a}) {operator} 3"),
        operator @ ("<<" | ">>") => format!("({a}) {operator} {}", random.below(64)),
        "?" => format!("(({a}) ? ({b}) : 5)"),
        // Without parentheses, so that precedence counts.
        operator => format!("{a} {operator} {b}"),
    }
}

#[test]
fn constants_as_cpp_has_them() {
    let mut random = SplitMix64::new(11);
    let expressions: Vec<String> = (0..3000).map(|_| expression(&mut random, 3)).collect();
    let files = |inside: &str| -> String {
        let each = |(number, text): (usize, &String)| {
            format!("#if {text}\n{}\n#endif\n", inside.replace('N', &number.to_string()))
        };
        expressions.iter().enumerate().map(each).collect()
    };
    let Some(expected) = preprocessed(&files("N")) else {
        return crate::skip::skip("skipped: constants_as_cpp_has_them: there is no cpp").unwrap();
    };
    // No target has this form, so each assembly that a compiler sees is an error. Three lines an expression.
    let text = files("asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));");
    let source = Source::new("constants.cu", text.as_bytes());
    let found = check_source(&source, Language::Cpp, &CheckOptions::default());
    let ours: BTreeSet<usize> =
        found.diagnostics.iter().map(|one| (source.position(one.span().start).line - 1) / 3).collect();
    assert!((500..2500).contains(&expected.len()), "{} conditions hold", expected.len());
    if let Some(number) = ours.symmetric_difference(&expected).next() {
        let who = if ours.contains(number) { "only here" } else { "only in cpp" };
        panic!("`{}` holds {who}", expressions[*number]);
    }
}

/// A constant is followed for every type of integers, however it is spelled; a narrow type or a float is not followed.
#[test]
fn constants_of_every_type() {
    let findings = |ty: &str, value: u32| {
        let text = format!(
            "constexpr {ty} K = {value};\n__device__ void f(short &d, float a, float b) {{\n    if constexpr (K == 1) {{\n        \
             asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));\n    }}\n}}\n"
        );
        let source = Source::new("types.cu", text.as_bytes());
        check_source(&source, Language::Cpp, &CheckOptions::default()).diagnostics.len()
    };
    for ty in [
        "int",
        "signed",
        "signed int",
        "long",
        "long long",
        "unsigned",
        "unsigned int",
        "unsigned long",
        "uint",
        "size_t",
        "std::size_t",
        "ssize_t",
        "ptrdiff_t",
        "std::ptrdiff_t",
        "int32_t",
        "std::uint32_t",
        "int64_t",
        "uint64_t",
        "intptr_t",
        "uintptr_t",
        "bool",
        "auto",
    ] {
        assert_eq!((findings(ty, 0), findings(ty, 1)), (0, 1), "{ty}");
    }
    for ty in ["char", "unsigned char", "uint8_t", "short", "unsigned short", "float", "double"] {
        assert_eq!(findings(ty, 0), findings(ty, 1), "{ty}");
    }
}

/// The numbers in the output of `cpp`; `None` if `cpp` is not installed.
fn preprocessed(text: &str) -> Option<BTreeSet<usize>> {
    let mut cpp = Command::new("cpp");
    cpp.args(["-P", "-w", "-x", "c++", "-std=c++20"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = cpp.spawn().ok()?;
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("cpp reads its input");
    let output = child.wait_with_output().expect("cpp ends");
    assert!(output.status.success(), "cpp refuses a condition");
    Some(
        String::from_utf8_lossy(&output.stdout).lines().map(|line| line.parse().expect("a number")).collect(),
    )
}
