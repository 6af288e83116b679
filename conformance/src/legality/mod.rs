//! Compares legality with ptxas: every spelling, every target, every ISA version.
//!
//! First, every spelling is tried on the targets where most is legal. Then each accepted spelling is tried on every target
//! at every version. Spellings that pass the front end must also compile.

mod ptxas;
mod record;
pub mod spellings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use ptxcvt::{Form, IsaVersion, Target};

pub use self::record::{Record, Verdicts};
use ptxas::{Asked, Module};
use spellings::Spelling;

use crate::tools;

/// The record's name.
pub const RECORD: &str = "legality.tsv";

/// Tries all spellings, rewrites the record, and returns whether the library agrees.
pub fn run(dir: &Path) -> Result<bool> {
    let assemblers = tools::assemblers(dir)?;
    let spellings: Vec<Spelling> = spellings::all().collect();
    let (first, versions, again) = (&|_: &str| true, &|_: &str, _: &str| true, &|_: &str| true);
    Survey { record: RECORD, spellings: &spellings, first, versions, compare: true, again }
        .make(&assemblers)?;
    let complaints = disagreements(&Record::read(RECORD)?, Assemblers::All)?;
    complaints.iter().for_each(|complaint| println!("{complaint}"));
    Ok(complaints.is_empty())
}

/// What this assembler accepts, on the targets that it lists. First versions are sought around those of the table. Writes
/// nothing.
pub fn newest(version: &'static str, ptxas: &Path) -> Result<Record> {
    let spellings: Vec<Spelling> = spellings::all().collect();
    let changes = Target::all()
        .flat_map(|target| Form::all().filter_map(move |form| Some((target, form.since(target)?))));
    let (first, versions, again) = (&|_: &str| true, &around(changes), &|_: &str| true);
    let survey = Survey { record: RECORD, spellings: &spellings, first, versions, compare: false, again };
    survey.collect(&[(version, ptxas.to_owned())])?.grouped()
}

/// Selects the versions around these changes, and all that are newer than the table. A first version is right if the
/// last one without it is tried, too.
pub(crate) fn around(changes: impl Iterator<Item = (Target, IsaVersion)>) -> impl Fn(&str, &str) -> bool {
    let gates: BTreeSet<(Target, IsaVersion)> = changes.collect();
    move |target, isa| {
        let (Ok(target), Ok(isa)) = (target.parse::<Target>(), isa.parse::<IsaVersion>()) else {
            return true;
        };
        if isa > IsaVersion::NEWEST_RELEASED {
            return true;
        }
        // ptxas accepts `.version 5.10`, which never existed.
        if !IsaVersion::all().any(|version| version == isa) {
            return false;
        }
        let next = IsaVersion::all().find(|version| *version > isa);
        let changes = |isa: IsaVersion| gates.contains(&(target, isa));
        changes(isa) || next.is_none_or(changes) || isa == IsaVersion::NEWEST_RELEASED
    }
}

/// Which spellings, targets and versions to try, and the record to write.
pub(crate) struct Survey<'s> {
    /// The record's name.
    pub record: &'static str,
    pub spellings: &'s [Spelling],
    /// Selects the [`broadest`] targets on which every spelling is tried.
    pub first: &'s dyn Fn(&str) -> bool,
    /// Selects the versions of a target at which accepted spellings are tried again.
    pub versions: &'s dyn Fn(&str, &str) -> bool,
    /// Also run older assemblers for targets that newer ones support.
    pub compare: bool,
    /// Selects the spellings that are tried. The record keeps what it says of others.
    pub again: &'s dyn Fn(&str) -> bool,
}

