//! Figures in the docs (numbers of forms, results, spellings) match the table and the records. `BLESS=1` rewrites them.
//!
//! A figure is found by the words around it. If those words change, change them here, too.

use std::fs;
use std::path::Path;

use ptxcvt::{Form, IsaVersion};
use ptxcvt_conform::deviations::values::Folded;
use ptxcvt_conform::state::grouped;
use ptxcvt_conform::vectors::File;
use ptxcvt_conformance::folding::Line;
use ptxcvt_conformance::record;

/// A page, the words before and after a figure, and the figure.
type Figure = (&'static str, &'static str, &'static str, String);

/// The sum of a column of a record.
fn sum(text: &str, column: usize) -> u64 {
    record::rows(text).map(|row| row[column].parse::<u64>().expect("a number")).sum()
}

/// The number of rows of a record that satisfy a condition.
fn count(text: &str, picks: impl Fn(&[&str]) -> bool) -> u64 {
    record::rows(text).filter(|row| picks(row)).count() as u64
}

/// The assemblers named in a record, without the last part of their versions: `13.5, 13.1`.
fn assemblers(legality: &str) -> String {
    let line = legality.lines().find_map(|line| line.strip_prefix("# ptxas ")).expect("the assemblers");
    let versions = line.split(':').next().unwrap_or_default().split(", ");
    let short = |version: &str| version.rsplit_once('.').expect("three numbers").0.to_owned();
    versions.map(short).collect::<Vec<_>>().join(", ")
}

fn figures() -> Vec<Figure> {
    let read = |name| record::read(name).expect("a record");
    let [legality, headers, folding] = ["legality.tsv", "headers.tsv", "folding.tsv"].map(read);
    let [apfloat, differential, kernels] = ["apfloat.tsv", "differential.tsv", "kernels.tsv"].map(read);
    let [lowering, sources, blocks] = ["lowering.tsv", "sources.tsv", "blocks.tsv"].map(read);
    let instructions = read("instructions-folding.tsv");
    let spellings = legality.lines().find_map(|line| line.strip_prefix("# ")?.split_once(" spellings, "));
    let spellings = grouped(spellings.expect("how many spellings").0.parse().expect("a number"));
    let assemblers = assemblers(&legality);
    let group = |name: &str| count(&headers, |row| row[0] == name).to_string();
    let results = |text: u64, forms: u64| format!("{} results of {forms} forms", grouped(text));

    let folded = Line::parse(&folding).expect("a record");
    let pairs = || folded.iter().flat_map(|line| line.results.iter().map(move |pair| (&line.form, pair)));
    let excused = |(form, (operands, folded)): &(&Form, &(Vec<u64>, u64))| {
        form.eval(operands) != Ok(*folded) && Folded::of(form, operands, *folded).is_some()
    };
    let excused = pairs().filter(excused).count();
    let folding = results(pairs().count() as u64, folded.len() as u64);

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/b200-cvt.tsv");
    let vectors = File::parse("b200-cvt.tsv", &fs::read_to_string(path).expect("vectors")).expect("vectors");
    let forms: std::collections::BTreeSet<Form> = vectors.entries.iter().map(|entry| entry.form).collect();
    let b200 = results(vectors.entries.len() as u64, forms.len() as u64);

    let elements = format!("{} elements of {} forms", grouped(sum(&apfloat, 1)), count(&apfloat, |_| true));
    // The first row is the header.
    let lines = differential.lines().filter(|line| line.starts_with("ptxas "));
    let lines = grouped(
        lines.map(|line| line.split('\t').nth(3).expect("lines").parse::<u64>().expect("a number")).sum(),
    );
    let lowered = format!(
        "{} lowered conversions for {} targets",
        grouped(sum(&lowering, 3)),
        count(&lowering, |_| true)
    );
    let assemblies = grouped(sum(&sources, 1));
    let computed = |row: Vec<&str>| row[1].split(' ').filter(|result| *result != "-").count() as u64;
    let executed = format!(
        "{} results of {}",
        grouped(record::rows(&instructions).map(computed).sum()),
        grouped(count(&instructions, |_| true))
    );
    let recipes: std::collections::BTreeSet<&str> = record::rows(&blocks).map(|row| row[0]).collect();
    let recipes = recipes.len().to_string();

    let targets = format!("{} targets, {} kernels", count(&kernels, |_| true), grouped(sum(&kernels, 3)));

    let (readme, oracles, evidence) = ("README.md", "conformance/README.md", "docs/evidence.md");
    let headers_of = group("headers");
    vec![
        (
            readme,
            "exactly which bits it returns, through PTX ISA ",
            ". It needs",
            IsaVersion::NEWEST.to_string(),
        ),
        (readme, "| an NVIDIA B200, as others published | ", " | all |", b200.clone()),
        (readme, "| ptxas ", " | legality", assemblers.clone()),
        (readme, " | legality of ", " spellings on every", spellings.clone()),
        (readme, "(host emulation) | ", " forms, every", headers_of.clone()),
        (readme, "| LLVM's apfloat | ", " | all |", elements.clone()),
        (evidence, "| an NVIDIA B200, as others published | ", " | all |", b200.clone()),
        (evidence, "| ptxas ", " | legality", assemblers.clone()),
        (evidence, " | legality of ", " spellings on every", spellings),
        (evidence, "| the same | ", " random lines", lines),
        (evidence, "(host emulation) | ", " forms, every", headers_of),
        (evidence, "each rounding mode | ", " forms between", group("machine")),
        (evidence, "that ptxas folds | ", " | all but", folding.clone()),
        (evidence, " forms | all but ", ", [explained]", excused.to_string()),
        (evidence, "| LLVM's apfloat | ", " | all |", elements.clone()),
        (evidence, "folding instructions | ", " instructions that", executed.clone()),
        (evidence, "compiling lowerings | ", "; ", lowered),
        (evidence, " targets; ", " kernels made of", assemblies),
        (evidence, "a million blocks of each of ", " recipes", recipes.clone()),
        ("docs/blocks.md", "over a million blocks of each of ", " recipes", recipes),
        ("docs/run.md", "`instructions-folding.tsv`: ", " spellings that", executed.clone()),
        (oracles, "which folds constants | ", " instructions | `instr", executed),
        (oracles, "`legality.tsv` | `ptxas` ", " | the first", assemblers.clone()),
        (oracles, "digests of the results of ", " opcodes |", count(&headers, |_| true).to_string()),
        (oracles, "constants that `ptxas` folds | ", " | `folding`", folding.clone()),
        (oracles, "| LLVM's apfloat | ", " | `BLESS", elements),
        (oracles, "b200-cvt.tsv` | an NVIDIA B200 | ", " | published", b200),
        ("DESIGN.md", "rather than a kernel, because ", " forms are", grouped(Form::all().count() as u64)),
        (
            "DESIGN.md",
            "differ?\n\nIn ",
            ", which",
            format!("{excused} of {}", folding.split(" of").next().unwrap_or_default()),
        ),
        ("docs/conform.md", "kernels.tsv`: ", ")", targets),
    ]
}

/// A record that no page names is not found by a reader.
#[test]
fn every_record_has_a_row() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(here.join("README.md")).expect("the page");
    for folder in ["records", "vectors"] {
        for entry in fs::read_dir(here.join(folder)).expect("a folder").flatten() {
            let name = entry.file_name().into_string().expect("a name");
            if !name.ends_with(".tsv") {
                continue;
            }
            let is_named =
                page.contains(&format!("`{name}`")) || page.contains(&format!("`{folder}/{name}`"));
            assert!(is_named, "conformance/README.md does not name {folder}/{name}");
        }
    }
}

#[test]
fn pages_say_what_the_records_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut stale = Vec::new();
    for (page, before, after, figure) in figures() {
        let path = root.join(page);
        let text = fs::read_to_string(&path).expect("a page");
        let (head, rest) =
            text.split_once(before).unwrap_or_else(|| panic!("{page} does not contain `{before}`"));
        assert!(!rest.contains(before), "{page} contains `{before}` twice");
        let (found, tail) = rest.split_once(after).expect("the words after the figure");
        if found != figure {
            stale.push(format!("{page}: {before}{found}{after}: it is {figure}"));
            if std::env::var_os("BLESS").is_some() {
                fs::write(&path, format!("{head}{before}{figure}{after}{tail}")).expect("the page");
            }
        }
    }
    let blessed = std::env::var_os("BLESS").is_some();
    assert!(blessed || stale.is_empty(), "BLESS=1 rewrites these figures:\n{}", stale.join("\n"));
}
