//! Functions that change the whitespace of a string: `.strip()`, `textwrap.dedent`, `textwrap.indent` and
//! `inspect.cleandoc`. Whitespace matters, because the string may be only a part of the PTX.
//!
//! The Python Standard Library, `str.strip`, `textwrap` and `inspect`.

use super::super::text::{HOLE, Joined};
use super::evaluate::{Evaluator, Kind, Value, text};
use super::expression::Expression;
use super::place::Here;

fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// The number of spaces and tabs at the beginning of a line.
fn margin(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

impl<'s> Evaluator<'_, 's> {
    /// The value of such a function; its first argument is the string.
    pub(super) fn trimmed(&mut self, function: &str, parts: &[Expression<'s>], here: &Here) -> Option<Value> {
        let whole = self.value(&parts[0], here);
        self.without_blanks(function, &whole, &parts[1..], here)
    }

    /// The value of such a function for the string `whole` and the arguments `others`.
    pub(super) fn without_blanks(
        &mut self,
        function: &str,
        whole: &Value,
        others: &[Expression<'s>],
        here: &Here,
    ) -> Option<Value> {
        let other = others.first().map(|other| self.value(other, here));
        let is_known = |other: &Value| other.kind == Kind::Text && !other.joined.text.contains(HOLE);
        if whole.kind != Kind::Text || !other.as_ref().is_none_or(is_known) {
            return None;
        }
        let (joined, other) = (&whole.joined, other.as_ref().map(|other| &other.joined));
        Some(text(match function {
            "dedent" => lines(joined, false, None),
            "cleandoc" => strip(&lines(joined, true, None), "strip", |c| c == '\n'),
            "indent" => lines(joined, false, other),
            side => strip(joined, side, |c| match other {
                Some(other) => other.text.contains(c),
                None => is_blank(c),
            }),
        }))
    }
}

/// Removes characters from one or both ends of a string.
fn strip(joined: &Joined, side: &str, is_left_out: impl Fn(char) -> bool) -> Joined {
    let whole = &joined.text;
    let start = if side == "rstrip" { 0 } else { whole.len() - whole.trim_start_matches(&is_left_out).len() };
    let end = if side == "lstrip" { whole.len() } else { whole.trim_end_matches(&is_left_out).len() };
    let mut left = Joined::default();
    left.append(joined, start..end.max(start));
    left
}

/// Adds `prefix` to each line that is not blank, or removes the common indentation. With `first`, the first line is
/// stripped separately and ignored when the common indentation is computed.
fn lines(joined: &Joined, first: bool, prefix: Option<&Joined>) -> Joined {
    let has_words = |line: &&str| !line.chars().all(is_blank);
    let all = || joined.text.split_inclusive('\n');
    let common = all().skip(usize::from(first)).filter(has_words).reduce(|a, b| {
        let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
        &a[..margin(a).min(same)]
    });
    let common = common.filter(|_| prefix.is_none()).map_or(0, margin);
    let (mut left, mut at) = (Joined::default(), 0);
    for (number, line) in all().enumerate() {
        let skipped = match number {
            _ if !has_words(&line) => line.len() - usize::from(line.ends_with('\n')),
            0 if first => margin(line),
            _ => common,
        };
        if let Some(prefix) = prefix.filter(|_| has_words(&line)) {
            left.append_all(prefix);
        }
        let skipped = if prefix.is_some() { 0 } else { skipped };
        left.append(joined, at + skipped..at + line.len());
        at += line.len();
    }
    left
}
