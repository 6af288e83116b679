//! # ptxcvt-audit: compilers compared with the table
//!
//! LLVM's NVPTX backend says in TableGen which conversions it selects, and under which conditions. [`audit`] reads these
//! files, evaluates the conditions for every target and PTX version, and compares them with the table of forms. It needs
//! no LLVM: `tablegen` evaluates records, `subtarget` the C++ of conditions.
//!
//! | module | reads |
//! |---|---|
//! | `tablegen` | `.td` files: classes, multiclasses, loops, operators |
//! | `subtarget` | targets, PTX versions, and conditions such as `Subtarget->hasFP8ConversionSupport()` |
//! | `conversions`, `modes` | instructions that print `cvt`, and the patterns that select them |
//! | `checks`, `directives` | tests: which conversions they expect, for which machines |
//! | `gates`, `printed` | the comparison with the table |
//!
//! ```
//! let td = r#"
//! def Old : Predicate<"Subtarget->getSmVersion() >= 80">;
//! def CvtRN : PatLeaf<(i32 0x5)>;
//! def CVT : Instruction { let AsmString = "cvt${mode:base}.satfinite.e4m3x2.f32 \t$dst, $a, $b;"; }
//! def : Pat<(int_nvvm_ff_to_e4m3x2_rn f32:$a, f32:$b), (CVT $a, $b, CvtRN)>, Requires<[Old]>;
//! "#;
//! let subtarget = "unsigned getSmVersion() const { return FullSmVersion / 10; }";
//! let report = ptxcvt_audit::audit(&|file| match file {
//!     "NVPTXInstrInfo.td" => Some(td.to_owned()),
//!     "NVPTXSubtarget.h" => Some(subtarget.to_owned()),
//!     _ => None,
//! }, &[]);
//! assert_eq!(report.findings[0].opcodes, ["cvt.rn.satfinite.e4m3x2.f32"]);
//! assert!(report.findings[0].message.contains("sm_80"));
//! ```

#![forbid(unsafe_code)]

mod checks;
mod conversions;
mod directives;
mod gates;
mod modes;
mod places;
mod printed;
pub mod report;
mod subtarget;
mod tablegen;

use std::collections::BTreeMap;

use ptxcvt::Target;

use checks::Defaults;
use conversions::Conversions;
use gates::Gates;
use report::{Read, Report, Skipped};
use subtarget::{Functions, machines};
use tablegen::{Evaluator, Unread};

/// Compares LLVM's NVPTX backend with the table.
///
/// `file` returns the text of a file of `llvm/lib/Target/NVPTX`, such as `NVPTX.td`, or of LLVM's include folder, such as
/// `llvm/Target/Target.td`; `None` if there is none. `tests` are names and texts of tests.
pub fn audit(file: &dyn Fn(&str) -> Option<String>, tests: &[(String, String)]) -> Report {
    let mut evaluator = Evaluator::default();
    evaluator.read("prelude.td", include_str!("prelude.td"), &|_| None);
    let wanted = |name: &str| included(name).then(|| file(name)).flatten();
    // The first one includes the others.
    let roots = ["NVPTX.td", "NVPTXInstrInfo.td", "NVPTXIntrinsics.td"];
    if let Some((root, text)) = roots.iter().find_map(|root| Some((*root, file(root)?))) {
        evaluator.read(root, &text, &wanted);
    }
    let mut functions = Functions::default();
    let mut target = None;
    for name in ["NVPTXSubtarget.h", "NVPTXSubtarget.cpp"] {
        if let Some(text) = file(name) {
            functions.read(&text);
            target = target.or(default_target(&text));
        }
    }
    let mut unread = Vec::new();
    let machines = machines(&mut evaluator, &mut unread);
    let conversions = Conversions::read(&mut evaluator, &mut unread);
    let mut gates = Gates::new(&machines, &functions);
    gates.compare(&conversions);
    gates.printed(&conversions);
    gates.missing(&conversions);
    let mut read = Read {
        instructions: conversions.instruction_count,
        conversions: conversions.instructions.len(),
        patterns: conversions.pattern_count,
        selections: conversions.selections.len(),
        forms: gates.forms.len(),
        forms_of_table: gates.of_table().count(),
        conditions: gates.conditions(),
        functions: functions.count(),
        machines: machines.len(),
        ..Read::default()
    };
    let isa = |target: Target| {
        let own = machines.iter().find(|machine| machine.target == target && machine.default);
        own.map_or_else(|| target.introduced(), |machine| machine.isa)
    };
    let defaults = Defaults { target, isa: &isa };
    unread.extend(evaluator.unread().iter().cloned());
    unread.append(&mut gates.unread);
    let mut findings = gates.findings;
    for (name, text) in tests {
        let checks = checks::check(name, text, &defaults);
        read.tests += usize::from(checks.expectations > 0);
        read.expectations += checks.expectations;
        findings.extend(checks.findings);
        unread.extend(checks.unread);
    }
    findings
        .sort_by(|a, b| (a.kind, &a.file, a.line, &a.opcodes).cmp(&(b.kind, &b.file, b.line, &b.opcodes)));
    Report { findings, read, unread: counted(unread) }
}

/// The target of LLVM if none is named: the string in `getTargetName`.
fn default_target(subtarget: &str) -> Option<Target> {
    let (_, body) = subtarget.split_once("getTargetName() const")?;
    body.split('}').next()?.split('"').find(|text| text.starts_with("sm_"))?.parse().ok()
}

/// Whether an included file matters: intrinsics of other backends do not.
fn included(name: &str) -> bool {
    let intrinsics = name.strip_prefix("llvm/IR/Intrinsics").and_then(|rest| rest.strip_suffix(".td"));
    intrinsics.is_none_or(|backend| matches!(backend, "" | "NVVM"))
}

/// Equal reasons of a file, once with their number.
fn counted(unread: Vec<Unread>) -> Vec<Skipped> {
    let mut counts = BTreeMap::new();
    for Unread { file, line, reason } in unread {
        let (first, count) = counts.entry((file, reason)).or_insert((line, 0));
        *first = line.min(*first);
        *count += 1;
    }
    let skipped = counts.into_iter();
    skipped
        .map(|((file, reason), (line, count))| Skipped { file: file.to_string(), line, reason, count })
        .collect()
}
