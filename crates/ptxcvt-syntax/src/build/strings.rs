//! Targets in the strings of Python, TOML, JSON, Lua and Meson.

use std::ops::Range;

use super::context::{self, Use};
use super::replaced;
use super::targets::{Targets, is_prose, lists};
use super::tokens::{Kind, Token, VALUE, inserted, percent, tokens};
use super::vocabulary::is_other_tool;

use crate::sources::json_text;

/// The language of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Python, TOML and Meson, whose comments begin with `#`.
    Hash,
    Json,
    Lua,
}

/// Reads a file.
pub fn read(text: &str, language: Language, found: &mut Targets) {
    let mut tokens = tokens(text, language == Language::Hash);
    if language == Language::Json {
        for token in &mut tokens {
            if let Kind::String(text) = &mut token.kind {
                *text = json_text(text);
            }
        }
    }
    let (replaced, excluded) = match language {
        Language::Hash => (replaced::in_statements(&tokens), context::excluded(&tokens)),
        _ => (Vec::new(), Vec::new()),
    };
    let mut words: Vec<String> = Vec::new();
    let mut removed = Targets::default();
    let mut named_to_remove = Targets::default();
    let mut last = 0..0;
    let mut at = 0;
    while at < tokens.len() {
        let first = at;
        at += 1;
        if replaced.get(first) == Some(&true) || excluded.get(first) == Some(&true) {
            continue;
        }
        if name(&tokens[first]).is_some_and(lists) {
            if context::of_name(&tokens, first) != Use::Says {
                let before = found.targets.len();
                list(&tokens, first, found);
                let is_list = |token: &Token<'_>| name(token).is_some_and(lists);
                found.default |= found.targets.len() > before && context::is_asked(&tokens, first, is_list);
            }
            continue;
        }
        // Values other than strings are unknown.
        let is_known =
            matches!(tokens[first].kind, Kind::String(_)) || ",()[]{}..".contains(tokens[first].text);
        if !is_known && target_function(&tokens, first).is_some() && !is_compiler(&tokens, first) {
            found.open = true;
        }
        let Kind::String(text) = &tokens[first].kind else { continue };
        let (text, end) = joined(&tokens, first, text);
        at = end;
        match target_function(&tokens, first) {
            Some(GENCODES) => {
                found.gencode(&text);
                continue;
            }
            Some(_) => {
                if !is_compiler(&tokens, first) {
                    found.values(&[&text]);
                }
                continue;
            }
            None => {}
        }
        // A list of options is one command.
        let goes_on = last.end + 1 == first && tokens[last.end].text == ",";
        if !goes_on && !is_appended(&tokens, last, first) {
            options(&std::mem::take(&mut words), found);
        }
        last = first..end;
        match context::of(&tokens, first, end) {
            Use::Says => {}
            Use::Removes => {
                let words = text.split_whitespace().collect::<Vec<_>>();
                named_to_remove.options(&words);
                if context::is_unconditional(&tokens, first) {
                    removed.options(&words);
                }
            }
            Use::Unknown => found.mention(&text),
            Use::Sets => {
                for line in text.lines() {
                    match is_prose(line) {
                        true => found.open = true,
                        false => words.extend(line.split_whitespace().map(str::to_owned)),
                    }
                }
            }
        }
    }
    options(&words, found);
    // It may be removed only sometimes, or from another list.
    found.open |=
        named_to_remove.open || found.targets.iter().any(|target| named_to_remove.targets.contains(target));
    found.targets.retain(|target| !removed.targets.contains(target));
}

/// The function of xmake whose strings are targets: `sm_80`, `compute_80,sm_86`, `native`.
const GENCODES: &str = "add_cugencodes";

/// The functions of Meson's module `cuda` whose first argument is the compiler or its version, and whose others are
/// targets: `7.5`, `Ampere`, `9.0a+PTX`, `Auto`.
const MESON: [&str; 2] = ["nvcc_arch_flags", "nvcc_arch_readable"];

/// The functions whose strings are targets.
const TARGET_FUNCTIONS: [&str; 3] = [GENCODES, MESON[0], MESON[1]];

/// The functions of xmake whose first argument is the name of a setting: `target:add("cugencodes", "sm_80")`.
const SETTINGS: [&str; 2] = ["add", "set"];

