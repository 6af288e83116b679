//! The effects of a statement on names, except `name = value`: it unpacks values, imports, deletes, captures, or
//! changes lists and dictionaries. The values are not followed.
//!
//! The Python Language Reference, "Simple statements" and "Compound statements".

use std::collections::HashSet;

use super::super::scan::Scanner;
use super::call::is_known;
use super::literals::Tokens;
use super::place::OWN_SCOPE;

/// The effects of a statement on names.
#[derive(Debug, Default)]
pub(super) struct Bindings<'s> {
    /// Names that get an unknown value.
    pub unknown: Vec<&'s str>,
    /// Names that get an unknown value even if the block is not entered: by `:=`, or as captures of a pattern.
    pub always: Vec<&'s str>,
    /// Names whose lists and dictionaries may change.
    pub changed: Vec<&'s str>,
    /// Attributes that are assigned; `*` means every attribute.
    pub attributes: Vec<&'s str>,
    /// Names that belong to an outer scope.
    pub elsewhere: Vec<&'s str>,
    /// Names that have other values inside the statement.
    pub hidden: HashSet<String>,
    /// True if a block follows: there is a colon outside of brackets.
    pub block: bool,
    /// True if an exception may end the block and execution continues after it: `contextlib.suppress`, `pytest.raises`.
    pub suppresses: bool,
}

/// Methods that change a list or dictionary.
const CHANGE: [&str; 14] = [
    "append",
    "extend",
    "insert",
    "pop",
    "remove",
    "clear",
    "update",
    "setdefault",
    "sort",
    "reverse",
    "popitem",
    "add",
    "discard",
    "__setitem__",
];

/// Functions that leave their arguments unchanged.
const PURE: [&str; 30] = [
    "len",
    "enumerate",
    "zip",
    "sorted",
    "reversed",
    "list",
    "tuple",
    "dict",
    "set",
    "print",
    "str",
    "repr",
    "range",
    "iter",
    "map",
    "filter",
    "any",
    "all",
    "sum",
    "max",
    "min",
    "join",
    "isinstance",
    "format",
    "frozenset",
    "type",
    "product",
    "cycle",
    "hash",
    "get",
];

/// Parts of the names of context managers that suppress exceptions. Other context managers are assumed not to.
const SUPPRESS: [&str; 4] = ["suppress", "raises", "ignor", "catch"];

/// Operators of several characters, the longest first.
const MARKS: [&str; 20] = [
    "**=", "//=", ">>=", "<<=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=", "==", "!=", "<=",
    ">=", "**", "->",
];
/// The number of operators, counted from the first, that change the value of a name.
const AUGMENTED: usize = 13;

/// A word or a mark of a statement, outside of strings.
#[derive(Clone, Copy, Debug)]
struct Token<'s> {
    text: &'s str,
    /// The number of brackets around the token; a bracket does not count itself.
    depth: usize,
}

impl Token<'_> {
    fn is_name(&self) -> bool {
        const KEYWORDS: [&str; 21] = [
            "and", "as", "async", "await", "else", "for", "from", "if", "import", "in", "is", "lambda",
            "not", "or", "None", "True", "False", "del", "global", "nonlocal", "_",
        ];
        let first = self.text.bytes().next().unwrap_or(b'0');
        Scanner::is_word(first) && !first.is_ascii_digit() && !KEYWORDS.contains(&self.text)
    }
}

/// Reads the statement that begins at `from`, up to the end of its line.
pub(super) fn read<'s>(text: &'s str, from: usize) -> Bindings<'s> {
    let all = tokens(text, from);
    let mut found = Bindings::default();
    within(&all, &mut found);
    let word = all.iter().map(|token| token.text).find(|text| *text != "async").unwrap_or("");
    let colon = block_colon(&all);
    found.block = colon.is_some();
    let compound = match word {
        "def" | "class" | "for" | "while" | "with" | "try" | "except" | "if" | "elif" | "else"
        | "finally" => true,
        "case" | "match" => found.block,
        _ => false,
    };
    let (head, body) = match colon.filter(|_| compound) {
        Some(colon) => all.split_at(colon),
        None => all.split_at(0),
    };
    match word {
        "def" | "class" => {
            found.unknown.extend(head.iter().filter(|token| token.is_name()).nth(1).map(|t| t.text))
        }
        "with" | "except" => {
            found.suppresses = head.iter().any(|token| SUPPRESS.iter().any(|part| token.text.contains(part)));
            targets(head, &mut found);
        }
        "case" if found.block => captures(head, &mut found),
        _ => {}
    }
    if let (Some(colon), false) = (colon, compound) {
        // `name: type = value` is handled elsewhere.
        if colon != 1 {
            target(&all[..colon], &mut found);
        }
        return found;
    }
    for statement in body.split(|token| token.depth == 0 && matches!(token.text, ";" | ":")) {
        simple(statement, &mut found);
    }
    found
}

