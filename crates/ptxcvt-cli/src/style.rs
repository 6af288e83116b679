//! The few styles of the output.

use anstyle::{AnsiColor, Style};

/// Errors.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What to write instead, and the sources of facts.
pub const HELP: Style = AnsiColor::Cyan.on_default().bold();
/// Results.
pub const RESULT: Style = AnsiColor::Green.on_default().bold();
/// Headings and names.
pub const STRONG: Style = Style::new().bold();
/// What is there for completeness.
pub const DIM: Style = Style::new().dimmed();
