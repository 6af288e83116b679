//! Options that several subcommands share, and parsers of their values.

use clap::{Args, ValueEnum};
use ptxcvt::{IsaVersion, Target};

/// Options of every subcommand.
#[derive(Args)]
pub struct Global {
    /// Colour in the output
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Color {
    /// Where the output is a terminal that takes it
    #[default]
    Auto,
    Always,
    Never,
}

impl Global {
    /// Makes the choice known to everything that prints.
    pub fn apply(&self) {
        match self.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// `--target` and `--isa`.
#[derive(Args, Clone, Copy, Default)]
pub struct Machine {
    /// The architecture, such as sm_90 or sm_100a
    #[arg(long, value_name = "SM", value_parser = target)]
    pub target: Option<Target>,
    /// The PTX ISA version, such as 9.1
    #[arg(long, value_name = "VERSION", value_parser = isa)]
    pub isa: Option<IsaVersion>,
}

fn target(text: &str) -> Result<Target, String> {
    text.parse().map_err(|e| format!("{e}"))
}

fn isa(text: &str) -> Result<IsaVersion, String> {
    let version: IsaVersion = text.parse().map_err(|e| format!("{e}"))?;
    if version.exists() {
        return Ok(version);
    }
    Err(format!("no such PTX ISA version; the newest known is {}", IsaVersion::NEWEST))
}
