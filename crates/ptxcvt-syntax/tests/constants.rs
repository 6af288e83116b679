//! Constant expressions of PTX and of C++ have the values that ptxas and g++ give them: `conformance/records/constants.tsv`.

use std::fs;
use std::path::Path;

use ptxcvt_syntax::cpp;
use ptxcvt_syntax::parse::{Constant, OperandKind, Tree};

fn of_ptx(text: &str) -> Option<i64> {
    let instruction = format!("n.n {text};");
    let tree = Tree::of_snippet(&instruction);
    match tree.instructions().next()?.operands[..] {
        [ref one] if tree.problems.is_empty() => match one.kind {
            OperandKind::Constant(Ok(Constant::Integer(value))) => Some(value.bits),
            _ => None,
        },
        _ => None,
    }
}

#[test]
fn values_are_those_of_the_assembler_and_the_compiler() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/records/constants.tsv");
    let record = fs::read_to_string(path).expect("the record");
    let (mut counts, mut wrong) = ([0, 0], Vec::new());
    for line in record.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [language, text, value] = fields[..] else { panic!("{line}") };
        let digits = value.strip_prefix("0x").expect("hexadecimal");
        let expected = u64::from_str_radix(digits, 16).expect("a number") as i64;
        let found = if language == "ptx" { of_ptx(text) } else { cpp::constant::value(text) };
        counts[usize::from(language == "ptx")] += 1;
        if found != Some(expected) {
            wrong.push(format!("{line}: {found:x?}"));
        }
    }
    assert_eq!(counts, [400, 400]);
    assert!(wrong.is_empty(), "{} of 800:\n{}", wrong.len(), wrong.join("\n"));
}

/// Expressions without a value, or with one that depends on names and types that the text does not show.
#[test]
fn expressions_without_a_value() {
    let none =
        ["", "x", "1 +", "(1", "1)", "1 2", "1.5", "1.5f", "int(1)", "(int)1", "sizeof(int)", "f(1)", "1,2"];
    let undefined =
        ["1/0", "1%0", "1<<32", "1<<-1", "2147483647+1", "-2147483647-2", "1l<<64", "'ab'", "''", "--1"];
    let huge = ["(".repeat(5000), "-".repeat(5000), "1?".repeat(5000), "99999999999999999999".to_owned()];
    for text in none.into_iter().chain(undefined).chain(huge.iter().map(String::as_str)) {
        assert_eq!(cpp::constant::value(text), None, "{text}");
    }
}
