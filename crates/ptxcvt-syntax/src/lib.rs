//! # ptxcvt-syntax: every conversion of a PTX module, judged
//!
//! Reads whole PTX modules, as compilers and people write them, and judges every `cvt` and `cvt.pack` in them as
//! `ptxas` would, with better messages. Which forms exist, where, and with which operands is the business of
//! [`ptxcvt`]; this crate holds no rule of its own about it.
//!
//! ```
//! use ptxcvt_syntax::{Options, Source, check};
//!
//! let module = b".version 9.1\n.target sm_90\n.entry k {\n  .reg .b16 h; .reg .f32 f;\n  \
//!                cvt.rn.e4m3x2.f32 h, f, f;\n  ret;\n}\n";
//! let source = Source::new("k.ptx", module);
//! let report = check(&source, &Options::default());
//! let finding = &report.diagnostics[0];
//! assert_eq!(finding.code.as_str(), "CVT008");
//! assert_eq!(&*finding.message, "`.satfinite` is required for `.e4m3x2` from `.f32`");
//! assert_eq!(finding.help.as_deref(), Some("write `cvt.rn.satfinite.e4m3x2.f32`"));
//! assert_eq!(source.position(finding.span.start).line, 5);
//! ```
//!
//! The stages are modules of their own: [`lex`], [`parse`], [`scope`], `validate`; [`render`] prints what they
//! found.

mod codes;
pub mod constant;
mod declare;
mod diagnostics;
mod judge;
pub mod lex;
mod operand;
mod operands;
pub mod parse;
pub mod render;
pub mod scope;
mod span;
pub mod special;
mod stats;
mod validate;

pub use codes::{Code, PtxCode, UnknownCode};
pub use diagnostics::{Diagnostic, Severity};
pub use operand::{Extra, Operand, OperandKind};
pub use span::{Position, Source, Span};
pub use stats::{Lowest, Stats};
pub use validate::{Options, Report, check};
