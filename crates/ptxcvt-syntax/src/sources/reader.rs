//! The state of the C++ reader.

use std::collections::HashSet;

use super::ahead::Ahead;
use super::assembly::Assembly;
use super::blocks::Blocks;
use super::branch::Branch;
use super::dispatch::Dispatch;
use super::guard::{Preprocessor, Reach};
use super::hidden::Hidden;
use super::made::Expansions;
use super::reached::{Open, Reached};
use super::reading::Wrappers;
use super::scan::Scanner;
use super::uses::Uses;

/// The definition of a macro.
pub(super) struct Body {
    pub name: String,
    pub parameters: Vec<String>,
    /// Where the definition ends.
    pub end: usize,
    /// The state before the definition, which is restored after it: whether a statement begins, and where the last one
    /// began.
    pub outside: Option<(bool, usize)>,
}

pub(super) struct Reader<'s> {
    pub scanner: Scanner<'s>,
    /// The text, with blanks in place of code that no device compiler reads.
    pub walked: &'s str,
    pub hidden: &'s Hidden,
    pub preprocessor: Preprocessor,
    /// The open blocks, except in definitions of macros.
    pub blocks: Blocks,
    /// True if a statement of a block begins at the next token.
    pub begins_statement: bool,
    /// True if the last token is a `}`, which may end an initialiser before the block of a function.
    pub after_block: bool,
    /// Where the head of a block begins: after the last semicolon or bracket of a block outside definitions of macros.
    pub head: usize,
    /// Where the last statement of a block begins.
    pub statement: usize,
    /// The end of a macro use that is a whole statement.
    pub macro_end: Option<usize>,
    /// The macros of `<nv/target>` whose arguments are being read, outermost first.
    pub dispatches: Vec<Dispatch>,
    /// The statements for some targets that are being read, outermost first.
    pub branches: Vec<Branch>,
    /// Statements that some configurations leave, outermost first: the end of the statement, the end of the code after
    /// it, and the configurations that reach that code.
    pub leaving: Vec<(usize, usize, Reach)>,
    /// For each statement that restricts code, its place and the end of that code.
    pub restricted: Vec<(usize, usize)>,
    /// The number of statements followed so far that leave others.
    pub jumps: usize,
    /// The places where `while` ends a `do` loop, and does not begin a loop.
    pub do_ends: HashSet<usize>,
    /// The places of statements that are followed, and of macros that were expanded to follow the statements around
    /// them.
    pub followed: HashSet<usize>,
    pub expanded: HashSet<usize>,
    /// The state while statements are read that are followed.
    pub reached: Reached,
    /// The `switch` statements around the statement that is read.
    pub switches: Vec<Open<'s>>,
    /// The configurations that reach labels from code that is not followed.
    pub unknown: Reach,
    /// The code after the first lambda with a name.
    pub ahead: Option<Box<Ahead<'s>>>,
    /// Up to this place, no statement leaves another one.
    pub plain_until: usize,
    pub found: Vec<Assembly>,
    pub uses: Uses,
    /// The macro whose definition was read last.
    pub body: Option<Body>,
    /// The assemblies in definitions of macros, by their numbers, with the macros' names.
    pub in_bodies: Vec<(usize, String)>,
    /// The macros that must be expanded at each use.
    pub expansions: Expansions,
    /// True if the text is an expansion. Macros left in it refer to themselves, and are not expanded again.
    pub is_expanded: bool,
    /// False if the statements of an expansion are followed for the code around it.
    pub has_places: bool,
    /// The number of strings around the text that are source files.
    pub depth: u32,
    pub wrappers: &'s Wrappers,
}

impl<'s> Reader<'s> {
    /// A reader that has read nothing yet.
    pub fn new(
        scanner: Scanner<'s>,
        walked: &'s str,
        hidden: &'s Hidden,
        preprocessor: Preprocessor,
        (depth, wrappers): (u32, &'s Wrappers),
    ) -> Reader<'s> {
        Reader {
            statement: scanner.at,
            head: scanner.at,
            scanner,
            walked,
            hidden,
            preprocessor,
            blocks: Blocks::default(),
            begins_statement: true,
            after_block: false,
            macro_end: None,
            dispatches: Vec::new(),
            branches: Vec::new(),
            leaving: Vec::new(),
            restricted: Vec::new(),
            jumps: 0,
            do_ends: HashSet::new(),
            followed: HashSet::new(),
            expanded: HashSet::new(),
            reached: Reached::default(),
            switches: Vec::new(),
            unknown: Reach::unknown_by_target(),
            ahead: None,
            plain_until: 0,
            found: Vec::new(),
            uses: Uses::default(),
            body: None,
            in_bodies: Vec::new(),
            expansions: Expansions::default(),
            is_expanded: false,
            has_places: true,
            depth,
            wrappers,
        }
    }

    /// True if the definition of a macro that contains `start` ends before the scanner.
    pub(super) fn leaves_body(&self, start: usize) -> bool {
        self.body.as_ref().is_some_and(|body| start < body.end && self.scanner.at >= body.end)
    }

    /// Skips the `(`, if it is the next token and in the same macro definition.
    pub(super) fn opens(&mut self) -> bool {
        let start = self.scanner.at;
        self.scanner.c_blanks();
        if self.leaves_body(start) || !self.scanner.take(b'(') {
            self.scanner.at = start;
            return false;
        }
        true
    }

    /// True in the definition of a macro.
    pub(super) fn is_in_body(&self) -> bool {
        self.body.as_ref().is_some_and(|body| self.scanner.at < body.end)
    }
}

/// The parameters of the macro that a directive defines.
pub(super) fn parameters(rest: &str) -> Vec<String> {
    let list = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or("", |(list, _)| list);
    let names = list.split(',').map(|name| name.trim().trim_end_matches("...").trim());
    let variable = list.contains("...").then(|| "__VA_ARGS__".to_owned());
    names
        .filter(|name| name.bytes().all(Scanner::is_word) && !name.is_empty())
        .map(str::to_owned)
        .chain(variable)
        .collect()
}
