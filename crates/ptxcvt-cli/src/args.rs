//! Options that several subcommands share, and the parsers of their values.

#[cfg(feature = "arrays")]
use std::ffi::OsStr;
use std::fmt::Display;
use std::ops::RangeInclusive;

#[cfg(any(feature = "convert", feature = "quantize"))]
use bytesize::ByteSize;
#[cfg(feature = "arrays")]
use clap::Command;
#[cfg(feature = "arrays")]
use clap::builder::{NonEmptyStringValueParser, TypedValueParser};
use clap::{Arg, Args, ValueEnum};
use ptxcvt::literal::{LiteralError, Number};
use ptxcvt::targets::Machine;
use ptxcvt::{IsaVersion, Target};

use crate::failure::Failure;

/// Options of every subcommand.
#[derive(Args)]
pub struct Global {
    /// Colour in the output
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Color {
    /// If the output is a terminal that supports it
    #[default]
    Auto,
    Always,
    Never,
}

impl Global {
    /// Applies the choice to everything that is printed.
    pub fn apply(&self) {
        match self.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// The default of `--isa` where modules are read.
pub const OF_MODULES: &str = "a module's own, otherwise the newest that has the target";
/// The default of `--isa` where forms are listed.
pub const ANY_VERSION: &str = "any";
/// The default of `--isa` where PTX is written.
pub const NEWEST: &str = "the newest that has the target";

/// Completes the help of `--isa` by its default, for `#[command(mut_arg("isa", …))]`.
pub fn isa_default(default: &str) -> impl FnOnce(Arg) -> Arg {
    let help = format!("The PTX ISA version, such as 9.1 [default: {default}]");
    |isa| isa.help(help)
}

/// `--target` and `--isa`, whose default each command adds to the help.
#[derive(Args, Clone, Copy, Default)]
pub struct MachineArgs {
    /// The architecture, such as sm_90 or sm_100a
    #[arg(long, value_name = "SM")]
    pub target: Option<Target>,
    /// The PTX ISA version, such as 9.1
    #[arg(long, value_name = "VERSION")]
    pub isa: Option<IsaVersion>,
}

impl MachineArgs {
    /// The machine of both. Options that are missing are those of `otherwise`.
    pub fn machine(&self, otherwise: (Option<Target>, Option<IsaVersion>)) -> Result<Machine, Failure> {
        let (target, isa) = (self.target.or(otherwise.0), self.isa.or(otherwise.1));
        Ok(Machine::new(target, isa)?)
    }
}

/// Parses a size in bytes that is not 0: a whole number, or one with a unit, such as 64MiB.
#[cfg(any(feature = "convert", feature = "quantize"))]
pub fn memory(text: &str) -> Result<ByteSize, String> {
    let expected = "expected a size of at least 1 byte, such as 64MiB";
    if matches!(Number::parse(text), Ok(_) | Err(LiteralError::Octal)) {
        return unsigned(text, || expected.into()).and_then(|bytes| match bytes {
            0 => Err(expected.into()),
            _ => Ok(ByteSize(bytes)),
        });
    }
    // With a unit, too, a leading zero would mean octal.
    if matches!(text.as_bytes(), [b'0', b'0'..=b'9' | b'x' | b'X' | b'b', ..]) {
        return Err("a size with a unit is a decimal number without leading zeros, such as 64MiB".into());
    }
    let size = text.parse::<ByteSize>().ok().filter(|size| *size != ByteSize(0));
    size.ok_or_else(|| expected.into())
}

/// The types of options that are whole numbers. A literal without a type would make a parser of `i32`, which clap notices
/// only when the option is used.
pub trait Unsigned {}
impl Unsigned for u16 {}
impl Unsigned for u32 {}
impl Unsigned for u64 {}
impl Unsigned for usize {}

/// A parser of the names of files of arrays, which are not empty. They are UTF-8: files that name each other are JSON.
#[cfg(feature = "arrays")]
pub fn file_name() -> impl TypedValueParser<Value = String> {
    FileName
}

#[cfg(feature = "arrays")]
#[derive(Clone)]
struct FileName;

#[cfg(feature = "arrays")]
impl TypedValueParser for FileName {
    type Value = String;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        if value.to_str().is_none() {
            let message = format!("`{}` is not UTF-8, as the names of arrays are\n", value.to_string_lossy());
            return Err(clap::Error::raw(clap::error::ErrorKind::InvalidUtf8, message));
        }
        NonEmptyStringValueParser::new().parse_ref(cmd, arg, value)
    }
}

/// A parser of whole numbers in a range, which are written as operands are. Its message names the range.
pub fn whole<N>(
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static
where
    N: Unsigned + TryFrom<u64> + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let (least, most) = (range.start(), range.end());
        let expected = || format!("expected a whole number from {least} to {most}");
        let number = unsigned(text, expected)?;
        let number = N::try_from(number).ok().filter(|number| range.contains(number));
        number.ok_or_else(expected)
    }
}

/// A whole number. One that a leading zero makes octal is refused, because an option has no place for a note.
fn unsigned(text: &str, expected: impl Fn() -> String) -> Result<u64, String> {
    match Number::parse(text) {
        Ok(Number::Integer { octal: true, magnitude, .. }) if magnitude > 7 => {
            Err(format!("a leading zero makes it octal ({magnitude}): leave it out"))
        }
        Ok(number) => number.whole().ok_or_else(expected),
        Err(error @ LiteralError::Octal) => Err(error.to_string()),
        Err(_) => Err(expected()),
    }
}

/// `--threads`.
#[cfg(feature = "arrays")]
#[derive(Args, Clone, Copy)]
pub struct Threads {
    /// The number of threads; 0 means one for each core
    #[arg(long, value_name = "N", default_value = "0", value_parser = whole(0..=ptxcvt_parallel::MOST_THREADS))]
    pub threads: usize,
}
