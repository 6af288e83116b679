//! The pages of pairs of types: the forms between them, or that there is none and what to do instead.

use std::collections::BTreeMap;

use ptxcvt::{Form, Format, IsaVersion, Target, Type, counted};

use crate::html::{Html, all, code, link, list, section, table, tag, text};
use crate::page::Page;
use crate::path::{form_link, format_path, pair_path, target_path, version_path};

/// The forms of each pair, by destination and source.
pub type Pairs = BTreeMap<(Type, Type), Vec<Form>>;

/// The kind of these pages.
pub const KIND: &str = "pair of types";

/// All pairs of types that have a form.
pub fn pairs() -> Pairs {
    let mut pairs = Pairs::new();
    for form in Form::all() {
        pairs.entry((form.destination(), form.source())).or_default().push(form);
    }
    pairs
}

/// A page for each pair of types with a form, and for each pair of formats without.
pub fn pages(pairs: &Pairs) -> Vec<Page> {
    let formats = Format::ALL.iter().flat_map(|source| Format::ALL.iter().map(|other| (*other, *source)));
    let is_missing = |(destination, source): &(Format, Format)| {
        !pairs.keys().any(|(d, s)| (d.format(), s.format()) == (*destination, *source))
    };
    let missing = formats.filter(is_missing).map(|(destination, source)| missing(destination, source, pairs));
    let present = pairs.iter().map(|((destination, source), forms)| pair(*destination, *source, forms));
    present.chain(missing).collect()
}

fn pair(destination: Type, source: Type, forms: &[Form]) -> Page {
    let rows = forms.iter().map(|form| vec![form_link(form), first(form)]);
    Page {
        path: pair_path(destination, source),
        title: format!("{source} to {destination}"),
        kind: KIND,
        words: String::new(),
        about: format!("{} of cvt convert {source} to {destination}.", counted(forms.len(), "form")),
        body: table(
            "The forms, with the lowest target and its version, and another target that had it before",
            &["form", "from"],
            rows,
        ),
    }
}

/// Says that no form converts one format to another, and which forms there are.
fn missing(destination: Format, source: Format, pairs: &Pairs) -> Page {
    let answer = Form::between(source, destination).form().expect_err("no form has these formats");
    let advice = answer.help().map(|help| tag("p", format!("Advice: {help}.")));
    let near = |has: &dyn Fn(Type, Type) -> bool| {
        let near = pairs.keys().filter(|(d, s)| has(*d, *s));
        let near: Vec<Html> =
            near.map(|(d, s)| link(pair_path(*d, *s), text(format_args!("{s} to {d}")))).collect();
        if near.is_empty() { tag("p", "None.") } else { list(near) }
    };
    let types: Vec<&str> = Type::ALL
        .iter()
        .filter(|ty| [source, destination].contains(&ty.format()))
        .map(|ty| ty.name())
        .collect();
    Page {
        path: format!("pairs/{source}-to-{destination}-none.html"),
        title: format!("{source} to {destination}"),
        kind: KIND,
        words: types.join(" "),
        about: format!("No form of cvt converts {source} to {destination}."),
        body: all([
            tag("p", format!("{}.", answer.to_string().replacen("there", "There", 1).replace('`', ""))),
            advice.unwrap_or_default(),
            tag(
                "p",
                all([
                    text("The formats: "),
                    link(format_path(source), code(source)),
                    text(", "),
                    link(format_path(destination), code(destination)),
                    text("."),
                ]),
            ),
            section("The other direction", near(&|d, s| (d.format(), s.format()) == (source, destination))),
            section(&format!("From {source}"), near(&|_, s| s.format() == source)),
            section(&format!("To {destination}"), near(&|d, _| d.format() == destination)),
        ]),
    }
}

/// The lowest target that accepts a form and its version, and where an older version has the form on another target.
pub fn first(form: &Form) -> Html {
    let Some(((target, since), (isa, other))) = lowest(form).zip(form.first()) else {
        return text("announced");
    };
    let at = |target, isa| {
        all([
            link(target_path(target), code(target)),
            text(", "),
            link(version_path(isa), text(format_args!("ISA {isa}"))),
        ])
    };
    if since == isa {
        return at(target, since);
    }
    all([at(target, since), text(" ("), at(other, isa), text(")")])
}

/// The lowest target that accepts a form, and its first version.
pub fn lowest(form: &Form) -> Option<(Target, IsaVersion)> {
    Target::all().find_map(|target| Some((target, form.since(target)?)))
}
