//! Compares the table with ptxas, for each target and version.

use std::collections::BTreeSet;

use ptxcvt::{Form, Spelling};
use ptxcvt_conformance::legality::{Assemblers, RECORD, Record, disagreements, spellings};

#[test]
fn the_table_says_what_ptxas_says() {
    let complaints = disagreements(&Record::read(RECORD).unwrap(), Assemblers::All).unwrap();
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn nothing_else_is_a_form() {
    let record = Record::read(RECORD).unwrap();
    let legal: BTreeSet<&str> = record.classes.iter().flat_map(|c| &c.opcodes).map(String::as_str).collect();
    let (mut tried, mut found) = (0, 0);
    for spelling in spellings::all() {
        let opcode = spelling.opcode.as_str();
        let form = Spelling::new(opcode).form().filter(|form| !form.is_announced());
        assert_eq!(form.is_some(), legal.contains(opcode), "{opcode}");
        tried += 1;
        found += usize::from(form.is_some());
    }
    assert_eq!(found, legal.len(), "a form is among no spellings");
    assert!(tried > 800_000, "only {tried} spellings");
}

/// The record is complete, has no duplicates, and groups spellings by where they are legal.
#[test]
fn the_record_is_whole() {
    let record = Record::read(RECORD).unwrap();
    let forms: Vec<Form> = record
        .classes
        .iter()
        .flat_map(|class| &class.opcodes)
        .map(|opcode| opcode.parse().unwrap())
        .collect();
    assert_eq!(forms.len(), Form::all().filter(|form| !form.is_announced()).count());
    assert!(forms.len() > 1200, "only {} forms", forms.len());
    let places: BTreeSet<_> = record.classes.iter().map(|class| &class.since).collect();
    assert_eq!(record.classes.len(), places.len());
}

/// If ptxas versions contradict each other, the newest one counts. These cases are few and listed.
#[test]
fn older_assemblers_differ_in_one_row_only() {
    for [assembler, target, opcode, _] in &Record::read(RECORD).unwrap().differs {
        assert_eq!(assembler, "12.9.86");
        assert!(opcode.ends_with("ftz.f32.bf16"), "{opcode} on {target}");
    }
}