/// The colon before the block of a statement.
fn block_colon(all: &[Token<'_>]) -> Option<usize> {
    let mut lambdas = 0;
    all.iter().position(|token| {
        lambdas += usize::from(token.depth == 0 && token.text == "lambda");
        let colon = token.depth == 0 && token.text == ":";
        let own = colon && lambdas > 0;
        lambdas -= usize::from(own);
        colon && !own
    })
}

fn tokens(text: &str, from: usize) -> Vec<Token<'_>> {
    let mut tokens = Tokens::new(text);
    tokens.scanner.at = from;
    let (mut found, mut depth) = (Vec::new(), 0_usize);
    loop {
        tokens.blanks(depth > 0);
        let start = tokens.scanner.at;
        if tokens.scanner.at_end() || (depth == 0 && matches!(tokens.scanner.peek(), b'\n' | b'#')) {
            return found;
        }
        let byte = tokens.scanner.peek();
        if tokens.quote().is_some() {
            tokens.literal();
            found.push(Token { text: "\"", depth });
            continue;
        }
        if Scanner::is_word(byte) {
            tokens.scanner.word();
        } else if let Some(mark) = MARKS.iter().find(|mark| tokens.scanner.starts_with(mark)) {
            tokens.scanner.at += mark.len();
        } else {
            tokens.scanner.step();
        }
        depth = depth.saturating_sub(usize::from(matches!(byte, b')' | b']' | b'}')));
        found.push(Token { text: &text[start..tokens.scanner.at], depth });
        depth += usize::from(matches!(byte, b'(' | b'[' | b'{'));
    }
}

/// Adds the effects of the expressions in a statement.
fn within<'s>(all: &[Token<'s>], found: &mut Bindings<'s>) {
    let text = |at: usize| all.get(at).map_or("", |token| token.text);
    for (at, token) in all.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", text);
        match token.text {
            ":=" => found.always.push(before),
            "setattr" | "__setattr__" | "__getattribute__" | "__dict__" => found.attributes.push("*"),
            // The module itself: its attributes are the file's names.
            "modules" | "import_module" if text(at + 2) == "__name__" => found.changed.push("globals"),
            "__main__" => found.changed.push("globals"),
            "for" if token.depth > 0 => {
                let names = all[at + 1..].iter().take_while(|token| token.text != "in");
                found.hidden.insert(OWN_SCOPE.to_owned());
                found.hidden.extend(names.filter(|token| token.is_name()).map(|token| token.text.to_owned()));
            }
            "lambda" => {
                let ends = |other: &&Token<'_>| other.text != ":" || other.depth != token.depth;
                let names = all[at + 1..].iter().take_while(ends);
                found.hidden.insert(OWN_SCOPE.to_owned());
                found.hidden.extend(names.filter(|token| token.is_name()).map(|token| token.text.to_owned()));
            }
            method if before == "." && CHANGE.contains(&method) && text(at + 1) == "(" => {
                found.changed.extend(base(&all[..at - 1]));
            }
            _ if token.is_name() && token.depth > 0 && argument(all, at) => found.changed.push(token.text),
            _ => {}
        }
    }
}

