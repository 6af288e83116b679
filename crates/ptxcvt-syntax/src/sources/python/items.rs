//! What a loop iterates over: the number of items, and the items if they are known.
//!
//! The Python Language Reference, "The for statement"; the library's "Built-in Functions", "Mapping Types" and
//! `itertools`.

use std::rc::Rc;

use super::super::text::Joined;
use super::constants::{Constant, integer};
use super::expression::Expression;
use super::flow::Rounds;
use super::literals::Tokens;
use crate::source::Span;

/// Functions that return the items of their first argument in the same order.
const SAME: [&str; 4] = ["iter", "list", "tqdm", "tuple"];
/// Methods of dictionaries.
const VIEWS: [&str; 3] = ["items", "keys", "values"];
/// Limit on the items that are listed.
const MOST: usize = 256;

/// Functions over whose results a loop may iterate, and the modules from which a file imports them; `None` for built-in
/// functions.
pub(super) const FUNCTIONS: [(&str, Option<&str>); 14] = [
    ("enumerate", None),
    ("frozenset", None),
    ("iter", None),
    ("len", None),
    ("list", None),
    ("product", Some("itertools")),
    ("range", None),
    ("reversed", None),
    ("set", None),
    ("sorted", None),
    ("static_range", Some("triton")),
    ("tqdm", Some("tqdm")),
    ("tuple", None),
    ("zip", None),
];

/// Returns the literal that is a name's value everywhere. Also returns one for the name of a function followed by `(`,
/// if the function is not the library's.
pub(super) type Literals<'l, 's> = &'l mut dyn FnMut(&'s str) -> Option<Rc<Expression<'s>>>;

/// The items of a loop.
#[derive(Debug)]
pub(super) struct Items<'s> {
    pub rounds: Rounds,
    /// All items, in order, if all are known.
    pub all: Option<Vec<Expression<'s>>>,
}

impl<'s> Items<'s> {
    fn all(all: Vec<Expression<'s>>) -> Self {
        let rounds = Rounds::Exactly(all.len());
        Items { rounds, all: Some(all).filter(|all| all.len() <= MOST) }
    }

    fn some(rounds: Rounds) -> Self {
        Items { rounds, all: None }
    }

    /// The items as a set: without order, identity and duplicates.
    fn unordered(self) -> Self {
        match self.rounds {
            Rounds::Exactly(0) => self,
            Rounds::Any => self,
            _ => Items::some(Rounds::Some),
        }
    }

    pub(super) fn count(&self) -> Option<usize> {
        match self.rounds {
            Rounds::Exactly(count) => Some(count),
            _ => None,
        }
    }

    /// Changes the items if they are known.
    fn map(self, change: impl FnOnce(Vec<Expression<'s>>) -> Option<Vec<Expression<'s>>>) -> Self {
        Items { rounds: self.rounds, all: self.all.and_then(change) }
    }
}

impl<'s> Tokens<'s> {
    /// The items of a loop whose iterable begins at `from` and ends at the colon.
    pub fn items(&mut self, from: usize, literals: Literals<'_, 's>) -> Items<'s> {
        let back = std::mem::replace(&mut self.scanner.at, from);
        let items = self.iterated(false, literals).filter(|_| self.next_on_line() == b':');
        self.scanner.at = back;
        items.unwrap_or(Items::some(Rounds::Any))
    }

