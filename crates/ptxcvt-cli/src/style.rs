//! The styles of the output.

use anstyle::{AnsiColor, Style};

/// Errors.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Warnings.
#[cfg(any(feature = "arrays", feature = "audit", feature = "check"))]
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Advice: what to write instead.
pub const HELP: Style = AnsiColor::Cyan.on_default().bold();
/// Results.
pub const RESULT: Style = AnsiColor::Green.on_default().bold();
/// Headings and names.
pub const STRONG: Style = Style::new().bold();
/// Secondary information.
pub const DIM: Style = Style::new().dimmed();
