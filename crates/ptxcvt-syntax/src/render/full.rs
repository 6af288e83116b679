//! `full`: the message, the source with the place marked, and help, in the layout of rustc.

use std::borrow::Cow;
use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use ptxcvt::floor_char_boundary;

use crate::diagnostic::{Diagnostic, Severity};
use crate::site;
use crate::source::{Source, Span};

/// The longest line that is shown in full; longer ones are cut around the place.
const LONG: usize = 400;

/// Writes a finding, with the number of equal ones (`more`).
pub(super) fn write(
    out: &mut dyn Write,
    source: &Source<'_>,
    d: &Diagnostic,
    more: usize,
    color: bool,
) -> io::Result<()> {
    let level = match d.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let place = excerpt(source, d.span());
    let mut snippet = Snippet::source(place.text.clone())
        .path(source.name())
        .line_start(place.line)
        .annotation(AnnotationKind::Primary.span(place.mark.clone()));
    let mut elsewhere = None;
    if let Some((span, label)) = d.related() {
        let related = excerpt(source, span);
        if related.line == place.line && related.text == place.text {
            snippet = snippet.annotation(AnnotationKind::Context.span(related.mark).label(label));
        } else {
            let mark = AnnotationKind::Context.span(related.mark.clone()).label(label);
            elsewhere = Some(
                Snippet::source(related.text).path(source.name()).line_start(related.line).annotation(mark),
            );
        }
    }
    let mut title = level.primary_title(d.message()).id(d.code().as_str());
    // Terminals that show colours show a code with a link, too.
    if let Some(address) = site::address(&site::code_path(d.code())).filter(|_| color) {
        title = title.id_url(address);
    }
    let mut group = title.element(snippet);
    if let Some(elsewhere) = elsewhere {
        group = group.element(elsewhere);
    }
    if let Some(help) = d.help() {
        group = group.element(Level::HELP.message(help));
    }
    if more > 0 {
        group = group.element(Level::NOTE.message(format!("there are {more} more of these in the file")));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.render(&[group]);
    let related = d.related().map(|(span, _)| span);
    for span in [Some(d.span()), related].into_iter().flatten() {
        text = right_column(text, source, span);
    }
    writeln!(out, "{text}\n")
}

/// Replaces the column, which the renderer counts in the excerpt, by the column in the source.
fn right_column(rendered: String, source: &Source<'_>, span: Span) -> String {
    let (at, excerpt) = (source.position(span.start), excerpt(source, span));
    let counted = excerpt.text[..excerpt.mark.start].chars().count() + 1;
    // The place can be on a later line of the excerpt only if the excerpt is not cut.
    if counted == at.column || excerpt.text[..excerpt.mark.start].contains('\n') {
        return rendered;
    }
    let place = |column: usize| format!("{}:{}:{column}", source.name(), at.line);
    rendered.replacen(&place(counted), &place(at.column), 1)
}

/// Some lines of a source, with a marked place.
struct Excerpt {
    text: String,
    line: usize,
    mark: std::ops::Range<usize>,
}

/// The lines of a place, cut around it if they are very long.
fn excerpt(source: &Source<'_>, span: Span) -> Excerpt {
    let (text, begin, line) = source.lines_around(span);
    let start = ((span.start - begin) as usize).min(text.len());
    let end = ((span.end - begin) as usize).clamp(start, text.len());
    if text.len() <= LONG {
        return Excerpt { text: visible(text).into_owned(), line, mark: start..end };
    }
    let from = floor_char_boundary(text, start.saturating_sub(LONG / 4));
    let to = floor_char_boundary(text, from + LONG);
    let mark = start - from..end.min(to).max(start) - from;
    Excerpt { text: visible(&text[from..to]).into_owned(), line, mark }
}

/// Replaces control characters, which would move the terminal's cursor, by spaces.
fn visible(text: &str) -> Cow<'_, str> {
    let control = |c: char| c.is_ascii_control() && !matches!(c, '\t' | '\n');
    if text.contains(control) { text.replace(control, " ").into() } else { text.into() }
}