impl Survey<'_> {
    /// Runs these assemblers, newest first, and writes the record.
    pub fn make(&self, assemblers: &[(&'static str, PathBuf)]) -> Result<()> {
        let mut record = self.collect(assemblers)?;
        if let Ok(old) = Record::read(self.record) {
            record.keep(&old, |opcode| !(self.again)(opcode));
        }
        record.write()
    }

    /// Runs these assemblers, newest first.
    fn collect(&self, assemblers: &[(&'static str, PathBuf)]) -> Result<Record> {
        let assemblers: Vec<Asked> =
            assemblers.iter().map(|(version, path)| Asked::new(version, path)).collect();
        let candidates = self.candidates(&assemblers)?;
        eprintln!(
            "{} of {} spellings pass the front end for some target",
            candidates.len(),
            self.spellings.len()
        );
        let names = assemblers.iter().map(|a| a.version.to_owned()).collect();
        let mut record = Record::new(self.record, names, self.spellings.len());
        for assembler in &assemblers {
            for target in assembler.targets()? {
                if !self.compare && record.targets.contains_key(&target) {
                    continue;
                }
                let (versions, mut verdicts) = self.sweep(assembler, &target, &candidates)?;
                let Some(isa) = versions.last() else { continue };
                let accepted: Vec<&Spelling> =
                    candidates.iter().copied().filter(|s| verdicts.contains_key(&s.opcode)).collect();
                eprintln!("{} {target}: {} spellings", assembler.version, accepted.len());
                for spelling in assembler.crashes(Module { isa, target: &target }, &accepted)? {
                    verdicts.remove(&spelling.opcode);
                    record.crash(assembler.version, &target, &spelling.opcode);
                }
                record.add(assembler.version, &target, &versions, verdicts);
            }
        }
        Ok(record)
    }

    /// The spellings accepted for any of the [`broadest`] targets at its newest version.
    fn candidates(&self, assemblers: &[Asked]) -> Result<Vec<&Spelling>> {
        let all: Vec<&Spelling> = self.spellings.iter().filter(|s| (self.again)(&s.opcode)).collect();
        let mut legal = BTreeSet::new();
        let mut covered = BTreeSet::new();
        for assembler in assemblers {
            let targets = assembler.targets()?;
            for (kind, target) in broadest(&targets).into_iter().filter(|(_, target)| (self.first)(target)) {
                let versions = versions(assembler, target)?;
                let Some(isa) = versions.last() else { continue };
                // Skip generations that a newer assembler has covered.
                if !covered.insert(kind) {
                    continue;
                }
                let accepted = assembler.accepted(Module { isa, target }, &all)?;
                eprintln!("{} {target} {isa}: {} of everything", assembler.version, accepted.len());
                legal.extend(accepted);
            }
        }
        // A spelling may have been tried with several lists of operands.
        let mut names = BTreeSet::new();
        Ok(legal.into_iter().map(|i| all[i]).filter(|s| names.insert(&s.opcode)).collect())
    }

    /// The versions of a target, and the first version of each accepted spelling.
    fn sweep(
        &self,
        assembler: &Asked,
        target: &str,
        candidates: &[&Spelling],
    ) -> Result<(Vec<String>, Verdicts)> {
        let versions = versions(assembler, target)?;
        let mut first = Verdicts::new();
        for isa in versions.iter().filter(|isa| (self.versions)(target, isa)) {
            let accepted = assembler.accepted(Module { isa, target }, candidates)?;
            for i in &accepted {
                first.entry(candidates[*i].opcode.clone()).or_insert_with(|| isa.clone());
            }
            // A first version describes a form only if no later version removes it.
            ensure!(accepted.len() == first.len(), "{target} loses forms at {isa}");
        }
        Ok((versions, first))
    }
}

/// Every `.version` that could exist. The assembler decides which do.
fn conceivable() -> impl Iterator<Item = String> {
    // Modules with 64-bit addresses exist from ISA 2.3 on. Nothing is assumed about the newest version.
    (2..=IsaVersion::NEWEST.major + 1).flat_map(|major| (0..=19).map(move |minor| format!("{major}.{minor}")))
}

/// The last of an assembler's targets in each generation and suffix (sm_75 among sm_70, sm_72, sm_75). Every spelling is
/// tried there, because newer architectures have the forms of older ones.
fn broadest(targets: &[String]) -> BTreeMap<(String, String), &str> {
    let mut last = BTreeMap::new();
    for target in targets {
        let name = target.trim_start_matches("sm_");
        let (number, letter) = name.split_at(name.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len());
        let generation = &number[..number.len().saturating_sub(1)];
        last.insert((generation.to_owned(), letter.to_owned()), target.as_str());
    }
    last
}

/// The versions at which a module may name a target, oldest first.
fn versions(assembler: &Asked, target: &str) -> Result<Vec<String>> {
    let mut taken = Vec::new();
    if assembler.targets()?.iter().any(|t| t == target) {
        for isa in conceivable() {
            if assembler.takes(Module { isa: &isa, target })? {
                taken.push(isa);
            }
        }
    }
    Ok(taken)
}

/// The assemblers of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assemblers {
    /// All that are known: together they list every released target.
    All,
    /// One: targets that it does not list are not compared.
    One,
}

/// Every disagreement of the library with the record.
pub fn disagreements(record: &Record, assemblers: Assemblers) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    let mut recorded: BTreeMap<Form, &BTreeMap<String, String>> = BTreeMap::new();
    for class in &record.classes {
        for opcode in &class.opcodes {
            match opcode.parse() {
                Ok(form) => drop(recorded.insert(form, &class.since)),
                Err(_) => complaints.push(format!("{opcode}: accepted by ptxas, missing from the table")),
            }
        }
    }
    let early = recorded.keys().filter(|form| form.is_announced());
    complaints
        .extend(early.map(|form| format!("{form}: accepted by ptxas; move its row out of announced.rs")));
    let extra = Form::all().filter(|form| !form.is_announced() && !recorded.contains_key(form));
    complaints.extend(extra.map(|form| format!("{form}: in the table, but ptxas accepts it for no target")));
    let unknown = record.targets.keys().filter(|name| name.parse::<Target>().is_err());
    complaints.extend(unknown.map(|name| format!("{name}: the table lacks it")));
    for target in Target::all() {
        let name = target.to_string();
        match (target.is_announced(), record.targets.contains_key(&name)) {
            (true, false) => continue,
            (true, true) => complaints.push(format!("{name}: ptxas knows it; it is no longer `announced`")),
            (false, false) if assemblers == Assemblers::One => continue,
            (false, _) => {}
        }
        let version = |isa: &String| isa.parse::<IsaVersion>();
        let (assembler, ours) =
            (record.targets.get(&name).map(version).transpose()?, Some(target.introduced()));
        if assembler != ours {
            complaints.push(format!("{name}: ptxas {assembler:?}, table {ours:?}"));
        }
        for (form, since) in &recorded {
            let (assembler, ours) = (since.get(&name).map(version).transpose()?, form.since(target));
            if ours != assembler {
                complaints.push(format!("{form} on {name}: ptxas {assembler:?}, table {ours:?}"));
            }
        }
    }
    Ok(complaints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generation_and_letter_is_tried() {
        let targets = ["sm_75", "sm_80", "sm_89", "sm_100", "sm_100a", "sm_100f", "sm_107a", "sm_120f"];
        let targets = targets.map(str::to_owned);
        let chosen: Vec<&str> = broadest(&targets).into_values().collect();
        assert_eq!(chosen.join(" "), "sm_100 sm_107a sm_100f sm_120f sm_75 sm_89");
    }
}
