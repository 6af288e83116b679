//! The labels of C++ that `goto` names. A label is known in its function alone, and other functions may have labels of that name.
//!
//! ISO C++, "Label".

use std::collections::HashMap;
use std::ops::Range;

use super::functions::functions;
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
            let found = functions(text, from);
            let all = found.all.into_iter().filter(|_| found.is_whole);
            labels.functions = all.map(|function| function.body).collect();
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