/// The function of these with an argument that contains `at`, in a list or not.
fn target_function<'t>(tokens: &'t [Token<'_>], at: usize) -> Option<&'t str> {
    let at = argument(tokens, at);
    let called = tokens[at].open.filter(|open| tokens[*open].text == "(").unwrap_or(at);
    let name = tokens[called.checked_sub(1)?].text;
    let setting = tokens.get(called + 1).map(|token| &token.kind);
    let names_gencodes = matches!(setting, Some(Kind::String(name)) if name == "cugencodes");
    let is_setting = called < at && SETTINGS.contains(&name) && names_gencodes;
    match () {
        () if is_setting => (at > called + 1).then_some(GENCODES),
        () => TARGET_FUNCTIONS.contains(&name).then_some(name),
    }
}

/// The outermost list around a token, or the token itself.
fn argument(tokens: &[Token<'_>], mut at: usize) -> usize {
    while let Some(open) = tokens[at].open.filter(|open| matches!(tokens[*open].text, "[" | "{")) {
        at = open;
    }
    at
}

/// True if a token belongs to the first argument of Meson's function, which is the compiler or its version.
fn is_compiler(tokens: &[Token<'_>], at: usize) -> bool {
    let at = argument(tokens, at);
    let Some(open) = tokens[at].open.filter(|open| *open > 0 && MESON.contains(&tokens[open - 1].text))
    else {
        return false;
    };
    tokens[open..at].iter().all(|before| before.open != Some(open) || before.text != ",")
}

/// True if the string at `first` is appended to the same list as the string before it, in the next statement:
/// `f.append("-gencode")`, `f.append("arch=…")`.
fn is_appended(tokens: &[Token<'_>], before: Range<usize>, first: usize) -> bool {
    let Some(between) = tokens.get(before.end..first) else { return false };
    let call = between.iter().rev().take_while(|token| token.kind != Kind::Line).count();
    let Some(start) = before.start.checked_sub(call).filter(|_| call > 2 && call < between.len()) else {
        return false;
    };
    let texts = |range: Range<usize>| tokens[range].iter().map(|token| token.text);
    between[0].text == ")"
        && between[1..between.len() - call].iter().all(|token| token.kind == Kind::Line)
        && tokens[first - 2].text == "append"
        && texts(first - call..first).eq(texts(start..before.start))
        && (start == 0 || tokens[start - 1].kind == Kind::Line)
}

fn options(words: &[String], found: &mut Targets) {
    if words.first().is_some_and(|word| is_other_tool(word)) {
        return;
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.iter().for_each(|word| found.assignment(word));
    found.options(&words);
}

/// A word, or the text of a string.
fn name<'t>(token: &'t Token<'_>) -> Option<&'t str> {
    match &token.kind {
        Kind::Word => Some(token.text),
        Kind::String(text) => Some(text),
        _ => None,
    }
}

/// The text of a string joined with the strings after it, with [`VALUE`] for inserted values, and its end.
fn joined(tokens: &[Token<'_>], first: usize, text: &str) -> (String, usize) {
    let open = tokens[first].open;
    let mark = |at: usize| tokens.get(at).filter(|token| token.open == open).map_or("", |token| token.text);
    let (mut text, mut end) = (text.to_owned(), first + 1);
    loop {
        let plus = matches!(mark(end), "+" | "..");
        match tokens.get(end + usize::from(plus)) {
            Some(Token { kind: Kind::String(more), open: same, .. }) if *same == open => {
                text += more;
                end += 1 + usize::from(plus);
            }
            _ => break,
        }
    }
    match mark(end) {
        "+" | ".." => text += VALUE,
        "%" => text = percent(&text),
        "." if mark(end + 1) == "format" => text = inserted(&text),
        // These leave its words as they are.
        "." if !matches!(mark(end + 1), "split" | "strip" | "encode" | "lower") => text += VALUE,
        _ => {}
    }
    let before = first.checked_sub(1).map_or("", mark);
    if matches!(before, "+" | "..") && !text.starts_with(['-', ' ']) {
        text.insert_str(0, VALUE);
    }
    (text, end)
}

/// Reads the value of a list whose name is at `at`.
fn list(tokens: &[Token<'_>], at: usize, found: &mut Targets) {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let quoted = matches!(tokens[at].kind, Kind::String(_));
    // `environ["…"] = …`, `"…": …`, `get("…", …)`, `… = …`, `…: str = …`
    let mark = at + 1 + usize::from(quoted && text(at + 1) == "]");
    let mut start = mark + 1;
    let gives = matches!(text(mark), "=" | "+=" | ":=" | ":") || (quoted && text(mark) == ",");
    if !gives {
        // scikit-build-core's table `[tool.scikit-build.cmake.define.CMAKE_CUDA_ARCHITECTURES]`, or `define.…env = "X"`: the
        // environment decides.
        found.open |= !quoted && matches!(text(mark), "]" | ".") && at > 0 && text(at - 1) == ".";
        return;
    }
    // `environ.setdefault("…", …)`, `environ.get("…", …)`
    let is_default = text(mark) == "," && at > 1 && matches!(text(at - 2), "setdefault" | "get" | "getenv");
    found.default |= is_default;
    let open = tokens[mark].open;
    let ends = |at: &usize| {
        let token = &tokens[*at];
        let separates = matches!(token.text, "," | ";") || token.kind == Kind::Line;
        let closes = token.open != open && token.open.is_none_or(|open| open < start);
        closes || (token.open == open && separates)
    };
    let end = (start..tokens.len()).find(ends).unwrap_or(tokens.len());
    if !quoted && text(mark) == ":" {
        start = (start..end).find(|at| text(*at) == "=").map_or(end, |at| at + 1);
    }
    let value = &tokens[start..end];
    let strings = || {
        value.iter().filter_map(|token| match &token.kind {
            Kind::String(text) => Some(text.as_str()),
            _ => None,
        })
    };
    match value {
        [] => {}
        [none] if none.text == "None" => {}
        [Token { kind: Kind::String(first), .. }, ..] => {
            let (first, after) = joined(tokens, start, first);
            match text(after.min(end)) {
                // `a if b else c`
                "if" | "or" | "and" | "?" if after < end => found.open = true,
                _ => found.values(&[&first]),
            }
        }
        // CMake's presets: `{"type": "STRING", "value": "90a"}`
        [brace, ..] if brace.text == "{" && strings().any(|text| text == "value") => {
            found.values(&strings().skip_while(|text| *text != "value").skip(1).take(1).collect::<Vec<_>>());
        }
        [bracket, inner @ .., _] if matches!(bracket.text, "[" | "(" | "{") => {
            let plain = |token: &Token<'_>| matches!(token.kind, Kind::String(_)) || token.text == ",";
            match inner.iter().all(plain) {
                true => strings().for_each(|text| found.values(&[text])),
                false => found.open = true,
            }
        }
        _ => found.open = true,
    }
}
