//! Sizes of arrays, alignments and numbers of registers are judged as ptxas judges them:
//! `conformance/records/declarations.tsv`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ptxcvt_syntax::parse::Tree;

/// Declarations that ptxas accepts and we do not: it uses only a part of a number beyond 64 bits, and of the size of a
/// parameter only 32 bits.
const TOO_LARGE: [(&str, &str); 4] = [
    ("module", ".extern .shared .b8 a[18446744073709551616]"),
    ("func", ".param .b8 a[0xFFFFFFFFFFFFFFFF]"),
    ("func", ".param .b8 a[18446744073709551616]"),
    ("result", ".param .b8 a[0xFFFFFFFFFFFFFFFF]"),
];

/// Declarations that ptxas does not accept and we do: they are larger than the space that the target has for them.
const NO_SPACE: [(&str, &str); 2] =
    [("entry", ".param .b8 a[2147483648]"), ("result", ".param .b8 a[2147483648]")];

fn problems(place: &str, declaration: &str) -> Vec<String> {
    let text = match place {
        "module" => format!("{declaration};\n"),
        "body" => format!(".entry k() {{\n{declaration};\nret;\n}}\n"),
        "entry" => format!(".entry k({declaration}) {{\nret;\n}}\n"),
        "func" => format!(".func f({declaration}) {{\nret;\n}}\n"),
        "result" => format!(".func ({declaration}) f() {{\nret;\n}}\n"),
        _ => panic!("{place}"),
    };
    let text = format!(".version 8.7\n.target sm_90\n.address_size 64\n{text}");
    Tree::of_module(&text).problems.iter().map(|problem| problem.message().to_owned()).collect()
}

#[test]
fn verdicts_are_those_of_the_assembler() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/records/declarations.tsv");
    let record = fs::read_to_string(path).expect("the record");
    let (mut counts, mut stricter, mut laxer) = ([0, 0], BTreeSet::new(), BTreeSet::new());
    let mut repeated = Vec::new();
    for line in record.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [place, declaration, verdict] = fields[..] else { panic!("{line}") };
        let found = problems(place, declaration);
        let accepted = match verdict {
            "yes" => true,
            "no" => false,
            _ => panic!("{line}"),
        };
        counts[usize::from(accepted)] += 1;
        match (accepted, found.is_empty()) {
            (true, false) => drop(stricter.insert((place, declaration))),
            (false, true) => drop(laxer.insert((place, declaration))),
            _ => {}
        }
        // One mistake has one message. A directive `.align` has no end at which the parser could continue.
        if found.len() > 1 && !declaration.starts_with(".align") {
            repeated.push(format!("{line}: {found:?}"));
        }
    }
    assert!(repeated.is_empty(), "{}", repeated.join("\n"));
    assert_eq!(stricter, BTreeSet::from(TOO_LARGE));
    assert_eq!(laxer, BTreeSet::from(NO_SPACE));
    assert!(counts[0] > 200 && counts[1] > 200, "{counts:?}");
}
