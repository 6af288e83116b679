//! The hover of a conversion: its operands, its modifiers and where it is legal.

use std::fmt::Write as _;

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use ptxcvt::targets::Machine;
use ptxcvt::{Form, Spelling, Target};
use ptxcvt_syntax::About;

use crate::document::{Document, Here};
use crate::opcode;

/// The hover at a byte of a file.
pub fn hover(document: &Document, byte: usize) -> Option<Hover> {
    document.here(byte, |here| at(document, here))
}

fn at(document: &Document, here: &Here<'_>) -> Option<Hover> {
    let span = opcode::around(here.text, here.at)?;
    let spelling = Spelling::new(&here.text[span.range()]);
    let value = match spelling.form() {
        Some(form) => legal(form, &spelling, here.machine),
        None => wrong(&spelling, here.machine),
    };
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: here.outside(span).map(|span| document.range(span)) })
}

/// The hover of a legal form: statement, modifiers, operands, targets.
fn legal(form: Form, spelling: &Spelling<'_>, machine: Machine) -> String {
    let about = About::new(form);
    let mut text = format!("```ptx\n{}\n```\n", about.statement);
    let mut said = Vec::new();
    for (part, _) in spelling.parts() {
        if let Some(words) = ptxcvt_syntax::meaning(part).filter(|_| !said.contains(&part)) {
            let _ = writeln!(text, "- `.{}` {words}", part.name());
            said.push(part);
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
    text.push_str("\n**Legal**");
    if !machine.is_any() {
        let verdict = if machine.takes(&form) { "here" } else { "not here" };
        let _ = write!(text, " {verdict} ({machine})");
    }
    text.push('\n');
    if about.since.values().map(Vec::len).sum::<usize>() == Target::all().len() {
        text.push_str("- every target, from its first ISA version on\n");
    } else {
        for (version, targets) in &about.since {
            let targets: Vec<String> = targets.iter().map(Target::to_string).collect();
            let _ = writeln!(text, "- from ISA {version}: {}", targets.join(", "));
        }
    }
    if form.is_announced() {
        text.push_str("\nAnnounced: in the manual, but no assembler accepts it yet.\n");
    }
    text
}

/// The hover of an illegal opcode: what is wrong, and the nearest legal form.
fn wrong(spelling: &Spelling<'_>, machine: Machine) -> String {
    let mut text = format!("`{}` is not a form of `cvt`.\n\n", spelling.text());
    let mut help: Vec<String> = Vec::new();
    for problem in spelling.problems(machine) {
        let _ = writeln!(text, "- {}: {}", problem.code(), problem.message());
        help.extend(problem.help().map(str::to_owned).filter(|line| !help.contains(line)));
    }
    for line in help {
        let _ = writeln!(text, "\n{line}");
    }
    text
}
