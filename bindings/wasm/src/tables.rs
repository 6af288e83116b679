//! The tables behind the page's menus and its matrix of legality.

use std::sync::OnceLock;

use ptxcvt::forms::use_rank;
use ptxcvt::{Form, Format, IsaVersion, Modifier, Rounding, Target, Type};
use ptxcvt_blocks::Recipe;
use ptxcvt_report::data::TargetReport;
use ptxcvt_report::format::Description;
use ptxcvt_report::forms::{Filter, FormReport};
use ptxcvt_report::recipes::RecipeReport;
use ptxcvt_report::search::Words;
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
        ptxcvt::order_by(&mut forms, |form| {
            let [source, destination] =
                [form.source(), form.destination()].map(|ty| use_rank(ty.name()) as u64);
            source << 32 | destination
        });
        forms
    })
}

/// The filter of the page's fields, each of which may be empty; `None` if a name is unknown.
pub fn filter(words: &str, to: &str, from: &str, part: &str) -> Option<Filter> {
    let ty = |name: &str| match name {
        "" => Some(None),
        _ => Type::from_name(name).map(Some),
    };
    let mut filter = Filter { dst: ty(to)?, src: ty(from)?, words: Words::new(words), ..Filter::default() };
    if let Some(rounding) = Rounding::from_name(part) {
        filter.rounding = Some(Some(rounding));
    } else if !part.is_empty() {
        filter.with = vec![Modifier::from_name(part)?];
    }
    Some(filter)
}

#[cfg(test)]
mod tests {
    use super::forms;
    use crate::{digits, legal, matching};

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

    #[test]
    fn filters_are_conjunctions_and_unknown_names_match_nothing() {
        let opcodes = |words, to, from, part| -> Vec<String> {
            let found = matching(words, to, from, part);
            let found = forms().iter().zip(found).filter(|(_, matches)| *matches == 1);
            found.map(|(form, _)| form.to_string()).collect()
        };
        assert_eq!(opcodes("", "", "", "").len(), forms().len());
        let found = ["cvt.rn.satfinite.e4m3x2.f32"];
        assert_eq!(opcodes("-relu -pzo -scaled::n1::ue8m0 rn", "e4m3x2", "f32", "satfinite"), found);
        assert_eq!(opcodes("satf -relu -pzo -scaled::n1::ue8m0", "e4m3x2", "f32", "rn"), found);
        let unknown = [("e4m3x9", "", ""), ("", "e4m3x9", ""), ("", "", "cvt")];
        assert!(unknown.into_iter().all(|(to, from, part)| opcodes("", to, from, part).is_empty()));
    }

    #[test]
    fn digits_get_a_prefix_unless_they_are_a_literal() {
        let of = |text: &str| digits("cvt.rn.satfinite.e4m3x2.f32", 1, text);
        let texts = ["3f80", "2e3", "0f3F800000", "0f3F80000", "1.5", "0x3f80", "", "1,2"];
        let read = ["0x3f80", "0x2e3", "0f3F800000", "0x0f3F80000", "1.5", "0x3f80", "", "1,2"];
        assert_eq!(texts.map(of), read);
        assert_eq!(digits("cvt.rn.f16.s32", 0, "0f3F800000"), "0x0f3F800000");
        assert_eq!([digits("cvt.rn.f16.s32", 9, "1"), digits("none", 0, "1")], ["1", "1"]);
    }
}
