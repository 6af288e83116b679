//! Targets in the strings of Python, TOML, JSON, Lua and Meson: a value ends with its quote.

use super::text::{Text, lists};

/// A string, and the code before and after it.
struct Part<'t> {
    before: &'t str,
    text: &'t str,
    after: &'t str,
    /// Its closing quote, and what follows that.
    rest: &'t str,
}

/// Beginnings of lines that print, or report an error.
const ASKS: [&str; 7] = ["assert ", "error(", "log", "message(", "print(", "raise ", "warning"];

/// Reads a file without comments.
pub fn read(text: &str, found: &mut Text) {
    let prints = |line: &&str| !ASKS.iter().any(|word| line.trim_start().starts_with(word));
    let text = text.lines().filter(prints).collect::<Vec<_>>().join("\n");
    let parts = parts(&text);
    // `TORCH_CUDA_ARCH_LIST = archs`, and `environ['TORCH_CUDA_ARCH_LIST'] = archs`
    let code =
        parts.iter().map(|part| part.before).chain([parts.last().map_or(&text[..], |part| part.after)]);
    for code in code {
        let start = code.as_ptr() as usize - text.as_ptr() as usize;
        names(code).for_each(|end| value(&text[start + end..], found));
    }
    parts.iter().filter(|part| lists(part.text)).for_each(|part| value(part.rest, found));
    let mut words: Vec<&str> = Vec::new();
    for part in &parts {
        let after = part.after.trim_start_matches([' ', ')', ']']);
        let before = part.before.trim_end_matches([' ', '(', '[']);
        let compared = after.starts_with("in ")
            || ["==", "!="].iter().any(|operator| after.starts_with(operator) || before.ends_with(operator));
        // A list of options is one command.
        if !matches!(part.before.trim(), "," | "") {
            found.options(&std::mem::take(&mut words));
        }
        if compared || lists(part.text) {
            continue;
        }
        part.text.split_whitespace().for_each(|word| found.assignment(word));
        words.extend(part.text.split_whitespace());
        // `'arch=compute_' + sm`
        if part.after.trim_start().starts_with(['+', '%']) || part.after.trim_start().starts_with(".format") {
            found.options(&std::mem::take(&mut words));
        }
    }
    found.options(&words);
}

/// Where the names of lists end in code.
fn names(code: &str) -> impl Iterator<Item = usize> + '_ {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    code.match_indices(is_name).filter_map(move |(at, _)| {
        let begins = !code[..at].ends_with(is_name);
        let end = at + code[at..].find(|c| !is_name(c)).unwrap_or(code.len() - at);
        (begins && lists(&code[at..end])).then_some(end)
    })
}

/// Reads what follows the name of a list.
fn value(rest: &str, found: &mut Text) {
    let quoted = rest.starts_with(['"', '\'']);
    let after = rest.trim_start_matches(['"', '\'', ']', ' ']);
    let is_argument = quoted && after.starts_with(',');
    let assigned = match after.strip_prefix(['=', ':']) {
        Some(assigned) if !assigned.starts_with('=') => assigned,
        _ if is_argument => &after[1..],
        _ => return,
    };
    let assigned = assigned.trim_start();
    // CMake's presets: `{"type": "STRING", "value": "90a"}`
    let assigned = match assigned.strip_prefix('{') {
        Some(object) => {
            object.split_once("\"value\"").map_or("", |(_, value)| value.trim_start_matches([':', ' ']))
        }
        None => assigned,
    };
    let list = assigned.strip_prefix('[').map(|list| list.split(']').next().unwrap_or(list));
    let strings = parts(list.unwrap_or(assigned));
    let has_prefix =
        |part: &Part<'_>| part.before.contains(|c: char| !c.is_whitespace() && !"rbf(".contains(c));
    match (list, &strings[..]) {
        (Some(_), strings) if !strings.is_empty() => {
            strings.iter().for_each(|part| found.values(&[part.text]));
        }
        (None, [first, ..]) if !has_prefix(first) && !first.before.contains('\n') => {
            found.values(&[first.text]);
            let after = first.after.trim_start();
            found.open |= after.starts_with(['+', '%', '.']) || first.text.contains('{');
        }
        // A name: `archs`. An environment's `get('…', None)` sets nothing.
        _ => found.open |= !is_argument && !assigned.is_empty() && !assigned.starts_with('\n'),
    }
}

/// The strings of a text.
fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut all, mut from): (Vec<Part<'_>>, usize) = (Vec::new(), 0);
    let mut places = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let quote = bytes[at];
        if !matches!(quote, b'"' | b'\'') {
            at += 1;
            continue;
        }
        let triple = bytes[at..].starts_with(&[quote; 3]);
        let open = at + if triple { 3 } else { 1 };
        let mut end = open;
        while end < bytes.len()
            && !(bytes[end] == quote && (!triple || bytes[end..].starts_with(&[quote; 3])))
        {
            // A quote without an end, such as an apostrophe.
            if bytes[end] == b'\n' && !triple {
                break;
            }
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let end = end.min(bytes.len());
        if text.is_char_boundary(end) {
            places.push((at, open, end));
        }
        at = end + if triple { 3 } else { 1 };
    }
    for (n, (start, open, end)) in places.iter().enumerate() {
        let after = (end + open - start).min(text.len());
        let next = places.get(n + 1).map_or(text.len(), |(start, ..)| *start).max(after);
        let (before, rest) = (&text[from..*start], &text[*end..]);
        all.push(Part { before, text: &text[*open..*end], after: &text[after..next], rest });
        from = after;
    }
    all
}
