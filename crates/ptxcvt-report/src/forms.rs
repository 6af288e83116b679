//! A form: its operands, its modifiers, and the targets that accept it.

use ptxcvt::{Form, IsaVersion, Modifier, Rounding, Target, Type};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

pub use crate::filter::Filter;

/// One form of the table.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FormReport {
    /// The form in its canonical spelling.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Opcode"))]
    pub opcode: Form,
    /// Register types in PTX order, the destination's first; a vector counts as its elements.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::schema::Register>"))]
    pub operands: Vec<String>,
    /// The operands as they are written: `d, {a, b, e, f}, rbits`.
    pub syntax: String,
    /// The syntax line of the manual: `cvt.frnd2{.relu}{.satfinite}{.pzo}.f16x2.f32 d, a, b;`.
    pub manual: &'static str,
    /// The targets that accept the form, each with the first ISA version that does.
    #[serde(serialize_with = "as_map")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<crate::schema::TargetName, crate::schema::Isa>")
    )]
    pub since: Vec<(Target, IsaVersion)>,
    /// `cvt` or `cvt.pack`.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Instruction"))]
    pub instruction: &'static str,
    /// The rounding modifier without its dot.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Modifier>"))]
    pub rounding: Option<&'static str>,
    /// The other modifiers without their dots.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::schema::Modifier>"))]
    pub modifiers: Vec<&'static str>,
    /// The destination type.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Name"))]
    pub destination: Type,
    /// The source type.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Name"))]
    pub source: Type,
    /// The manual describes the form, but no assembler accepts it yet.
    pub announced: bool,
}

impl FormReport {
    /// Reads the form's row of the table.
    pub fn new(form: &Form) -> Self {
        FormReport {
            opcode: *form,
            operands: form.operands().map(|operand| operand.register().to_string()).collect(),
            syntax: form.syntax().to_string(),
            manual: form.manual_line(),
            since: since(form),
            instruction: form.opcode().name(),
            rounding: form.rounding().map(Rounding::name),
            modifiers: form.modifiers().iter().map(Modifier::name).collect(),
            destination: form.destination(),
            source: form.source(),
            announced: form.is_announced(),
        }
    }
}

/// The targets that accept a form, each with the first ISA version that does, in the order of the table of targets.
pub fn since(form: &Form) -> Vec<(Target, IsaVersion)> {
    Target::all().filter_map(|target| Some((target, form.since(target)?))).collect()
}

fn as_map<S: Serializer>(since: &[(Target, IsaVersion)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(since.len()))?;
    for (target, version) in since {
        map.serialize_entry(target, version)?;
    }
    map.end()
}
