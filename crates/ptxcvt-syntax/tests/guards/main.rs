//! Guards of C++ sources: compares random nests of conditionals with separate evaluations of every
//! configuration, and judges single files.
//!
//! The evaluation here shares no code with the crate: conditions are made as trees, printed for `check_source` and
//! evaluated for one target, one toolkit and one value of each flag at a time.

mod certain;
mod chosen;
mod constants;
mod cpp;
mod evaluate;
mod expansion;
mod known;
mod macros;
mod nest;
#[path = "../../../../xtask/src/skip.rs"]
mod skip;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use ptxcvt::inputs::SplitMix64;
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Severity, Source};

use certain::{certain, legal};
use nest::{FORMS, Item, Maker, head, print};
use tree::Style;

/// A random file of conditionals, and how its text is made from them.
struct Nest {
    style: Style,
    items: Vec<Item>,
    assemblies: usize,
    text: String,
    /// For each line with an assembly: its number, and its form's.
    lines: BTreeMap<usize, (usize, usize)>,
}

impl Nest {
    /// The nest of this number. One in `deep` has five levels, the others three.
    fn random(random: &mut SplitMix64, number: usize, deep: usize, statements: bool) -> Nest {
        let style = [Style::Exact, Style::Exact, Style::Calls, Style::Loose][number % 4];
        let mut maker = Maker { random, style, assemblies: 0, statements, leave: "return" };
        let items = maker.items(if number % deep == 0 { 6 } else { 3 });
        let (mut text, mut lines) = (head(), BTreeMap::new());
        // Statements are in a function.
        text.push_str(if statements { "__device__ void nest() {\n" } else { "" });
        print(&items, &mut text, &mut lines);
        text.push_str(if statements { "}\n" } else { "" });
        Nest { style, items, assemblies: maker.assemblies, text, lines }
    }
}

/// Counts for the nests of a seed.
#[derive(Debug, Default)]
struct Seen {
    judged: usize,
    errors: usize,
    loose: usize,
    notes: usize,
    dead: usize,
}

/// The numbers of the nests to compare: `PTXCVT_NESTS=890..900`.
fn slice() -> Option<std::ops::Range<usize>> {
    let given = std::env::var("PTXCVT_NESTS").ok()?;
    let (from, to) = given.split_once("..").expect("FROM..TO");
    Some(from.parse().expect("a number")..to.parse().expect("a number"))
}

/// Compares the findings in random nests with those that follow from every configuration.
fn compare(seed: u64, nests: usize, deep: usize, statements: bool) -> Seen {
    let mut random = SplitMix64::new(seed);
    let mut seen = Seen::default();
    let slice = slice();
    for number in 0..nests {
        let Nest { style, items, assemblies, text, lines } =
            Nest::random(&mut random, number, deep, statements);
        if slice.as_ref().is_some_and(|slice| !slice.contains(&number)) {
            continue;
        }
        let source = Source::new("nest.cu", text.as_bytes());
        let found = check_source(&source, Language::Cpp, &CheckOptions::default());
        let on = |severity: Severity| -> BTreeSet<usize> {
            let wanted = found.diagnostics.iter().filter(|d| d.severity() == severity);
            wanted.map(|d| source.position(d.span().start).line).collect()
        };
        let (rejected, noted) = (on(Severity::Error), on(Severity::Note));
        let certain = certain(&items, style, &text, assemblies);
        for (line, (assembly, form)) in lines {
            let form: Form = FORMS[form].0.parse().expect("a form");
            let says =
                || format!("seed {seed}, nest {number}, line {line} of\n{text}\n{:?}", found.diagnostics);
            match style {
                Style::Exact | Style::Calls => {
                    let expected = certain.rejected(assembly, form);
                    assert_eq!(rejected.contains(&line), expected, "{}", says());
                    assert!(certain.ever[assembly] || !noted.contains(&line), "{}", says());
                    seen.errors += usize::from(expected);
                }
                // No error but one that a device compiler reports for certain.
                Style::Loose if rejected.contains(&line) => {
                    let fails = |(target, isa): (Target, IsaVersion)| !legal(form, target, isa);
                    assert!(certain.pairs(assembly).into_iter().any(fails), "{}", says());
                    seen.loose += 1;
                }
                Style::Loose => {}
            }
            seen.judged += 1;
            seen.notes += usize::from(noted.contains(&line));
            seen.dead += usize::from(!certain.ever[assembly]);
        }
        let unseen = found.stats.skipped.get("no device compiler sees it").copied().unwrap_or(0);
        let never = certain.ever.iter().filter(|ever| !**ever).count();
        match style {
            Style::Exact | Style::Calls => assert_eq!(unseen, never, "seed {seed}, nest {number}\n{text}"),
            // An undecided branch is never dead.
            Style::Loose => assert!(unseen <= never, "seed {seed}, nest {number}: {unseen}, {never}\n{text}"),
        }
    }
    if slice.is_some() {
        return seen;
    }
    let Seen { errors, loose, notes, dead, .. } = seen;
    assert!(errors * 10 > nests && loose * 50 > nests && notes * 20 > nests && dead * 20 > nests, "{seen:?}");
    seen
}

/// `PTXCVT_ALL_NESTS=1` takes 2,000 of them, and 5,000 with statements.
#[test]
fn guards_are_evaluated_as_every_configuration_evaluates_them() {
    let all = std::env::var_os("PTXCVT_ALL_NESTS").is_some();
    compare(1, if all { 2_000 } else { 400 }, 25, false);
}

/// With `if` of C++ around statements of every kind, among the conditionals of the preprocessor.
#[test]
fn statements_end_where_the_compiler_ends_them() {
    let all = std::env::var_os("PTXCVT_ALL_NESTS").is_some();
    compare(1, if all { 5_000 } else { 400 }, 25, true);
}

#[test]
#[ignore = "takes minutes"]
fn five_further_seeds() {
    for seed in 2..=6 {
        let begin = std::time::Instant::now();
        for statements in [false, true] {
            println!("seed {seed}: {:?} in {:?}", compare(seed, 2_000, 3, statements), begin.elapsed());
        }
    }
}
