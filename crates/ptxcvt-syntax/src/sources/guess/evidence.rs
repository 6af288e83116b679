//! Evidence for a language in a line of code.

use super::super::language::Language;
use crate::cpp::arithmetic;
use crate::identifier::is_part_char;
use Language::{Cpp, Llvm, Mlir, Python, Rust};

/// MLIR dialects whose operations may begin a line without a result.
const DIALECTS: [&str; 13] = [
    "func",
    "llvm",
    "nvvm",
    "tt",
    "ttg",
    "ttng",
    "triton_gpu",
    "gpu",
    "nvgpu",
    "arith",
    "memref",
    "scf",
    "cf",
];

/// Counts the evidence in a line without blanks at its ends.
pub(super) fn line(line: &str, count: &mut impl FnMut(Language, u32)) {
    let Some(first) = line.chars().next() else { return };
    match first {
        '#' => return hash(line[1..].trim_start(), count),
        '@' => at(&line[1..], count),
        '%' => result(line, count),
        '^' if line.contains(['(', ':']) => count(Mlir, 1),
        '!' if line.contains(" = ") => {
            count(if line[1..].starts_with(|c: char| c.is_ascii_digit()) { Llvm } else { Mlir }, 1);
        }
        _ if is_word(first) => begins(line, count),
        _ => {}
    }
    for (word, rest) in words(line) {
        if let Some((language, points)) = anywhere(word, rest) {
            count(language, points);
        }
    }
}

/// True for characters of names and for the dots between names.
fn is_word(c: char) -> bool {
    (is_part_char(c) && c != '$') || c == '.'
}

/// Splits a text after its first word.
fn split(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c| !is_word(c)).unwrap_or(text.len()))
}

/// The words of a line, each with the text after it.
fn words(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = &rest[rest.find(is_word)?..];
        let (word, after) = split(rest);
        rest = after;
        Some((word, after.trim_start()))
    })
}

/// The evidence of a word anywhere in a line.
fn anywhere(word: &str, rest: &str) -> Option<(Language, u32)> {
    let name = word.rsplit('.').next().unwrap_or_default();
    let next = split(rest).0;
    Some(match word {
        "__device__" | "__global__" | "__host__" | "__shared__" | "__forceinline__" | "__asm__" | "__asm"
        | "__launch_bounds__" => (Cpp, 3),
        "asm" if rest.starts_with('"') => (Llvm, 3),
        "asm" if matches!(next, "sideeffect" | "alignstack" | "inteldialect" | "unwind") => (Llvm, 3),
        "asm" if rest.starts_with('(') || matches!(next, "volatile" | "goto" | "inline") => (Cpp, 2),
        "asm" | "global_asm" if rest.starts_with('!') => (Rust, 3),
        "fn" if begins_name(next) => (Rust, 3),
        _ if rest.starts_with("!(") || rest.starts_with("![") => (Rust, 1),
        _ if name == "inline_asm_elementwise" && rest.starts_with('(') => (Python, 3),
        _ => return None,
    })
}

/// A line that begins with `#`: a directive, an attribute of Rust, or an alias of MLIR.
fn hash(rest: &str, count: &mut impl FnMut(Language, u32)) {
    let (word, after) = split(rest);
    match word {
        "include" | "pragma" | "ifdef" | "ifndef" | "endif" | "define" | "undef" | "elif" => count(Cpp, 3),
        "if" => count(Cpp, 1),
        "" if rest.starts_with('[') || rest.starts_with("![") => count(Rust, 2),
        _ if after.starts_with(" = #") || after.starts_with(" = affine_") => count(Mlir, 2),
        _ => {}
    }
}

/// A line that begins with `@`: a decorator of Python, or a variable of LLVM IR. Predicates of PTX have an instruction.
fn at(rest: &str, count: &mut impl FnMut(Language, u32)) {
    let after = split(rest).1;
    if after.len() < rest.len() && (after.is_empty() || after.starts_with('(')) && !after.ends_with(';') {
        count(Python, 2);
    } else if after.starts_with(" = ") {
        count(Llvm, 2);
    }
}

