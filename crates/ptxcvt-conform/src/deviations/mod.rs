//! Where an oracle is known to say something else than we do: one table, by which reports count such a case apart
//! and from which `docs/conform.md` is written.
//!
//! [`values`] has the results of conversions, [`ptxas`] what the assembler accepts.

pub mod ptxas;
pub mod values;

use std::fmt::Write;

/// What a deviation is, in words for the page.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// Who deviates: a GPU, versions of ptxas, the headers.
    pub who: &'static str,
    /// On which forms, as they are written.
    pub forms: &'static str,
    /// How, as a sentence about `who` that begins with "it" or about the result.
    pub what: &'static str,
    /// What we say there.
    pub ours: &'static str,
}

/// The tables of `docs/conform.md`, of values first.
pub fn page() -> String {
    let values = values::Deviation::ALL.iter().map(|d| d.account());
    let values = values.chain(values::Folded::ALL.iter().map(|f| f.account()));
    let values = values.chain(values::Oracle::ALL.iter().map(|o| o.account()));
    let mut text = String::from("| who | forms | what | what we say |\n|---|---|---|---|\n");
    let lines = ptxas::ALL.iter().map(|row| row.account);
    for Account { who, forms, what, ours } in values.chain(lines) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {who} | {forms} | {what} | {ours} |");
    }
    text
}
