//! LLVM IR: `call i16 asm sideeffect "…", "=h,f,f"(…)`. MLIR: `llvm.inline_asm "…", "…"`, `nvvm.inline_ptx "…" ro(…)`
//! and Triton's `tt.elementwise_inline_asm "…" {constraints = "…"}`.
//!
//! LLVM Language Reference, "Inline Assembler Expressions" and "Module-Level Inline Assembly". In LLVM's strings, `\0A`
//! is the character with that code.

use super::escape::Escapes;
use super::guard::Guards;
use super::syntax::{Opener, Style, Syntax};

pub(super) const LLVM: Syntax = Syntax {
    comments: &[";", "//"],
    blocks: false,
    escapes: Escapes::Llvm,
    rust: false,
    openers: &[
        Opener { word: "asm", operands: Style::List },
        Opener { word: "inline_asm", operands: Style::List },
    ],
    module: Some("module"),
    guards: llvm_module,
};

pub(super) const MLIR: Syntax = Syntax {
    comments: &["//"],
    blocks: false,
    escapes: Escapes::Llvm,
    rust: false,
    openers: &[
        Opener { word: "inline_asm", operands: Style::List },
        Opener { word: "inline_ptx", operands: Style::Types },
        Opener { word: "elementwise_inline_asm", operands: Style::Attribute },
        // The generic forms: `"llvm.inline_asm"(%a) <{asm_string = "…", constraints = "…"}>`, also Triton's, and
        // `"nvvm.inline_ptx"(%a) <{ptxCode = "…"}>`.
        Opener { word: "asm_string", operands: Style::Attribute },
        Opener { word: "ptxCode", operands: Style::Names },
    ],
    module: None,
    guards: mlir_module,
};

/// The target and ISA version of `"target-cpu"="sm_90" "target-features"="+ptx80"`, if they agree in all functions of a
/// module.
fn llvm_module(text: &str) -> Guards {
    let all = |name: &str| -> Vec<&str> {
        let values = text.match_indices(name).map(|(at, _)| &text[at + name.len()..]);
        values.filter_map(quoted).collect()
    };
    // Functions for the host have other CPUs.
    let mut targets: Vec<&str> = all("\"target-cpu\"=");
    targets.retain(|target| target.starts_with("sm_"));
    let (named, versions) = features(&all("\"target-features\"="));
    targets.extend(named);
    module(&targets, &versions)
}

/// The target and ISA version of `#nvvm.target<chip = "sm_90", features = "+ptx80">`, if all targets of a file agree.
fn mlir_module(text: &str) -> Guards {
    const TARGET: &str = "#nvvm.target<";
    let (mut targets, mut lists) = (Vec::new(), Vec::new());
    for (at, _) in text.match_indices(TARGET) {
        let inside = text[at + TARGET.len()..].split_once('>').map_or("", |(inside, _)| inside);
        let value = |name: &str| {
            let (_, rest) = inside.split_once(name)?;
            quoted(rest.trim_start().strip_prefix('=')?.trim_start())
        };
        // Without a name, the target is MLIR's default.
        targets.push(value("chip").unwrap_or_default());
        lists.push(value("features").unwrap_or_default());
    }
    let (named, versions) = features(&lists);
    targets.extend(named);
    module(&targets, &versions)
}

/// The text in quotes at the beginning of a text.
fn quoted(text: &str) -> Option<&str> {
    Some(text.strip_prefix('"')?.split_once('"')?.0)
}

/// The targets and the ISA versions in lists such as `+ptx80,+sm_90`: `sm_90` and `80`. A list without a version counts
/// as an empty version.
fn features<'t>(lists: &[&'t str]) -> (Vec<&'t str>, Vec<&'t str>) {
    let (mut targets, mut versions) = (Vec::new(), Vec::new());
    for list in lists {
        let names = || list.split(',').filter_map(|name| name.trim().strip_prefix('+'));
        let own: Vec<&str> = names().filter_map(|name| name.strip_prefix("ptx")).collect();
        let target = names().find(|name| name.starts_with("sm_"));
        targets.extend(target);
        // Lists for the host contain neither.
        if list.is_empty() || target.is_some() || !own.is_empty() {
            versions.extend(if own.is_empty() { vec![""] } else { own });
        }
    }
    (targets, versions)
}

/// The target and the version, if all entries agree.
fn module(targets: &[&str], versions: &[&str]) -> Guards {
    let version = |digits: &str| {
        let (major, minor) = digits.split_at_checked(digits.len().checked_sub(1)?)?;
        format!("{major}.{minor}").parse().ok()
    };
    Guards::module(same(targets).and_then(|name| name.parse().ok()), same(versions).and_then(version))
}

/// The common name, if all names are equal.
fn same<'t>(names: &[&'t str]) -> Option<&'t str> {
    let (first, rest) = names.split_first()?;
    rest.iter().all(|name| name == first).then_some(first)
}
