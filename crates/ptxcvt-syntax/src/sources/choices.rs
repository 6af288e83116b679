//! The branches of the conditionals within a statement, and their combinations.

use std::collections::BTreeMap;

use super::guard::split;
use super::literal::skip;
use super::scan::Scanner;

/// The branches that are chosen, one for each conditional that is met.
#[derive(Default)]
pub(super) struct Choices {
    /// The chosen branches, and how many there are to choose from.
    made: Vec<(usize, usize)>,
    /// How many conditionals were met in this combination.
    met: usize,
    /// How often each branch of each conditional was chosen, by the conditional's place.
    chosen: BTreeMap<usize, Vec<usize>>,
    /// Each conditional chooses the branch that was chosen least often.
    least: bool,
}

impl Choices {
    /// The branch of the conditional at `place`, which has `count`.
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

    /// Moves on to the next combination; false after the last one. With `least`, to one with a branch that was in none.
    pub fn next(&mut self, least: bool) -> bool {
        self.met = 0;
        if least {
            if !std::mem::replace(&mut self.least, true) {
                // How often no longer matters, or the branches chosen before would have to wait for the others.
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

/// The places of the directives of the conditional whose `#if` is at `start`: `#if`, `#elif` and `#else`, `#endif`. `None`
/// if it has no end.
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