/// True for a name that is an argument of a call, without other text, if the call may change its value.
fn argument(all: &[Token<'_>], at: usize) -> bool {
    let around = |at: Option<usize>| at.and_then(|at| all.get(at)).map_or("", |token| token.text);
    let ends = matches!(around(Some(at + 1)), "," | ")");
    if !ends || !matches!(around(at.checked_sub(1)), "(" | "," | "=" | "*" | "**") {
        return false;
    }
    let depth = all[at].depth;
    let open = all[..at].iter().rposition(|token| token.depth < depth).unwrap_or(0);
    let callee = open.checked_sub(1).map(|before| all[before]);
    all[open].text == "("
        && callee.is_some_and(|callee| {
            (callee.is_name() || matches!(callee.text, ")" | "]"))
                && !PURE.contains(&callee.text)
                && !is_known(callee.text)
                && around(open.checked_sub(2)) != "def"
        })
}

/// The name at the beginning of the chain of items, attributes and calls that ends a list of tokens.
fn base<'s>(chain: &[Token<'s>]) -> Option<&'s str> {
    let mut at = chain.len();
    let depth = chain.last()?.depth;
    loop {
        at = at.checked_sub(1)?;
        let token = chain[at];
        if token.depth != depth {
            continue;
        }
        let before = at.checked_sub(1).map_or("", |before| chain[before].text);
        if token.is_name() && before != "." {
            return Some(token.text);
        }
        if !(token.is_name() || matches!(token.text, "." | "(" | ")" | "[" | "]")) {
            return None;
        }
    }
}

/// Adds the effects of a statement without a block.
fn simple<'s>(statement: &[Token<'s>], found: &mut Bindings<'s>) {
    let names = |tokens: &[Token<'s>]| -> Vec<&'s str> {
        tokens.iter().filter(|token| token.is_name()).map(|token| token.text).collect()
    };
    let Some((first, rest)) = statement.split_first() else { return };
    match first.text {
        "global" | "nonlocal" => return found.elsewhere.extend(names(rest)),
        // Also records names that are not bound, such as `a` in `import a as b`.
        "import" | "from" => {
            let imported = rest.iter().skip_while(|token| first.text == "from" && token.text != "import");
            let imported: Vec<Token<'s>> = imported.copied().collect();
            found.unknown.extend(names(&imported));
            found.unknown.extend(imported.iter().find(|token| token.text == "*").map(|_| "*"));
            return;
        }
        "del" => {
            return rest.split(|token| token.depth == 0 && token.text == ",").for_each(|t| target(t, found));
        }
        _ => {}
    }
    let augmented = |token: &Token<'_>| token.depth == 0 && MARKS[..AUGMENTED].contains(&token.text);
    if let Some(at) = statement.iter().position(augmented) {
        match &statement[..at] {
            [only] if only.is_name() => {
                found.changed.push(only.text);
                // `name += value` is handled elsewhere.
                found.unknown.extend((statement[at].text != "+=").then_some(only.text));
            }
            other => target(other, found),
        }
        return;
    }
    let parts: Vec<&[Token<'s>]> = statement.split(|token| token.depth == 0 && token.text == "=").collect();
    for part in &parts[..parts.len() - 1] {
        // `name = value` is handled elsewhere.
        if !matches!(part, [only] if only.is_name()) {
            target(part, found);
        }
    }
}

/// Adds the effects of an assignment's target that is not a single name.
fn target<'s>(target: &[Token<'s>], found: &mut Bindings<'s>) {
    for (at, token) in target.iter().enumerate().filter(|(_, token)| token.is_name()) {
        let before = at.checked_sub(1).map_or("", |before| target[before].text);
        match target.get(at + 1).map_or("", |token| token.text) {
            after if before == "." => found.attributes.extend((after != ".").then_some(token.text)),
            "." | "[" | "(" => found.changed.push(token.text),
            _ => found.unknown.push(token.text),
        }
    }
}

/// The names after each `as` of `with` and `except`.
fn targets<'s>(head: &[Token<'s>], found: &mut Bindings<'s>) {
    for (at, token) in head.iter().enumerate().filter(|(_, token)| token.text == "as") {
        let ends = |other: &&Token<'_>| {
            other.depth >= token.depth && !(other.depth == token.depth && other.text == ",")
        };
        let names: Vec<Token<'s>> = head[at + 1..].iter().take_while(ends).copied().collect();
        target(&names, found);
    }
}

/// The names that the pattern of a `case` may bind.
fn captures<'s>(head: &[Token<'s>], found: &mut Bindings<'s>) {
    for (at, token) in head.iter().enumerate().skip(1).filter(|(_, token)| token.is_name()) {
        let after = head.get(at + 1).map_or("", |token| token.text);
        if head[at - 1].text != "." && !matches!(after, "." | "(") {
            found.always.push(token.text);
        }
    }
}
