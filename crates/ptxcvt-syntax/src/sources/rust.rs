//! Rust: `asm!("…", out(reg32) d, in(reg32) a)` for nvptx, and `ptx_asm!` of cuda-oxide.
//!
//! The Rust Reference, "Inline assembly", "String literals" and "Raw string literals".

use super::escape::Escapes;
use super::guard::Guards;
use super::syntax::{Opener, Style, Syntax};

pub(super) const RUST: Syntax = Syntax {
    comments: &["//"],
    blocks: true,
    escapes: Escapes::Rust,
    rust: true,
    openers: &[
        Opener { word: "asm", operands: Style::Arguments },
        Opener { word: "ptx_asm", operands: Style::Arguments },
    ],
    guards: |_| Guards::none(),
};
