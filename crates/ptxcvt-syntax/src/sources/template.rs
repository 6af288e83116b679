//! Placeholders in PTX that a program completes by a format (`{}`, `%s`, `$t`), a template (`{{d}}`, `${t}`) or a
//! replacement (`.replace("TYPE", …)`). Their values are unknown.

use std::borrow::Cow;
use std::ops::Range;

use ptxcvt::Spelling;

use super::assembly::{Assembly, Kind};
use super::constraint::Operands;
use super::mention::{NAME, continues, gap, mentions};
use super::text::{HOLE, Joined};
use crate::identifier::{is_plain, is_plain_char};
use crate::source::Span;

/// The assembly with a hole for each placeholder. `replaced` has the texts that the program replaces.
pub(super) fn formatted<'a>(assembly: &'a Assembly, replaced: &[String]) -> Cow<'a, Assembly> {
    let places = placeholders(assembly.text(), assembly.kind == Kind::Written, replaced);
    if places.is_empty() {
        return Cow::Borrowed(assembly);
    }
    let (mut joined, mut from) = (Joined::default(), 0);
    for place in places {
        joined.append(&assembly.joined, from..place.start);
        let span = Span::new(place.start as u32, place.end as u32);
        joined.push_as(HOLE, assembly.joined.locate(span));
        from = place.end;
    }
    joined.append(&assembly.joined, from..assembly.text().len());
    let unknown = assembly.kind == Kind::Written;
    let operands = match unknown {
        true => Operands { unknown, ..Operands::default() },
        false => assembly.operands.clone().after(&mut joined),
    };
    Cow::Owned(assembly.clone().with_text(joined, operands))
}

/// The places of the placeholders, in order. In inline assembly `%0` and `{…}` are operands, so placeholders of a
/// format are recognised only in opcodes.
pub(super) fn placeholders(text: &str, written: bool, replaced: &[String]) -> Vec<Range<usize>> {
    let opcodes: Vec<Range<usize>> = mentions(text).map(|at| at..at + opcode_length(&text[at..])).collect();
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let before = text[..at].bytes().next_back();
        let formats = written || opcodes.iter().any(|opcode| opcode.contains(&at));
        let part = template_part(rest).or_else(|| format_part(rest, before).filter(|_| formats));
        places.extend(part.map(|length| at..at + length));
        at += part.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
    }
    let parts = opcodes.iter().flat_map(|opcode| parts(text, opcode));
    for opcode in parts {
        // `<type>`, `@TYPE@`: PTX has no such characters in an opcode.
        let part = |c: char| is_plain_char(c) || matches!(c, '.' | ':') || HOLE.contains(c);
        let others = text[opcode.clone()].char_indices().filter(|(_, c)| !part(*c));
        places.extend(others.map(|(n, c)| opcode.start + n..opcode.start + n + c.len_utf8()));
        let word = text[opcode.clone()].find(|c: char| !is_plain_char(c) && c != '.').unwrap_or(opcode.len());
        let written = &text[opcode.start..opcode.start + word];
        // A part after blanks.
        let name = if written.starts_with('.') { NAME } else { "" };
        let from = opcode.start.wrapping_sub(name.len());
        let spelled = format!("{name}{written}");
        let foreign = Spelling::new(&spelled);
        let place = |at: usize| from.wrapping_add(at);
        places.extend(foreign.foreign_parts().map(|part| place(part.start)..place(part.end)));
    }
    opcodes.iter().for_each(|opcode| places.extend(capitals(text, opcode.end)));
    for key in replaced {
        places.extend(text.match_indices(key.as_str()).map(|(at, _)| {
            // `cvt` itself is kept, so that the conversion is counted.
            let name = if opcodes.iter().any(|opcode| opcode.start == at) { NAME.len() } else { 0 };
            at + name..at + name.max(key.len())
        }));
    }
    join(places)
}

