//! `asm("…")` after a declarator: the assembler's name of a variable or a function, which is not code.
//!
//! The GCC manual, "Controlling Names Used in Assembler Code".

use super::literal;
use super::scan::Scanner;

/// Words of a statement that is not a declaration. An `asm` after them begins a statement.
const STATEMENTS: [&str; 14] = [
    "if", "else", "for", "while", "do", "switch", "case", "default", "return", "goto", "try", "catch",
    "throw", "new",
];

/// Words that only declarations have.
const SPECIFIERS: [&str; 26] = [
    "extern",
    "static",
    "register",
    "inline",
    "constexpr",
    "const",
    "volatile",
    "unsigned",
    "signed",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "bool",
    "void",
    "auto",
    "struct",
    "class",
    "union",
    "enum",
    "__device__",
    "__host__",
    "__shared__",
    "__constant__",
];

/// Limit on the bytes of a statement in which its declarator is looked for.
const LONGEST: usize = 1_000;

/// Where the label ends whose `asm` is at `at`, in a statement that begins at `statement`. `None` for an `asm` that
/// begins a statement: if macros hide what it is, it is read as one.
pub(super) fn end(text: &str, statement: usize, at: usize) -> Option<usize> {
    let before = text.get(statement.min(at)..at)?;
    // The statement may have begun with a token other than a word.
    let before = &before[before.rfind([';', '{', '}']).map_or(0, |last| last + 1)..];
    let has_specifier = declares(before)?;
    let mut label = Scanner { text, at };
    label.word();
    label.c_blanks();
    if label.peek() != b'(' {
        return None;
    }
    let open = label.at;
    label.skip_group();
    // A statement of code has semicolons or operands.
    let (written, mut inner) = (label.content(open), Scanner::new(label.content(open)));
    while !inner.at_end() {
        if inner.peek() == b':' {
            return None;
        }
        literal::skip(&mut inner);
    }
    (has_specifier || !written.contains(';')).then_some(label.at)
}

/// If a text is a declaration up to a declarator: whether it has a word that only declarations have. `None` for other
/// texts.
fn declares(text: &str) -> Option<bool> {
    let mut scanner = Scanner::new(text);
    // Whether the last token is a word or the end of a type, and whether a name follows such a token.
    let (mut is_type, mut is_declared, mut has_specifier) = (false, false, false);
    while !scanner.at_end() {
        scanner.c_blanks();
        match scanner.peek() {
            b'(' | b'[' => {
                scanner.skip_group();
                is_type = false;
            }
            byte if Scanner::is_word(byte) && !byte.is_ascii_digit() && !literal::begins(&scanner) => {
                let word = scanner.word();
                if STATEMENTS.contains(&word) {
                    return None;
                }
                is_declared |= is_type;
                has_specifier |= SPECIFIERS.contains(&word);
                is_type = true;
            }
            b'*' | b'&' | b'<' | b'>' | b':' | b',' => scanner.step(),
            0 if scanner.at_end() => {}
            // An attribute or a value.
            _ => {
                literal::skip(&mut scanner);
                is_type = false;
            }
        }
        if is_declared && scanner.at > LONGEST {
            break;
        }
        if scanner.at > LONGEST {
            return None;
        }
    }
    let last = text.trim_end().bytes().next_back()?;
    (is_declared && (Scanner::is_word(last) || matches!(last, b')' | b']'))).then_some(has_specifier)
}
