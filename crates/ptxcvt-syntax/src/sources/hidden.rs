//! Macros of a C++ file that hide statements: `#define IF_FP8 if (__CUDA_ARCH__ >= 890)`, pairs of `BEGIN` and `END`,
//! and macros that have statements around their arguments.

use std::collections::HashMap;

use super::dispatch::Dispatch;
use super::endless::Endless;
use super::guard::split_body;
use super::inside::{self, has_names};
use super::jumping::Jumping;
use super::keywords::{CONTROLS, ENDS, EXITS};
use super::labels::Labels;
use super::literal;
use super::scan::Scanner;
use super::uses::defined;
use crate::identifier;

/// What a macro does to the statements around its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// It is a keyword with its condition, and nothing else. `arguments` says whether the macro has parameters, and
    /// `is_if` whether `else` may follow.
    Head { arguments: bool, is_if: bool },
    /// It is a keyword: `if`, `if constexpr`, `for` or `while`.
    Keyword(&'static str),
    /// A statement begins in the macro and ends outside, or begins outside and ends in the macro.
    Open,
    /// The expansion consists of whole statements, contains an operator that may skip an operand, or does not use an
    /// argument. `exits`: one of its statements leaves the enclosing code.
    Closed { exits: bool },
}

/// The macros of a file that hide statements, and the labels that its `goto` statements name.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    shapes: HashMap<String, Shape>,
    /// The macros whose bodies end a statement, and whether each has parameters.
    statements: HashMap<String, bool>,
    /// The same for macros without a body.
    vanishing: HashMap<String, bool>,
    jumping: Jumping,
    labels: Labels,
    endless: Endless,
    has_ends: bool,
}

/// True for a macro such as `PRAGMA_UNROLL`, which precedes a loop.
pub(super) fn is_pragma(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.contains("unroll") || word.contains("pragma")
}

/// Limit on levels of macros that use other macros; deeper ones are not recognised.
const MAX_ROUNDS: usize = 32;

/// The shape of a macro that has one of two definitions.
fn either(a: Option<Shape>, b: Option<Shape>) -> Option<Shape> {
    match (a, b) {
        _ if a == b => a,
        (Some(Shape::Closed { exits }), None) | (None, Some(Shape::Closed { exits })) => {
            Some(Shape::Closed { exits })
        }
        (Some(Shape::Closed { exits: a }), Some(Shape::Closed { exits: b })) => {
            Some(Shape::Closed { exits: a || b })
        }
        _ => Some(Shape::Open),
    }
}

/// True if a macro's body does not use one of its parameters.
fn drops_argument(parameters: &str, body: &str) -> bool {
    let mut names =
        parameters.split(',').map(str::trim).filter(|name| !name.is_empty()).map(|name| match name {
            "..." => "__VA_ARGS__",
            name => name.trim_end_matches("...").trim(),
        });
    let is_used = |name| identifier::names(body).any(|word| word == name);
    !names.all(is_used)
}

/// True before the parentheses of a loop that no variable ends.
fn is_endless(keyword: &str, mut scanner: Scanner<'_>) -> bool {
    scanner.c_blanks();
    let open = scanner.at;
    if !matches!(keyword, "for" | "while") || scanner.peek() != b'(' {
        return false;
    }
    scanner.skip_group();
    let written = scanner.content(open);
    let condition = match keyword {
        "for" if inside::is_endless(written) => return true,
        "for" => inside::parts(written).nth(1).unwrap_or("0"),
        _ => written,
    };
    let is_false = matches!(condition.trim(), "0" | "false");
    condition.contains("__CUDA_ARCH__") || (!is_false && !has_names(condition))
}

/// True if a macro's body defines a function: a type, a name, parameters and a block. Its statements leave only that
/// function. Text after the first block is ignored.
fn is_function(body: &str) -> bool {
    let (mut scanner, mut words, mut has_parameters) = (Scanner::new(body), 0, false);
    loop {
        scanner.c_blanks();
        match scanner.peek() {
            b'(' => {
                scanner.skip_group();
                has_parameters = words > 1;
            }
            b'{' => return has_parameters,
            b'*' | b'&' | b':' | b'<' | b'>' | b'#' | b',' => scanner.step(),
            byte if Scanner::is_word(byte) => {
                let word = scanner.word();
                let is_statement = CONTROLS.contains(&word) || EXITS.contains(&word) || is_pragma(word);
                if is_statement || matches!(word, "else" | "case" | "default") {
                    return false;
                }
                words += 1;
            }
            _ => return false,
        }
    }
}