    pub(super) fn iterated(&mut self, lines: bool, literals: Literals<'_, 's>) -> Option<Items<'s>> {
        let start = self.scanner.at;
        if let Some(found) = self.call(literals) {
            return Some(found);
        }
        self.scanner.at = start;
        let whole = self.tuple(lines);
        if let Some(found) = self.of(&whole, literals) {
            return Some(found);
        }
        self.scanner.at = start;
        let object = self.atom(lines);
        if !self.scanner.take(b'.') {
            return None;
        }
        let view = self.scanner.word();
        let ends = VIEWS.contains(&view) && self.scanner.take(b'(') && self.scanner.take(b')');
        let object = if ends { self.literal_of(object, literals)? } else { return None };
        let Expression::Dictionary(entries) = &*object else { return None };
        Some(self.entries(entries, view))
    }

    /// The expression; for a name, the literal that is its value everywhere.
    fn literal_of(
        &self,
        expression: Expression<'s>,
        literals: Literals<'_, 's>,
    ) -> Option<Rc<Expression<'s>>> {
        match expression {
            Expression::Name(name) => literals(name),
            other => Some(Rc::new(other)),
        }
    }

    /// The items of an expression.
    fn of(&self, whole: &Expression<'s>, literals: Literals<'_, 's>) -> Option<Items<'s>> {
        match whole {
            Expression::Name(name) => {
                let literal = literals(name)?;
                if literal.is_container() { self.of(&literal, literals) } else { None }
            }
            Expression::List(items) => {
                let unknown = items.iter().filter(|item| self.is_starred(item)).count();
                match items.len() {
                    _ if unknown == 0 => Some(Items::all(items.clone())),
                    count => (unknown < count).then(|| Items::some(Rounds::Some)),
                }
            }
            Expression::Dictionary(entries) => Some(self.entries(entries, "keys")),
            // The characters of a literal.
            Expression::Sum(parts) => parts
                .iter()
                .any(|part| matches!(part, Expression::Literal(span) if span.start < span.end))
                .then(|| Items::some(Rounds::Some)),
            _ => None,
        }
    }

    /// The keys, values or both of a dictionary; duplicate keys count once.
    fn entries(&self, entries: &[(&'s str, usize, Expression<'s>)], view: &str) -> Items<'s> {
        let keys: Option<Vec<Constant>> = entries.iter().map(|(key, ..)| Constant::read(key)).collect();
        let differ = |keys: &Vec<Constant>| (1..keys.len()).all(|n| !keys[..n].contains(&keys[n]));
        if !keys.is_some_and(|keys| keys.len() <= MOST && differ(&keys)) {
            return Items::all(vec![Expression::Unknown(Span::default()); entries.len()]).unordered();
        }
        let entry = |(_, at, value): &(&'s str, usize, Expression<'s>)| {
            let mut tokens = Tokens::new(self.scanner.text);
            tokens.scanner.at = *at;
            let key = tokens.expression(true);
            match view {
                "keys" => key,
                "values" => value.clone(),
                _ => Expression::List(vec![key, value.clone()]),
            }
        };
        Items::all(entries.iter().map(entry).collect())
    }

    /// The items of a call of a known function. The scanner is at the function's name.
    fn call(&mut self, literals: Literals<'_, 's>) -> Option<Items<'s>> {
        let mut word = self.scanner.word();
        let mut module = "";
        while self.scanner.take(b'.') {
            (module, word) = (word, self.scanner.word());
        }
        let known = match word {
            "range" | "static_range" => true,
            "product" => matches!(module, "" | "itertools"),
            _ => {
                matches!(module, "" | "tqdm")
                    && (SAME.contains(&word)
                        || ["enumerate", "frozenset", "reversed", "set", "sorted", "zip"].contains(&word))
            }
        };
        if !known || !self.scanner.take(b'(') {
            return None;
        }
        if module.is_empty() && self.is_other(word, literals) {
            return None;
        }
        if matches!(word, "range" | "static_range") {
            return self.range(literals);
        }
        let (mut arguments, mut options) = (Vec::new(), Vec::new());
        while self.argument() {
            if let Some(name) = self.argument_name() {
                options.push((name, self.number(literals)));
            } else if word == "enumerate" && arguments.len() == 1 {
                options.push(("start", self.number(literals)));
            } else {
                arguments.push(self.iterated(true, literals)?);
            }
            self.end_argument()?;
        }
        let first = match word {
            "zip" => return zip(arguments).filter(|_| options.iter().all(|(name, _)| *name == "strict")),
            "product" => return product(arguments).filter(|_| options.is_empty()),
            _ => arguments.into_iter().next()?,
        };
        Some(match word {
            "enumerate" => match options[..] {
                [] => self.enumerate(first, 0),
                [("start", Some(from))] => self.enumerate(first, from),
                _ => Items::some(first.rounds),
            },
            "reversed" => first.map(|all| Some(all.into_iter().rev().collect())),
            "sorted" => first.map(|all| if options.is_empty() { self.sort(all) } else { None }),
            "set" | "frozenset" => first.unordered(),
            // `tqdm(items, total=…)`
            _ => first,
        })
    }

    /// True if the file binds `word`, which was just read with its `(`, so that it is not the function of Python's
    /// library.
    fn is_other(&self, word: &str, literals: Literals<'_, 's>) -> bool {
        let called = &self.scanner.text[self.scanner.at - word.len() - 1..self.scanner.at];
        literals(called).is_some()
    }

    /// Moves to the next argument of a call. False after the closing `)`.
    fn argument(&mut self) -> bool {
        self.blanks(true);
        !self.scanner.at_end() && !self.scanner.take(b')')
    }

    /// Moves past the end of an argument. `None` if the argument does not end here.
    fn end_argument(&mut self) -> Option<()> {
        self.blanks(true);
        (self.scanner.take(b',') || self.scanner.peek() == b')').then_some(())
    }

    /// A number, a name whose value is a number everywhere, or `len(…)` of a container with a known number of items.
    fn number(&mut self, literals: Literals<'_, 's>) -> Option<i64> {
        let start = self.scanner.at;
        self.scanner.take(b'-');
        if self.scanner.peek().is_ascii_digit() {
            self.scanner.number();
            return integer(&self.scanner.text[start..self.scanner.at]);
        }
        match self.scanner.word() {
            "len" if self.scanner.take(b'(') && !self.is_other("len", literals) => {
                self.blanks(true);
                let count = self.iterated(true, literals)?.count()?;
                self.blanks(true);
                if self.scanner.take(b')') { i64::try_from(count).ok() } else { None }
            }
            name => match &*literals(name)? {
                Expression::Number(joined) => integer(&joined.text),
                _ => None,
            },
        }
    }

    /// The items of `range(…)` with arguments that are numbers, after its `(`.
    fn range(&mut self, literals: Literals<'_, 's>) -> Option<Items<'s>> {
        let start = self.scanner.at;
        let mut arguments = Vec::new();
        while self.argument() {
            match self.argument_name() {
                // Triton's options: `num_stages=2`.
                Some(_) => drop(self.expression(true)),
                None => arguments.push(self.number(literals)?),
            }
            self.end_argument()?;
        }
        let (begin, end, step) = match arguments[..] {
            [end] => (0, end, 1),
            [begin, end] => (begin, end, 1),
            [begin, end, step] if step != 0 => (begin, end, step),
            _ => return None,
        };
        let way = if step > 0 { end.checked_sub(begin)? } else { begin.checked_sub(end)? };
        let count = u64::try_from(way).unwrap_or(0).div_ceil(step.unsigned_abs());
        let Ok(count) = usize::try_from(count) else { return Some(Items::some(Rounds::Some)) };
        let place = Span::new(start as u32, self.scanner.at as u32);
        let all =
            (count <= MOST).then(|| (0..count as i64).map(|n| written(begin + n * step, place)).collect());
        Some(Items { rounds: Rounds::Exactly(count), all })
    }

    fn enumerate(&self, items: Items<'s>, from: i64) -> Items<'s> {
        let place = Span::new(self.scanner.at as u32 - 1, self.scanner.at as u32);
        items.map(|all| {
            let numbered = (from..).zip(all).map(|(n, item)| Expression::List(vec![written(n, place), item]));
            Some(numbered.collect())
        })
    }

    /// Sorts strings. `None` if some items are not strings.
    fn sort(&self, mut all: Vec<Expression<'s>>) -> Option<Vec<Expression<'s>>> {
        let plain = |item: &Expression<'s>| match item.only() {
            Expression::Literal(span) if !self.scanner.text[span.start..span.end].contains('\\') => {
                Some(&self.scanner.text[span.start..span.end])
            }
            _ => None,
        };
        all.iter().all(|item| plain(item).is_some()).then(|| {
            all.sort_by_key(plain);
            all
        })
    }
}

