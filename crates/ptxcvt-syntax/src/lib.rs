//! # ptxcvt-syntax: PTX as it is written, and every conversion in it judged
//!
//! Reads PTX modules, as compilers and people write them, and the blocks of inline assembly. Two rooms:
//!
//! - [`parse`]: text to tree. Every instruction, known or not, with its guard, opcode and operands; every
//!   declaration; each with its place.
//! - [`check`](mod@check): every `cvt` and `cvt.pack` judged as `ptxas` would, with better messages. Which forms
//!   exist, where, and with which operands is the business of [`ptxcvt`]; this crate holds no rule of its own about
//!   it.
//!
//! [`sources`] finds the PTX in CUDA C++, Python and LLVM IR. [`render`] prints what was found, [`mod@fix`] edits the text where a finding says what was meant.
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

pub mod check;
mod code;
mod complete;
mod diagnostic;
mod edit;
pub mod fix;
pub mod parse;
pub mod render;
mod source;
pub mod sources;

pub use check::{About, CheckOptions, Findings, LiveModule, by_version, check};
pub use code::{Code, CodeError, PtxCode};
pub use complete::{Completion, complete};
pub use diagnostic::{Diagnostic, Severity};
pub use source::{Position, Source, Span, Word};
