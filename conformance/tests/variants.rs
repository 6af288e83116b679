//! Compares the records of the short sequences' costs and proofs with the tables, and writes
//! docs/generated/short-sequences.md from them (`BLESS=1`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ptxcvt::{Rounding, Target};
use ptxcvt_conformance::proofs::Line;
use ptxcvt_conformance::{cost, proofs, record, tools};
use ptxcvt_lower::{lower, lowerings, short};

/// Form and target, then the cost of each way there.
type Costs = BTreeMap<(String, String), BTreeMap<String, u32>>;

fn costs() -> Costs {
    let text = record::read(cost::RECORD).unwrap();
    let mut all = Costs::new();
    for row in record::rows(&text) {
        let count = row[3].parse().unwrap();
        all.entry((row[0].into(), row[1].into())).or_default().insert(row[2].into(), count);
    }
    all
}

#[test]
fn the_record_has_what_the_tables_have_and_the_cheapest_is_chosen() {
    let costs = costs();
    for name in tools::TARGETS {
        let target: Target = name.parse().unwrap();
        for form in cost::forms() {
            let known = &costs[&(form.to_string(), name.to_owned())];
            let ways = lowerings(form, target, cost::ISA).unwrap();
            for way in &ways {
                assert!(known.contains_key(way.name()), "{form} on {name}: {} is not counted", way.name());
            }
            let chosen = known[lower(form, target, cost::ISA).unwrap().name()];
            let best = ways.iter().filter(|way| way.contract().is_every()).map(|way| known[way.name()]).min();
            assert_eq!(Some(chosen), best, "{form} on {name}: not the cheapest is chosen");
        }
    }
}

/// The recorded proofs are of today's sequences, and found no difference; except for `.rs`, they cover all
/// inputs. The page names missing proofs. No sequence with a source of up to 16 bits lacks one.
#[test]
fn every_sequence_is_proven() {
    let lines = Line::parse(&record::read(proofs::RECORD).unwrap()).unwrap();
    let known: BTreeMap<(&str, &str), &Line> =
        lines.iter().map(|line| ((line.form.as_str(), line.name.as_str()), line)).collect();
    let sequences = proofs::all().unwrap();
    let mut found = 0;
    for sequence in &sequences {
        let (form, name) = (sequence.form().to_string(), sequence.name());
        let advice = "run `ptxcvt-conformance -- prove-lowering --stale`";
        let Some(line) = known.get(&(form.as_str(), name)) else { panic!("{form} by {name}: {advice}") };
        found += 1;
        assert_eq!(line.text, proofs::digest(sequence), "{form} by {name} has changed since: {advice}");
        let random = sequence.form().rounding() == Some(Rounding::Rs);
        assert!(line.is_complete() || random && line.verdict.starts_with("no difference"), "{line:?}");
    }
    assert_eq!(known.len(), found, "lines of sequences that are no more");
}

/// A cell: the cost of a way on a target, or nothing.
fn cell(costs: &Costs, form: &str, target: &str, who: &str) -> String {
    let known = costs.get(&(form.to_owned(), target.to_owned()));
    known.and_then(|known| known.get(who)).map_or(String::new(), u32::to_string)
}

#[test]
fn the_page_is_fresh() {
    let costs = costs();
    let proofs = Line::parse(&record::read(proofs::RECORD).unwrap()).unwrap();
    let verdicts: BTreeMap<(&str, &str), &Line> =
        proofs.iter().map(|line| ((line.form.as_str(), line.name.as_str()), line)).collect();
    let mut page = String::from(
        "# Short sequences\n\n\
         What each sequence of `crates/ptxcvt-lower/src/short` costs, by conversion and target: the number of machine\n\
         instructions that ptxas 13.5 makes of it. The last lines of a conversion, in italics, are the systematic lowering (or\n\
         the instruction itself, where the target has it) and public sequences. A cell is empty if the target lacks an\n\
         instruction of the sequence.\n\n\
         The column \"tried\" says on which inputs `ptxcvt-conformance prove-lowering` compared the sequence with the\n\
         instruction (`conformance/records/proofs.tsv`, which names each text by its digest). \"All inputs\" of a pair are all\n\
         values of each element if the elements are shown to be independent, or otherwise all combinations of the few values\n\
         that they have before they meet. `.rs` has too many inputs and was tried on random ones.\n\n\
         Written by `BLESS=1 cargo test -p ptxcvt-conformance --test variants` from `conformance/records/variants.tsv`.\n\n\
         | conversion | sequence | holds for | tried |",
    );
    let targets = ["sm_75", "sm_80", "sm_90", "sm_100a"];
    writeln!(page, " {} |", targets.join(" | ")).unwrap();
    writeln!(page, "|---|---|---|---|{}", "---|".repeat(targets.len())).unwrap();
    for form in cost::forms() {
        let opcode = form.to_string();
        let mut ours = BTreeSet::new();
        for row in short::rows().filter(|row| row.serves.contains(&opcode.as_str())) {
            ours.insert(row.name);
            let tried = match verdicts.get(&(opcode.as_str(), row.name)) {
                Some(line) if line.is_complete() => "all inputs".to_owned(),
                Some(line) => format!("{} inputs", line.inputs),
                None => "edges, random".to_owned(),
            };
            let cells = targets.map(|target| cell(&costs, &opcode, target, row.name)).join(" | ");
            let holds = row.contract;
            writeln!(page, "| `{opcode}` | {} | {holds} | {tried} | {cells} |", row.name).unwrap();
        }
        let others: BTreeSet<&str> = targets
            .iter()
            .filter_map(|target| costs.get(&(opcode.clone(), (*target).to_owned())))
            .flat_map(|known| known.keys().map(String::as_str))
            .filter(|who| !ours.contains(who))
            .collect();
        for who in others {
            let (name, holds) = match who.split_once(" (") {
                Some((project, contract)) => (project, contract.trim_end_matches(')')),
                None => (who, "every input"),
            };
            let cells = targets.map(|target| cell(&costs, &opcode, target, who)).join(" | ");
            writeln!(page, "| `{opcode}` | *{name}* | {holds} | | {cells} |").unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/generated/short-sequences.md");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert!(
        fs::read_to_string(&path).is_ok_and(|text| text == page),
        "docs/generated/short-sequences.md is stale: run this test with BLESS=1"
    );
}
