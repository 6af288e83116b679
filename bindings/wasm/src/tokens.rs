//! The tokens of PTX and their kinds, by which the page colours its text.

use ptxcvt::Spelling;
use ptxcvt::forms::Part;
use ptxcvt_syntax::Span;
use ptxcvt_syntax::parse::{Lexer, Token, TokenKind};

/// The kinds of a token, by which the page chooses a colour.
pub const KINDS: [&str; 9] =
    ["comment", "opcode", "rounding", "modifier", "type", "unknown", "directive", "number", "string"];

/// The kind of a part of an opcode.
pub fn part_kind(part: Part) -> &'static str {
    match part {
        Part::Rounding(_) => "rounding",
        Part::Modifier(_) => "modifier",
        Part::Type(_) | Part::Rest => "type",
        _ => "unknown",
    }
}

/// The kind of a part of any instruction's opcode, such as `.rn` in `add.rn.f32`: what it means to `cvt`.
fn dotted_kind(part: &str) -> &'static str {
    Spelling::new(&format!("cvt{part}")).parts().next().map_or("unknown", |(part, _)| part_kind(part))
}

/// The coloured tokens: for each its first byte, its length and the index of its kind in [`KINDS`].
pub fn of(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    let mut put = |start: u32, end: u32, kind: &str| {
        let kind = KINDS.iter().position(|known| *known == kind).expect("one of the kinds");
        found.extend([start, end - start, kind as u32]);
    };
    let mut before: Option<Token> = None;
    let mut statement = true;
    let mut at = 0;
    for token in Lexer::new(text, true) {
        comments(text, at, token.span.start, |start, end| put(start, end, "comment"));
        at = token.span.end;
        let (start, end) = (token.span.start, token.span.end);
        let adjacent = before.is_some_and(|before| before.span.end == start);
        match token.kind {
            TokenKind::Name if statement => put(start, end, "opcode"),
            TokenKind::Dotted if statement => put(start, end, "directive"),
            TokenKind::Dotted if adjacent => {
                put(start, end, dotted_kind(&text[start as usize..end as usize]))
            }
            TokenKind::Dotted => put(start, end, "directive"),
            TokenKind::Integer | TokenKind::Decimal | TokenKind::Bits32 | TokenKind::Bits64 => {
                put(start, end, "number")
            }
            TokenKind::String => put(start, end, "string"),
            TokenKind::Line => put(start, end, "comment"),
            TokenKind::Unterminated if text[start as usize..].starts_with("/*") => put(start, end, "comment"),
            _ => {}
        }
        // After a guard, `@p`, the opcode follows.
        let guard = before.is_some_and(|before| before.is(b'@') || before.is(b'!'));
        statement = [b';', b'{', b'}', b':'].iter().any(|mark| token.is(*mark))
            || (token.is(b'@') || token.is(b'!')) && statement
            || guard && token.kind != TokenKind::Dotted
            || statement && matches!(token.kind, TokenKind::Unknown);
        if token.is(b'@') || token.is(b'!') {
            statement = false;
        }
        before = Some(token);
    }
    comments(text, at, text.len() as u32, |start, end| put(start, end, "comment"));
    found
}

/// A piece of PTX, or of the command, with blanks in place of its comments.
pub fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    let end = Span::new(text.len() as u32, text.len() as u32);
    for span in Lexer::new(text, true).map(|token| token.span).chain([end]) {
        comments(text, at, span.start, |from, to| bytes[from as usize..to as usize].fill(b' '));
        at = span.end;
    }
    String::from_utf8(bytes).expect("whole characters are replaced")
}

/// Calls `put` with each comment between two tokens.
fn comments(text: &str, from: u32, to: u32, mut put: impl FnMut(u32, u32)) {
    let (mut at, to) = (from as usize, to as usize);
    while let Some(begin) = text.get(at..to).and_then(|gap| gap.find('/')).map(|n| at + n) {
        let rest = &text[begin..to];
        let length = match rest.as_bytes().get(1) {
            Some(b'/') => rest.find('\n').unwrap_or(rest.len()),
            Some(b'*') => rest.find("*/").map_or(rest.len(), |n| n + 2),
            _ => return,
        };
        put(begin as u32, (begin + length) as u32);
        at = begin + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours() {
        let text = "/* a */ .reg .b16 h; // b\n@!%p1 cvt.rn.sat.f16.f32 h, 0f3F800000;\nadd.rz.f64 d, d, d; ld.b32.x r, [p];\n// ende";
        let words: Vec<(&str, &str)> = of(text)
            .chunks(3)
            .map(|t| (&text[t[0] as usize..(t[0] + t[1]) as usize], KINDS[t[2] as usize]))
            .collect();
        for expected in [
            ("/* a */", "comment"),
            (".reg", "directive"),
            ("// b", "comment"),
            ("cvt", "opcode"),
            (".rn", "rounding"),
            (".sat", "modifier"),
            (".f16", "type"),
            (".rz", "rounding"),
            (".f64", "type"),
            (".b32", "type"),
            (".x", "unknown"),
            ("0f3F800000", "number"),
            ("// ende", "comment"),
        ] {
            assert!(words.contains(&expected), "{expected:?} in {words:?}");
        }
    }
}
