//! Random functions of Python with statements that leave their blocks, and loops over lists. They are executed with many
//! outcomes of the conditions: no value that reaches no assembly is an error, and every wrong one that does is reported or counted.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Severity, Source};

/// Conditions of a function, each of which is used once.
const CONDITIONS: usize = 5;
/// How often a function is executed, with random outcomes of its conditions.
const RUNS: u64 = 1_000;
/// Loops of a function.
const LOOPS: usize = 3;

/// A statement; literals are values of the name `ty`.
enum Item {
    /// A literal, by its line, and whether it is wrong.
    Literal(usize, bool),
    /// An assembly uses the name, on this line.
    Use(usize),
    /// The branches with the numbers of their conditions, and `else`.
    If(Vec<(usize, Vec<Item>)>, Option<Vec<Item>>),
    /// `while` runs its body 0 to 2 times. Loops have numbers.
    While(usize, Vec<Item>),
    /// `for ty in [literal, literal]`, the lines of which are the same.
    Target(usize, [bool; 2], usize, Vec<Item>),
    /// `for i in [1, 2]`
    Twice(usize, Vec<Item>),
    Exit(&'static str),
}

struct Generator {
    random: SplitMix64,
    conditions: usize,
    loops: usize,
}

impl Generator {
    /// A block, which ends with a statement that leaves it if it is one of a branch and chance wants it.
    fn block(&mut self, depth: usize, in_loop: bool, in_branch: bool) -> Vec<Item> {
        let count = 1 + self.random.below(3);
        let mut items: Vec<Item> = (0..count).map(|_| self.item(depth, in_loop)).collect();
        if in_branch && self.random.below(2) == 0 {
            let words = ["return", "raise E", "break", "continue"];
            items.push(Item::Exit(words[self.random.below(if in_loop { 4 } else { 2 })]));
        }
        items
    }

    fn item(&mut self, depth: usize, in_loop: bool) -> Item {
        let wrong = self.random.below(2) == 0;
        match self.random.below(if depth == 0 { 6 } else { 12 }) {
            0..=2 => Item::Literal(0, wrong),
            3 => Item::Use(0),
            6..=8 if self.conditions < CONDITIONS => {
                let mut branches = Vec::new();
                for _ in 0..1 + self.random.below(2) {
                    self.conditions += 1;
                    branches.push((self.conditions - 1, self.block(depth - 1, in_loop, true)));
                }
                let other = (self.random.below(2) == 0).then(|| self.block(depth - 1, in_loop, true));
                Item::If(branches, other)
            }
            kind @ 9..=11 if self.loops < LOOPS => {
                self.loops += 1;
                let number = self.loops - 1;
                let other = self.random.below(2) == 0;
                let body = self.block(depth - 1, true, false);
                match kind {
                    9 => Item::While(number, body),
                    10 => Item::Target(0, [wrong, other], number, body),
                    _ => Item::Twice(number, body),
                }
            }
            _ => Item::Literal(0, wrong),
        }
    }
}

fn literal(wrong: bool) -> &'static str {
    if wrong { "'cvt.rn.f17.f32 $0, $1'" } else { "'cvt.rn.f16.f32 $0, $1'" }
}

/// Prints statements, and notes the lines of literals.
fn print(items: &mut [Item], depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for item in items {
        let line = text.lines().count() + 1;
        let _ = match item {
            Item::Literal(at, wrong) => {
                *at = line;
                writeln!(text, "{indent}ty = {}", literal(*wrong))
            }
            Item::Use(at) => {
                *at = line;
                writeln!(text, "{indent}y = inline_asm(ty + ';', '=h,f', [x])")
            }
            Item::Exit(word) => writeln!(text, "{indent}{word}"),
            Item::If(branches, other) => {
                for (at, (condition, body)) in branches.iter_mut().enumerate() {
                    let _ = writeln!(text, "{indent}{}if c{condition}():", if at == 0 { "" } else { "el" });
                    print(body, depth + 1, text);
                }
                if let Some(body) = other {
                    let _ = writeln!(text, "{indent}else:");
                    print(body, depth + 1, text);
                }
                Ok(())
            }
            Item::While(_, body) => {
                let _ = writeln!(text, "{indent}while f():");
                print(body, depth + 1, text);
                Ok(())
            }
            Item::Target(at, [a, b], _, body) => {
                *at = line;
                let _ = writeln!(text, "{indent}for ty in [{}, {}]:", literal(*a), literal(*b));
                print(body, depth + 1, text);
                Ok(())
            }
            Item::Twice(_, body) => {
                let _ = writeln!(text, "{indent}for i in [1, 2]:");
                print(body, depth + 1, text);
                Ok(())
            }
        };
    }
}