/// The places in order; adjacent and overlapping ones are merged.
fn join(mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ptxcvt::order_by(&mut places, |place| place.start as u64);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for place in places {
        match joined.last_mut().filter(|last| place.start <= last.end) {
            Some(last) => last.end = last.end.max(place.end),
            None => joined.push(place),
        }
    }
    joined
}

/// The length of the opcode at the beginning of a text. Parts such as `{% if ftz %}` may contain blanks, and blanks and
/// comments may precede a dot.
fn opcode_length(text: &str) -> usize {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next().filter(|c| *c != ';') {
        let gap = gap(&text[at..]);
        let part = template_part(&text[at..]).unwrap_or(c.len_utf8());
        at += match gap {
            0 => part,
            _ if text[at + gap..].starts_with('.') => gap,
            _ if &text[..at] == NAME && continues(&text[at..]) == Some(true) => gap,
            _ => break,
        };
    }
    at
}

/// The parts of an opcode between blanks and comments.
fn parts(text: &str, opcode: &Range<usize>) -> Vec<Range<usize>> {
    let (mut parts, mut start, mut at) = (Vec::new(), opcode.start, opcode.start);
    while at < opcode.end {
        let rest = &text[at..opcode.end];
        let gap = gap(rest);
        if gap > 0 {
            parts.push(start..at);
            start = at + gap;
        }
        let part = || template_part(rest).or_else(|| rest.chars().next().map(char::len_utf8)).unwrap_or(1);
        at += if gap > 0 { gap } else { part() };
    }
    parts.push(start..opcode.end);
    parts
}

/// Operands from `from` on in capitals, as in `cvt.rn.f16.f32 DST, SRC;`: each may be replaced by several operands.
fn capitals(text: &str, from: usize) -> Vec<Range<usize>> {
    let end = text[from..].find(';').map_or(text.len(), |n| from + n);
    let (mut found, mut at) = (Vec::new(), from);
    while let Some(start) = text[at..end].find(is_plain_char).map(|n| at + n) {
        at = text[start..end].find(|c| !is_plain_char(c)).map_or(end, |n| start + n);
        let word = &text[start..at];
        let whole = !text[..start].ends_with(['%', '$', '.']) && !text[at..].starts_with(['.', '[']);
        let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        if whole && word.starts_with(|c: char| c.is_ascii_uppercase()) && word.chars().all(capital) {
            found.push(start..at);
        }
    }
    found
}

/// The length of a template's placeholder at the beginning of a text: `{{name}}`, `{% if x %}`, `%(name)s`.
fn template_part(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix("{{") {
        // Doubled braces around a block are a format's escaped braces, and so is `{{{`.
        let inner = rest.split_once("}}")?.0;
        let plain = !inner.trim().is_empty() && !inner.contains([';', '{', '}', '\n']);
        return plain.then_some(inner.len() + 4);
    }
    if text.starts_with("{% ") || text.starts_with("{%-") {
        let inner = text.split_once("%}")?.0;
        return (!inner.contains(';')).then_some(inner.len() + 2);
    }
    let (name, rest) = text.strip_prefix("%(")?.split_once(')')?;
    let letter = rest.starts_with(|c: char| c.is_ascii_alphabetic());
    (letter && !name.is_empty() && name.chars().all(is_plain_char)).then_some(name.len() + 4)
}

