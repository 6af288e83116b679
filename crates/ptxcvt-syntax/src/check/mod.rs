//! Checks the conversions of a module as `ptxas` does: opcodes, operands, and the names in them.
//!
//! PTX ISA sections 9.4.1 (operand sizes), 9.7.9.21 `cvt`, 9.7.9.22 `cvt.pack`, 11.1.1 `.version`, 11.1.2 `.target`.
//! [`ptxcvt`] decides which opcodes and operands are legal.

mod about;
mod checker;
mod declared;
mod edits;
mod families;
mod filler;
mod findings;
mod immediate;
mod live;
mod misplaced;
mod misspelt;
mod module;
mod newer;
mod opcode;
mod operands;
mod placeholder;
mod resolve;
mod scope;
mod slot;
mod special;
mod stats;
mod uses;
mod vector;
mod wording;

use self::checker::Checker;
use crate::parse::parse_with;
use crate::source::Source;

pub use about::About;
pub(crate) use checker::nothing_read;
pub(crate) use filler::{Filler, Fillers, Words};
pub(crate) use findings::Listed;
pub use findings::{CheckOptions, Findings, TargetSet};
pub use immediate::refused_constant;
pub use live::LiveModule;
pub(crate) use misspelt::may_be_misspelt;
pub use scope::{Found, Scope};
pub use special::{Special, SpecialKind};
pub use stats::{Lowest, Stats};
pub use uses::Uses;

/// Reads a module, or a snippet of PTX alone, and checks every conversion in it.
/// [`check_named`](crate::sources::check_named) also reads `asm` statements of C++.
///
/// ```
/// use ptxcvt_syntax::{CheckOptions, Source, check};
/// // Inline assembly: the operands of `%0` and so on are unknown.
/// let options = CheckOptions::default().machine("sm_120a".parse::<ptxcvt::Target>().unwrap().into()).snippet(true);
/// let source = Source::new("asm", b"cvt.rs.f16x2.f32 %0, %1, %2, %3;");
/// let report = check(&source, &options);
/// assert_eq!(report.diagnostics[0].message(),
///     "`cvt.rs.f16x2.f32` needs sm_100a, sm_103a or sm_107a; the target is sm_120a");
/// ```
pub fn check(source: &Source<'_>, options: &CheckOptions) -> Findings {
    check_filled(source.text(), options, &Fillers::default())
}

/// Like [`check`], but with the operands that replace the placeholders.
pub(crate) fn check_filled(text: &str, options: &CheckOptions, fillers: &Fillers<'_>) -> Findings {
    let mut checker = Checker::new(text, options, *fillers);
    parse_with(text, options.snippet, &mut checker);
    checker.finish(text)
}
