//! PTX modules with unknown parts: statements with unknown parts are removed, so that the rest is still a module.
//!
//! PTX ISA sections 5 and 11: a module begins with `.version` and `.target`; declarations and instructions end with a
//! semicolon.

use std::ops::Range;

/// The directives with which a module, or its rest after an unknown part, may begin.
pub(super) const DIRECTIVES: [&str; 9] =
    ["version", "target", "address_size", "visible", "entry", "func", "weak", "extern", "common"];
/// Directives whose arguments end with the line.
const LINES: [&str; 5] = [".version", ".target", ".address_size", ".file", ".loc"];
/// Directives with parameters and a body.
const FUNCTIONS: [&str; 6] = [".visible", ".entry", ".func", ".weak", ".extern", ".common"];

/// Replaces statements with unknown parts by blanks, and unknown names of functions by other names. The length of the
/// text does not change. Returns true if the module has its own `.version` and `.target`.
pub(super) fn without(text: &mut String, places: &[Range<usize>]) -> bool {
    let mut bytes = std::mem::take(text).into_bytes();
    for place in places {
        bytes[place.clone()].fill(UNKNOWN);
    }
    for place in places {
        let statement = statement(&bytes, place.start);
        let own = bytes[statement.clone()].trim_ascii();
        let begins = |words: &[&str]| words.iter().any(|word| own.starts_with(word.as_bytes()));
        match () {
            // Only unknown parts.
            () if own.iter().all(|byte| *byte == UNKNOWN || byte.is_ascii_whitespace()) => {
                blank(&mut bytes[place.clone()]);
            }
            () if begins(&LINES) => {
                let line = bytes[statement.clone()].iter().position(|byte| *byte == b'\n');
                let end = line.map_or(statement.end, |n| statement.start + n);
                blank(&mut bytes[statement.start..end.max(place.end)]);
            }
            () if begins(&FUNCTIONS) || own.ends_with(b"(") || own.ends_with(b",") || own.ends_with(b")") => {
                bytes[place.clone()].fill(b'_');
            }
            () => {
                let semicolon = usize::from(bytes.get(statement.end) == Some(&b';'));
                blank(&mut bytes[statement.start..statement.end + semicolon]);
            }
        }
    }
    *text = String::from_utf8(bytes).expect("whole characters were replaced with ASCII");
    [".version", ".target"].iter().all(|directive| text.contains(directive))
}

/// Stands for unknown parts while statements are read; it does not occur in texts.
const UNKNOWN: u8 = 0x1a;

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// The statement around a place, without its end: a semicolon, a brace, or the line end before a directive or an
/// unknown part.
fn statement(bytes: &[u8], at: usize) -> Range<usize> {
    let ends = |at: usize| {
        matches!(bytes[at], b';' | b'{' | b'}')
            || bytes[at] == b'\n' && {
                let next = bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace());
                next.is_some_and(|byte| matches!(*byte, b'.' | UNKNOWN | b'@') || byte.is_ascii_alphabetic())
            }
    };
    let start = (0..at).rev().find(|at| ends(*at)).map_or(0, |at| at + 1);
    start..(at..bytes.len()).find(|at| ends(*at)).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_an_unknown_part_is_left_out() {
        for (text, expected, complete) in [
            (
                ".version #\n.target sm_80\n.address_size 64\n",
                "          \n.target sm_80\n.address_size 64\n",
                false,
            ),
            (".version 8.0\n.target sm_#\nret;", ".version 8.0\n            \nret;", false),
            (
                ".version 8.0\n.target sm_80\n.entry #(\n.param .u64 #p\n) { ret; }",
                ".version 8.0\n.target sm_80\n.entry _(\n.param .u64 _p\n) { ret; }",
                true,
            ),
            ("{ #\n cvt.u8.u16 a, b; }", "{  \n cvt.u8.u16 a, b; }", false),
            ("{ add.# a, b, c; ret; }", "{                ret; }", false),
            ("{ .reg .b16 h<#>; ret; }", "{                 ret; }", false),
        ] {
            let places: Vec<Range<usize>> = text.match_indices('#').map(|(at, _)| at..at + 1).collect();
            let mut found = text.to_owned();
            assert_eq!((without(&mut found, &places), &*found), (complete, expected), "{text}");
        }
    }
}