/// An integer literal as the value of the expression at a place.
fn written<'s>(number: i64, place: Span) -> Expression<'s> {
    let mut joined = Joined::default();
    joined.push_as(&number.to_string(), place);
    Expression::Number(joined)
}

/// The items of `zip(…)`, which ends with the shortest argument.
fn zip<'s>(arguments: Vec<Items<'s>>) -> Option<Items<'s>> {
    let shortest = arguments.iter().map(Items::count).collect::<Option<Vec<_>>>()?.into_iter().min()?;
    let all: Option<Vec<_>> = arguments.into_iter().map(|items| items.all).collect();
    let row = |all: &Vec<Vec<Expression<'s>>>, n: usize| {
        Expression::List(all.iter().map(|column| column[n].clone()).collect())
    };
    let all = all.map(|all| (0..shortest).map(|n| row(&all, n)).collect());
    Some(Items { rounds: Rounds::Exactly(shortest), all })
}

/// The items of `itertools.product(…)`: the last argument changes fastest.
fn product<'s>(arguments: Vec<Items<'s>>) -> Option<Items<'s>> {
    let counts = arguments.iter().map(Items::count).collect::<Option<Vec<_>>>()?;
    let count = counts.iter().try_fold(1_usize, |all, count| all.checked_mul(*count))?;
    let all: Option<Vec<_>> = arguments.into_iter().map(|items| items.all).collect();
    let row = |all: &Vec<Vec<Expression<'s>>>, mut n: usize| {
        let mut row: Vec<_> = all
            .iter()
            .rev()
            .map(|column| {
                let item = column[n % column.len()].clone();
                n /= column.len();
                item
            })
            .collect();
        row.reverse();
        Expression::List(row)
    };
    let all = all.filter(|_| count <= MOST).map(|all| (0..count).map(|n| row(&all, n)).collect());
    Some(Items { rounds: Rounds::Exactly(count), all })
}
