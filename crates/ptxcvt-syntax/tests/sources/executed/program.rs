//! Random functions of Python.

use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;

/// Conditions and loops of a function.
const CONDITIONS: usize = 4;
const LOOPS: usize = 3;
/// Conditions from this number on are the [`COMPARISONS`].
pub const FIRST_COMPARISON: usize = CONDITIONS + 1;
/// The outcome of a comparison for the values of `n`, `lo` and `hi`.
type Outcome = fn([u8; 3]) -> bool;
/// Comparisons of the arguments `n`, `lo` and `hi`, and their outcomes for the values of these.
pub const COMPARISONS: [(&str, Outcome); 16] = [
    ("n == 2", |[n, ..]| n == 2),
    ("n == 0x2", |[n, ..]| n == 2),
    ("0b1_0 == n", |[n, ..]| n == 2),
    ("n != 2.0", |[n, ..]| n != 2),
    ("n == True", |[n, ..]| n == 1),
    ("n == 1", |[n, ..]| n == 1),
    ("n == False", |[n, ..]| n == 0),
    ("n == lo", |[n, lo, _]| n == lo),
    ("n == hi", |[n, _, hi]| n == hi),
    ("n != lo", |[n, lo, _]| n != lo),
    ("n < 0x2", |[n, ..]| n < 2),
    ("1.5 < n", |[n, ..]| n > 1),
    ("n <= lo", |[n, lo, _]| n <= lo),
    ("'a' == \"\\x61\" and n > 0o2", |[n, ..]| n > 2),
    ("n == 3 or n == lo", |[n, lo, _]| n == 3 || n == lo),
    ("0x0 or not n == 0x1", |[n, ..]| n != 1),
];
/// The names of values.
const NAMES: [&str; 2] = ["ty", "other"];
/// Heads of loops with the number of their rounds; `None` if it is random.
pub const HEADS: [(&str, Option<usize>); 9] = [
    ("while f():", None),
    ("for i in q():", None),
    ("for i in [1, 2]:", Some(2)),
    ("for i in (1,):", Some(1)),
    ("for i, x in enumerate([1, 2]):", Some(2)),
    ("for i in range(2):", Some(2)),
    ("for i in reversed((1, 2, 3)):", Some(3)),
    ("for i in []:", Some(0)),
    ("while True:", Some(usize::MAX)),
];

/// A statement.
pub enum Item {
    /// A literal is assigned to a name; it has a line, and may be wrong.
    Literal(usize, usize, bool),
    /// A name is assigned to the other one.
    Copy(usize),
    /// An assembly uses a name.
    Use(usize),
    /// The branches with the numbers of their conditions, and `else`.
    If(Vec<(usize, Vec<Item>)>, Option<Vec<Item>>),
    /// The head, the body, and `else`.
    Loop(usize, Vec<Item>, Option<Vec<Item>>),
    /// A name has the literals of a list, which are on one line.
    Target(usize, usize, Vec<bool>, Vec<Item>, Option<Vec<Item>>),
    /// The body, its handler, `else`, and `finally`.
    Try(Vec<Item>, Option<Vec<Item>>, Option<Vec<Item>>, Option<Vec<Item>>),
    Exit(&'static str),
}

impl Item {
    /// True if an exception may be raised before it does anything. The head of a loop does that in each round.
    pub fn may_raise(&self) -> bool {
        !matches!(
            self,
            Item::Loop(..) | Item::Target(..) | Item::Try(..) | Item::Exit("return" | "break" | "continue")
        )
    }
}

pub struct Generator {
    random: SplitMix64,
    conditions: usize,
    loops: usize,
    with_try: bool,
}

impl Generator {
    pub fn new(seed: u64, with_try: bool) -> Self {
        Generator { random: SplitMix64::new(seed), conditions: 0, loops: 0, with_try }
    }

    pub fn block(&mut self, depth: usize, in_loop: bool) -> Vec<Item> {
        let count = 1 + self.random.below(3);
        let mut items: Vec<Item> = (0..count).map(|_| self.item(depth, in_loop)).collect();
        if self.random.below(4) == 0 {
            let words = ["return", "raise E", "break", "continue"];
            let at = self.random.below(items.len() + 1);
            items.insert(at, Item::Exit(words[self.random.below(if in_loop { 4 } else { 2 })]));
        }
        items
    }

    fn perhaps(&mut self, depth: usize, in_loop: bool) -> Option<Vec<Item>> {
        (self.random.below(3) == 0).then(|| self.block(depth, in_loop))
    }

