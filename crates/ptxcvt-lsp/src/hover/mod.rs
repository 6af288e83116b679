//! Hovers. A conversion: its operands, its modifiers and where it is legal. A constant: its value. A register: its
//! declaration. A placeholder of inline assembly: its constraint.

mod constant;
mod name;

use std::fmt::Write as _;

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use ptxcvt::targets::Machine;
use ptxcvt::{Form, Spelling, Target};
use ptxcvt_report::place;
use ptxcvt_syntax::parse::{Tree, is_module};
use ptxcvt_syntax::{About, Span, site};

use crate::document::{Document, Here};
use crate::opcode;

/// The hover at a byte of a file.
pub fn hover(document: &Document, byte: usize) -> Option<Hover> {
    document.here(byte, |here| at(document, here))
}

fn at(document: &Document, here: &Here<'_>) -> Option<Hover> {
    let Some(span) = opcode::around(here.text, here.at) else { return in_operands(document, here) };
    let spelling = Spelling::new(&here.text[span.range()]);
    let value = match spelling.form() {
        Some(form) => legal(form, here, span),
        None => wrong(&spelling, here.machine),
    };
    Some(over(document, here, span, value))
}

/// The hover outside opcodes.
fn in_operands(document: &Document, here: &Here<'_>) -> Option<Hover> {
    let tree = if is_module(here.text) { Tree::of_module(here.text) } else { Tree::of_snippet(here.text) };
    let found = constant::at(&tree, here)
        .or_else(|| name::placeholder(&tree, here))
        .or_else(|| name::register(&tree, document, here));
    found.map(|(span, value)| over(document, here, span, value))
}

/// A hover over a part of the PTX.
fn over(document: &Document, here: &Here<'_>, span: Span, value: String) -> Hover {
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Hover { contents, range: here.outside(span).map(|span| document.range(span)) }
}

/// The hover of a legal form: statement, modifiers, operands, targets.
fn legal(form: Form, here: &Here<'_>, span: Span) -> String {
    let machine = here.machine;
    let about = About::new(form);
    let mut text = format!("```ptx\n{}\n```\n", about.statement);
    let mut described = Vec::new();
    for (part, words) in ptxcvt_syntax::meanings(&form) {
        if !described.contains(&part) {
            let name = part.name().expect("a form has no unknown part");
            let _ = writeln!(text, "- `.{name}` {words}");
            described.push(part);
        }
    }
    text.push_str("\n**Operands**\n");
    for (name, what) in &about.operands {
        // The words of some operands include the name: "the source `a` …".
        let _ = match what.contains(&format!("`{name}`")) {
            true => writeln!(text, "- {what}"),
            false => writeln!(text, "- `{name}`, {what}"),
        };
    }
    halves(&mut text, &form);
    constant::of_form(&mut text, &form, &here.text[span.start as usize..]);
    text.push_str("\n**Legal**");
    if !machine.is_any() {
        let verdict = if machine.takes(&form) { "here" } else { "not here" };
        let _ = write!(text, " {verdict} ({machine})");
    }
    text.push('\n');
    if let Some(everywhere) = place::everywhere(&form) {
        let _ = writeln!(text, "- {everywhere}");
    } else {
        for (version, targets) in &about.since {
            let targets: Vec<String> = targets.iter().map(Target::to_string).collect();
            let _ = writeln!(text, "- from ISA {version}: {}", targets.join(", "));
        }
    }
    if form.is_announced() {
        text.push_str("\nAnnounced: in the manual, but no assembler accepts it yet.\n");
    }
    if let Some(address) = site::address(&site::form_path(&form)) {
        let _ = write!(text, "\n[more about this form]({address})\n");
    }
    text
}

/// Which operand becomes which part of a packed result, and the range of the result's format.
fn halves(text: &mut String, form: &Form) {
    let lanes = form.lanes() as usize;
    if lanes > 1 {
        let part = |lane: usize| {
            let (part, operand) = form.element_names(lane);
            format!("{part} ← {operand}")
        };
        let filling = form.filling().map(|(part, operand)| format!("{part} ← {operand}"));
        let parts: Vec<String> = filling.into_iter().chain((0..lanes).map(part)).collect();
        let _ = writeln!(text, "- in the result: {}", parts.join(", "));
    }
    let format = form.destination().format();
    let value = |code: u64| format.decode(code);
    let _ = write!(
        text,
        "- `{}`: {} to {}",
        format.name(),
        value(format.min_finite()),
        value(format.max_finite())
    );
    if !format.is_integer() {
        let _ = write!(text, ", smallest above zero {}", value(format.min_positive()));
    }
    text.push('\n');
}

/// The hover of an illegal opcode: what is wrong, and the nearest legal form.
fn wrong(spelling: &Spelling<'_>, machine: Machine) -> String {
    let mut text = format!("`{}` is not a form of `cvt`.\n\n", spelling.text());
    for problem in spelling.problems(machine) {
        let _ = writeln!(text, "- {}: {}", problem.code(), problem.message());
    }
    if let Some(help) = spelling.help(machine) {
        let _ = writeln!(text, "\n{}", help.text());
    }
    text
}
