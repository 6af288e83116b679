//! The committed records match today's lowerings and header.

use ptxcvt::Target;
use ptxcvt_conformance::lowering::{Line, RECORD, all, line};
use ptxcvt_conformance::{cost, cuda, record};
use ptxcvt_lower::lower;

#[test]
fn every_lowering_of_today_has_been_assembled() {
    let recorded = Line::parse(&record::read(RECORD).unwrap()).unwrap();
    let stale: Vec<String> = recorded
        .iter()
        .filter(|(known, _)| line(&all(known.target, known.isa).unwrap(), known.target, known.isa) != *known)
        .map(|(known, _)| known.target.to_string())
        .collect();
    assert!(
        stale.is_empty(),
        "changed since ptxas saw it: {stale:?}; run `ptxcvt-conformance -- lowering DIR`"
    );
}

/// The record lacks only targets that no assembler supports.
#[test]
fn every_target_is_recorded() {
    let recorded = Line::parse(&record::read(RECORD).unwrap()).unwrap();
    let missing =
        Target::all().filter(|t| t.sm() >= 50 && recorded.iter().all(|(line, _)| line.target != *t));
    assert_eq!(missing.map(|t| t.to_string()).collect::<Vec<_>>(), [""; 0]);
}

/// The recorded header is today's header.
#[test]
fn the_header_of_today_has_been_compiled() {
    let recorded = record::read(cuda::HEADER).unwrap();
    let digest = cuda::digest(&cuda::source().unwrap().1);
    let expected = format!("# digest of the text: {digest}");
    assert!(recorded.lines().any(|l| l == expected), "{expected}: run `ptxcvt-conformance -- cuda DIR`");
    let forms = ptxcvt_lower::render::default_forms().count().to_string();
    for row in record::rows(&recorded) {
        assert_eq!(row[1], forms, "{row:?}");
    }
}

/// The cost table in the docs matches the record, and the record's variants are today's.
#[test]
fn the_page_has_the_costs_of_the_record() {
    let costs = cuda::Cost::parse(&record::read(cuda::COSTS).unwrap()).unwrap();
    let page = std::fs::read_to_string(cuda::page()).unwrap();
    assert!(
        page.contains(&cuda::table(&costs, &cost::of_projects("sm_80").unwrap())),
        "docs/lowering.md is old: run `ptxcvt-conformance -- cuda DIR`"
    );
    for cost in &costs {
        let names = [cost.target.introduced(), cost.target.newest()]
            .map(|isa| lower(cost.form, cost.target, isa).unwrap().name().to_owned());
        assert!(names.contains(&cost.variant), "{cost:?}: {names:?}");
        // A sequence must not cost more than NVIDIA's code.
        assert!(cost.theirs.is_none_or(|theirs| cost.ours <= theirs), "{cost:?}");
    }
}
