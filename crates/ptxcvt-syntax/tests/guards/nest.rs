//! Random nests of conditionals, and their text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;

use super::macros::MACROS;
use super::tree::{OWN, Style, Tree, one_of};

#[derive(Debug)]
pub enum Item {
    /// An assembly, by its number and its form's.
    Assembly(usize, usize),
    Define(&'static str, i64),
    Undefine(&'static str),
    /// Another definition of a macro with parameters: the numbers of both.
    Redefine(usize, usize),
    /// `#error`, only within a conditional.
    Refuse,
    /// Branches with their conditions; the last one may have none.
    Conditional(Vec<(Option<Tree>, Vec<Item>)>),
    /// An `if` of C++ with its `else`: conditions, the effect of a variable on each, and statements of the shapes with
    /// these numbers.
    Statement(Vec<(Option<Tree>, Variable, usize, Vec<Item>)>),
    /// A `switch` with this selector: of each part the values of its labels (`None` is `default`), whether a `break`
    /// ends it, and its items.
    Switch(Tree, Vec<(Vec<Option<i64>>, bool, Vec<Item>)>),
    /// A statement that leaves the block around it with this word, if the condition holds.
    Exit(Tree, &'static str),
    /// One that always leaves the block, in a conditional.
    Leave(&'static str),
}

/// The effect of a variable of threads on a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    Absent,
    /// Both must hold.
    And,
    /// One must hold.
    Or,
}

/// A statement around others.
struct Shape {
    before: &'static str,
    after: &'static str,
    /// The statement that leaves only this block; empty if none does.
    leave: &'static str,
}

const fn shape(before: &'static str, after: &'static str, leave: &'static str) -> Shape {
    Shape { before, after, leave }
}

/// The first ones take one assembly, the others any items.
const SHAPES: [Shape; 22] = [
    shape("", "", ""),
    shape("for (int i = 0; i < 4; ++i)", "", ""),
    shape("while (f(\"{;\")) // {", "", ""),
    shape("do", "while (x);", ""),
    shape("if (x) g(); else", "", ""),
    shape("[[unlikely]] here:", "", ""),
    shape("{", "}", ""),
    shape("{", "}", ""),
    shape("[[likely]] {", "}", ""),
    shape("__attribute__((x)) { /* { */", "}", ""),
    shape("for (auto& y : z) {", "}", "break"),
    shape("#pragma unroll\nfor (; x; ) {", "}", "continue"),
    shape("PRAGMA_UNROLL while (x) {", "}", "break"),
    shape("FOR_EACH(i, n) {", "}", "break"),
    shape("do {", "} while (f('}', R\"({)\"));", "break"),
    shape("switch (x) { case A::B: case 1 ? 2 : 3:", "default: g(); }", "break"),
    shape("switch (x) default: {", "}", "break"),
    shape("try {", "} catch (int) { g(); } catch (...) { }", ""),
    shape("try { g(); } catch (...) {", "}", ""),
    shape("if (x) {", "} else if (y) g(); else { g(); }", ""),
    // A loop with a lambda that returns is treated like one that the function leaves.
    shape("x = [&](int n) -> T {", "}(1) + T{2};", ""),
    shape("for (; x; ) do { while (x) {", "} } while (x);", "continue"),
];
/// How many of them take one assembly.
const SINGLE: usize = 6;

/// Forms of different targets and versions, with operands that fit.
pub const FORMS: [(&str, &str); 6] = [
    ("cvt.rna.tf32.f32", r#"%0, %1;" : "=r"(r) : "f"(a));"#),
    ("cvt.rn.bf16.f32", r#"%0, %1;" : "=h"(h) : "f"(a));"#),
    ("cvt.rn.satfinite.e4m3x2.f32", r#"%0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));"#),
    ("cvt.rn.f16x2.e4m3x2", r#"%0, %1;" : "=r"(r) : "h"(h));"#),
    ("cvt.rp.satfinite.ue8m0x2.f32", r#"%0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));"#),
    ("cvt.rn.f16.f32", r#"%0, %1;" : "=h"(h) : "f"(a));"#),
];

/// The first lines of every file: what its own names are, whatever other files define.
pub fn head() -> String {
    let mut text: String = OWN.iter().map(|name| format!("#undef {name}\n")).collect();
    for known in &MACROS {
        let _ = writeln!(text, "#undef {0}\n#define {0}{1}", known.name, known.definitions[0].0);
    }
    text
}

/// Makes nests of a style, and numbers their assemblies.
pub struct Maker<'m> {
    pub random: &'m mut SplitMix64,
    pub style: Style,
    pub assemblies: usize,
    /// With statements of C++ among the conditionals.
    pub statements: bool,
    /// The statement that leaves the block whose items are generated; empty if none does.
    pub leave: &'static str,
}

impl Maker<'_> {
    /// A nest of this depth. Each block has several conditionals within the innermost three levels, and one around
    /// them.
    pub fn items(&mut self, depth: usize) -> Vec<Item> {
        if depth > 3 {
            let mut all = vec![self.simple(), self.conditional(depth)];
            all.extend((self.random.below(2) == 0).then(|| self.simple()));
            return all;
        }
        let count = 1 + self.random.below(3);
        let mut item = || match self.random.below(if depth == 0 { 5 } else { 9 }) {
            0..=4 => self.simple(),
            5 if self.statements && self.random.below(2) == 0 => self.switch(depth),
            5 | 6 if self.statements => self.statement(depth),
            _ => self.conditional(depth),
        };
        (0..count).map(|_| item()).collect()
    }

    /// An assembly or a directive.
    fn simple(&mut self) -> Item {
        match self.random.below(if self.statements && !self.leave.is_empty() { 11 } else { 10 }) {
            10 => Item::Exit(Tree::of_statement(self.random, self.style), self.leave),
            0..=5 => self.assembly(),
            6 | 7 => Item::Define(one_of(self.random, &OWN), one_of(self.random, &[0, 1, 800, 890, 900])),
            8 => Item::Undefine(one_of(self.random, &OWN)),
            _ => Item::Redefine(self.random.below(MACROS.len()), self.random.below(2)),
        }
    }

    fn assembly(&mut self) -> Item {
        self.assemblies += 1;
        Item::Assembly(self.assemblies - 1, self.random.below(FORMS.len()))
    }

    fn statement(&mut self, depth: usize) -> Item {
        let count = 1 + self.random.below(3);
        let mut branches = Vec::new();
        for n in 0..count + self.random.below(2) {
            let shape = self.random.below(SHAPES.len());
            let outer = std::mem::replace(&mut self.leave, SHAPES[shape].leave);
            let inner = if shape < SINGLE { vec![self.assembly()] } else { self.items(depth - 1) };
            self.leave = outer;
            let condition = (n < count).then(|| Tree::of_statement(self.random, self.style));
            let variable =
                one_of(self.random, &[Variable::Absent, Variable::Absent, Variable::And, Variable::Or]);
            branches.push((condition, variable, shape, inner));
        }
        Item::Statement(branches)
    }

    /// A `switch` whose labels are values that its selector may have, in any order.
    fn switch(&mut self, depth: usize) -> Item {
        let by = one_of(self.random, &[0, 1, 10, 10]);
        let selector = Tree::selector(self.random, self.style, by);
        let mut values: Vec<i64> = match by {
            0 => vec![0, 1, 2],
            by => [500, 750, 800, 860, 890, 900, 1000, 1200].map(|arch| arch / by).to_vec(),
        };
        let outer = std::mem::replace(&mut self.leave, "break");
        let mut parts = Vec::new();
        let mut has_default = false;
        for _ in 0..1 + self.random.below(3) {
            let mut labels = Vec::new();
            for _ in 0..1 + self.random.below(3) {
                let is_default = !has_default && self.random.below(4) == 0;
                has_default |= is_default;
                if is_default || !values.is_empty() {
                    let at = self.random.below(values.len().max(1));
                    labels.push(if is_default { None } else { Some(values.swap_remove(at)) });
                }
            }
            parts.push((labels, self.random.below(3) > 0, self.items(depth - 1)));
        }
        self.leave = outer;
        Item::Switch(selector, parts)
    }

    fn conditional(&mut self, depth: usize) -> Item {
        let count = 1 + self.random.below(3);
        // One branch of an outer level has the inner levels.
        let deep = self.random.below(count);
        let mut branches = Vec::new();
        for n in 0..count + self.random.below(2) {
            let inner = match depth > 3 && n != deep {
                true => vec![self.simple()],
                false => self.items(if depth == 4 { 2 } else { depth - 1 }),
            };
            let condition = (n < count).then(|| Tree::random(self.random, self.style, 2));
            branches.push((condition, inner));
        }
        if self.random.below(8) == 0 {
            let branch = self.random.below(branches.len());
            branches[branch].1.push(Item::Refuse);
        }
        if self.statements && !self.leave.is_empty() && self.random.below(8) == 0 {
            let branch = self.random.below(branches.len());
            branches[branch].1.push(Item::Leave(self.leave));
        }
        Item::Conditional(branches)
    }
}

/// Appends the text of items; `lines` gets the number and the form of the assembly in each line.
pub fn print(items: &[Item], out: &mut String, lines: &mut BTreeMap<usize, (usize, usize)>) {
    for item in items {
        let line = out.lines().count() + 1;
        let _ = match item {
            Item::Assembly(number, form) => {
                lines.insert(line, (*number, *form));
                writeln!(out, "  asm(\"{} {}", FORMS[*form].0, FORMS[*form].1)
            }
            Item::Define(name, 1) if line % 2 == 0 => writeln!(out, "#define {name} 1"),
            Item::Define(name, number) => writeln!(out, "# define {name} {number} // a number"),
            Item::Undefine(name) => writeln!(out, "#undef {name}"),
            Item::Redefine(which, how) => {
                let known = &MACROS[*which];
                writeln!(out, "#undef {0}\n#define {0}{1}", known.name, known.definitions[*how].0)
            }
            Item::Refuse => writeln!(out, "#error \"it isn't compiled here"),
            Item::Conditional(branches) => {
                for (n, (condition, items)) in branches.iter().enumerate() {
                    match condition {
                        None => out.push_str("#else\n"),
                        Some(Tree::Defined(name)) if n == 0 => drop(writeln!(out, "#ifdef {name}")),
                        Some(Tree::Not(inner)) if n == 0 && matches!(**inner, Tree::Defined(_)) => {
                            let Tree::Defined(name) = **inner else { unreachable!("it matched") };
                            let _ = writeln!(out, "#ifndef {name}");
                        }
                        Some(tree) => {
                            out.push_str(if n == 0 { "#if " } else { "#elif " });
                            tree.print(line % 2 == 0, out);
                            out.push('\n');
                        }
                    }
                    print(items, out, lines);
                }
                writeln!(out, "#endif")
            }
            Item::Exit(tree, leave) => {
                let mut condition = String::new();
                tree.print(line % 2 == 0, &mut condition);
                match line % 9 {
                    0 => writeln!(out, "if ({condition}) {leave};"),
                    4 => writeln!(out, "[[unlikely]] if ({condition}) [[unlikely]] {leave};"),
                    5 => writeln!(out, "if (x) {leave}; else if ({condition}) {leave};"),
                    6 => {
                        writeln!(
                            out,
                            "if (x) {{ if ({condition}) {leave}; }} else {{ g(); if ({condition}) {leave}; }}"
                        )
                    }
                    7 if *leave == "return" => writeln!(out, "do {{ if ({condition}) return; }} while (0);"),
                    7 => writeln!(out, "if (int n = x; bool({condition})) {leave};"),
                    8 => writeln!(out, "{{ g(); if (static_cast<bool>({condition})) {leave}; }}"),
                    1 => writeln!(out, "if constexpr ({condition}) {{ g(); {leave}; }}"),
                    2 => {
                        writeln!(out, "if ({condition}) {{ if (x) {leave}; else {{ {leave}; }} }} else g();")
                    }
                    _ => writeln!(out, "if (!({condition})) g(); else\n{leave};"),
                }
            }
            Item::Leave(leave) => writeln!(out, "{leave};"),
            Item::Switch(selector, parts) => {
                out.push_str("switch (");
                selector.print(line % 2 == 0, out);
                out.push_str(") {\n");
                for (labels, breaks, items) in parts {
                    for label in labels {
                        match label {
                            Some(value) => drop(writeln!(out, "case {value}:")),
                            None => out.push_str("default:\n"),
                        }
                    }
                    print(items, out, lines);
                    out.push_str(if *breaks { "break;\n" } else { "" });
                }
                writeln!(out, "}}")
            }
            Item::Statement(branches) => {
                for (n, (condition, variable, shape, items)) in branches.iter().enumerate() {
                    // Text that no compiler reads.
                    if n > 0 && line % 4 == 1 {
                        out.push_str("#if 0\n} g( \"it isn't\n#endif\n");
                    }
                    let is_else = if n == 0 { "" } else { "else " };
                    match condition {
                        Some(tree) => {
                            keyword(tree, *variable, is_else, (line + n) % 12, branches.len() == 1, out)
                        }
                        None => out.push_str(is_else),
                    }
                    let _ = writeln!(out, "\n{}", SHAPES[*shape].before);
                    print(items, out, lines);
                    out.push_str(SHAPES[*shape].after);
                    out.push('\n');
                }
                Ok(())
            }
        };
    }
}

/// Appends a keyword with a condition, in one of twelve ways. Constants and macros get names of their own.
fn keyword(tree: &Tree, variable: Variable, is_else: &str, way: usize, is_alone: bool, out: &mut String) {
    let (number, mut condition) = (out.len(), String::new());
    tree.print(way % 2 == 0, &mut condition);
    let operator = match variable {
        Variable::Absent => "",
        Variable::And => "&&",
        Variable::Or => "||",
    };
    // A constant has no variable.
    let way = match (variable, way) {
        (Variable::Absent, way) => way,
        (_, 3 | 9 | 10) => way,
        _ => 0,
    };
    if variable != Variable::Absent {
        condition = match number % 4 {
            0 => format!("({condition}) {operator} x"),
            1 => format!("threadIdx.x == {number} {operator} ({condition})"),
            2 => format!("p->q[1].r {operator} ({condition})"),
            _ => format!("({condition}) {operator} !(g({number}, \")\") > 0)"),
        };
    }
    let _ = match way {
        9 => write!(out, "{is_else}if (int n = 3; {condition})"),
        10 => write!(out, "{is_else}if (static_cast<bool>({condition}))"),
        11 => write!(out, "{is_else}if (!(bool)({condition}) == 0)"),
        0 => write!(out, "{is_else}if ({condition})"),
        1 => write!(out, "{is_else}if constexpr ({condition})"),
        2 => write!(out, "{is_else}if CONSTEXPR({condition})"),
        3 => write!(out, "#define IF_{number}(c) if (c)\n{is_else}IF_{number}({condition})"),
        4 => write!(out, "#define IF_{number} if constexpr ({condition})\n{is_else}IF_{number}"),
        5 if is_else.is_empty() => {
            write!(out, "constexpr bool k{number} = {condition};\nif constexpr (k{number})")
        }
        6 if is_else.is_empty() => {
            write!(
                out,
                "static const bool other{number}{{false}}, one{number}{{{condition}}};\nif (one{number})"
            )
        }
        7 if is_alone => write!(out, "for (; x && ({condition}); )"),
        8 if is_alone => write!(out, "for (int i = 0; ({condition}) && i < 4; ++i)"),
        _ => write!(out, "{is_else}if ({condition})"),
    };
}
