//! Combinations of branches of the preprocessor conditionals inside a statement.

use std::collections::BTreeMap;

use super::guard::split;
use super::literal::skip;
use super::scan::Scanner;

/// The chosen branches, one for each conditional on the way.
#[derive(Default)]
pub(super) struct Choices {
    /// For each conditional in order, the chosen branch and the number of branches.
    made: Vec<(usize, usize)>,
    /// The number of conditionals so far in this combination.
    met: usize,
    /// For each conditional, by its place, how often each branch was chosen.
    chosen: BTreeMap<usize, Vec<usize>>,
    /// True if each conditional uses its least used branch.
    least: bool,
}

impl Choices {
    /// Chooses one of `count` branches of the conditional at `place`.
    pub fn choose(&mut self, place: usize, count: usize) -> usize {
        let times = self.chosen.entry(place).or_insert_with(|| vec![0; count]);
        let rarest = (0..count).min_by_key(|branch| times[*branch]).expect("a conditional has branches");
        if self.met == self.made.len() {
            self.made.push((if self.least { rarest } else { 0 }, count));
        }
        let (branch, _) = self.made[self.met];
        self.met += 1;
        times[branch] += 1;
        branch
    }

    /// Moves on to the next combination. False after the last one. With `least`, moves to a combination that contains
    /// an unused branch, and returns false if there is no unused branch.
    pub fn next(&mut self, least: bool) -> bool {
        self.met = 0;
        if least {
            if !std::mem::replace(&mut self.least, true) {
                // From here on only unused branches matter; with the old counts, branches used often would come last.
                self.chosen.values_mut().flatten().for_each(|times| *times = 1.min(*times));
            }
            self.made.clear();
            return self.chosen.values().flatten().any(|times| *times == 0);
        }
        while let Some((branch, count)) = self.made.pop() {
            if branch + 1 < count {
                self.made.push((branch + 1, count));
                return true;
            }
        }
        false
    }
}

/// The places of a conditional's directives: the `#if` at `start`, each `#elif` and `#else`, and `#endif`. `None` if
/// there is no `#endif`.
pub(super) fn conditional(text: &str, start: usize) -> Option<Vec<usize>> {
    let mut scanner = Scanner { text, at: start };
    let (mut lines, mut depth) = (Vec::new(), 0);
    while !scanner.at_end() {
        if scanner.hash() == 0 || !scanner.begins_line() {
            skip(&mut scanner);
            continue;
        }
        let line = scanner.directive();
        let own = match split(&line.text).0 {
            "if" | "ifdef" | "ifndef" => {
                depth += 1;
                depth == 1
            }
            "elif" | "elifdef" | "elifndef" | "else" => depth == 1,
            "endif" => {
                depth -= 1;
                depth == 0
            }
            _ => false,
        };
        if own {
            lines.push(scanner.at);
        }
        if depth == 0 {
            return Some(lines);
        }
        scanner.at = line.end;
    }
    None
}