/// The length of a format's placeholder at the beginning of a text: `{}`, `{name}`, `{0:x}`, `%s`, `%5u`, and Dr.Jit's
/// `$v`.
fn format_part(text: &str, before: Option<u8>) -> Option<usize> {
    let bytes = text.as_bytes();
    let at = |n: usize| bytes.get(n).copied().unwrap_or(0);
    match at(0) {
        b'{' => {
            let end = text.find('}')?;
            let inner = &text[1..end];
            let part = |c: char| c.is_ascii_alphanumeric() || "_.:[]!".contains(c);
            // `{$r0}` is a placeholder of inline assembly, and braces around blanks or lists are PTX.
            inner.chars().all(part).then_some(end + 1)
        }
        b'%' => {
            let flags = bytes[1..].iter().take_while(|b| b"-+#0123456789.".contains(b)).count();
            let size = bytes[1 + flags..].iter().take_while(|b| b"hlzjt".contains(b)).count();
            let letter = 1 + flags + size;
            let known =
                b"diouxXeEgGcsp".contains(&at(letter)) || (size == 0 && flags > 0 && at(letter) == b'f');
            let ends = !is_plain(at(letter + 1));
            // `%r%d` is a register with a number.
            (known && ends && before != Some(b'%')).then_some(letter + 1)
        }
        // `$0`, `$name` and `${name}` in an opcode: a placeholder is a whole operand.
        b'$' if before == Some(b'.') || at(1 + word_length(&bytes[1..])) == b'.' => {
            let name = word_length(&bytes[1..]);
            let braced = text[1..].starts_with('{').then(|| text.find('}')).flatten();
            braced.map(|end| end + 1).or((name > 0).then_some(1 + name))
        }
        b'$' if at(1).is_ascii_lowercase() && !is_plain(at(2)) => Some(2),
        _ => None,
    }
}

fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_plain(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_of_formats_templates_and_replacements() {
        for (text, expected) in [
            ("cvt.rn.TYPE.f32 d, a;", "cvt.rn.#.f32 d, a;"),
            ("cvt.MODS d, a;", "cvt.# d, a;"),
            ("cvt .rn /**/ .TYPE.f32 d, a;", "cvt .rn /**/ .#.f32 d, a;"),
            ("cvt\n.{{ty}} .f32 d, a;", "cvt\n.# .f32 d, a;"),
            ("cvt.rn.f16.f32 DST, {SRC_1, a};", "cvt.rn.f16.f32 #, {#, a};"),
            ("cvt.rn.{{ty}}.f32 {{ d }}, {{a, b}};", "cvt.rn.#.f32 #, #;"),
            ("cvt.rn{% if ftz %}.ftz{% endif %}.f16.f32 d, a;", "cvt.rn#.ftz#.f16.f32 d, a;"),
            ("cvt.rn.%(ty)s.f32 %(d)s, %s;", "cvt.rn.#.f32 #, #;"),
            ("cvt.rn.${ty}.f32 $d, {n};", "cvt.rn.#.f32 #, #;"),
            ("cvt.rn.<T>.@ty@ d, a;", "cvt.rn.#T#.#ty# d, a;"),
            ("cvt.rn.f16.KEY d, OTHER; mov.b32 KEY, a;", "cvt.rn.f16.# d, #; mov.b32 #, a;"),
            // PTX itself, misspelt PTX, and names of other languages.
            ("{{ .reg .b16 t; cvt.rn.f16.f32 t, {a, b}; }}", "{{ .reg .b16 t; cvt.rn.f16.f32 t, {a, b}; }}"),
            ("{%r1, %r2}; cvt.rn.f61.half %f1, $1, v.X;", "{%r1, %r2}; cvt.rn.f61.half %f1, $1, v.X;"),
            ("cvt.b16.f32 %rd1, %0;", "cvt.b16.f32 %rd1, %0;"),
            ("cvt.rn..f32 a, b;", "cvt.rn..f32 a, b;"),
        ] {
            let mut found = text.to_owned();
            let places = placeholders(text, true, &["KEY".to_owned()]);
            places.into_iter().rev().for_each(|place| found.replace_range(place, "#"));
            assert_eq!(found, expected, "{text}");
        }
        // Operands of inline assembly are not placeholders.
        let text = "cvt.rn.%s.f32 {a}, %0, %d, $v;";
        assert_eq!(placeholders(text, false, &[]), std::iter::once(7..9).collect::<Vec<_>>());
    }
}
