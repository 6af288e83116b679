//! How a program uses a string that names targets: it builds for them, only mentions them, or its use is unknown.

use super::tokens::{Kind, Token};
use super::vocabulary::{ASKS, BLOCKS, CONDITIONS, DECLARES, KEYWORDS, SAYS, SETS};

/// The use of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// It is an option or a value of the build.
    Sets,
    /// The program removes it from a list.
    Removes,
    /// Unknown: it may be an option or a message.
    Unknown,
    /// It is a message or a description, or the program compares it.
    Says,
}

/// The use of the string or name at `first..end`.
pub fn of(tokens: &[Token<'_>], first: usize, end: usize) -> Use {
    if is_document(tokens, first, end) {
        return Use::Says;
    }
    let mut found = Use::Sets;
    let (mut first, mut end) = (first, end);
    loop {
        // A name before a call or an index is a part of this level.
        while first > 0 && is_callee(tokens, first) {
            first -= 1;
        }
        found = found.max(level(tokens, first, end));
        let Some(open) = tokens[first].open else { return found };
        // `extra_args=[…]` of any function
        let key = key(tokens, start(tokens, first), first);
        let is_argument = matches!(tokens[first].kind, Kind::String(_)) && key.is_none();
        if is_argument && tokens[open].text == "(" && open > 0 && DECLARES.contains(&tokens[open - 1].text) {
            return Use::Says;
        }
        let build = key.is_some_and(|name| {
            ["args", "env", "flags", "options"].iter().any(|end| name.to_ascii_lowercase().ends_with(end))
        });
        let called = bracket(tokens, open);
        found = found.max(if build && called == Use::Unknown { Use::Sets } else { called });
        (first, end) = (open, after(tokens, open, end));
    }
}

/// The use of the list with the name at `at`, which may be an index: `environ["…"]`.
pub fn of_name(tokens: &[Token<'_>], at: usize) -> Use {
    match tokens[at].open {
        Some(open) if open + 1 == at && tokens[open].text == "[" => {
            of(tokens, open, after(tokens, open, at + 1))
        }
        _ => of(tokens, at, at + 1),
    }
}

/// Lines further above a statement are not searched for the blocks around it.
const FARTHEST: usize = 1 << 10;

/// How many blanks are before a line, which begins after the token at `line`.
fn blanks(tokens: &[Token<'_>], line: Option<usize>) -> usize {
    line.map_or(0, |line| tokens[line].text.trim_start_matches('\n').len())
}

/// The first tokens of the line that contains `at`, of the lines that begin the blocks around it, and of those before an
/// `else`: the innermost first. `None` at the end if there may be more.
fn around(tokens: &[Token<'_>], at: usize) -> Vec<Option<usize>> {
    let begins = |line: usize| tokens[..line].iter().rposition(|token| token.kind == Kind::Line);
    let mut line = begins(at);
    let mut all = vec![Some(line.map_or(0, |line| line + 1))];
    let mut within = blanks(tokens, line);
    for _ in 0..FARTHEST {
        let Some(end) = line.filter(|_| within > 0) else { return all };
        line = begins(end);
        let first = line.map_or(0, |line| line + 1);
        // A line of blanks alone, or one that is not around the statement.
        if first == end || blanks(tokens, line) >= within {
            continue;
        }
        all.push(Some(first));
        within = blanks(tokens, line) + usize::from(["elif", "else"].contains(&tokens[first].text));
    }
    all.push(None);
    all
}

/// True if the program executes the statement that contains `at` whenever it executes the definition around it: no
/// condition, loop or handler of exceptions is around it, and no operator before it chooses.
pub fn is_unconditional(tokens: &[Token<'_>], at: usize) -> bool {
    let around = around(tokens, at);
    let own = tokens[around[0].unwrap_or(at)..at].iter();
    let mut chooses =
        own.map(|token| ["and", "or", "if", "else", "for", "lambda", ":"].contains(&token.text));
    let begins = |first: &Option<usize>| {
        first.is_some_and(|first| ["async", "class", "def", "with"].contains(&tokens[first].text))
    };
    !chooses.any(|chooses| chooses) && around[1..].iter().all(begins)
}

/// True if a condition around the statement that contains `at` asks for a name, such as `if "X" not in os.environ:`.
pub fn is_asked(tokens: &[Token<'_>], at: usize, is_name: impl Fn(&Token<'_>) -> bool) -> bool {
    around(tokens, at).into_iter().flatten().any(|first| {
        let condition = tokens[first..].iter().take_while(|token| token.kind != Kind::Line);
        let condition = condition.take_while(|token| token.text != ":" || token.open.is_some());
        ["elif", "if"].contains(&tokens[first].text) && condition.into_iter().any(&is_name)
    })
}

/// For each token of Python, if a constant excludes its statement: `if False:`, `while 0:`.
pub fn excluded(tokens: &[Token<'_>]) -> Vec<bool> {
    let mut all = vec![false; tokens.len()];
    // The blanks before the statement whose block is excluded.
    let mut dead: Option<usize> = None;
    let (mut line, mut first) = (None, 0);
    while first < tokens.len() {
        let end = tokens[first..].iter().position(|token| token.kind == Kind::Line);
        let end = end.map_or(tokens.len(), |length| first + length);
        let own = blanks(tokens, line);
        if first < end {
            dead = dead.filter(|outer| own > *outer);
            let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
            let is_false = matches!(text(first), "if" | "while") && matches!(text(first + 1), "False" | "0");
            dead = dead.or((is_false && text(first + 2) == ":").then_some(own));
            all[first..end].fill(dead.is_some());
        }
        (line, first) = (Some(end), end + 1);
    }
    all
}

/// The end of the bracket that opens at `open`; the search begins at `from`.
fn after(tokens: &[Token<'_>], open: usize, from: usize) -> usize {
    let close = (from..tokens.len()).find(|at| tokens[*at].open == tokens[open].open);
    close.map_or(tokens.len(), |close| close + 1)
}

/// The beginning of the statement, argument or item that contains `first`.
fn start(tokens: &[Token<'_>], first: usize) -> usize {
    let open = tokens[first].open;
    let outside = open.map_or(0, |open| open + 1);
    let begins = |at: &usize| {
        let token = &tokens[*at];
        // `assert a, b` is one statement.
        let comma = token.text == "," && open.is_some();
        let ends = comma || token.text == ";" || token.kind == Kind::Line;
        token.open == open && (ends || (token.text == ":" && (open.is_some() || is_block(tokens, *at))))
    };
    (outside..first).rev().find(begins).map_or(outside, |at| at + 1)
}

/// True if the token before this one belongs to the same chain of names, calls and items.
fn is_callee(tokens: &[Token<'_>], at: usize) -> bool {
    let (before, here) = (&tokens[at - 1], &tokens[at]);
    let chain = before.text == "." || (before.kind == Kind::Word && !KEYWORDS.contains(&before.text));
    before.open == here.open && chain && (here.kind != Kind::Word || before.text == ".")
}

/// True for a statement that is only a string.
fn is_document(tokens: &[Token<'_>], first: usize, end: usize) -> bool {
    let ends = |at: Option<&Token<'_>>| at.is_none_or(|token| token.kind == Kind::Line || token.text == ";");
    let before = first.checked_sub(1).and_then(|at| tokens.get(at));
    let begins = ends(before) || before.is_some_and(|token| token.text == ":" && is_block(tokens, first - 1));
    tokens[first].open.is_none()
        && matches!(tokens[first].kind, Kind::String(_))
        && begins
        && ends(tokens.get(end))
}

/// True for the colon after which the block of `def`, `class` or `if` begins.
fn is_block(tokens: &[Token<'_>], colon: usize) -> bool {
    let start = tokens[..colon].iter().rposition(|token| token.kind == Kind::Line).map_or(0, |at| at + 1);
    tokens.get(start).is_some_and(|token| BLOCKS.contains(&token.text))
}

/// The use, judged by the other tokens of the same brackets or statement.
fn level(tokens: &[Token<'_>], first: usize, end: usize) -> Use {
    let open = tokens[first].open;
    let text = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.text);
    let (before, after) = (text(first.checked_sub(1)), text(Some(end)));
    let compares = |mark: &str| matches!(mark, "==" | "!=" | "not" | "is" | "~");
    let follows_in = before == "in" && !iterates(tokens, first - 1);
    if compares(before) || compares(after) || after == "in" || follows_in {
        return Use::Says;
    }
    let outside = open.map_or(0, |open| open + 1);
    let start = start(tokens, first);
    let own = || tokens[start..first].iter().filter(|token| token.open == open);
    // `raise`, `assert` and other statements, and `help = …`.
    let word = own().next().map_or("", |token| token.text);
    let named = key(tokens, start, first);
    if named.is_some_and(says) || (open.is_none() && matches!(word, "raise" | "assert")) {
        return Use::Says;
    }
    let condition = own().rposition_word(&CONDITIONS) > own().rposition_word(&["else", "then"]);
    if condition {
        return Use::Says;
    }
    // `a if b else c`, `a or b`, a comprehension.
    let chosen = own().any(|token| matches!(token.text, "else" | "or" | "and" | "?"));
    let stop = (end..tokens.len()).find(|at| {
        let token = &tokens[*at];
        token.open.map_or(0, |at| at + 1) < outside
            || (token.open == open && (matches!(token.text, "," | ";") || token.kind == Kind::Line))
    });
    let mut rest = tokens[end..stop.unwrap_or(tokens.len())].iter().filter(|token| token.open == open);
    let split = rest.any(|token| matches!(token.text, "if" | "or" | "and" | "for" | "?"));
    if chosen || split || after == ":" && !is_value(before) || before == "in" {
        return Use::Unknown;
    }
    Use::Sets
}

/// True for a token that precedes an argument or a value of a dictionary.
fn is_value(before: &str) -> bool {
    matches!(before, "=" | "+=" | ":=")
}

/// True for the `in` of a loop or comprehension.
fn iterates(tokens: &[Token<'_>], at: usize) -> bool {
    let own = tokens[..at].iter().rev().take_while(|token| token.kind != Kind::Line);
    let mut own = own.filter(|token| token.open == tokens[at].open);
    own.find(|token| matches!(token.text, "for" | "if" | "in" | "not"))
        .is_some_and(|token| token.text == "for")
}

/// The name of the argument or key whose value begins at `first`: `help=…`, `"description": …`.
fn key<'t>(tokens: &'t [Token<'_>], start: usize, first: usize) -> Option<&'t str> {
    let open = tokens[first].open;
    let mark = (start..first).find(|at| tokens[*at].open == open && matches!(tokens[*at].text, "=" | "+="));
    let colon = || (start > 0 && tokens[start - 1].text == ":").then(|| start - 1);
    let name = tokens.get(mark.or_else(colon)?.checked_sub(1)?)?;
    match &name.kind {
        Kind::String(text) => Some(text),
        _ => Some(name.text),
    }
}

/// True for a function or a key that prints, reports or describes.
pub fn says(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let ends = ["_help", "_doc", "_description", "_message", "_usage", "__doc__"];
    SAYS.contains(&name)
        || ["help", "doc", "usage", "message", "description"].contains(&&lower[..])
        || ends.iter().any(|end| lower.ends_with(end))
}

/// The use by the function that is called, or the list that is indexed.
fn bracket(tokens: &[Token<'_>], open: usize) -> Use {
    let Some(before) = open.checked_sub(1).map(|at| &tokens[at]) else { return Use::Sets };
    let is_call = before.kind == Kind::Word && !KEYWORDS.contains(&before.text);
    let is_value = is_call || matches!(before.text, ")" | "]");
    let name = before.text;
    match tokens[open].text {
        "[" if is_value || matches!(before.kind, Kind::String(_)) => Use::Says,
        "(" if is_call => {
            let raised = ["Error", "Exception", "Warning", "Exit"].iter().any(|end| name.ends_with(end));
            let asks =
                ["is_", "has_", "supports", "check_", "assert"].iter().any(|begin| name.starts_with(begin));
            match () {
                () if SETS.contains(&name) || name.ends_with("Extension") => Use::Sets,
                () if matches!(name, "remove" | "discard") => Use::Removes,
                () if says(name) || raised || asks || ASKS.contains(&name) => Use::Says,
                () => Use::Unknown,
            }
        }
        _ => Use::Sets,
    }
}

/// The last place of a word.
trait Last<'t> {
    fn rposition_word(self, words: &[&str]) -> Option<usize>;
}

impl<'t, 'u: 't, I: Iterator<Item = &'t Token<'u>>> Last<'t> for I {
    fn rposition_word(self, words: &[&str]) -> Option<usize> {
        self.enumerate().filter(|(_, token)| words.contains(&token.text)).last().map(|(at, _)| at)
    }
}
