//! The search: a list of all pages, and the script that looks through it. It needs no server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use ptxcvt::forms::Part;
use ptxcvt::{Form, Format, Spelling, Type};

use crate::page::{EXPLORER, File, Page, Section};

const SCRIPT: &str = include_str!("search.js");

/// The script with the list of pages and sections: title, path, kind, and further search words, then an index of the
/// words of their text. The meanings of opcode parts are a separate list.
pub fn script(pages: &[Page], sections: &[Section], has_explorer: bool) -> File {
    let mut contents = String::from("const PARTS = {\n");
    for (part, meaning) in parts() {
        writeln!(contents, "{}:{},", quoted(&part), quoted(&meaning))
            .expect("writing to a string cannot fail");
    }
    contents += "};\nconst NAMES = {\n";
    for (name, names) in names() {
        writeln!(contents, "{}:{},", quoted(&name), quoted(&names)).expect("writing to a string cannot fail");
    }
    contents += "};\nconst PAGES = [\n";
    let mut index: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut listed = 0;
    let mut list = |cells: [&str; 4], html: &str| {
        writeln!(contents, "[{}],", cells.map(quoted).join(",")).expect("writing to a string cannot fail");
        words(html).into_iter().for_each(|word| index.entry(word).or_default().push(listed));
        listed += 1;
    };
    for page in pages {
        // A form's opcode says everything that its sentence says.
        let about = if page.kind == "form" { "" } else { &page.about };
        let about = format!("{about} {}", page.words);
        let text = page.body.at_depth(0);
        // What follows the first heading of a guide is the text of its sections.
        let text = if page.kind == "guide" { text.split(" id=\"").next().unwrap_or_default() } else { &text };
        list([&page.title, &page.path, page.kind, about.trim()], &format!("{} {text}", text_of(&page.about)));
    }
    for section in sections {
        list(
            [&section.title, &section.path, &format!("in {}", section.guide), section.words.trim()],
            &section.html,
        );
    }
    if has_explorer {
        let about = "convert your own numbers: bits, rounding, legality, formats, blocks, check and run PTX";
        list(["Explorer", EXPLORER, "interactive page", about], "");
    }
    let index: Vec<String> =
        index.iter().map(|(word, places)| format!("{word} {}", ranges(places))).collect();
    write!(contents, "];\nconst WORDS = {};\n", quoted(&index.join(" ")))
        .expect("writing to a string cannot fail");
    File { path: "search.js".to_owned(), contents: contents + SCRIPT }
}

fn text_of(text: &str) -> String {
    crate::html::text(text).at_depth(0)
}

/// Elements within a word; all others end it.
const INLINE: [&str; 7] = ["a", "b", "code", "em", "span", "strong", "sub"];

/// The words of elements, in lower case and each once, as the script takes words of a question: without punctuation around
/// them. What a picture repeats of its page is left out.
fn words(html: &str) -> BTreeSet<String> {
    let mut text = String::new();
    let mut pictures = 0;
    for (at, piece) in html.split('<').enumerate() {
        let (tag, after) = if at == 0 { ("", piece) } else { piece.split_once('>').unwrap_or((piece, "")) };
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        match tag.strip_prefix('/') {
            None if name == "svg" => pictures += 1,
            Some(_) if name == "svg" => pictures -= 1,
            _ => {}
        }
        if !INLINE.contains(&name) {
            text.push(' ');
        }
        if pictures == 0 {
            text += after;
        }
    }
    let text = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
        .into_iter()
        .fold(text, |text, (escaped, plain)| text.replace(escaped, plain));
    let words = text.to_lowercase();
    // As the script does it.
    let words = words.replace("->", " ");
    let words = words.split(|c: char| c.is_whitespace() || ",;()'\"`→".contains(c));
    words
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Ascending numbers as `GAP` or `GAP-MORE`, in base 36 and separated by commas: how many are left out, then how many more
/// follow one another.
fn ranges(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let mut next = 0;
    let ranges = ranges.into_iter().map(|(first, last)| {
        let gap = base_36(first - std::mem::replace(&mut next, last + 1));
        if first == last { gap } else { format!("{gap}-{}", base_36(last - first)) }
    });
    ranges.collect::<Vec<_>>().join(",")
}

fn base_36(mut number: usize) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]);
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.into_iter().rev().map(char::from).collect()
}

/// The meaning of roundings, modifiers and types.
fn parts() -> BTreeMap<String, String> {
    let mut parts = BTreeMap::new();
    for form in Form::all() {
        let opcode = form.to_string();
        for (part, _) in Spelling::new(&opcode).parts() {
            let (Some(name), Some(mut meaning)) = (part.name(), ptxcvt_syntax::meaning(part)) else {
                continue;
            };
            if let Part::Type(ty) = part {
                meaning = format!("{meaning} {}", ty.format().parameters().about);
            }
            parts.insert(name.to_owned(), meaning);
        }
    }
    parts
}

/// The names of the format of each type, and of each format, as libraries write them.
fn names() -> BTreeMap<String, String> {
    let types = Type::ALL.iter().map(|ty| (ty.name(), ty.format()));
    let formats = Format::ALL.iter().map(|format| (format.name(), *format));
    let names = |format: Format| [&[format.name()], format.parameters().aliases].concat().join(" ");
    types.chain(formats).map(|(name, format)| (name.to_owned(), names(format))).collect()
}

/// A string of JavaScript.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out + "\""
}

#[test]
fn words_are_those_that_a_reader_sees() {
    let html = "<p>Rounds <code>e4m3</code>x2 &amp; <b>ties</b>, \"up\" (-448).</p><svg><text>drawn</text></svg><td>1</td><td>2</td>";
    let words: Vec<String> = words(html).into_iter().collect();
    assert_eq!(words, ["1", "2", "448", "e4m3x2", "rounds", "ties", "up"]);
}

#[test]
fn numbers_of_pages_are_ranges() {
    assert_eq!(ranges(&[0, 1, 2, 5, 50, 51]), "0-2,2,18-1");
    assert_eq!(ranges(&[3]), "3");
}
