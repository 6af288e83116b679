//! The labels of C++ that `goto` names. A label is known in its function alone, and other functions may have labels of that name.
//!
//! ISO C++, "Label".

use std::collections::HashMap;
use std::ops::Range;

use super::literal;
use super::scan::Scanner;

/// The labels that the `goto` of a text name.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// For each label, where a `goto` names it.
    named: HashMap<String, Vec<usize>>,
    /// The outermost blocks that are not those of namespaces and classes, in order. Each function is in one of them. Empty
    /// if the brackets of the text do not match.
    functions: Vec<Range<usize>>,
}

impl Labels {
    /// The labels of a text from `from` on.
    pub fn new(text: &str, from: usize) -> Self {
        let mut labels = Labels::default();
        for (at, goto) in text[from..].match_indices("goto") {
            let mut scanner = Scanner { text, at: from + at + goto.len() };
            scanner.c_blanks();
            labels.named.entry(scanner.word().to_owned()).or_default().push(from + at);
        }
        if !labels.named.is_empty() {
            labels.functions = functions(text, from).unwrap_or_default();
        }
        labels
    }

    /// For a part of a text with these labels: the text around it may jump to each of them.
    pub fn enter(&mut self, around: &Labels) {
        around.named.keys().for_each(|name| self.named.entry(name.clone()).or_default().push(usize::MAX));
    }

    /// True if no `goto` names a label.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// True for a label that a `goto` outside of a part of its function names.
    pub fn is_entered(&self, name: &str, part: &Range<usize>) -> bool {
        let function = self.function(part.start);
        let enters = |at: &usize| {
            let other = self.function(*at);
            !part.contains(at) && (function.is_none() || other.is_none() || function == other)
        };
        self.named.get(name).is_some_and(|all| all.iter().any(enters))
    }

    /// The function around a place, if it is known.
    fn function(&self, at: usize) -> Option<usize> {
        let number = self.functions.partition_point(|function| function.end <= at);
        self.functions.get(number).filter(|function| function.contains(&at)).map(|_| number)
    }
}

/// The outermost blocks that are not those of namespaces and classes; `None` if brackets are not closed, or if more are.
fn functions(text: &str, from: usize) -> Option<Vec<Range<usize>>> {
    let (mut found, mut scanner) = (Vec::new(), Scanner { text, at: from });
    // Open blocks of namespaces and classes, the beginning of a function, and the open blocks in it.
    let (mut outer, mut function, mut depth) = (0_u32, 0, 0_u32);
    let mut head = from;
    while !scanner.at_end() {
        let at = scanner.at;
        match scanner.peek() {
            b'#' | b'%' if scanner.hash() > 0 && scanner.begins_line() => {
                scanner.at = scanner.directive().end;
                continue;
            }
            b'{' if depth > 0 => depth += 1,
            b'{' if is_around(&text[head..at]) => outer += 1,
            b'{' => (function, depth) = (at, 1),
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    found.push(function..at + 1);
                }
            }
            b'}' => outer = outer.checked_sub(1)?,
            b';' => {}
            _ => {
                literal::skip(&mut scanner);
                continue;
            }
        }
        scanner.step();
        head = scanner.at;
    }
    (outer == 0 && depth == 0).then_some(found)
}

/// True if functions may be in the block with this head.
fn is_around(head: &str) -> bool {
    let mut words = head.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    !head.contains('(')
        && words.any(|word| ["namespace", "extern", "struct", "class", "union"].contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_text() {
        let found = |text: &str| {
            functions(text, 0).map(|all| all.into_iter().map(|at| text[at].to_owned()).collect::<Vec<_>>())
        };
        let text = "namespace a { extern \"C\" { struct S { int f() { {} } }; } void g() const { '}'; \"}\"; }\n#define X }\n}";
        assert_eq!(found(text).unwrap(), ["{ {} }", "{ '}'; \"}\"; }"]);
        assert_eq!(found("struct S f() { }").unwrap(), ["{ }"]);
        assert_eq!(found("void f() {\n#if A\n if (a) {\n#else\n if (b) {\n#endif\n } }"), None);
        assert_eq!(found("} void f() { }"), None);
    }
}