    fn item(&mut self, depth: usize, in_loop: bool) -> Item {
        let (name, wrong) = (self.random.below(2), self.random.below(2) == 0);
        match self.random.below(if depth == 0 { 6 } else { 13 }) {
            0..=2 => Item::Literal(name, 0, wrong),
            3 => Item::Copy(name),
            4 => Item::Use(name),
            6..=8 if self.conditions < CONDITIONS => {
                let mut branches = Vec::new();
                for _ in 0..1 + self.random.below(2) {
                    self.conditions += 1;
                    let number = match self.random.below(2) {
                        0 => self.conditions - 1,
                        _ => FIRST_COMPARISON + self.random.below(COMPARISONS.len()),
                    };
                    branches.push((number, self.block(depth - 1, in_loop)));
                }
                Item::If(branches, self.perhaps(depth - 1, in_loop))
            }
            kind @ 9..=11 if self.loops < LOOPS => {
                self.loops += 1;
                let head = self.random.below(HEADS.len());
                let literals = (0..1 + self.random.below(3)).map(|_| self.random.below(2) == 0).collect();
                let (body, other) = (self.block(depth - 1, true), self.perhaps(depth - 1, in_loop));
                match kind {
                    9 => Item::Target(name, 0, literals, body, other),
                    _ => Item::Loop(head, body, other),
                }
            }
            12 if self.with_try => {
                let body = self.block(depth - 1, in_loop);
                let handler = (self.random.below(3) > 0).then(|| self.block(depth - 1, in_loop));
                let other = handler.is_some().then(|| self.perhaps(depth - 1, in_loop)).flatten();
                let last = match &handler {
                    Some(_) => self.perhaps(depth - 1, false),
                    None => Some(self.block(depth - 1, false)),
                };
                Item::Try(body, handler, other, last)
            }
            _ => Item::Literal(name, 0, wrong),
        }
    }
}

fn literal(wrong: bool) -> &'static str {
    if wrong { "'cvt.rn.f17.f32 $0, $1'" } else { "'cvt.rn.f16.f32 $0, $1'" }
}

/// A condition by its number. Those of even numbers and the comparisons have the same outcome in all rounds of a loop.
fn condition(number: usize) -> String {
    if let Some(comparison) = number.checked_sub(FIRST_COMPARISON) {
        return COMPARISONS[comparison].0.to_owned();
    }
    format!("c{number}{}", if number % 2 == 0 { "" } else { "()" })
}

fn headed(head: &str, items: &mut [Item], depth: usize, text: &mut String) {
    let _ = writeln!(text, "{}{head}", "    ".repeat(depth));
    print(items, depth + 1, text);
}

/// Prints statements, and notes the lines of literals.
pub fn print(items: &mut [Item], depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for item in items {
        let line = text.lines().count() + 1;
        match item {
            Item::Literal(name, at, wrong) => {
                *at = line;
                let _ = writeln!(text, "{indent}{} = {}", NAMES[*name], literal(*wrong));
            }
            Item::Copy(name) => drop(writeln!(text, "{indent}{} = {}", NAMES[*name], NAMES[1 - *name])),
            Item::Use(name) => {
                let _ = writeln!(text, "{indent}y = inline_asm({} + ';', '=h,f', [x])", NAMES[*name]);
            }
            Item::Exit(word) => drop(writeln!(text, "{indent}{word}")),
            Item::If(branches, other) => {
                for (at, (number, body)) in branches.iter_mut().enumerate() {
                    let word = if at == 0 { "if" } else { "elif" };
                    headed(&format!("{word} {}:", condition(*number)), body, depth, text);
                }
                other.iter_mut().for_each(|body| headed("else:", body, depth, text));
            }
            Item::Loop(head, body, other) => {
                headed(HEADS[*head].0, body, depth, text);
                other.iter_mut().for_each(|body| headed("else:", body, depth, text));
            }
            Item::Target(name, at, literals, body, other) => {
                *at = line;
                let list: Vec<&str> = literals.iter().map(|wrong| literal(*wrong)).collect();
                headed(&format!("for {} in [{}]:", NAMES[*name], list.join(", ")), body, depth, text);
                other.iter_mut().for_each(|body| headed("else:", body, depth, text));
            }
            Item::Try(body, handler, other, last) => {
                headed("try:", body, depth, text);
                handler.iter_mut().for_each(|body| headed("except E:", body, depth, text));
                other.iter_mut().for_each(|body| headed("else:", body, depth, text));
                last.iter_mut().for_each(|body| headed("finally:", body, depth, text));
            }
        }
    }
}
