//! The opcodes that LLVM's instructions print. A mode determines their modifiers.
//!
//! A mode is a number: the rounding in its low four bits, and flags. `NVPTXInstPrinter.cpp` prints it.

use std::collections::BTreeMap;

use crate::tablegen::{Evaluator, Value};

/// The roundings by their numbers, as PTX writes them.
#[derive(Debug, Default)]
pub struct Modes {
    roundings: BTreeMap<i64, String>,
    /// Each mode that has a name.
    pub all: BTreeMap<i64, String>,
}

/// The modifiers of a mode's flags.
const FLAGS: [(&str, i64); 4] = [("ftz", 0x10), ("sat", 0x20), ("relu", 0x40), ("satfinite", 0x80)];

impl Modes {
    /// Reads the records `CvtRN`, `CvtRN_FTZ` and so on.
    pub fn read(evaluator: &mut Evaluator) -> Self {
        let mut modes = Modes::default();
        for at in 0..evaluator.records().len() {
            let name = evaluator.records()[at].name.to_string();
            let Some(rounding) = name.strip_prefix("Cvt").filter(|_| evaluator.records()[at].is("PatLeaf"))
            else {
                continue;
            };
            let Some(value) = number(evaluator, at) else { continue };
            if value < 16 {
                let written =
                    if rounding == "NONE" { String::new() } else { format!(".{}", rounding.to_lowercase()) };
                modes.roundings.insert(value, written);
            }
            modes.all.insert(value, name);
        }
        modes
    }

    /// The mode among the operands of an instruction, such as `CvtRN`.
    pub fn among(&self, evaluator: &mut Evaluator, operands: &[Value]) -> Option<i64> {
        operands.iter().rev().find_map(|operand| match operand {
            Value::Record(at) => number(evaluator, *at).filter(|mode| self.all.contains_key(mode)),
            _ => None,
        })
    }

    /// An opcode with a mode's modifiers; `None` if a modifier is unknown, or if the opcode has a place for modifiers
    /// but there is no mode.
    pub fn print(&self, opcode: &str, mode: Option<i64>) -> Option<String> {
        // The text of an unknown flag is unknown.
        let known = FLAGS.iter().fold(15, |known, (_, flag)| known | flag);
        if mode.is_some_and(|mode| mode & !known != 0) {
            return None;
        }
        let mut printed = String::new();
        let mut rest = opcode;
        while let Some((before, after)) = rest.split_once("${") {
            let mode = mode?;
            printed += before;
            let (reference, after) = after.split_once('}')?;
            let (_, modifier) = reference.split_once(':')?;
            if modifier == "base" {
                printed += self.roundings.get(&(mode & 15))?;
            } else {
                let (name, flag) = FLAGS.iter().find(|(name, _)| *name == modifier)?;
                if mode & flag != 0 {
                    printed.push('.');
                    printed += name;
                }
            }
            rest = after;
        }
        Some(printed + rest)
    }
}

/// The number of a `PatLeaf`.
fn number(evaluator: &mut Evaluator, record: usize) -> Option<i64> {
    let Value::List(fragments) = evaluator.field(record, "Fragments") else { return None };
    match fragments.first() {
        Some(Value::Dag(dag)) => dag.operands.first().and_then(|(value, _)| value.as_number().ok()),
        _ => None,
    }
}

/// The conversions in an instruction's assembly: words that begin with `cvt`.
pub fn opcodes(assembly: &str) -> Vec<&str> {
    words(assembly).filter(|word| word.starts_with("cvt.") || word.starts_with("cvt$")).collect()
}

/// The words of a statement between spaces, commas and semicolons.
pub fn words(assembly: &str) -> impl Iterator<Item = &str> {
    assembly.split(|c: char| c.is_whitespace() || matches!(c, ';' | ','))
}
