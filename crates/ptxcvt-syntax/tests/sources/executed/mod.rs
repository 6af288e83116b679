//! Random functions of Python, which are executed with many outcomes of their conditions: no value that reaches no
//! assembly is an error, no assembly that is never reached is judged, and every wrong value that reaches one is
//! reported or counted.

mod program;

use std::collections::BTreeSet;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Severity, Source};

use self::program::{COMPARISONS, FIRST_COMPARISON, Generator, HEADS, Item, print};

/// How often a function is executed, with random outcomes of its conditions.
const RUNS: u64 = 2_000;
/// How a block ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Next,
    Break,
    Continue,
    Leave,
    Raise,
}

/// One execution.
struct Run<'u> {
    random: SplitMix64,
    /// The outcomes of conditions that stay the same.
    same: usize,
    /// The arguments `n`, `lo` and `hi`.
    arguments: [u8; 3],
    /// The lines of the names' values, and whether they are wrong.
    values: [(usize, bool); 2],
    /// The values that assemblies use.
    used: &'u mut BTreeSet<(usize, bool)>,
    /// How many `try` are around.
    attempts: usize,
    /// The statements that are left to it; a loop without an end has none.
    left: usize,
}

impl Run<'_> {
    /// True if an exception ends a `try` here.
    fn raises(&mut self) -> bool {
        self.attempts > 0 && self.random.below(8) == 0
    }

    fn block(&mut self, items: &[Item]) -> End {
        for item in items {
            if self.left == 0 {
                return End::Leave;
            }
            self.left -= 1;
            if item.may_raise() && self.raises() {
                return End::Raise;
            }
            let end = self.item(item);
            if end != End::Next {
                return end;
            }
        }
        End::Next
    }

    fn item(&mut self, item: &Item) -> End {
        match item {
            Item::Literal(name, line, wrong) => self.values[*name] = (*line, *wrong),
            Item::Copy(name) => self.values[*name] = self.values[1 - *name],
            Item::Use(name) => drop(self.used.insert(self.values[*name])),
            Item::Exit("break") => return End::Break,
            Item::Exit("continue") => return End::Continue,
            Item::Exit("raise E") => return End::Raise,
            Item::Exit(_) => return End::Leave,
            Item::If(branches, other) => {
                let holds = |run: &mut Self, number: usize| match number.checked_sub(FIRST_COMPARISON) {
                    Some(comparison) => COMPARISONS[comparison].1(run.arguments),
                    None if number % 2 == 0 => run.same >> number & 1 == 1,
                    None => run.random.below(2) == 0,
                };
                let taken = branches.iter().find(|(number, _)| holds(self, *number));
                if let Some(body) = taken.map(|(_, body)| body).or(other.as_ref()) {
                    return self.block(body);
                }
            }
            Item::Loop(head, body, other) => {
                let (head, known) = HEADS[*head];
                let count = known.unwrap_or_else(|| self.random.below(4));
                let raises = |run: &mut Self, round| {
                    let evaluated = round < count || known.is_none();
                    evaluated && head != "while True:" && run.raises()
                };
                return self.rounds(body, other.as_deref(), count, raises);
            }
            Item::Target(name, line, wrong, body, other) => {
                let head = |run: &mut Self, round: usize| {
                    let raises = round < wrong.len() && run.raises();
                    if let (Some(wrong), false) = (wrong.get(round), raises) {
                        run.values[*name] = (*line, *wrong);
                    }
                    raises
                };
                return self.rounds(body, other.as_deref(), wrong.len(), head);
            }
            Item::Try(body, handler, other, last) => {
                return self.attempt(body, handler.as_deref(), other.as_deref(), last.as_deref());
            }
        }
        End::Next
    }

    fn rounds(
        &mut self,
        body: &[Item],
        other: Option<&[Item]>,
        count: usize,
        raises: impl Fn(&mut Self, usize) -> bool,
    ) -> End {
        let mut round = 0;
        // The head is evaluated once more than the body runs.
        loop {
            if raises(self, round) {
                return End::Raise;
            }
            if round >= count {
                break;
            }
            match self.block(body) {
                End::Break => return End::Next,
                end @ (End::Leave | End::Raise) => return end,
                End::Next | End::Continue => round += 1,
            }
        }
        other.map_or(End::Next, |other| self.block(other))
    }

    fn attempt(
        &mut self,
        body: &[Item],
        handler: Option<&[Item]>,
        other: Option<&[Item]>,
        last: Option<&[Item]>,
    ) -> End {
        self.attempts += 1;
        let mut end = self.block(body);
        self.attempts -= 1;
        // With `finally`, the handlers may be left early, too.
        self.attempts += usize::from(last.is_some());
        end = match (end, handler, other) {
            (End::Raise, Some(handler), _) if self.random.below(8) > 0 => self.block(handler),
            (End::Next, _, Some(other)) => self.block(other),
            (end, ..) => end,
        };
        self.attempts -= usize::from(last.is_some());
        match last.map(|last| self.block(last)) {
            None | Some(End::Next) => end,
            Some(end) => end,
        }
    }
}

