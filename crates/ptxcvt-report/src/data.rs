//! Everything that the tables say, for programs that carry the data instead of calling this one: `ptxcvt.json`.
//!
//! Its parts equal the output of commands: `forms --json`, `format --json`, and `recipes --json`.

use ptxcvt::{Form, Format, IsaVersion, Target};
use ptxcvt_blocks::Recipe;
use serde::Serialize;

use crate::format::Description;
use crate::generator::GeneratorReport;
use crate::recipes::RecipeReport;

/// The tables of forms, formats, targets, versions and recipes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Data {
    /// The version of this structure. It changes when a field changes its meaning or disappears; new fields may appear.
    pub version: u32,
    /// The program that wrote the data, with its version.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Program"))]
    pub program: String,
    /// The licence of the data. `CC0-1.0` permits any use.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "CC0-1.0")))]
    pub licence: &'static str,
    /// The versions of the PTX ISA, oldest first.
    pub versions: Vec<VersionReport>,
    /// The targets, oldest first.
    pub targets: Vec<TargetReport>,
    /// The number formats.
    pub formats: Vec<Description>,
    /// Every legal form of `cvt` and `cvt.pack`.
    pub forms: Vec<GeneratorReport>,
    /// The recipes of block quantisation.
    pub recipes: Vec<RecipeReport>,
}

/// A version of the PTX ISA.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct VersionReport {
    /// Its number, such as `9.1`.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Isa"))]
    pub isa: IsaVersion,
    /// The major and minor number of the CUDA release that brought it; `null` if none did.
    pub cuda: Option<(u32, u32)>,
}

/// A target.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TargetReport {
    /// Its name, such as `sm_100a`.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::TargetName"))]
    pub name: Target,
    /// The first ISA version that has it.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Isa"))]
    pub introduced: IsaVersion,
    /// The first ISA version that no longer has it.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Isa>"))]
    pub withdrawn: Option<IsaVersion>,
    /// Its name from that version on.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::TargetName>"))]
    pub renamed: Option<Target>,
    /// The manual describes the target, but no assembler builds for it yet.
    pub announced: bool,
}

impl TargetReport {
    /// Describes a target.
    pub fn new(name: Target) -> Self {
        TargetReport {
            name,
            introduced: name.introduced(),
            withdrawn: name.withdrawn(),
            renamed: name.renamed(),
            announced: name.is_announced(),
        }
    }
}

impl Data {
    /// Reads all tables.
    pub fn new() -> Self {
        Data {
            version: 1,
            program: concat!("ptxcvt ", env!("CARGO_PKG_VERSION")).to_owned(),
            licence: "CC0-1.0",
            versions: IsaVersion::all().map(|isa| VersionReport { isa, cuda: isa.cuda_release() }).collect(),
            targets: Target::all().map(TargetReport::new).collect(),
            formats: Format::ALL.iter().copied().map(Description::new).collect(),
            forms: Form::all().map(|form| GeneratorReport::new(&form)).collect(),
            recipes: Recipe::all().map(|recipe| RecipeReport::new(&recipe)).collect(),
        }
    }

    /// The JSON Schema of the serialized data, from the types themselves. Its `$id` is relative: the schema lies next to
    /// the data.
    #[cfg(feature = "schema")]
    pub fn schema() -> schemars::Schema {
        let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        let mut schema = settings.into_generator().into_root_schema_for::<Data>();
        schema.insert("$id".to_owned(), "ptxcvt.schema.json".into());
        schema
    }
}

impl Default for Data {
    fn default() -> Self {
        Data::new()
    }
}
