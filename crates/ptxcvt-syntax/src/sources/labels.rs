//! C++ labels that `goto` names. The scope of a label is its function, so other functions may have labels of the same
//! name.
//!
//! ISO C++, "Label".

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::functions::functions;
use super::literal;
use super::scan::Scanner;

/// The labels that the `goto` statements of a text name.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// For each label, where a `goto` names it.
    named: HashMap<String, Vec<usize>>,
    /// The places of all `goto` statements, in order.
    gotos: Vec<usize>,
    /// True if a macro is the word `goto`, whose label follows the macro.
    to_any: bool,
    /// The labels to which `goto *place` may jump.
    addressed: HashSet<String>,
    /// The places of all names with a colon, in order.
    placed: Vec<usize>,
    /// The outermost blocks that do not belong to namespaces and classes, in order. Each function is in one of them.
    /// Empty if the brackets of the text do not match.
    functions: Vec<Range<usize>>,
    /// The functions with a `goto` whose label is not in the text: a macro hides it. `None` stands for the whole text,
    /// if its functions are not known.
    open: HashSet<Option<usize>>,
}

/// True if a text ends in the unary operator `&&`, which gives the address of a label.
fn is_address(before: &str) -> bool {
    let operand = before.trim_ascii_end().strip_suffix("&&").map(str::trim_ascii_end);
    operand.is_some_and(|operand| {
        let is_binary = |byte: u8| Scanner::is_word(byte) || matches!(byte, b')' | b']');
        operand.ends_with("return") || !operand.bytes().next_back().is_some_and(is_binary)
    })
}

/// False for keywords that a colon may follow.
pub(super) fn may_be(name: &str) -> bool {
    !matches!(name, "default" | "enum" | "struct" | "class" | "union" | "public" | "private" | "protected")
}

impl Labels {
    /// Reads the labels of a text from `from` on.
    pub fn new(text: &str, from: usize) -> Self {
        let mut labels = Labels::default();
        if !text[from..].contains("goto") {
            return labels;
        }
        let (mut scanner, mut before) = (Scanner { text, at: from }, b';');
        // After `else` and `do`, a statement begins, too.
        let mut begins_after_word = false;
        // GNU's `&&label` and `goto *place`: each such `goto` may lead to each such label.
        let (mut addressed, mut computed) = (Vec::new(), Vec::new());
        while !scanner.at_end() {
            scanner.c_blanks();
            let at = scanner.at;
            let is_name = Scanner::is_word(scanner.peek()) && !scanner.peek().is_ascii_digit();
            let word = if is_name && !literal::begins(&scanner) { scanner.word() } else { "" };
            match word {
                "" => literal::skip(&mut scanner),
                "goto" => {
                    labels.gotos.push(at);
                    scanner.c_blanks();
                    let is_computed = scanner.peek() == b'*';
                    match scanner.word() {
                        "" if is_computed => computed.push(at),
                        name if name.is_empty() || text[at..scanner.at].contains('\n') => {
                            labels.to_any = true
                        }
                        name => labels.named.entry(name.to_owned()).or_default().push(at),
                    }
                }
                name if is_address(&text[from..at]) => addressed.push(name),
                name if may_be(name) && (begins_after_word || b";{}:)".contains(&before)) => {
                    let mut next = Scanner { ..scanner };
                    next.c_blanks();
                    if next.peek() == b':' && !next.starts_with("::") {
                        labels.placed.push(at);
                    }
                }
                _ => {}
            }
            begins_after_word = matches!(word, "else" | "do");
            before = text.as_bytes().get(scanner.at.wrapping_sub(1)).copied().unwrap_or(b';');
        }
        for name in addressed.into_iter().filter(|_| !computed.is_empty()) {
            labels.named.entry(name.to_owned()).or_default().extend(&computed);
            labels.addressed.insert(name.to_owned());
        }
        if !labels.gotos.is_empty() {
            let found = functions(text, from);
            let all = found.all.into_iter().filter(|_| found.is_whole);
            labels.functions = all.map(|function| function.body).collect();
            let placed: HashSet<(Option<usize>, &str)> = labels
                .placed
                .iter()
                .map(|at| (labels.function(*at), Scanner { text, at: *at }.word()))
                .collect();
            let all = labels
                .named
                .iter()
                .flat_map(|(name, all)| all.iter().map(|at| (labels.function(*at), &**name)));
            labels.open = all.filter(|goto| !placed.contains(goto)).map(|(function, _)| function).collect();
        }
        labels
    }

    /// For a part of a text whose labels are `around`: records that the text around the part may jump to each label.
    pub fn enter(&mut self, around: &Labels) {
        around.named.keys().for_each(|name| self.named.entry(name.clone()).or_default().push(usize::MAX));
    }

    /// True if there is no `goto`.
    pub fn is_empty(&self) -> bool {
        self.gotos.is_empty()
    }

    /// The places of labels in a part of the text.
    pub fn placed(&self, part: &Range<usize>) -> impl Iterator<Item = usize> {
        let from = self.placed.partition_point(|at| *at < part.start);
        let end = part.end;
        self.placed[from..].iter().copied().take_while(move |at| *at < end)
    }

    /// True if a part of the text has a `goto`.
    pub fn has_goto(&self, part: &Range<usize>) -> bool {
        self.gotos.get(self.gotos.partition_point(|at| *at < part.start)).is_some_and(|at| *at < part.end)
    }

    /// True if `goto *place` may jump to the label.
    pub fn is_addressed(&self, name: &str) -> bool {
        self.addressed.contains(name)
    }

    /// True if a macro hides a label in the function around a place.
    pub fn are_hidden(&self, at: usize) -> bool {
        let function = self.function(at);
        self.open.contains(&function) && (function.is_some() || self.functions.is_empty())
    }

    /// True if a part of the text is the block of a function.
    pub fn is_function(&self, part: &Range<usize>) -> bool {
        self.function(part.start).is_some_and(|number| self.functions[number] == *part)
    }

    /// True if a `goto` outside of `part`, in the same function, names the label.
    pub fn is_entered(&self, name: &str, part: &Range<usize>) -> bool {
        let function = self.function(part.start);
        let enters = |at: &usize| {
            let other = self.function(*at);
            !part.contains(at) && (function.is_none() || other.is_none() || function == other)
        };
        self.to_any || self.named.get(name).is_some_and(|all| all.iter().any(enters))
    }

    /// The end of the function around a place, if it is known. No jump leads out of it.
    pub fn end_of_function(&self, at: usize) -> Option<usize> {
        self.function(at).map(|number| self.functions[number].end)
    }

    /// The function around a place, if it is known.
    fn function(&self, at: usize) -> Option<usize> {
        let number = self.functions.partition_point(|function| function.end <= at);
        self.functions.get(number).filter(|function| function.contains(&at)).map(|_| number)
    }
}
