//! # ptxcvt-syntax: a parser for PTX, and a checker for its number conversions
//!
//! Reads PTX modules, as compilers and people write them, and inline assembly. There are two parts:
//!
//! - [`parse`]: from text to a tree of instructions (known or not) and declarations, with their places.
//! - [`check`](mod@check): checks every `cvt` and `cvt.pack` as `ptxas` does, with better messages. [`ptxcvt`] decides
//!   which forms exist, on which targets, and with which operands; this crate has no such rules.
//!
//! [`sources`] finds the PTX in CUDA C++, Python, Rust, LLVM IR and MLIR. [`mod@fix`] edits the text where a finding
//! has a fix.
//!
//! Features: `report` adds the findings as types for serde (`report`), `render` adds the output formats of
//! `ptxcvt check` (`render`). Both are on by default. A program that only parses or checks can turn them off. `build` adds
//! the targets that build files name (`build`).
//!
//! ```
//! use ptxcvt_syntax::{CheckOptions, Source, check};
//!
//! let module = b".version 9.1\n.target sm_90\n.entry k {\n  .reg .b16 h; .reg .f32 f;\n  \
//!                cvt.rn.e4m3x2.f32 h, f, f;\n  ret;\n}\n";
//! let source = Source::new("k.ptx", module);
//! let found = check(&source, &CheckOptions::default());
//! let finding = &found.diagnostics[0];
//! assert_eq!(finding.code().as_str(), "CVT008");
//! assert_eq!(finding.message(), "`.satfinite` is required for `.e4m3x2` from `.f32`");
//! assert_eq!(finding.help(), Some("write `cvt.rn.satfinite.e4m3x2.f32`"));
//! assert_eq!(source.position(finding.span().start).line, 5);
//! ```

#[cfg(feature = "build")]
pub mod build;
pub mod check;
mod code;
mod complete;
#[doc(hidden)]
pub mod cpp;
mod diagnostic;
mod edit;
pub mod fix;
mod identifier;
mod ignore;
pub mod parse;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "report")]
pub mod report;
pub mod site;
mod source;
pub mod sources;
mod words;

pub use check::{About, CheckOptions, Findings, LiveModule, check};
pub use code::{Code, CodeError, PtxCode};
pub use complete::{Completion, CompletionKind, complete};
pub use diagnostic::{Diagnostic, Severity};
pub use ignore::{CodePrefix, CodePrefixError, suppress};
pub use source::{Position, Source, Span, Word};
pub use words::{meaning, meanings, sentence};
