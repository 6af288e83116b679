//! The pages of number formats.

use ptxcvt::{Form, Format, Value};
use ptxcvt_report::format::{Description, shown};

use crate::html::{Html, all, code, drawn, figure, joined, link, list, section, table, text, with};
use crate::page::Page;
use crate::path::{format_path, pair_path};

/// A page for each format.
pub fn pages() -> impl Iterator<Item = Page> {
    Format::ALL.iter().copied().map(page)
}

fn page(format: Format) -> Page {
    let about = Description::new(format);
    let number = |number: Option<u32>| number.map_or(text("none"), text);
    let facts = [
        ("bits", text(about.bits)),
        ("bits in a register", text(about.storage)),
        ("signed", text(if about.signed { "yes" } else { "no" })),
        ("exponent bits", number(about.exponent_bits)),
        ("fraction bits", number(about.fraction_bits)),
        ("bias", about.bias.map_or(text("none"), text)),
        ("largest finite number", value(about.max_finite)),
        ("smallest positive number", value(about.min_positive)),
        ("infinity", code_of(format, format.infinity())),
        ("NaN", code_of(format, format.nan())),
        ("types", joined(" ", about.types.iter().map(code))),
    ];
    let line = (about.bits <= 8).then(|| figure(drawn(ptxcvt_picture::format_line_svg(format))));
    let body = all([
        line.unwrap_or_default(),
        table("Parameters", &["parameter", "value"], facts.map(|(name, value)| vec![text(name), value])),
        section("Conversions", pairs(format)),
        if about.codes.is_empty() { Html::default() } else { section("Every code", codes(&about)) },
    ]);
    Page {
        path: format_path(format),
        title: format.to_string(),
        kind: "format",
        words: words(&about),
        about: format!("{}.", about.about),
        body,
    }
}

/// A number as the explorer shows it, on one line.
fn value(value: Value) -> Html {
    with("span", "class", "value", text(shown(value)))
}

/// The code of a special value, as the destination of a conversion has it.
fn code_of(format: Format, special: Option<u64>) -> Html {
    special.map_or(text("none"), |code| text(ptxcvt::literal::hex(code, format.storage())))
}

/// What people ask about a format, and its names elsewhere.
fn words(about: &Description) -> String {
    let names = about.format.parameters().aliases.join(" ");
    let types: Vec<&str> = about.types.iter().map(|ty| ty.name()).collect();
    format!(
        "format number numbers value values code codes {names} {} {} bits bias exponent fraction largest maximum max {} smallest minimum min {} NaN infinity inf range",
        types.join(" "),
        about.bits,
        about.max_finite,
        about.min_positive
    )
}

/// The pairs of types with this format.
fn pairs(format: Format) -> Html {
    let has = |form: &Form| [form.destination(), form.source()].map(|ty| ty.format()).contains(&format);
    let mut pairs: Vec<_> = Form::all().filter(has).map(|form| (form.source(), form.destination())).collect();
    pairs.sort();
    pairs.dedup();
    list(pairs.into_iter().map(|(source, destination)| {
        link(pair_path(destination, source), text(format_args!("{source} to {destination}")))
    }))
}

/// Every code, in rows of eight.
fn codes(about: &Description) -> Html {
    let rows = about.codes.chunks(8).map(|row| {
        let values = row.iter().map(|one| value(one.value));
        [code(row[0].code)].into_iter().chain(values).collect()
    });
    table(
        "The values of all codes; a row begins with its first code",
        &["code", "+0", "+1", "+2", "+3", "+4", "+5", "+6", "+7"],
        rows,
    )
}
