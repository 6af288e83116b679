//! `docs/codes.md` has the page of every code. `BLESS=1` rewrites it.

use std::fmt::Write as _;
use std::path::Path;

use ptxcvt_syntax::Code;

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
