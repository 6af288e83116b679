//! Guards of C++ sources: compares random nests of conditionals with separate evaluations of every
//! configuration, and judges single files.
//!
//! The evaluation here shares no code with the crate: conditions are made as trees, printed for `check_source` and
//! evaluated for one target, one toolkit and one value of each flag at a time.

mod certain;
mod evaluate;
mod known;
mod nest;

use std::collections::{BTreeMap, BTreeSet};

use ptxcvt::inputs::SplitMix64;
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Severity, Source};

use certain::{certain, legal};
use nest::{FORMS, Style, items, print};

#[test]
fn guards_are_evaluated_as_every_configuration_evaluates_them() {
    const NESTS: usize = 2_000;
    let mut random = SplitMix64::new(1);
    let (mut judged, mut errors, mut loose, mut notes, mut dead) = (0, 0, 0, 0, 0);
    for nest in 0..NESTS {
        let style = [Style::Exact, Style::Exact, Style::Calls, Style::Loose][nest % 4];
        let mut assemblies = 0;
        let items = items(&mut random, style, 3, &mut assemblies);
        let (mut text, mut lines) =
            (String::from("#undef HAVE_FAST\n#undef LEAST\n#undef USE_NEW\n"), BTreeMap::new());
        print(&items, &mut text, &mut lines);
        let source = Source::new("nest.cu", text.as_bytes());
        let found = check_source(&source, Language::Cpp, &CheckOptions::default());
        let on = |severity: Severity| -> BTreeSet<usize> {
            let wanted = found.diagnostics.iter().filter(|d| d.severity() == severity);
            wanted.map(|d| source.position(d.span().start).line).collect()
        };
        let (rejected, noted) = (on(Severity::Error), on(Severity::Note));
        let certain = certain(&items, style, &text, assemblies);
        for (line, (number, form)) in lines {
            let form: Form = FORMS[form].0.parse().expect("a form");
            let says = || format!("nest {nest}, line {line} of\n{text}\n{:?}", found.diagnostics);
            match style {
                Style::Exact | Style::Calls => {
                    let expected = certain.rejected(number, form);
                    assert_eq!(rejected.contains(&line), expected, "{}", says());
                    assert!(certain.ever[number] || !noted.contains(&line), "{}", says());
                    errors += usize::from(expected);
                }
                // No error but one that a device compiler reports for certain.
                Style::Loose if rejected.contains(&line) => {
                    let fails = |(target, isa): (Target, IsaVersion)| !legal(form, target, isa);
                    assert!(certain.pairs(number).into_iter().any(fails), "{}", says());
                    loose += 1;
                }
                Style::Loose => {}
            }
            judged += 1;
            notes += usize::from(noted.contains(&line));
            dead += usize::from(!certain.ever[number]);
        }
        let unseen = found.stats.skipped.get("no device compiler sees it").copied().unwrap_or(0);
        let never = certain.ever.iter().filter(|ever| !**ever).count();
        match style {
            Style::Exact | Style::Calls => assert_eq!(unseen, never, "nest {nest}\n{text}"),
            // An undecided branch is never dead.
            Style::Loose => assert!(unseen <= never, "nest {nest}: {unseen}, {never}\n{text}"),
        }
    }
    assert!(
        errors > 300 && loose > 50 && notes > 100 && dead > 100,
        "{judged}: {errors} and {loose} errors, {notes} notes, {dead} dead"
    );
}
