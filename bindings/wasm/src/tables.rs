//! The tables behind the page's menus and its matrix of legality.

use ptxcvt::forms::use_rank;
use ptxcvt::{Form, Format, IsaVersion, Target};
use ptxcvt_blocks::Recipe;
use ptxcvt_report::data::TargetReport;
use ptxcvt_report::format::Description;
use ptxcvt_report::forms::FormReport;
use ptxcvt_report::recipes::RecipeReport;
use ptxcvt_syntax::Code;
use ptxcvt_syntax::sources::Language;
use serde::Serialize;

/// The tables, as names.
#[derive(Serialize)]
pub struct Tables {
    targets: Vec<TargetReport>,
    versions: Vec<String>,
    formats: Vec<Description>,
    recipes: Vec<RecipeReport>,
    codes: Vec<CodeEntry>,
    /// The names of languages that may contain PTX.
    languages: Vec<&'static str>,
    /// The kinds of tokens, by which the editor chooses colours.
    kinds: [&'static str; 6],
    /// The version of the library.
    version: &'static str,
}

#[derive(Serialize)]
struct CodeEntry {
    code: &'static str,
    page: String,
}

impl Tables {
    pub fn new() -> Tables {
        let code = |code: Code| CodeEntry { code: code.as_str(), page: code.page().join("\n") };
        Tables {
            targets: Target::all().map(TargetReport::new).collect(),
            versions: IsaVersion::all().map(|isa| isa.to_string()).collect(),
            formats: Format::ALL.iter().map(|format| Description::parameters(*format)).collect(),
            recipes: Recipe::all().map(|recipe| RecipeReport::new(&recipe)).collect(),
            codes: Code::all().map(code).collect(),
            languages: Language::ALL.iter().map(|language| language.name()).collect(),
            kinds: crate::tokens::KINDS,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The matrix of forms and targets.
#[derive(Serialize)]
pub struct Legality {
    targets: Vec<Target>,
    versions: Vec<IsaVersion>,
    forms: Vec<FormReport>,
}

impl Legality {
    /// The forms are ordered by the use of their types.
    pub fn new() -> Legality {
        let rank = |form: &Form| [form.source(), form.destination()].map(|ty| use_rank(ty.name()));
        let mut forms: Vec<Form> = Form::all().collect();
        forms.sort_by_key(rank);
        Legality {
            targets: Target::all().collect(),
            versions: IsaVersion::all().collect(),
            forms: forms.iter().map(FormReport::new).collect(),
        }
    }
}
