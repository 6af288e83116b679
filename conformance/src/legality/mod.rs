//! Legality against ptxas: every spelling, every target, every ISA version.
//!
//! First every spelling is tried where the most is legal; then what was accepted anywhere is tried on
//! every target, at every version. What passes the checks must also compile.

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

/// Tries everything, rewrites the record, and says whether the library agrees.
pub fn run(dir: &Path) -> Result<bool> {
    let assemblers = tools::assemblers(dir)?;
    let spellings: Vec<Spelling> = spellings::all().collect();
    Survey { record: RECORD, spellings: &spellings, first: &|_| true, versions: &|_, _| true, compare: true }
        .make(&assemblers)?;
    let complaints = disagreements(&Record::read(RECORD)?)?;
    complaints.iter().for_each(|complaint| println!("{complaint}"));
    Ok(complaints.is_empty())
}

/// What is asked, and where the answers go.
pub(crate) struct Survey<'s> {
    /// The record's name.
    pub record: &'static str,
    pub spellings: &'s [Spelling],
    /// On which of the [`broadest`] targets every spelling is tried.
    pub first: &'s dyn Fn(&str) -> bool,
    /// At which versions of a target what passed is tried again.
    pub versions: &'s dyn Fn(&str, &str) -> bool,
    /// Ask older assemblers about the targets of newer ones too.
    pub compare: bool,
}

impl Survey<'_> {
    /// Asks these assemblers, the newest first, and writes the record.
    pub fn make(&self, assemblers: &[(&'static str, PathBuf)]) -> Result<()> {
        let assemblers: Vec<Asked> =
            assemblers.iter().map(|(version, path)| Asked::new(version, path)).collect();
        let candidates = self.candidates(&assemblers)?;
        eprintln!("{} of {} spellings pass the checks somewhere", candidates.len(), self.spellings.len());
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
        record.write()
    }

    /// The spellings that pass anywhere among the [`broadest`] targets at their newest version.
    fn candidates(&self, assemblers: &[Asked]) -> Result<Vec<&Spelling>> {
        let all: Vec<&Spelling> = self.spellings.iter().collect();
        let mut legal = BTreeSet::new();
        let mut asked = BTreeSet::new();
        for assembler in assemblers {
            let targets = assembler.targets()?;
            for (kind, target) in broadest(&targets).into_iter().filter(|(_, target)| (self.first)(target)) {
                let versions = versions(assembler, target)?;
                let Some(isa) = versions.last() else { continue };
                // A newer assembler may have answered for this generation.
                if !asked.insert(kind) {
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

    /// The versions of a target, and the first version of each spelling that passes.
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
            // Were a form to end, a first version would not describe it.
            ensure!(accepted.len() == first.len(), "{target} loses forms at {isa}");
        }
        Ok((versions, first))
    }
}

/// Every `.version` that could exist; the assembler says which do.
fn conceivable() -> impl Iterator<Item = String> {
    // Modules of 64-bit addresses begin with 2.3; nothing is assumed of what is newest.
    (2..=IsaVersion::NEWEST.major + 1).flat_map(|major| (0..=19).map(move |minor| format!("{major}.{minor}")))
}

/// Of an assembler's targets the last of each generation (sm_75 of 70, 72, 75) and letter: where every spelling is
/// tried. Newer architectures have the forms of older ones, and what only `a` or `f` have is seen there.
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

/// The versions whose modules may name a target, oldest first.
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

/// Every point where the library says other than the record.
pub fn disagreements(record: &Record) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    let mut recorded: BTreeMap<Form, &BTreeMap<String, String>> = BTreeMap::new();
    for class in &record.classes {
        for opcode in &class.opcodes {
            match opcode.parse() {
                Ok(form) => drop(recorded.insert(form, &class.since)),
                Err(_) => complaints.push(format!("{opcode}: ptxas takes it, the table lacks it")),
            }
        }
    }
    let early = recorded.keys().filter(|form| form.is_announced());
    complaints.extend(early.map(|form| format!("{form}: ptxas takes it; move its row out of announced.rs")));
    let extra = Form::all().filter(|form| !form.is_announced() && !recorded.contains_key(form));
    complaints.extend(extra.map(|form| format!("{form}: the table has it, ptxas takes it nowhere")));
    let unknown = record.targets.keys().filter(|name| name.parse::<Target>().is_err());
    complaints.extend(unknown.map(|name| format!("{name}: the table lacks it")));
    for target in Target::all() {
        let name = target.to_string();
        match (target.is_announced(), record.targets.contains_key(&name)) {
            (true, false) => continue,
            (true, true) => complaints.push(format!("{name}: ptxas knows it; it is no longer `announced`")),
            (false, _) => {}
        }
        let version = |isa: &String| isa.parse::<IsaVersion>();
        let (theirs, ours) = (record.targets.get(&name).map(version).transpose()?, Some(target.introduced()));
        if theirs != ours {
            complaints.push(format!("{name}: ptxas {theirs:?}, table {ours:?}"));
        }
        for (form, since) in &recorded {
            let (theirs, ours) = (since.get(&name).map(version).transpose()?, form.since(target));
            if ours != theirs {
                complaints.push(format!("{form} on {name}: ptxas {theirs:?}, table {ours:?}"));
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
