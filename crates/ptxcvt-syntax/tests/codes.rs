//! `docs/codes.md` has the page of every code. `BLESS=1` rewrites it.

use std::fmt::Write as _;
use std::path::Path;

use ptxcvt_syntax::sources::check_named;
use ptxcvt_syntax::{CheckOptions, Code, Source};

#[test]
fn docs_are_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/codes.md");
    let mut text = String::from(
        "# Error codes\n\n```sh\nptxcvt explain CVT004\n```\n\nWhat `ptxcvt` reports, by code; `ptxcvt explain CODE` prints the same pages. `CVT0nn`: the opcode, \
         and operands of `eval`.\n`CVT1nn`: operands, registers, immediates. `CVT2nn`: the module and its syntax. \
         `CVT3nn`: warnings.\n",
    );
    for code in Code::all() {
        let kind = if code.is_warning() { " (warning)" } else { "" };
        let _ = writeln!(text, "\n## {code}{kind}\n");
        for line in code.page() {
            let _ = writeln!(text, "{}", line.strip_prefix(' ').unwrap_or(line));
        }
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("docs");
        std::fs::write(&path, &text).expect("a writable file");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/codes.md is stale: BLESS=1 cargo test rewrites it");
}

#[test]
fn codes_are_unique_and_readable() {
    let mut codes: Vec<&str> = Code::all().map(Code::as_str).collect();
    let number = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), number);
    for code in Code::all() {
        assert_eq!(code.as_str().parse(), Ok(code));
        assert!(code.title().ends_with('.'), "{code}: {}", code.title());
    }
    assert!("CVT999".parse::<Code>().is_err());
}

/// Codes that no single line shows: they need a file, a target, an array or an argument.
const WITHOUT_EXAMPLES: [&str; 22] = [
    "CVT001", "CVT011", "CVT012", "CVT020", "CVT021", "CVT022", "CVT023", "CVT024", "CVT025", "CVT026",
    "CVT027", "CVT028", "CVT205", "CVT206", "CVT207", "CVT208", "CVT209", "CVT211", "CVT212", "CVT213",
    "CVT306", "CVT307",
];

/// The wrong example of a page has this code alone, and the right one has no finding.
#[test]
fn examples_are_what_they_claim() {
    let codes_of = |text: &str| -> Vec<Code> {
        let source = Source::new("page", text.as_bytes());
        let found = check_named(&source, None, &CheckOptions::default().snippet(true));
        found.diagnostics.iter().map(|finding| finding.code()).collect()
    };
    let mut without = Vec::new();
    for code in Code::all() {
        let example = |label: &str| {
            let line = code.page().iter().find_map(|line| line.trim().strip_prefix(label))?;
            line.trim().strip_prefix('`')?.strip_suffix('`')
        };
        let Some((wrong, right)) = example("Wrong:").zip(example("Right:")) else {
            without.push(code.as_str());
            continue;
        };
        assert_eq!(codes_of(wrong), [code], "{wrong}");
        assert!(codes_of(right).is_empty(), "{right}: {:?}", codes_of(right));
    }
    without.sort_unstable();
    let mut known = WITHOUT_EXAMPLES;
    known.sort_unstable();
    assert_eq!(without, known);
}
