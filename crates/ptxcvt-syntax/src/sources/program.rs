//! Reads the assemblies of languages that a `Syntax` describes.

use super::assembly::{Assembly, Kind};
use super::constraint::Operands;
use super::guard::Guards;
use super::reading::{Reading, Wrappers};
use super::scan::Scanner;
use super::syntax::{Reader, Style, Syntax};
use super::text::Joined;
use super::{arguments, rust, typed};
use crate::check::Words;
use crate::source::Span;

/// The programs of a source.
pub(super) fn read(syntax: &'static Syntax, text: &str, wrappers: &Wrappers) -> Reading {
    let mut reader = Reader::new(syntax, text);
    let module = (syntax.guards)(text);
    let mut left_out = 0;
    // The strings of `module asm`, and the start of the first one.
    let mut level: Option<(Joined, usize)> = None;
    while !reader.scanner.at_end() {
        if syntax.rust && reader.scanner.at >= left_out && reader.scanner.peek() == b'#' {
            left_out = rust::left_out(&reader.scanner).unwrap_or(left_out);
        }
        let guards = if reader.scanner.at < left_out { Guards::dead() } else { module.clone() };
        if reader.comment() {
            continue;
        }
        let start = reader.scanner.at;
        if let Some(joined) = reader.string() {
            // PTX that the program writes.
            let span = Span::new(start as u32, reader.scanner.at as u32);
            let operands = Operands { unknown: true, ..Operands::default() };
            let guards = if guards.is_dead() { guards } else { Guards::none() };
            let written = Assembly::new(joined, operands, guards, span, true);
            reader.reading.assemblies.push(written.of_kind(Kind::Written));
        } else if Scanner::is_word(reader.scanner.peek()) {
            let word = reader.scanner.word();
            let known = syntax.openers.iter().find(|opener| opener.word == word).map(|o| o.operands);
            // A macro of another name, such as `ptx_asm!`.
            let named = wrappers.contains(word).then_some(Style::Arguments);
            if let Some(style) = known.or(named) {
                let after = reader.scanner.at;
                let before = reader.scanner.text[..start].trim_end();
                if syntax.module.is_some_and(|word| before.ends_with(word)) {
                    reader.blanks();
                    if let Some(line) = reader.string() {
                        let (joined, _) = level.get_or_insert_with(|| (Joined::default(), start));
                        joined.append_all(&line);
                        joined.push_as("\n", Span::default());
                    }
                    continue;
                }
                match assembly(&mut reader, start, style, &guards) {
                    Some(assembly) => reader.reading.assemblies.push(assembly),
                    None => reader.scanner.at = after,
                }
            }
        } else {
            reader.character();
        }
    }
    if let Some((joined, start)) = level {
        let span = Span::new(start as u32, reader.scanner.at as u32);
        let level = Assembly::new(joined, Operands::default(), module, span, true);
        reader.reading.assemblies.push(level.of_kind(Kind::Module));
    }
    reader.reading
}

/// Reads an assembly after the word that opens it, if it is one.
fn assembly(reader: &mut Reader<'_>, start: usize, style: Style, guards: &Guards) -> Option<Assembly> {
    if style == Style::Arguments {
        let (joined, operands, complete) = arguments::read(reader)?;
        let span = Span::new(start as u32, reader.scanner.at as u32);
        return Some(Assembly::new(joined, operands, guards.clone(), span, complete));
    }
    // Attributes such as `sideeffect`, `asm_dialect = att` and `operand_attrs = [{}]`.
    loop {
        reader.blanks();
        if reader.scanner.peek() == b'[' {
            reader.scanner.skip_group();
        } else if !reader.scanner.take(b'=') && reader.scanner.word().is_empty() {
            break;
        }
    }
    let mut joined = reader.string()?;
    let mut operands = Operands::default();
    reader.blanks();
    match style {
        Style::List if reader.scanner.take(b',') => list(reader, &mut joined, &mut operands),
        Style::Attribute => {
            // Other attributes may come first.
            let rest = &reader.scanner.text[reader.scanner.at..];
            let others = &rest[..rest.find(['\n', '\r', '}']).unwrap_or(rest.len())];
            match others.find("constraints") {
                Some(n) => {
                    reader.scanner.at += n + "constraints".len();
                    reader.blanks();
                    reader.scanner.take(b'=');
                    list(reader, &mut joined, &mut operands);
                }
                // Or they come before.
                None => {
                    let (text, after) = (reader.scanner.text, reader.scanner.at);
                    let begin = text[..start].rfind(['\n', '\r', '{']).map_or(0, |n| n + 1);
                    match text[begin..start].find("constraints") {
                        Some(n) => {
                            reader.scanner.at = begin + n + "constraints".len();
                            reader.blanks();
                            reader.scanner.take(b'=');
                            list(reader, &mut joined, &mut operands);
                            reader.scanner.at = after;
                        }
                        None => operands.unknown = true,
                    }
                }
            }
        }
        Style::Types => typed::read(&mut reader.scanner, &mut joined, &mut operands),
        Style::Names => (operands.words, operands.unknown) = (Words::Mlir, true),
        _ => operands.unknown = true,
    }
    let span = Span::new(start as u32, reader.scanner.at as u32);
    Some(Assembly::new(joined, operands, guards.clone(), span, true).llvm())
}

/// Reads a string of constraints.
fn list(reader: &mut Reader<'_>, joined: &mut Joined, operands: &mut Operands) {
    reader.blanks();
    if reader.scanner.peek() != b'"' {
        operands.unknown = true;
        return;
    }
    let from = reader.scanner.at + 1;
    let end = reader.scanner.skip_string(b'"');
    operands.push_list(&reader.scanner.text[from..end], from, joined);
}
