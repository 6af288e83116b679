//! The tables behind the page's menus and its matrix of legality.

use std::sync::OnceLock;

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
    /// The languages that may contain PTX.
    languages: Vec<LanguageEntry>,
    /// The kinds of tokens, by which the editor chooses colours.
    kinds: [&'static str; 9],
    /// The version of the library.
    version: &'static str,
}

#[derive(Serialize)]
struct CodeEntry {
    code: &'static str,
    page: String,
}

#[derive(Serialize)]
struct LanguageEntry {
    /// The name by which `check` chooses it.
    name: &'static str,
    /// The name in menus.
    title: &'static str,
}

impl Tables {
    pub fn new() -> Tables {
        let code = |code: Code| CodeEntry { code: code.as_str(), page: code.page().join("\n") };
        let language = |language: &Language| LanguageEntry { name: language.name(), title: language.title() };
        Tables {
            targets: Target::all().map(TargetReport::new).collect(),
            versions: IsaVersion::all().map(|isa| isa.to_string()).collect(),
            formats: Format::ALL.iter().map(|format| Description::parameters(*format)).collect(),
            recipes: Recipe::all().map(|recipe| RecipeReport::new(&recipe)).collect(),
            codes: Code::all().map(code).collect(),
            languages: Language::ALL.iter().map(language).collect(),
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
    pub fn new() -> Legality {
        Legality {
            targets: Target::all().collect(),
            versions: IsaVersion::all().collect(),
            forms: forms().iter().map(FormReport::new).collect(),
        }
    }
}

/// All forms, ordered by the use of their types: the rows of the matrix.
pub fn forms() -> &'static [Form] {
    static FORMS: OnceLock<Vec<Form>> = OnceLock::new();
    FORMS.get_or_init(|| {
        let mut forms: Vec<Form> = Form::all().collect();
        forms.sort_by_key(|form| [form.source(), form.destination()].map(|ty| use_rank(ty.name())));
        forms
    })
}

#[cfg(test)]
mod tests {
    use super::forms;
    use crate::legal;

    /// `sm_101a` was renamed `sm_110a` at ISA 9.0: no form is legal there from then on.
    #[test]
    fn a_target_that_ended_has_no_legal_form() {
        let fp4 = "cvt.rn.satfinite.e2m1x2.f32".parse().expect("a form");
        let at = forms().iter().position(|form| *form == fp4).expect("in the list");
        assert_eq!([legal("sm_101a", "8.8")[at], legal("sm_101a", "")[at]], [1, 1]);
        assert!(legal("sm_101a", "9.0").iter().all(|legal| *legal == 0));
        assert!(legal("sm_101", "9.1").iter().all(|legal| *legal == 0));
        assert!(legal("sm_9999", "").is_empty());
    }
}
