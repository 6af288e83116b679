//! A snippet that is not PTX alone but C++: whole `asm` statements, or the strings of one.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA".

use super::assembly::Assembly;
use super::language::Language;
use super::literal;
use super::reading::{Reading, Wrappers};
use super::scan::Scanner;
use super::uses::is_asm;
use super::verdict::{Outer, verdict};
use super::{cpp, statement};
use crate::check::{CheckOptions, Findings, nothing_read};

/// The findings in a snippet of C++. `None` if the text does not begin with an `asm` statement or a string.
pub(super) fn check(text: &str, options: &CheckOptions) -> Option<Findings> {
    let wrappers = Wrappers::default();
    let assemblies = assemblies(text, &wrappers)?;
    let reading = Reading { assemblies, ..Reading::default() };
    let mut found = verdict(reading, text, Language::Cpp, options, &wrappers, &Outer::default()).findings();
    if found.stats.instructions == 0 && found.diagnostics.is_empty() && found.stats.skipped.is_empty() {
        found.diagnostics.push(nothing_read(text));
    }
    Some(found)
}

fn assemblies(text: &str, wrappers: &Wrappers) -> Option<Vec<Assembly>> {
    let mut scanner = Scanner { text, at: 0 };
    scanner.c_blanks();
    if literal::begins(&scanner) {
        return Some(statement::of_strings(text, scanner.at));
    }
    is_asm(scanner.word()).then(|| cpp::read(text, wrappers).assemblies)
}
