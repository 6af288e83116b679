//! The first page: what the site is, examples, and lists of everything.

use std::collections::BTreeMap;

use ptxcvt::{Format, IsaVersion, Target, Type, counted};

use crate::html::{Html, all, code, joined, link, list, section, table, tag, text};
use crate::page::Page;
use crate::path::{form_link, format_path, pair_path, target_path, version_path};

/// Forms that people ask about most.
const EXAMPLES: [(&str, &str); 6] = [
    ("cvt.rn.satfinite.e4m3x2.f32", "f32 to FP8, two at a time"),
    ("cvt.rn.f16x2.e4m3x2", "FP8 to f16"),
    ("cvt.rn.satfinite.e2m1x2.f32", "f32 to FP4"),
    ("cvt.rs.satfinite.e4m3x4.f32", "stochastic rounding"),
    ("cvt.rp.satfinite.ue8m0x2.f32", "block scales"),
    ("cvt.rn.bf16x2.f32", "f32 to bf16"),
];

/// The page, with lists of the other pages.
pub fn page(pages: &[Page]) -> Page {
    let of_kind = |kind: &str| {
        let pages = pages.iter().filter(move |page| page.kind == kind);
        pages.map(|page| (page.path.clone(), page.title.clone(), page.about.clone())).collect::<Vec<_>>()
    };
    let named = |kind: &str| {
        list(
            of_kind(kind)
                .into_iter()
                .map(|(path, title, about)| all([link(path, code(title)), text(" "), text(about)])),
        )
    };
    let examples = EXAMPLES.map(|(opcode, about)| {
        let form = opcode.parse().unwrap_or_else(|error| panic!("{opcode}: {error}"));
        all([form_link(&form), text(" "), text(about)])
    });
    let mut pairs: BTreeMap<Type, Vec<Type>> = BTreeMap::new();
    for form in ptxcvt::Form::all() {
        let sources = pairs.entry(form.destination()).or_default();
        if !sources.contains(&form.source()) {
            sources.push(form.source());
        }
    }
    // Floats first; the sort is stable.
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_by_key(|(destination, _)| destination.format().is_integer());
    let rows = pairs.into_iter().map(|(destination, sources)| {
        let sources = sources.into_iter().map(|source| link(pair_path(destination, source), code(source)));
        vec![code(destination), joined(" ", sources)]
    });
    let formats = Format::ALL.iter().map(|format| link(format_path(*format), code(format)));
    let targets = Target::all().map(|target| link(target_path(target), code(target)));
    let versions = IsaVersion::all().map(|isa| link(version_path(isa), text(isa)));
    let guides = of_kind("guide").into_iter().map(|(path, title, _)| link(path, title));
    let body: [Html; 9] = [
        tag(
            "p",
            text(
                "The PTX instructions cvt and cvt.pack convert numbers on NVIDIA GPUs. These pages say which form is legal on \
             which GPU, and exactly which bits it returns.",
            ),
        ),
        list(examples),
        section("Forms", table("Forms by the types that they convert", &["to", "from"], rows)),
        section("Formats", tag("p", joined(" ", formats))),
        section("Targets", tag("p", joined(" ", targets))),
        section("ISA versions", tag("p", joined(" ", versions))),
        section("Recipes", named("recipe")),
        section("Error codes", named("error code")),
        section("Guides", list(guides)),
    ];
    let forms = pages.iter().filter(|page| page.kind == "form").count();
    Page {
        path: "index.html".to_owned(),
        title: "Number conversion in PTX".to_owned(),
        kind: "start",
        words: String::new(),
        about: format!("{} of cvt and cvt.pack, bit for bit.", counted(forms, "legal form")),
        body: all(body),
    }
}
