//! LLVM IR: `call i16 asm sideeffect "…", "=h,f,f"(…)`. MLIR: `llvm.inline_asm "…", "…"`, `nvvm.inline_ptx "…" ro(…)`
//! and Triton's `tt.elementwise_inline_asm "…" {constraints = "…"}`.
//!
//! LLVM Language Reference, "Inline Assembler Expressions" and "Module-Level Inline Assembly". In its strings `\0A` is a character by its number.

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
    guards: module_target,
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
        // The generic form of both: `"llvm.inline_asm"(%a) <{asm_string = "…", constraints = "…"}>`.
        Opener { word: "asm_string", operands: Style::Attribute },
    ],
    module: None,
    guards: |_| Guards::none(),
};

/// The target of `"target-cpu"="sm_90"`, if all functions of a module have the same one.
fn module_target(text: &str) -> Guards {
    let mut targets = text.match_indices("\"target-cpu\"=\"sm_").map(|(at, _)| {
        let name = &text[at + "\"target-cpu\"=\"".len()..];
        name.split_once('"')?.0.parse().ok()
    });
    match targets.next() {
        Some(Some(first)) if targets.all(|target| target == Some(first)) => Guards::target(first),
        _ => Guards::none(),
    }
}
