//! The state of the reader of declarations.

use std::collections::{HashMap, HashSet};

use super::super::guard::{Declared, Preprocessor, Regions};
use super::super::scan::Scanner;
use super::super::values::Values;
use super::bracket::Bracket;

/// What is known of the file before its declarations are read.
#[derive(Clone, Copy)]
pub(super) struct Context<'s> {
    /// The macros after its last line.
    pub(super) all: &'s Preprocessor,
    pub(super) regions: &'s Regions,
}

/// The definition of a constant outside of functions.
pub(super) struct Home {
    /// Where the block around it begins. `None` outside of all blocks.
    pub(super) start: Option<usize>,
    pub(super) is_class: bool,
    pub(super) value: String,
}

pub(super) struct Reader<'s> {
    pub(super) all: &'s Preprocessor,
    pub(super) regions: &'s Regions,
    pub(super) scanner: Scanner<'s>,
    pub(super) names: Declared,
    pub(super) values: Values<'s>,
    /// The places of the names of constants.
    pub(super) constants: HashSet<usize>,
    /// The previous word, if only blanks follow it.
    pub(super) before: &'s str,
    /// The last three tokens, the last one first, and where it ends.
    pub(super) tokens: [&'s str; 3],
    pub(super) end: usize,
    /// The open brackets; the first one stands for the file.
    pub(super) brackets: Vec<Bracket<'s>>,
    /// The places of names whose values are read.
    pub(super) read: HashSet<usize>,
    /// The word before the last group in parentheses of the statement.
    pub(super) called: &'s str,
    /// The functions whose bodies are open.
    pub(super) open: Vec<&'s str>,
    /// True if the next word may begin a declaration.
    pub(super) begins: bool,
    /// Where the statement begins, and its first word.
    pub(super) statement: usize,
    pub(super) first: &'s str,
    /// True after a `=` of the statement.
    pub(super) is_value: bool,
    /// True after `struct` and the like, whose block may follow.
    pub(super) is_class: bool,
    /// True if a name was found to depend on the configuration after its first use.
    pub(super) is_late: bool,
    /// The number of names that were found to depend on the configuration.
    pub(super) searches: u32,
    /// Where each open block begins.
    pub(super) starts: Vec<usize>,
    /// The definitions of each constant outside of functions.
    pub(super) homes: HashMap<&'s str, Vec<Home>>,
    /// The names that have a value in a branch of an open block, which begins at the place.
    pub(super) given: Vec<(usize, &'s str)>,
}

impl<'s> Reader<'s> {
    /// A reader that has read nothing yet. Some names and constants are known to depend on the configuration.
    pub(super) fn new(
        scanner: Scanner<'s>,
        all: &'s Preprocessor,
        regions: &'s Regions,
        names: Declared,
        dependent: HashSet<&'s str>,
    ) -> Reader<'s> {
        Reader {
            all,
            regions,
            scanner,
            names,
            values: Values { dependent, ..Values::default() },
            constants: HashSet::new(),
            before: "",
            tokens: [""; 3],
            end: 0,
            brackets: vec![Bracket::new(b'{', "")],
            read: HashSet::new(),
            called: "",
            open: Vec::new(),
            begins: true,
            statement: scanner.at,
            is_value: false,
            first: "",
            is_class: false,
            is_late: false,
            searches: 0,
            starts: Vec::new(),
            homes: HashMap::new(),
            given: Vec::new(),
        }
    }

    /// The innermost open bracket.
    pub(super) fn inside(&self) -> Option<&Bracket<'s>> {
        self.brackets.last().filter(|_| self.brackets.len() > 1)
    }

    /// True in the block of a function.
    pub(super) fn is_in_function(&self) -> bool {
        self.open.iter().any(|function| !function.is_empty())
    }

    /// Records that a name depends on the configuration. Its definition has it `own` times before the statement.
    pub(super) fn found(&mut self, name: &str, own: usize) {
        /// Limit on the names that are searched for.
        const MAX_SEARCHES: u32 = 256;
        self.searches += 1;
        let before = &self.scanner.text[..self.statement];
        self.is_late =
            self.is_late || self.searches > MAX_SEARCHES || before.match_indices(name).nth(own).is_some();
    }
}
