//! The comparison with an assembler, printed: a table, the disagreements, the documented deviations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::Legality;

impl Legality {
    /// Disagreements that are not documented.
    pub fn differences(&self) -> usize {
        self.checks.iter().flat_map(|c| &c.disagreements).filter(|d| d.known.is_none()).count()
    }
}

impl fmt::Display for Legality {
    /// A row per comparison, the disagreements, and a summary line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "ptxas {}\n", self.assembler)?;
        writeln!(
            f,
            "{:<8}  {:<9}  {:>8}  {:>8}  {:>13}",
            "target", "subject", "lines", "accepted", "disagreements"
        )?;
        for check in &self.checks {
            let (target, subject) = (check.target.to_string(), format!("{:?}", check.subject).to_lowercase());
            let count = check.disagreements.iter().filter(|d| d.known.is_none()).count();
            writeln!(f, "{target:<8}  {subject:<9}  {:>8}  {:>8}  {count:>13}", check.lines, check.accepted)?;
        }
        let all = || self.checks.iter().flat_map(|c| c.disagreements.iter().map(move |d| (c.target, d)));
        for (target, d) in all().filter(|(_, d)| d.known.is_none()) {
            let verdict = match &d.message {
                None => "accepted, but the table does not have it".to_owned(),
                Some(message) => format!("the table has it, but: {message}"),
            };
            write!(f, "\n{target} at ISA {}: {}\n    {verdict}\n", d.isa, d.line)?;
        }
        let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (_, d) in all() {
            if let (Some(opcode), Some(why)) = (d.line.split(' ').next(), d.known) {
                known.entry(why).or_default().insert(opcode);
            }
        }
        if !known.is_empty() {
            writeln!(f, "\nDeviations that are documented, not counted as disagreements:")?;
        }
        for (why, opcodes) in &known {
            writeln!(f, "    {why}:")?;
            opcodes.iter().take(4).try_for_each(|opcode| writeln!(f, "        {opcode}"))?;
            if opcodes.len() > 4 {
                writeln!(f, "        and {} more", opcodes.len() - 4)?;
            }
        }
        let lines: usize = self.checks.iter().map(|c| c.lines).sum();
        let (differences, known) = (self.differences(), known.values().map(BTreeSet::len).sum::<usize>());
        write!(
            f,
            "\n{}: {}, {} deviate",
            ptxcvt::counted(lines, "verdict"),
            ptxcvt::counted(differences, "disagreement"),
            ptxcvt::counted(known, "spelling")
        )
    }
}