/// Compares functions of these seeds with their executions. Returns the numbers of errors and of wrong values.
fn compare(seeds: std::ops::RangeInclusive<u64>, with_try: bool) -> (usize, usize) {
    let (mut errors, mut wrong_values) = (0, 0);
    for seed in seeds {
        let mut generator = Generator::new(seed, with_try);
        let mut items = generator.block(3, false);
        items.extend([Item::Use(0), Item::Use(1)]);
        let right = "'cvt.rn.f16.f32 $0, $1'";
        let mut text = format!("def k(x, q, c0, c2, n, lo, hi):\n    ty = {right}\n    other = {right}\n");
        print(&mut items, 1, &mut text);
        let mut used = BTreeSet::new();
        let mut execute = |runs: std::ops::Range<u64>| -> BTreeSet<usize> {
            for run in runs {
                let random = SplitMix64::new(run);
                let values = [(2, false), (3, false)];
                let used = &mut used;
                // Every combination of values from 0 to 3, with several outcomes of the conditions.
                let arguments = [0, 2, 4].map(|bit| (run >> bit & 3) as u8);
                let same = (run >> 6) as usize;
                Run { random, same, arguments, values, used, attempts: 0, left: 100 }.block(&items);
            }
            used.iter().filter(|(_, wrong)| *wrong).map(|(line, _)| *line).collect()
        };
        let mut reached = execute(0..RUNS);
        let source = Source::new("random.py", text.as_bytes());
        let found = check_source(&source, Language::Python, &CheckOptions::default());
        let lines = |severity: Option<Severity>| -> BTreeSet<usize> {
            let of = found.diagnostics.iter().filter(|d| severity.is_none_or(|s| d.severity() == s));
            of.map(|d| source.position(d.span().start).line).collect()
        };
        let (judged, wrong) = (lines(None), lines(Some(Severity::Error)));
        let counted = found.stats.skipped.keys().any(|reason| {
            reason.starts_with("its opcode is not known") || reason.starts_with("some of its values")
        });
        if !wrong.is_subset(&reached) {
            // Several exceptions in a row are rare.
            reached = execute(RUNS..100 * RUNS);
        }
        assert!(wrong.is_subset(&reached), "seed {seed}: {wrong:?}, {reached:?}\n{text}");
        assert!(counted || judged.is_superset(&reached), "seed {seed}: {judged:?}, {reached:?}\n{text}");
        errors += wrong.len();
        wrong_values += reached.len();
    }
    (errors, wrong_values)
}

#[test]
fn executed_functions() {
    let (errors, wrong) = compare(1..=1_500, false);
    assert!(errors > 700 && wrong > 900, "{errors} {wrong}");
}

#[test]
fn executed_functions_with_exceptions() {
    let (errors, wrong) = compare(1..=800, true);
    assert!(errors > 450 && wrong > 600, "{errors} {wrong}");
}
