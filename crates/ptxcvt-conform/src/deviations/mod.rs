//! The table of known deviations of oracles from this library. Reports count such cases separately, and
//! `docs/conform.md` is written from it.
//!
//! [`values`] has the results of conversions, [`ptxas`] what the assembler accepts.

mod account;
pub mod ptxas;
pub mod values;

use std::fmt::Write;

pub use account::Account;

/// The tables of `docs/conform.md`, of values first.
pub fn page() -> String {
    let values = values::Deviation::ALL.iter().map(|d| d.account());
    let values = values.chain(values::Folded::ALL.iter().map(|f| f.account()));
    let values = values.chain(values::Oracle::ALL.iter().map(|o| o.account()));
    let mut text = String::from("| source | forms | its behaviour | our result |\n|---|---|---|---|\n");
    let lines = ptxas::ALL.iter().map(|row| row.account);
    for Account { who, forms, what, ours } in values.chain(lines) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {who} | {forms} | {what} | {ours} |");
    }
    text
}
