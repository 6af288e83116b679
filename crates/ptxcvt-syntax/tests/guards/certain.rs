//! The configurations that compile each assembly of a nest for all values of the flags, and which findings they imply.

use std::collections::HashMap;

use ptxcvt::{Form, IsaVersion, Target};

use super::evaluate::{Configuration, FUTURE, Own, reached};
use super::nest::Item;
use super::tree::Style;

/// A set of configurations: for each target a bit for each toolkit.
type Rows = Vec<u64>;

/// For each assembly: the configurations that compile it whatever the flags are, as a row for each target.
pub struct Certain {
    targets: Vec<Option<Target>>,
    toolkits: Vec<(u32, u32)>,
    rows: Vec<Rows>,
    /// Compiled by some configuration for some values of the flags.
    pub ever: Vec<bool>,
}

pub fn certain(items: &[Item], style: Style, text: &str, assemblies: usize) -> Certain {
    let targets: Vec<_> = Target::legacy().chain(Target::all()).map(Some).chain([None]).collect();
    let toolkits: Vec<_> = IsaVersion::cuda_toolkits().chain([FUTURE]).collect();
    // A value between any two of the numbers that conditions have, and some that other operations distinguish.
    let mut numbers = vec![None, Some(-1), Some(0), Some(1), Some(2), Some(3)];
    if style == Style::Loose {
        numbers.extend([-2, 3_078, 12_008].map(Some));
    }
    let mut assignments = vec![HashMap::new()];
    for name in style.flags().into_iter().filter(|name| text.contains(name)) {
        let with =
            |values: &HashMap<_, _>, number| values.clone().into_iter().chain([(name, number)]).collect();
        assignments = assignments.iter().flat_map(|a| numbers.iter().map(move |n| with(a, *n))).collect();
    }
    let versioned = text.contains("CUDA_VERSION") || text.contains("__CUDACC_VER");
    let all = u64::MAX >> (64 - toolkits.len());
    // For each assembly and value of the flags, and for `#error`.
    let mut compiled = vec![vec![vec![0; targets.len()]; assignments.len()]; assemblies];
    let mut refused = vec![vec![0; targets.len()]; assignments.len()];
    for (row, target) in targets.iter().enumerate() {
        let evaluated = if versioned { toolkits.len() } else { 1 };
        for (column, toolkit) in toolkits.iter().enumerate().take(evaluated) {
            let columns = if versioned { 1 << column } else { all };
            for (n, flags) in assignments.iter().enumerate() {
                let at = Configuration { target: *target, toolkit: *toolkit, flags };
                let mut found = Vec::new();
                if reached(items, &at, &mut Own::default(), &mut found) {
                    refused[n][row] |= columns;
                }
                found.into_iter().for_each(|number| compiled[number][n][row] |= columns);
            }
        }
    }
    // An `#error` that stops all targets for some flags says that the file needs other flags.
    let is_whole = |set: &Rows| set.iter().all(|row| *row == all);
    let needed: Vec<bool> = refused.iter().map(|set| !is_whole(set)).collect();
    if needed.contains(&true) {
        let kept = |sets: Vec<Rows>| {
            sets.into_iter().zip(&needed).filter(|(_, it)| **it).map(|(set, _)| set).collect()
        };
        compiled = compiled.into_iter().map(kept).collect();
        refused = kept(refused);
    }
    // One that stops only some targets, whatever flags it needs.
    let mut stopped = in_all(&refused);
    for set in refused.iter().filter(|set| !is_whole(set)) {
        stopped.iter_mut().zip(set).for_each(|(all, row)| *all |= row);
    }
    let refused = in_all(&refused);
    // Whether an undecided condition leads to an `#error` is not known.
    let known = if style == Style::Loose { &vec![0; targets.len()] } else { &stopped };
    let rows = compiled.iter().map(|sets| without(in_all(sets), known)).collect();
    let any = |set: &Rows| without(set.clone(), &refused).iter().any(|row| *row != 0);
    let ever = compiled.iter().map(|sets| sets.iter().any(any)).collect();
    Certain { targets, toolkits, rows, ever }
}

/// The elements that are in all sets.
fn in_all(sets: &[Rows]) -> Rows {
    (0..sets[0].len()).map(|row| sets.iter().fold(u64::MAX, |both, set| both & set[row])).collect()
}

/// True if a set depends on the target, and if it depends on the toolkit; `all` has every toolkit.
fn restricts(rows: &Rows, all: u64) -> (bool, bool) {
    (rows.windows(2).any(|pair| pair[0] != pair[1]), rows.iter().any(|row| *row != 0 && *row != all))
}

/// The configurations that compile a file with an `#error`.
fn without(rows: Rows, refused: &Rows) -> Rows {
    rows.iter().zip(refused).map(|(row, refused)| row & !refused).collect()
}

impl Certain {
    /// The real pairs that compile it: a target, and the version that the toolkit's assembler reads.
    pub fn pairs(&self, number: usize) -> Vec<(Target, IsaVersion)> {
        let mut pairs = Vec::new();
        for (row, target) in self.targets.iter().enumerate() {
            let Some(target) = target.filter(|target| target.sm() >= 50) else { continue };
            for (column, toolkit) in self.toolkits.iter().enumerate() {
                let isa = IsaVersion::of_cuda_toolkit(*toolkit).filter(|isa| target.exists_in(*isa));
                pairs.extend(
                    isa.filter(|_| self.rows[number][row] >> column & 1 == 1).map(|isa| (target, isa)),
                );
            }
        }
        pairs
    }

    /// True if a device compiler that this assembly is judged for rejects the form.
    pub fn rejected(&self, number: usize, form: Form) -> bool {
        let rows = &self.rows[number];
        let (by_target, by_toolkit) = restricts(rows, u64::MAX >> (64 - self.toolkits.len()));
        let pairs = self.pairs(number);
        let legal = |target: Target, isa: IsaVersion| legal(form, target, isa);
        match (by_target, by_toolkit) {
            (false, false) => false,
            (true, false) => pairs.iter().any(|(target, _)| form.since(*target).is_none()),
            (true, true) => pairs.iter().any(|(target, isa)| !legal(*target, *isa)),
            // Judged for the oldest toolkit that knows a target with this form, on any target.
            (false, true) => {
                let known = pairs.iter().filter(|(target, _)| form.since(*target).is_some());
                let oldest = known.map(|(_, isa)| *isa).min();
                oldest.is_some_and(|isa| !Target::all().any(|target| legal(target, isa)))
            }
        }
    }
}

pub fn legal(form: Form, target: Target, isa: IsaVersion) -> bool {
    form.since(target).is_some_and(|since| since <= isa)
}
