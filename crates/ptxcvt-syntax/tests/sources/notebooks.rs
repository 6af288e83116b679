//! Notebooks: cells that do not end, and files that are not notebooks.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::{check, found};

const WRONG: &str = "y = inline_asm('cvt.f16.f32 $0, $1;', '=h,f')\\n";

/// A notebook of code cells with these sources.
fn notebook(cells: &[&str]) -> String {
    let cell = |source: &&str| format!("{{\"cell_type\": \"code\", \"source\": [\"{source}\"]}}");
    format!(
        "{{\"cells\": [{}], \"metadata\": {{}}}}\n",
        cells.iter().map(cell).collect::<Vec<_>>().join(", ")
    )
}

fn codes(text: &str) -> Vec<String> {
    let all = found(text, Language::Notebook, &CheckOptions::default());
    all.iter().map(|line| line.rsplit_once(' ').expect("a code").1.to_owned()).collect()
}

/// A cell that ends in a string or in brackets does not run. It hides no other cell.
#[test]
fn a_cell_without_an_end_hides_nothing() {
    for cell in
        ["x = '''a", "x = \\\"\\\"\\\"a\\n", "x = f(1,\\n", "x = [\\n", "x = 1 + \\\\\\n", "x = ((\\n"]
    {
        let text = notebook(&[WRONG, cell, WRONG]);
        assert_eq!(codes(&text), ["CVT006", "CVT006"], "{text}");
    }
    // Cells that end are one program.
    let text = notebook(&["ASM = 'cvt.f16.f32 $0, $1;'\\n", "y = inline_asm(ASM, '=h,f')\\n"]);
    let report = check(&text, Language::Notebook, &CheckOptions::default());
    assert_eq!(report.diagnostics.len(), 1);
    assert!(report.diagnostics[0].message().starts_with("cell 1, line 1: "));
    assert_eq!(report.stats.conversions, 1);
}

/// If two keys are equal, the last one counts, as in Python.
#[test]
fn a_key_may_be_there_twice() {
    let cell = |keys: &str| {
        format!("{{\"cells\": [{{{keys}}}, {{\"source\": \"{WRONG}\", \"cell_type\": \"code\"}}]}}")
    };
    for (keys, expected) in [
        (format!("\"cell_type\": \"code\", \"source\": \"a = 1\", \"source\": \"{WRONG}\""), 2),
        (format!("\"source\": \"{WRONG}\", \"cell_type\": \"code\", \"source\": \"a = 1\""), 1),
        (format!("\"cell_type\": \"code\", \"cell_type\": \"markdown\", \"source\": \"{WRONG}\""), 1),
        // Keys elsewhere are not the cell's.
        (
            format!("\"cell_type\": \"code\", \"source\": \"{WRONG}\", \"outputs\": [{{\"source\": \"a\"}}]"),
            2,
        ),
        (format!("\"source\": \"{WRONG}\""), 2),
    ] {
        let text = cell(&keys);
        assert_eq!(codes(&text).len(), expected, "{text}");
    }
}

#[test]
fn files_that_are_no_notebooks() {
    let whole = notebook(&[WRONG, WRONG]);
    for (text, line) in [
        ("", 1),
        ("\n\n", 1),
        ("[]", 1),
        ("{}", 1),
        ("import triton\n", 1),
        ("{\"cells\": [\n]\n", 3),
        ("{\"cells\": []}\n}", 2),
        ("{\"cells\": [\n{\"cell_type\": code}]}", 2),
        ("{\"cells\": [\n{\"cell_type\": \"code\",\n \"source\": \"a\nb\"}]}", 3),
        ("{\"cells\": [],\n}", 2),
        ("{\"cells\"\n []}", 2),
    ] {
        let expected = [format!("{line} error CVT213")];
        assert_eq!(found(text, Language::Notebook, &CheckOptions::default()), expected, "{text}");
    }
    // The text before the error is judged.
    let second = whole.rfind("cell_type").expect("a cell");
    assert_eq!(codes(&whole[..second + 30]), ["CVT006", "CVT213"]);
    let nested = format!("{{\"cells\": {}", "[".repeat(100_000));
    assert_eq!(codes(&nested), ["CVT213"]);
    for text in [&whole, &format!("\u{feff}{whole}"), "{\"cells\": []}", "{\"worksheets\": []}"] {
        assert!(!codes(text).contains(&"CVT213".to_owned()), "{text}");
    }
}

/// The metadata may name another language than Python.
#[test]
fn the_language_of_a_notebook() {
    let cell = |metadata: &str, source: &str| {
        let text = notebook(&[source]).replace("\"metadata\": {}", &format!("\"metadata\": {{{metadata}}}"));
        let report = check(&text, Language::Notebook, &CheckOptions::default());
        (report.diagnostics.len(), report.stats.skipped.into_iter().collect::<Vec<_>>())
    };
    let unread = vec![("the language around it is not read", 1)];
    let asm = "asm(\\\"cvt.f16.f32 %0, %1;\\\" : \\\"=h\\\"(d) : \\\"f\\\"(a));";
    for (metadata, source, expected) in [
        ("\"language_info\": {\"name\": \"python\"}", WRONG, (1, vec![])),
        ("\"kernelspec\": {\"language\": \"python\", \"name\": \"julia\"}", WRONG, (1, vec![])),
        ("\"kernelspec\": {\"language\": \"julia\"}", WRONG, (0, unread)),
        ("\"language_info\": {\"name\": \"C++17\"}", asm, (1, vec![])),
    ] {
        assert_eq!(cell(metadata, source), expected, "{metadata}");
    }
}
