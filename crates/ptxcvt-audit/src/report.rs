//! The results of an audit, as data.

use ptxcvt::{IsaVersion, Target};
use serde::Serialize;

/// The answer of an audit.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The differences from the table, in the order of files and lines.
    pub findings: Vec<Finding>,
    /// How much was read.
    pub read: Read,
    /// The parts that could not be read, with the reasons.
    pub unread: Vec<Skipped>,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// LLVM selects a form on a machine where it is not legal.
    Admits,
    /// LLVM selects a form, but not on every machine where it is legal.
    Refuses,
    /// An opcode that is not a form.
    NoForm,
    /// A test expects a form on a machine where it is not legal, or an opcode that is not a form.
    Test,
    /// An intrinsic selects another form than its name says.
    Intrinsic,
    /// Forms that LLVM never selects.
    Missing,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 6] =
        [Kind::Admits, Kind::Refuses, Kind::NoForm, Kind::Test, Kind::Intrinsic, Kind::Missing];

    /// Its name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Admits => "admits",
            Kind::Refuses => "refuses",
            Kind::NoForm => "no-form",
            Kind::Test => "test",
            Kind::Intrinsic => "intrinsic",
            Kind::Missing => "missing",
        }
    }
}

/// A difference from the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The kind.
    pub kind: Kind,
    /// The path of the file, as given.
    pub file: String,
    /// The line in it.
    pub line: u32,
    /// The opcodes, in canonical spelling if they are forms.
    pub opcodes: Vec<String>,
    /// The machines that it concerns.
    pub machines: Vec<Machines>,
    /// `false` if C++ code that was not read may prevent the selection.
    pub certain: bool,
    /// The finding in words.
    pub message: String,
}

/// Targets with equal versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Machines {
    /// The targets, in the order of the table.
    pub targets: Vec<Target>,
    /// The first and the last ISA version; `None` if these are all that LLVM knows for each target.
    pub isa: Option<(IsaVersion, IsaVersion)>,
}

/// How much was read.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Read {
    /// Instructions of every kind.
    pub instructions: usize,
    /// Instructions that print conversions.
    pub conversions: usize,
    /// Patterns of every kind.
    pub patterns: usize,
    /// Conversions that instructions and patterns select, each with its modifiers.
    pub selections: usize,
    /// The forms among them.
    pub forms: usize,
    /// The forms of the table that are legal on a machine of LLVM.
    pub forms_of_table: usize,
    /// Conditions on the subtarget.
    pub conditions: usize,
    /// Functions of the subtarget that conditions may call.
    pub functions: usize,
    /// Pairs of target and ISA version that LLVM and the table know.
    pub machines: usize,
    /// Tests that expect conversions.
    pub tests: usize,
    /// Lines of tests that expect a conversion, counted once for each machine for which the test runs.
    pub expectations: usize,
}

/// Something that was not read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Skipped {
    /// The file.
    pub file: String,
    /// The line, or the first one.
    pub line: u32,
    /// Why.
    pub reason: String,
    /// How often, at this line or others of the file.
    pub count: usize,
}
