//! What the page's menus and its matrix of legality are made of.

use ptxcvt::{Form, Format, IsaVersion, Target};
use ptxcvt_blocks::Recipe;
use ptxcvt_syntax::Code;
use serde::Serialize;

/// The tables, as names.
#[derive(Serialize)]
pub struct Tables {
    targets: Vec<TargetEntry>,
    versions: Vec<String>,
    formats: Vec<FormatEntry>,
    recipes: Vec<RecipeEntry>,
    codes: Vec<CodeEntry>,
}

#[derive(Serialize)]
struct TargetEntry {
    name: String,
    since: String,
    newest: String,
    announced: bool,
}

#[derive(Serialize)]
struct FormatEntry {
    name: &'static str,
    about: &'static str,
    bits: u32,
    integer: bool,
}

#[derive(Serialize)]
struct RecipeEntry {
    name: String,
    element: &'static str,
    scale: &'static str,
    block: [usize; 2],
    about: String,
    source: String,
    confirmed: String,
    global: bool,
}

#[derive(Serialize)]
struct CodeEntry {
    code: &'static str,
    page: String,
}

impl Tables {
    pub fn new() -> Tables {
        let target = |target: Target| TargetEntry {
            name: target.to_string(),
            since: target.introduced().to_string(),
            newest: target.newest().to_string(),
            announced: target.is_announced(),
        };
        let format = |format: &Format| FormatEntry {
            name: format.name(),
            about: format.parameters().about,
            bits: format.bits(),
            integer: format.is_integer(),
        };
        let recipe = |recipe: Recipe| RecipeEntry {
            name: recipe.name().to_owned(),
            element: recipe.element().name(),
            scale: recipe.scale().name(),
            block: [recipe.block().rows, recipe.block().columns],
            about: recipe.about().to_owned(),
            source: recipe.source().to_owned(),
            confirmed: recipe.confirmed().to_owned(),
            global: recipe.has_global_scale(),
        };
        let code = |code: Code| CodeEntry { code: code.as_str(), page: code.page().join("\n") };
        Tables {
            targets: Target::all().map(target).collect(),
            versions: IsaVersion::all().map(|isa| isa.to_string()).collect(),
            formats: Format::ALL.iter().map(format).collect(),
            recipes: Recipe::all().map(recipe).collect(),
            codes: Code::all().map(code).collect(),
        }
    }
}

/// The matrix of forms and targets.
#[derive(Serialize)]
pub struct Legality {
    targets: Vec<String>,
    versions: Vec<String>,
    forms: Vec<FormEntry>,
}

#[derive(Serialize)]
struct FormEntry {
    opcode: String,
    destination: &'static str,
    source: &'static str,
    announced: bool,
    /// For each target the index of the first version that takes the form, or -1.
    since: Vec<i32>,
}

impl Legality {
    pub fn new() -> Legality {
        let versions: Vec<IsaVersion> = IsaVersion::all().collect();
        let index = |isa: IsaVersion| versions.iter().position(|v| *v == isa).map_or(-1, |at| at as i32);
        let entry = |form: Form| FormEntry {
            opcode: form.to_string(),
            destination: form.destination().name(),
            source: form.source().name(),
            announced: form.is_announced(),
            since: Target::all().map(|target| form.since(target).map_or(-1, index)).collect(),
        };
        Legality {
            targets: Target::all().map(|target| target.to_string()).collect(),
            versions: versions.iter().map(IsaVersion::to_string).collect(),
            forms: Form::all().map(entry).collect(),
        }
    }
}