/// True if a macro's body completes a statement: it ends in `;`, is a block, or is a statement with a block at its end.
fn ends_statement(body: &str) -> bool {
    if Dispatch::ends(body) {
        return true;
    }
    let mut scanner = Scanner::new(body);
    scanner.c_blanks();
    let (start, mut last) = (scanner.at, b' ');
    let is_block = scanner.peek() == b'{';
    let is_control = CONTROLS.contains(&scanner.clone().word());
    loop {
        scanner.c_blanks();
        if scanner.at_end() {
            return last == b';' || (is_control && last == b'{');
        }
        let before = scanner.at;
        last = scanner.peek();
        match last {
            b'(' | b'[' | b'{' => scanner.skip_group(),
            _ => literal::skip(&mut scanner),
        }
        let is_first = before == start;
        scanner.c_blanks();
        if is_block && is_first && scanner.at_end() {
            return true;
        }
    }
}

/// The macros all of whose bodies are of a kind, and whether they have parameters.
fn with_bodies(all: &[(&str, &str)], is_of_kind: impl Fn(&str) -> bool) -> HashMap<String, bool> {
    let mut found: HashMap<&str, Option<bool>> = HashMap::new();
    for (name, rest) in all {
        let (parameters, body) = split_body(rest);
        let one = is_of_kind(body).then_some(parameters.is_some());
        found.entry(name).and_modify(|known| *known = known.filter(|_| *known == one)).or_insert(one);
    }
    found.into_iter().filter_map(|(name, one)| Some((name.to_owned(), one?))).collect()
}

impl Hidden {
    /// The macros that these directives of a file define. The labels and the functions that do not return are those of
    /// `text` from the offset `from` on.
    pub fn new(directives: &[String], text: &str, from: usize) -> Self {
        let all: Vec<(&str, &str)> = directives.iter().filter_map(|line| defined(line)).collect();
        let mut hidden = Hidden { jumping: Jumping::new(&all), ..Hidden::default() };
        hidden.labels = Labels::new(text, from);
        hidden.endless = Endless::new(&all).with(text, from);
        hidden.statements = with_bodies(&all, ends_statement);
        hidden.vanishing = with_bodies(&all, |body| body.trim().is_empty());
        // A macro may use others that are defined later.
        for _ in 0..MAX_ROUNDS {
            let mut next: HashMap<String, Option<Shape>> = HashMap::new();
            for (name, rest) in &all {
                let (parameters, body) = split_body(rest);
                let drops = parameters.is_some_and(|parameters| drops_argument(parameters, body));
                let dropped = drops.then_some(Shape::Closed { exits: false });
                let shape = hidden.shape(body, parameters.is_some()).or(dropped);
                let merged = next.get(*name).map_or(shape, |known| either(*known, shape));
                next.insert((*name).to_owned(), merged);
            }
            let next: HashMap<_, _> =
                next.into_iter().filter_map(|(name, shape)| Some((name, shape?))).collect();
            if next == hidden.shapes {
                break;
            }
            hidden.shapes = next;
        }
        hidden.has_ends = hidden.may_end(text.get(from..).unwrap_or_default());
        hidden
    }

    /// Macros and labels for an expansion of a part of the text. It defines no macros, and the surrounding text may
    /// jump to its labels.
    pub fn of_part(&self, text: &str) -> Self {
        let mut part = self.without_macros();
        part.labels = Labels::new(text, 0);
        part.labels.enter(&self.labels);
        part.endless = part.endless.with(text, 0);
        part
    }

    /// Only the functions that do not return, for expanded code whose labels are not followed.
    pub fn without_macros(&self) -> Self {
        Hidden { endless: self.endless.clone(), has_ends: true, ..Hidden::default() }
    }

    /// True if a text may leave an expression.
    fn may_end(&self, text: &str) -> bool {
        identifier::names(text).any(|word| word == "throw" || self.ends(word) || self.exits(word))
    }

    /// True if the text, or a macro in it, names a function that may not return, or has `throw`.
    pub fn has_ends(&self) -> bool {
        self.has_ends
    }

