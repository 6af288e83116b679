//! Definitions of constants: the names and values of `constexpr int A = 1, B{2};` and of enumerations.
//!
//! ISO C++, "Declarators" and "Enumeration declarations".

use ptxcvt::floor_char_boundary;

use super::guard::Definition;
use super::scan::Scanner;
use crate::cpp::{Arithmetic, arithmetic};

/// True for a word that begins the definition of a variable whose number is followed.
pub(super) fn begins_number(word: &str) -> bool {
    word == "auto" || arithmetic(word).is_some_and(|(kind, _)| kind != Arithmetic::Other)
}

/// Limit on the length of a constant's definition in bytes.
const LONGEST: usize = 1_000;

/// The constants that a declaration defines, with the places of their names. `at` is just after the word `const`.
pub(super) fn definitions(text: &str, at: usize) -> Vec<(usize, Definition<'_>)> {
    let mut scanner = Scanner { text: &text[..floor_char_boundary(text, at + LONGEST)], at };
    let (mut found, mut types) = (Vec::new(), Vec::new());
    let (mut name, mut is_pointer) = (None, false);
    loop {
        scanner.c_blanks();
        match scanner.peek() {
            byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                let start = scanner.at;
                if let Some((_, before)) = name.replace((start, scanner.word())) {
                    types.push(before);
                }
            }
            b':' if scanner.starts_with("::") => scanner.at += 2,
            b'<' if found.is_empty() => {
                // The arguments of a template.
                let mut depth = 0;
                while !scanner.at_end() {
                    match scanner.peek() {
                        b'<' => depth += 1,
                        b'>' => depth -= 1,
                        b';' | b'{' => return found,
                        _ => {}
                    }
                    scanner.step();
                    if depth == 0 {
                        break;
                    }
                }
                types.push("<>");
            }
            b'*' | b'&' => {
                is_pointer = true;
                scanner.step();
            }
            _ => {
                let Some((at, name)) = name.take().filter(|_| !types.is_empty() || !found.is_empty()) else {
                    return found;
                };
                let is_function = is_function(scanner);
                let value = initializer(&mut scanner).map(str::trim);
                let word = |word: &str| types.contains(&word);
                let has = |wanted: Arithmetic| {
                    types.iter().any(|word| arithmetic(word).is_some_and(|(kind, _)| kind == wanted))
                };
                let is_other = word("<>") || has(Arithmetic::Other);
                let is_known = types.iter().any(|word| begins_number(word));
                let is_unsigned = has(Arithmetic::Unsigned);
                let value = value.filter(|_| is_known && !is_other && !is_pointer).map(one_line);
                found.push((at, Definition { name, value, is_bool: has(Arithmetic::Bool), is_unsigned }));
                scanner.c_blanks();
                // Other declarations follow the body of a function.
                if is_function || !scanner.take(b',') {
                    return found;
                }
                is_pointer = false;
            }
        }
        if scanner.at_end() {
            return found;
        }
    }
}

/// True if the parameters and the body of a function are next.
fn is_function(mut next: Scanner<'_>) -> bool {
    if next.peek() != b'(' {
        return false;
    }
    next.skip_group();
    next.c_blanks();
    next.peek() == b'{'
}

/// Reads `= …`, `{…}` or `(…)` up to the `,` or `;` after it. `None` if it is not the value of one constant.
fn initializer<'s>(scanner: &mut Scanner<'s>) -> Option<&'s str> {
    let start = scanner.at;
    let is_group = matches!(scanner.peek(), b'{' | b'(');
    if !is_group && (scanner.peek() != b'=' || scanner.starts_with("==")) {
        return None;
    }
    while !scanner.at_end() && !matches!(scanner.peek(), b',' | b';' | b')' | b']' | b'}') {
        scanner.pass();
    }
    // Otherwise there is no end, or this is the default argument of a parameter.
    let text = &scanner.text[start..scanner.at];
    // A comma may be one between the arguments of a template.
    let is_argument = scanner.peek() == b',' && text.contains('<') && {
        let rest = &scanner.text[scanner.at..];
        rest[..rest.find(';').unwrap_or(rest.len())].contains('>')
    };
    let is_whole = matches!(scanner.peek(), b',' | b';') && !is_argument;
    let inner = match is_group {
        true => {
            let mut group = Scanner { text: scanner.text, at: start };
            group.skip_group();
            let content = group.content(start);
            group.c_blanks();
            (group.at == scanner.at).then_some(content)
        }
        false => Some(&text[1..]),
    };
    inner.filter(|inner| is_whole && !inner.contains('#') && !inner.contains("/*") && !inner.contains("//"))
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r', '\\'], " ")
}

/// The constants of an unscoped enumeration. `at` is just after the word `enum`.
pub(super) fn enumerators(text: &str, at: usize) -> Vec<Definition<'_>> {
    let mut scanner = Scanner { text, at };
    loop {
        scanner.c_blanks();
        match scanner.peek() {
            b'{' => break,
            b':' => scanner.step(),
            _ => match scanner.word() {
                "" | "class" | "struct" => return Vec::new(),
                _ => {}
            },
        }
    }
    scanner.step();
    // An enumerator without a value is the previous one plus 1.
    let (mut found, mut last, mut after): (Vec<Definition<'_>>, String, u32) =
        (Vec::new(), "0".to_owned(), 0);
    loop {
        scanner.c_blanks();
        let name = scanner.word();
        if name.is_empty() {
            return found;
        }
        scanner.c_blanks();
        let start = scanner.at;
        while !scanner.at_end() && !matches!(scanner.peek(), b',' | b'}' | b';' | b')') {
            scanner.pass();
        }
        let written = text[start..scanner.at].trim();
        let mut value = None;
        if written.is_empty() {
            value = Some(format!("({last}) + {after}"));
        } else if let Some(given) = written.strip_prefix('=').filter(|given| !given.contains(['#', '/'])) {
            (last, after) = (one_line(given.trim()), 0);
            value = Some(last.clone());
        } else {
            last = "?".to_owned();
        }
        after += 1;
        found.push(Definition { name, value, is_bool: false, is_unsigned: false });
        if !scanner.take(b',') {
            return found;
        }
    }
}
