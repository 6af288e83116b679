//! An assembly as a complete kernel, to compare our verdict with an assembler's.

use std::fmt::Write as _;

use ptxcvt::targets::Machine;
use ptxcvt::{IsaVersion, Target};

use super::assembly::Assembly;
use super::hole::close_holes;
use super::mention::mentions;
use super::plan::Plan;
use super::text::HOLE;
use crate::check::{CheckOptions, Filler, Fillers, check_filled};
use crate::parse::{Lexer, Placeholder, TokenKind};
use crate::{Severity, Source};

/// A kernel around an assembly, and our verdict on it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Kernel {
    /// The module.
    pub text: String,
    /// Its target.
    pub target: Target,
    /// The numbers of its lines with an error, from 1.
    pub errors: Vec<usize>,
}

impl Assembly {
    /// Kernels that contain the assembly, for the lowest and the highest target for which it is judged, or for
    /// `otherwise` if no target is known. Empty if part of the assembly is unknown.
    pub fn kernels(&self, options: &CheckOptions, otherwise: Target) -> Vec<Kernel> {
        let judged = self.complete
            && !self.operands.unknown
            && !self.operands.foreign
            && !self.guards.is_dead()
            && mentions(self.text()).next().is_some()
            && !self.text().contains(HOLE);
        if !judged {
            return Vec::new();
        }
        let any = CheckOptions::default().snippet(true);
        let base = check_filled(
            self.text(),
            &any,
            &Fillers { operands: &self.operands.fillers, ..Fillers::default() },
        );
        let machines = Plan::new(self, options, &base).certain;
        let mut ends: Vec<_> = machines.first().into_iter().chain(machines.last()).copied().collect();
        ends.dedup();
        ends.into_iter().filter_map(|machine| self.kernel(machine, otherwise)).collect()
    }

    fn kernel(&self, machine: Machine, otherwise: Target) -> Option<Kernel> {
        let operands = &self.operands.fillers;
        let mut text = self.text().to_owned();
        close_holes(&mut text);
        let options = CheckOptions::default().machine(machine).snippet(true);
        let found = check_filled(&text, &options, &Fillers { operands, ..Fillers::default() });
        let version = machine.isa().unwrap_or(IsaVersion::NEWEST);
        // The target if the machine has none and its version does not support `otherwise`.
        let newest = || Target::all().filter(|t| t.exists_in(version)).max_by_key(|t| t.sm());
        let built_for = match machine.target() {
            Some(target) => target,
            None if otherwise.exists_in(version) => otherwise,
            None => newest()?,
        };
        let mut module =
            format!(".version {version}\n.target {built_for}\n.address_size 64\n.entry k()\n{{\n");
        for (number, operand) in operands.iter().enumerate() {
            if let Some(ty) = operand.register_type() {
                let _ = writeln!(module, ".reg {ty} _operand{number};");
            }
        }
        let before = module.lines().count();
        module.push_str(&filled(&text, operands)?);
        module.push_str("\nret;\n}\n");
        let source = Source::new("assembly", text.as_bytes());
        let errors = found.diagnostics.iter().filter(|d| d.severity() == Severity::Error);
        let mut errors: Vec<usize> =
            errors.map(|d| before + source.position(d.span().start.min(text.len() as u32)).line).collect();
        errors.dedup();
        Some(Kernel { text: module, target: built_for, errors })
    }
}

/// The text with registers and numbers in place of its placeholders.
fn filled(text: &str, operands: &[Filler]) -> Option<String> {
    let mut out = String::new();
    let mut at = 0;
    for token in Lexer::new(text, true) {
        let range = token.span.range();
        out.push_str(&text[at..range.start]);
        let word = &text[range.clone()];
        at = range.end;
        if token.kind != TokenKind::Placeholder {
            // `%%r` is written for `%r`.
            out.push_str(word.strip_prefix('%').filter(|rest| rest.starts_with('%')).unwrap_or(word));
            continue;
        }
        let number = match Placeholder::from_text(word)? {
            Placeholder::Number(number) => number as usize,
            Placeholder::Name(name) => operands.iter().position(|operand| operand.has_name(name))?,
            _ => return None,
        };
        let operand = operands.get(number)?;
        match operand.register_type() {
            Some(_) => write!(out, "_operand{number}").ok()?,
            None if operand.is_immediate() => out.push('3'),
            None => return None,
        }
    }
    out.push_str(&text[at..]);
    Some(out)
}