    /// True for a macro with a statement that leaves the code around it.
    pub fn exits(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Shape::Closed { exits: true }))
    }

    /// True for the name of a function that may not return.
    pub fn ends(&self, name: &str) -> bool {
        ENDS.contains(&name) || self.endless.contains(name)
    }

    /// True if a text names a function that the file declares with `noreturn`.
    pub fn names_endless(&self, text: &str) -> bool {
        self.endless.is_named(text)
    }

    /// True if the head of a function may declare that it does not return.
    pub fn declares_endless(&self, head: &str) -> bool {
        self.endless.is_marked(head)
    }

    /// The labels that a `goto` names.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The macros that jump to labels or have labels.
    pub fn jumping(&self) -> &Jumping {
        &self.jumping
    }

    /// Whether a macro has parameters. `None` unless its statements or labels decide which code is reached.
    pub fn decides(&self, name: &str) -> Option<bool> {
        let decides = self.exits(name) || self.jumping.labels().contains(name);
        decides.then(|| self.jumping.has_parameters(name)).flatten()
    }

    /// Whether a macro has parameters. `None` unless its body ends a statement.
    pub fn ends_statement(&self, name: &str) -> Option<bool> {
        self.statements.get(name).copied()
    }

    /// Whether a macro has parameters. `None` unless nothing is left of it.
    pub fn vanishes(&self, name: &str) -> Option<bool> {
        self.vanishing.get(name).copied()
    }

    /// The shape of the macro with this name. `None` if it hides no statement, or if the file does not define it.
    pub fn get(&self, name: &str) -> Option<Shape> {
        self.shapes.get(name).copied().or_else(|| self.foreign(name))
    }

    /// The shape of a macro of another file whose name says what it is: `_CCCL_IF_CONSTEXPR` stands for `if constexpr`.
    fn foreign(&self, name: &str) -> Option<Shape> {
        let is_one = name.ends_with("IF_CONSTEXPR") && self.jumping.has_parameters(name).is_none();
        is_one.then_some(Shape::Keyword("if constexpr"))
    }

    /// The shape of a macro with this body.
    fn shape(&self, body: &str, arguments: bool) -> Option<Shape> {
        let keyword = body.split_whitespace().collect::<Vec<_>>().join(" ");
        let keywords = ["if", "if constexpr", "for", "while"].into_iter();
        if let Some(keyword) = keywords.filter(|_| !arguments).find(|other| **other == keyword) {
            return Some(Shape::Keyword(keyword));
        }
        if let Some(is_if) = self.head(body) {
            return Some(Shape::Head { arguments, is_if });
        }
        let mut scanner = Scanner::new(body);
        let (mut depth, mut least, mut has_statement, mut exits, mut is_open) = (0, 0, false, false, false);
        let (mut first, mut last, mut words, mut before_group) = (None, "", Vec::new(), Vec::new());
        let mut closed = "";
        loop {
            scanner.c_blanks();
            if scanner.at_end() {
                break;
            }
            let start = scanner.at;
            closed = "";
            match scanner.peek() {
                b'(' | b'[' | b'{' => {
                    before_group.push(last);
                    depth += 1;
                    scanner.step();
                    last = "";
                }
                b')' | b']' | b'}' => {
                    closed = before_group.pop().unwrap_or_default();
                    depth -= 1;
                    least = depth.min(least);
                    scanner.step();
                    last = "";
                }
                byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                    let word = scanner.word();
                    first.get_or_insert(word);
                    words.push(word);
                    has_statement |=
                        matches!(word, "if" | "for" | "while" | "do" | "switch" | "else" | "case" | "try");
                    exits |= EXITS.contains(&word) || self.ends(word) || is_endless(word, scanner);
                    match self.get(word) {
                        Some(Shape::Open) => is_open = true,
                        Some(Shape::Closed { exits: inner }) => {
                            has_statement = true;
                            exits |= inner;
                        }
                        Some(Shape::Head { .. } | Shape::Keyword(_)) => has_statement = true,
                        None => {}
                    }
                    last = word;
                }
                b'?' => {
                    has_statement = true;
                    scanner.step();
                    last = "";
                }
                b'&' | b'|' if body[start..].starts_with("&&") || body[start..].starts_with("||") => {
                    has_statement = true;
                    scanner.at += 2;
                    last = "";
                }
                _ => {
                    literal::skip(&mut scanner);
                    last = "";
                }
            }
        }
        let is_head = |word: &str| matches!(self.get(word), Some(Shape::Head { .. } | Shape::Keyword(_)));
        let ends_in_head = match closed {
            "while" => !words.contains(&"do"),
            // Without `if`, `constexpr` begins a declaration.
            "" if last == "constexpr" => words.contains(&"if"),
            "" => is_head(last) || matches!(last, "else" | "do" | "try" | "if"),
            word => matches!(word, "if" | "for" | "switch" | "constexpr" | "catch") || is_head(word),
        };
        let begins_inside = first.is_some_and(|word| matches!(word, "else" | "catch" | "case" | "default"));
        if is_open || depth != 0 || least < 0 || begins_inside || ends_in_head {
            return Some(Shape::Open);
        }
        ((has_statement || exits) && !is_function(body)).then_some(Shape::Closed { exits })
    }

    /// Whether `else` may follow a macro with this body; `None` unless the body is one keyword with its condition.
    fn head(&self, body: &str) -> Option<bool> {
        let mut scanner = Scanner::new(body);
        scanner.c_blanks();
        let word = scanner.word();
        let is_if = match (word, self.get(word)) {
            ("if", _) => true,
            (_, Some(Shape::Keyword(keyword))) => keyword.starts_with("if"),
            ("for" | "while", _) => false,
            (_, Some(Shape::Head { arguments, is_if })) => {
                if !arguments {
                    scanner.c_blanks();
                    return scanner.at_end().then_some(is_if);
                }
                is_if
            }
            _ => return None,
        };
        scanner.c_blanks();
        while !scanner.word().is_empty() {
            scanner.c_blanks();
        }
        if scanner.peek() != b'(' {
            return None;
        }
        scanner.skip_group();
        let closes = body[..scanner.at].ends_with(')');
        scanner.c_blanks();
        (scanner.at_end() && closes).then_some(is_if)
    }
}