/// A line that begins with `%`: a result in LLVM IR, or in MLIR, whose operations have a dialect.
fn result(line: &str, count: &mut impl FnMut(Language, u32)) {
    let Some((_, made)) = line.split_once(" = ") else { return };
    let (word, rest) = split(made.trim_start());
    if word.contains('.') || word.is_empty() {
        count(Mlir, 2);
    } else if word == "call" && rest.trim_start().starts_with('@') || rest.contains(" : ") {
        count(Mlir, 1);
    } else if word.starts_with(char::is_lowercase) {
        count(Llvm, 1);
    }
}

/// Counts the evidence of the first word of a line.
fn begins(line: &str, count: &mut impl FnMut(Language, u32)) {
    let (word, after) = split(line);
    let rest = after.trim_start();
    let next = split(rest).0;
    let names = !next.is_empty() && rest.len() < after.len();
    let last = line.chars().next_back();
    let (language, points) = match word {
        "import" if names => {
            if last == Some(';') {
                (Cpp, 1)
            } else {
                (Python, 3)
            }
        }
        "from" if rest.contains(" import") => (Python, 3),
        "def" if names && rest[next.len()..].starts_with(['(', '[']) => (Python, 3),
        "class" if names => {
            if last == Some(':') {
                (Python, 2)
            } else {
                (Cpp, 1)
            }
        }
        "async" if matches!(next, "def" | "with" | "for") => (Python, 2),
        "if" | "elif" | "else" | "for" | "while" | "with" | "try" | "except" | "finally"
            if last == Some(':') =>
        {
            (Python, 2)
        }
        "print" if rest.starts_with('(') && last != Some(';') => (Python, 1),
        "use" if names && last == Some(';') || rest.contains("::") && word == "use" => (Rust, 2),
        "pub" | "trait" | "mod" if names && last != Some(':') => (Rust, 2),
        "pub" if rest.starts_with('(') => (Rust, 2),
        "impl" if names || rest.starts_with('<') => (Rust, 2),
        "let" if names || rest.starts_with('(') => (Rust, 1),
        "match" if last == Some('{') => (Rust, 1),
        "const" | "static" if is_typed(&rest[next.len()..]) || matches!(next, "mut" | "fn" | "unsafe") => {
            (Rust, 1)
        }
        "namespace" | "typedef" | "constexpr" | "inline" | "using" if names => (Cpp, 2),
        "template" if rest.starts_with('<') => (Cpp, 2),
        "const" | "static" if names => (Cpp, 1),
        _ if (matches!(word, "void" | "auto") || arithmetic(word).is_some())
            && is_declared(rest)
            && rest.contains(['=', ';', '(', '{', ',']) =>
        {
            (Cpp, 1)
        }
        "target" if matches!(next, "triple" | "datalayout") => (Llvm, 3),
        "source_filename" if rest.starts_with('=') => (Llvm, 3),
        "define" | "declare" if rest.contains('@') => (Llvm, 3),
        "attributes" if rest.starts_with('#') => (Llvm, 2),
        "ret" if names && last != Some(';') => (Llvm, 1),
        "call" | "tail" | "musttail" | "notail" | "store" | "br" if names && last != Some(';') => (Llvm, 1),
        "module" if rest.starts_with(['{', '@']) || next == "attributes" => (Mlir, 2),
        _ if operates(word, rest) => (Mlir, 2),
        _ => return,
    };
    count(language, points);
}

/// Whether a type follows the name of a constant, as in Rust.
fn is_typed(after: &str) -> bool {
    after.starts_with(':') && !after.starts_with("::")
}

/// Whether a name or a pointer follows a type.
fn is_declared(rest: &str) -> bool {
    begins_name(rest.trim_start_matches(['*', '&', ' ']))
}

/// Whether a text begins with a name.
fn begins_name(text: &str) -> bool {
    text.starts_with(|c: char| is_part_char(c) && !c.is_ascii_digit())
}

/// Whether a word is an operation of a dialect of MLIR, and not a call of a function in a module of Python.
fn operates(word: &str, rest: &str) -> bool {
    let known = word.split_once('.').is_some_and(|(dialect, _)| DIALECTS.contains(&dialect));
    known
        && (rest.is_empty()
            || rest.starts_with(|c: char| matches!(c, '@' | '%' | '"' | '{' | '^') || c.is_lowercase()))
}
