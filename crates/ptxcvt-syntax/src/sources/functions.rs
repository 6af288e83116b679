//! The functions of a C++ text: the outermost blocks that do not belong to namespaces and classes.

use std::ops::Range;

use super::guard::Outer;
use super::literal;
use super::scan::Scanner;
use crate::identifier::{is_part_char, names};

/// A function, or another block outside of all functions, such as the values of an array.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// Where the head begins: after the preceding bracket, semicolon or directive.
    pub head: usize,
    /// The block, with its brackets.
    pub body: Range<usize>,
}

/// The functions of a text.
pub(super) struct Functions {
    /// In the order of the text.
    pub all: Vec<Function>,
    /// False if the brackets of the text do not match. Then `all` has the functions before the mismatch.
    pub is_whole: bool,
}

/// The functions of a text from `from` on.
pub(super) fn functions(text: &str, from: usize) -> Functions {
    let (mut all, mut scanner) = (Vec::new(), Scanner { text, at: from });
    // Open blocks of namespaces and classes, the beginning of a function, and the open blocks in it.
    let (mut outer, mut function, mut depth) = (0_u32, (0, 0), 0_u32);
    // Where the head of a block begins, and where its part after the last directive begins.
    let (mut head, mut start) = (from, from);
    while !scanner.at_end() {
        let at = scanner.at;
        match scanner.peek() {
            b'#' | b'%' if scanner.hash() > 0 && scanner.begins_line() => {
                scanner.at = scanner.directive().end;
                start = scanner.at;
                continue;
            }
            b'{' if depth > 0 => depth += 1,
            b'{' if is_around(&text[head..at]) => outer += 1,
            b'{' => (function, depth) = ((start, at), 1),
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    all.push(Function { head: function.0, body: function.1..at + 1 });
                }
            }
            b'}' if outer == 0 => return Functions { all, is_whole: false },
            b'}' => outer -= 1,
            b';' => {}
            _ => {
                literal::skip(&mut scanner);
                continue;
            }
        }
        scanner.step();
        (head, start) = (scanner.at, scanner.at);
    }
    Functions { all, is_whole: outer == 0 && depth == 0 }
}

/// True if all parentheses and square brackets outside directives match.
pub(super) fn closes_groups(text: &str) -> bool {
    let (mut scanner, mut open) = (Scanner::new(text), Vec::new());
    while !scanner.at_end() {
        match scanner.peek() {
            b'#' | b'%' if scanner.hash() > 0 && scanner.begins_line() => {
                scanner.at = scanner.directive().end;
                continue;
            }
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            bracket @ (b')' | b']') if open.pop() != Some(bracket) => return false,
            b')' | b']' => {}
            _ => {
                literal::skip(&mut scanner);
                continue;
            }
        }
        scanner.step();
    }
    open.is_empty()
}

/// True if the block with this head may contain functions: it is a namespace or a class, so no parentheses follow the
/// keyword except those of attributes.
pub(super) fn is_around(head: &str) -> bool {
    const WITH_ARGUMENTS: [&str; 6] =
        ["alignas", "_Alignas", "__align__", "__attribute__", "__declspec", "decltype"];
    const KEYWORDS: [&str; 5] = ["namespace", "extern", "struct", "class", "union"];
    let (mut scanner, mut is_around) = (Scanner::new(head), false);
    // The last two words before the token.
    let (mut before, mut last) = ("", "");
    loop {
        scanner.c_blanks();
        if scanner.at_end() {
            return is_around;
        }
        match scanner.peek() {
            b'#' | b'%' if scanner.hash() > 0 && scanner.begins_line() => {
                scanner.at = scanner.directive().end
            }
            b'(' | b'[' => {
                // A macro between `struct` and the name stands for attributes.
                is_around &=
                    scanner.peek() == b'[' || KEYWORDS.contains(&before) || WITH_ARGUMENTS.contains(&last);
                scanner.skip_group();
                (before, last) = ("", "");
            }
            byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                let at = scanner.at;
                (before, last) = (last, scanner.word());
                is_around |= KEYWORDS.contains(&last);
                // A prefix of a literal.
                scanner.at = at;
                literal::skip(&mut scanner);
            }
            _ => {
                literal::skip(&mut scanner);
                (before, last) = ("", "");
            }
        }
    }
}

/// The kind of the block at `at` with this head, if names in it may be those of other blocks.
pub(super) fn outer(head: &str, at: usize) -> Option<Outer> {
    if !is_around(head) {
        return names_its_class(head).then_some(Outer::Member);
    }
    let is_class = names(head).any(|word| matches!(word, "struct" | "class" | "union"));
    Some(match is_class {
        true => Outer::Class { at, has_bases: head.replace("::", "").contains(':') },
        false => Outer::Namespace,
    })
}

/// True if a head names the class or the namespace of its function: `void S::m()`. A call of `n::f()` in it counts, too.
fn names_its_class(head: &str) -> bool {
    head.split("::").skip(1).any(|after| {
        let name = after.trim_start().trim_start_matches('~');
        let end = name.find(|c: char| !is_part_char(c)).unwrap_or(name.len());
        name.starts_with("operator") || (end > 0 && name[end..].trim_start().starts_with('('))
    })
}

/// True for the head of a template, of a macro for one, or of a generic lambda. `template <>` is none.
pub(super) fn is_generic(head: &str) -> bool {
    let head = &head.to_ascii_lowercase();
    let has_parameters = |(at, word): (usize, &str)| {
        let after = head[at + word.len()..].trim_start().strip_prefix('<').unwrap_or_default();
        !after.trim_start().starts_with('>')
    };
    let parameters = head.find('(').map_or("", |open| &head[open..]);
    head.match_indices("template").any(has_parameters)
        || head.contains("requires")
        || head.split(']').skip(1).any(|after| after.trim_start().starts_with('<'))
        || names(parameters).any(|word| word == "auto")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_text() {
        let found = |text: &str| {
            let found = functions(text, 0);
            let all: Vec<String> = found.all.into_iter().map(|one| text[one.body].to_owned()).collect();
            (all, found.is_whole)
        };
        let owned = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let text = "namespace a { extern \"C\" { struct S { int f() { {} } }; } void g() const { '}'; \"}\"; }\n#define X }\n}";
        assert_eq!(found(text), (owned(&["{ {} }", "{ '}'; \"}\"; }"]), true));
        assert_eq!(found("struct S f() { }"), (owned(&["{ }"]), true));
        let twice = "void g() {}\nvoid f() {\n#if A\n if (a) {\n#else\n if (b) {\n#endif\n } }";
        assert_eq!(found(twice), (owned(&["{}"]), false));
        assert_eq!(found("} void f() { }"), (Vec::new(), false));
    }

    #[test]
    fn heads_begin_after_directives() {
        let text = "int a;\n#define X 1\nvoid f() {}\nvoid g() {}";
        let heads: Vec<&str> =
            functions(text, 0).all.iter().map(|one| text[one.head..one.body.start].trim()).collect();
        assert_eq!(heads, ["void f()", "void g()"]);
    }
}
