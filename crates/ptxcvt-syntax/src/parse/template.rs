//! The template of a whole `asm` statement of CUDA C++: `asm volatile("…" : … : …);`.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA". Everything but the PTX becomes blanks, so places in the template
//! equal places in the statement.

use super::number::end_while;
use crate::identifier::is_ptx;

/// The PTX of `asm` statements or of string literals, at the same places as in `text`. `None` if the text begins with
/// neither.
///
/// ```
/// use ptxcvt_syntax::parse::template;
/// let statement = r#"asm("cvt.u32.u16 %0, %1;\n" : "=r"(d) : "h"(a));"#;
/// let ptx = template(statement).unwrap();
/// assert_eq!(ptx.trim(), "cvt.u32.u16 %0, %1;");
/// assert_eq!(ptx.find("cvt"), statement.find("cvt"));
/// assert_eq!(template("cvt.u32.u16 %0, %1;"), None);
/// ```
pub fn template(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = vec![b' '; bytes.len()];
    for (to, from) in out.iter_mut().zip(bytes) {
        if *from == b'\n' {
            *to = b'\n';
        }
    }
    let mut at = blanks(bytes, 0);
    let mut found = false;
    while at < bytes.len() {
        let word = end_while(bytes, at, is_ptx);
        match &bytes[at..word] {
            b"asm" | b"__asm" | b"__asm__" => {
                at = qualifiers(bytes, word);
                if bytes.get(at) != Some(&b'(') {
                    break;
                }
                at = strings(bytes, at + 1, &mut out);
                found = true;
                // Skip the operands, up to the parenthesis that ends the statement.
                at = blanks(bytes, operands(bytes, at));
            }
            b"" | b"R" if !found && is_string(bytes, at) => {
                at = strings(bytes, at, &mut out);
                found = true;
                // Whatever follows, such as operands, is not the template.
                at = bytes.len().max(at);
            }
            _ => break,
        }
    }
    found.then(|| String::from_utf8(out).expect("only whole characters were copied; the rest are blanks"))
}

/// The end of blanks, comments and semicolons.
fn blanks(text: &[u8], mut at: usize) -> usize {
    loop {
        at = end_while(text, at, |b| b.is_ascii_whitespace() || b == b';' || b == b'\\');
        let rest = &text[at..];
        if rest.starts_with(b"//") {
            at = end_while(text, at, |b| b != b'\n');
        } else if rest.starts_with(b"/*") {
            at = rest.windows(2).skip(2).position(|w| w == b"*/").map_or(text.len(), |n| at + n + 4);
        } else {
            return at;
        }
    }
}

/// The end of qualifiers such as `volatile`.
fn qualifiers(text: &[u8], at: usize) -> usize {
    let at = blanks(text, at);
    let word = end_while(text, at, is_ptx);
    if word == at { at } else { qualifiers(text, word) }
}

fn is_string(text: &[u8], at: usize) -> bool {
    text[at..].starts_with(b"\"") || text[at..].starts_with(b"R\"")
}

/// Copies adjacent string literals and returns their end.
fn strings(text: &[u8], at: usize, out: &mut [u8]) -> usize {
    let mut at = blanks(text, at);
    while at < text.len() && is_string(text, at) {
        at = blanks(text, if text[at] == b'R' { raw(text, at, out) } else { string(text, at, out) });
    }
    at
}

/// Copies `"…"`. An escape is padded, so that places stay the same.
fn string(text: &[u8], start: usize, out: &mut [u8]) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => {
                if let (Some(&escaped), Some(to)) = (text.get(at + 1), out.get_mut(at + 1)) {
                    *to = match escaped {
                        b'n' => b'\n',
                        b't' | b'r' => b' ',
                        other if other.is_ascii() => other,
                        _ => b' ',
                    };
                }
                at += 1;
            }
            _ => {
                if let Some(to) = out.get_mut(at) {
                    *to = byte;
                }
            }
        }
        at += 1;
        // An escaped character of several bytes is skipped as a whole.
        if byte == b'\\' {
            at = end_while(text, at, |b| b & 0xc0 == 0x80).max(at);
        }
    }
    text.len()
}

/// `R"x(…)x"`
fn raw(text: &[u8], start: usize, out: &mut [u8]) -> usize {
    let open = end_while(text, start + 2, |b| b != b'(');
    let mut close = vec![b')'];
    close.extend_from_slice(&text[(start + 2).min(open)..open]);
    close.push(b'"');
    let from = (open + 1).min(text.len());
    let length = text[from..].windows(close.len()).position(|w| w == close).unwrap_or(text.len() - from);
    out[from..from + length].copy_from_slice(&text[from..from + length]);
    (from + length + close.len()).min(text.len())
}

/// Skips the text after the template, with its strings and parentheses, up to the `)` that ends the statement.
fn operands(text: &[u8], mut at: usize) -> usize {
    let mut open = 1_u32;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => {
                at = string(text, at, &mut []);
                continue;
            }
            b'(' => open += 1,
            b')' if open == 1 => return at + 1,
            b')' => open -= 1,
            _ => {}
        }
        at += 1;
    }
    at
}