/// How a block ends.
#[derive(Clone, Copy, PartialEq)]
enum Flow {
    Next,
    Break,
    Continue,
    Leave,
}

/// One execution.
struct Run<'u> {
    /// The outcomes of conditions, and how often each `while` runs its body.
    random: SplitMix64,
    /// The loops that ran their bodies to the end.
    completed: &'u mut BTreeSet<usize>,
    /// The line of the name's value, and whether it is wrong.
    value: (usize, bool),
    /// The lines of uses, with the values there.
    used: &'u mut BTreeSet<(usize, (usize, bool))>,
}

impl Run<'_> {
    fn block(&mut self, items: &[Item]) -> Flow {
        for item in items {
            let flow = match item {
                Item::Literal(line, wrong) => {
                    self.value = (*line, *wrong);
                    Flow::Next
                }
                Item::Use(line) => {
                    self.used.insert((*line, self.value));
                    Flow::Next
                }
                Item::Exit("break") => Flow::Break,
                Item::Exit("continue") => Flow::Continue,
                Item::Exit(_) => Flow::Leave,
                Item::If(branches, other) => {
                    let taken = branches.iter().find(|_| self.random.below(2) == 0);
                    match taken.map(|(_, body)| body).or(other.as_ref()) {
                        Some(body) => self.block(body),
                        None => Flow::Next,
                    }
                }
                Item::While(number, body) => {
                    let count = self.random.below(3);
                    self.rounds(*number, body, count, |_, _| ())
                }
                Item::Twice(number, body) => self.rounds(*number, body, 2, |_, _| ()),
                Item::Target(line, wrong, number, body) => {
                    self.rounds(*number, body, 2, |run, round| run.value = (*line, wrong[round]))
                }
            };
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    fn rounds(
        &mut self,
        number: usize,
        body: &[Item],
        count: usize,
        head: impl Fn(&mut Self, usize),
    ) -> Flow {
        for round in 0..count {
            head(self, round);
            match self.block(body) {
                Flow::Break => break,
                Flow::Leave => return Flow::Leave,
                Flow::Next | Flow::Continue => drop(self.completed.insert(number)),
            }
        }
        Flow::Next
    }
}

#[test]
fn executed_functions() {
    let (mut errors, mut wrong_values) = (0, 0);
    for seed in 1..=1_000 {
        let mut generator = Generator { random: SplitMix64::new(seed), conditions: 0, loops: 0 };
        let mut items = generator.block(3, false, false);
        items.push(Item::Use(0));
        let mut text = String::from("def k(x, q):\n    ty = 'cvt.rn.f16.f32 $0, $1'\n");
        print(&mut items, 1, &mut text);
        let (mut used, mut completed) = (BTreeSet::new(), BTreeSet::new());
        for run in 0..RUNS {
            let (used, completed) = (&mut used, &mut completed);
            Run { random: SplitMix64::new(run), completed, value: (2, false), used }.block(&items);
        }
        let source = Source::new("random.py", text.as_bytes());
        let found = check_source(&source, Language::Python, &CheckOptions::default());
        let lines = |severity: Option<Severity>| -> BTreeSet<usize> {
            let of = found.diagnostics.iter().filter(|d| severity.is_none_or(|s| d.severity() == s));
            of.map(|d| source.position(d.span().start).line).collect()
        };
        let (judged, wrong) = (lines(None), lines(Some(Severity::Error)));
        let counted = found.stats.skipped.keys().any(|reason| reason.starts_with("its opcode is not known"));
        let reached: BTreeSet<usize> =
            used.iter().filter(|(_, (_, wrong))| *wrong).map(|(_, (line, _))| *line).collect();
        let met: BTreeSet<usize> = used.iter().map(|(line, _)| *line).collect();
        // A place that no execution arrives at is read as if one did.
        // Which values a round that ends early leaves is not followed.
        let early = text.contains("continue");
        // What a loop assigns that is always left is read as if it were not.
        let dead = completed.len() < generator.loops || met.len() < text.matches("inline_asm").count();
        assert!(early || dead || wrong.is_subset(&reached), "seed {seed}: {wrong:?}, {reached:?}\n{text}");
        assert!(counted || judged.is_superset(&reached), "seed {seed}: {judged:?}, {reached:?}\n{text}");
        errors += usize::from(!early && !dead && !wrong.is_empty());
        wrong_values += reached.len();
    }
    assert!(errors > 200 && wrong_values > 1_000, "{errors} {wrong_values}");
}

#[test]
fn exits_of_every_branch() {
    let wrong = "cvt.rn.f17.f32 $0, $1";
    let right = "cvt.rn.f16.f32 $0, $1";
    let error = Some(Severity::Error);
    for (body, expected) in [
        ("if q == 'a':\n        ty = RIGHT\n    elif q == 'b':\n        ty = WRONG\n        return", None),
        ("if q == 'a':\n        ty = RIGHT\n    else:\n        ty = WRONG\n        raise E", None),
        ("ty = WRONG\n    if q == 'a':\n        ty = RIGHT\n    else:\n        return", None),
        ("ty = WRONG\n    if q == 'a':\n        ty = RIGHT\n    else: return", None),
        ("ty = WRONG\n    if q == 'a': ty = RIGHT\n    else: f(); return", None),
        ("ty = WRONG\n    if q == 'a':\n        ty = RIGHT\n    else:\n        f()", error),
        // Both branches of the inner one leave the outer one.
        (
            "ty = WRONG\n    if q:\n        if r:\n            return\n        else:\n            raise E\n    else:\n        ty = RIGHT",
            None,
        ),
        ("ty = WRONG\n    if q:\n        if r:\n            return\n    else:\n        ty = RIGHT", error),
        ("ty = RIGHT\n    for i in q:\n        if i:\n            ty = WRONG\n            return", None),
        ("ty = RIGHT\n    for i in q:\n        if i:\n            ty = WRONG\n            break", error),
        (
            "ty = RIGHT\n    try:\n        if q:\n            ty = WRONG\n            raise E\n    except E:\n        pass",
            error,
        ),
        (
            "match q:\n        case 1:\n            ty = RIGHT\n        case _:\n            ty = WRONG\n            return",
            None,
        ),
        // An assertion or an exit says nothing of places before it.
        (
            "ty = WRONG if q else RIGHT\n    z = inline_asm(ty + ';', '=h,f', [x])\n    assert not q\n    ty = RIGHT",
            error,
        ),
        ("ty = WRONG\n    for ty in [RIGHT, RIGHT]:\n        f()", None),
        ("ty = WRONG\n    for ty in (RIGHT, RIGHT):\n        f()", None),
        ("ty = WRONG\n    for ty in [*q]:\n        f()", error),
        ("ty = WRONG\n    for ty in []:\n        f()", error),
        ("ty = WRONG\n    for ty in [RIGHT] * q:\n        f()", error),
        ("for ty in [WRONG, RIGHT]:\n        f()", None),
        ("for ty in [WRONG, RIGHT]:\n        if f():\n            break", error),
        ("for ty in [RIGHT, WRONG]:\n        f()", error),
        ("ty = WRONG\n    for i in [1, 2]:\n        ty = RIGHT", None),
        ("ty = WRONG\n    for i in [1, 2]:\n        if f(): break\n        ty = RIGHT", error),
        ("ty = WRONG\n    for i in q:\n        ty = RIGHT", error),
    ] {
        assert_eq!(super::worst_in_function(body, [wrong, right]), expected, "{body}");
    }
}
