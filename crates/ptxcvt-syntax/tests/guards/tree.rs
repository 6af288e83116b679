//! Conditions as trees: made at random, printed with as few parentheses as C needs or with all, and evaluated as C
//! does.

use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;

use super::macros::{MACROS, Shape};

/// The names of a file's conditions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Every condition can be decided: flags are only compared with numbers.
    Exact,
    /// In place of flags there are calls of a macro that another file defines.
    Calls,
    /// Flags are also divided, shifted and compared with each other.
    Loose,
}

/// One of several values.
pub fn one_of<T: Copy>(random: &mut SplitMix64, all: &[T]) -> T {
    all[random.below(all.len())]
}

#[derive(Clone, Debug)]
pub enum Tree {
    Number(i64),
    Name(&'static str),
    Defined(&'static str),
    HasFeature(u16),
    Not(Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    /// `a ? b : c`
    Choose(Box<Tree>, Box<Tree>, Box<Tree>),
    /// A call of a macro that the file defines, by its number in [`MACROS`].
    Call(usize, Vec<Tree>),
}

/// Names that the files define themselves, after a check that nothing else defines them.
pub const OWN: [&str; 3] = ["HAVE_FAST", "LEAST", "USE_NEW"];

impl Style {
    /// Expressions that may have any value.
    pub fn flags(self) -> [&'static str; 2] {
        match self {
            Style::Calls => ["VERSION_AT(12, 2)", "VERSION_AT(FROM_ANOTHER_HEADER, 2)"],
            Style::Exact | Style::Loose => ["WITH_FP8", "FROM_ANOTHER_HEADER"],
        }
    }
}

const ARCHS: [i64; 14] = [500, 700, 750, 800, 860, 890, 900, 1000, 1010, 1030, 1100, 1200, 1210, 300];

fn name(name: &'static str) -> Box<Tree> {
    Tree::Name(name).into()
}

fn number(number: i64) -> Box<Tree> {
    Tree::Number(number).into()
}

fn binary(operator: &'static str, left: Box<Tree>, right: Box<Tree>) -> Tree {
    Tree::Binary(operator, left, right)
}

impl Tree {
    pub fn random(random: &mut SplitMix64, style: Style, depth: usize) -> Tree {
        if depth > 0 && random.below(2) == 0 {
            return Tree::joined(random, style, depth - 1);
        }
        if style == Style::Loose && random.below(4) == 0 {
            return Tree::undecided(random, style);
        }
        let arch = one_of(random, &ARCHS);
        match random.below(24) {
            0..=6 => compare(random, name("__CUDA_ARCH__"), arch),
            7 => Tree::Defined("__CUDA_ARCH__"),
            8 => Tree::Defined(one_of(random, &["__CUDA_ARCH_FEAT_SM90_ALL", "__CUDA_ARCH_FEAT_SM100_ALL"])),
            9 => Tree::HasFeature(one_of(random, &[90, 100, 103, 120])),
            10 => {
                let specific = one_of(random, &["__CUDA_ARCH_SPECIFIC__", "__CUDA_ARCH_FAMILY_SPECIFIC__"]);
                let arch = one_of(random, &[900, 1000, 1030, 1200]);
                compare(random, name(specific), arch)
            }
            11 => {
                let version = one_of(random, &[9000, 11000, 11080, 12010, 12080, 13000]);
                compare(random, name("CUDA_VERSION"), version)
            }
            12 => {
                let minor = one_of(random, &[1, 6, 8, 9]);
                let major = binary("==", name("__CUDACC_VER_MAJOR__"), number(12));
                binary("&&", major.into(), compare(random, name("__CUDACC_VER_MINOR__"), minor).into())
            }
            13 => {
                let tenth = binary("/", name("__CUDA_ARCH__"), number(10));
                binary(">=", tenth.into(), number(one_of(random, &[75, 89, 100])))
            }
            14 if style != Style::Calls => Tree::Defined(one_of(random, &style.flags())),
            14 | 15 => Tree::Name(one_of(random, &style.flags())),
            16 => {
                let (flag, bound) = (one_of(random, &style.flags()), one_of(random, &[0, 1, 2, 2]));
                compare(random, name(flag), bound)
            }
            17 => Tree::Defined(one_of(random, &OWN)),
            18 => Tree::Name(one_of(random, &OWN)),
            19 => {
                let operator = one_of(random, &["+", "-", "*", "/", "%", ">>", "<<", "&", "|", "^"]);
                let by = one_of(random, &[1, 2, 3, 7, 10]);
                let value = binary(operator, name("__CUDA_ARCH__"), number(by));
                let near = match operator {
                    "+" => arch + by,
                    "-" => arch - by,
                    "*" => arch * by,
                    "/" => arch / by,
                    "%" => arch % by,
                    ">>" => arch >> by,
                    "<<" => arch << by,
                    _ => arch,
                };
                compare(random, value.into(), near)
            }
            20 => {
                // A bound that depends on the toolkit.
                let newer = compare(random, name("CUDA_VERSION"), 12010);
                let bound = Tree::Choose(newer.into(), number(arch), number(one_of(random, &ARCHS)));
                binary(">=", name("__CUDA_ARCH__"), bound.into())
            }
            21 | 22 => {
                let which = random.below(MACROS.len());
                let arguments = match MACROS[which].shape {
                    Shape::Bound => vec![Tree::Number(arch)],
                    Shape::Conditions(count) => {
                        let inner = depth.saturating_sub(1);
                        (0..count).map(|_| Tree::random(random, style, inner).without_defined()).collect()
                    }
                };
                Tree::Call(which, arguments)
            }
            _ => binary(">=", name("__CUDA_ARCH__"), name("LEAST")),
        }
    }

    /// The condition of a statement of C++ that depends on the target.
    pub fn of_statement(random: &mut SplitMix64, style: Style) -> Tree {
        let inner = Box::new(Tree::random(random, style, 1).without_defined());
        let arch = one_of(random, &ARCHS);
        let target = Box::new(compare(random, name("__CUDA_ARCH__"), arch));
        binary(one_of(random, &["&&", "||"]), inner, target)
    }

    /// The selector of a `switch`: the target by this number, or a condition for 0.
    pub fn selector(random: &mut SplitMix64, style: Style, by: i64) -> Tree {
        match by {
            0 => Tree::of_statement(random, style),
            1 => Tree::Name("__CUDA_ARCH__"),
            by => binary("/", name("__CUDA_ARCH__"), number(by)),
        }
    }

    /// Conditions joined by `!`, `&&`, `||` and `?:`.
    fn joined(random: &mut SplitMix64, style: Style, depth: usize) -> Tree {
        let mut inner = || Box::new(Tree::random(random, style, depth));
        let (a, b, c) = (inner(), inner(), inner());
        match random.below(6) {
            0 => Tree::Not(a),
            1 | 2 => binary("&&", a, b),
            3 | 4 => binary("||", a, b),
            _ => Tree::Choose(a, b, c),
        }
    }

    /// The condition with comparisons in place of `defined`, which C does not allow in a macro's argument.
    fn without_defined(self) -> Tree {
        let inner = |tree: Box<Tree>| Box::new(tree.without_defined());
        match self {
            Tree::Defined(defined) => binary("!=", name(defined), number(0)),
            Tree::Not(a) => Tree::Not(inner(a)),
            Tree::Binary(operator, a, b) => Tree::Binary(operator, inner(a), inner(b)),
            Tree::Choose(a, b, c) => Tree::Choose(inner(a), inner(b), inner(c)),
            other @ (Tree::Number(_) | Tree::Name(_) | Tree::HasFeature(_) | Tree::Call(..)) => other,
        }
    }

    /// A condition on flags that is not followed exactly.
    fn undecided(random: &mut SplitMix64, style: Style) -> Tree {
        let flag = name(one_of(random, &style.flags()));
        match random.below(6) {
            0 => binary(">=", binary("/", flag, number(1000)).into(), number(12)),
            1 => binary("==", binary("%", flag, number(10)).into(), number(8)),
            2 => binary("==", binary(">>", flag, number(8)).into(), number(12)),
            3 => binary("<", binary("<<", flag, number(1)).into(), number(-2)),
            4 => binary("==", binary("+", flag, number(1)).into(), number(3)),
            _ => binary("<", flag, name(one_of(random, &style.flags()))),
        }
    }

    /// Prints the condition: with all parentheses, or with those that C's precedence needs.
    pub fn print(&self, all: bool, out: &mut String) {
        match self {
            Tree::Number(number) => drop(write!(out, "{number}")),
            Tree::Name(name) => out.push_str(name),
            Tree::Defined(name) if name.len() % 2 == 0 => drop(write!(out, "defined {name}")),
            Tree::Defined(name) => drop(write!(out, "defined( {name} )")),
            Tree::HasFeature(number) => drop(write!(out, "__CUDA_ARCH_HAS_FEATURE__(SM{number}_ALL)")),
            Tree::Not(inner) => {
                out.push('!');
                inner.print_within(11, all, out);
            }
            Tree::Binary(operator, left, right) => {
                let level = precedence(operator);
                left.print_within(level, all, out);
                let _ = write!(out, " {operator} ");
                right.print_within(level + 1, all, out);
            }
            Tree::Choose(condition, yes, no) => {
                condition.print_within(1, all, out);
                out.push_str(" ? ");
                yes.print_within(0, all, out);
                out.push_str(" : ");
                no.print_within(0, all, out);
            }
            Tree::Call(which, arguments) => {
                out.push_str(MACROS[*which].name);
                for (n, argument) in arguments.iter().enumerate() {
                    out.push_str(if n == 0 { "(" } else { ", " });
                    argument.print(all, out);
                }
                out.push(')');
            }
        }
    }

    /// Prints it as an operand of an operator that needs operands of this precedence.
    fn print_within(&self, least: usize, all: bool, out: &mut String) {
        let level = match self {
            Tree::Choose(..) => 0,
            Tree::Binary(operator, ..) => precedence(operator),
            Tree::Number(number) if *number < 0 => 11,
            _ => 12,
        };
        if level < least || (all && level < 12) {
            out.push('(');
            self.print(all, out);
            out.push(')');
        } else {
            self.print(all, out);
        }
    }
}

/// The precedence of a binary operator; those of `?:` and of operators with one operand are 0 and 11.
fn precedence(operator: &str) -> usize {
    let levels: [&[&str]; 10] = [
        &["||"],
        &["&&"],
        &["|"],
        &["^"],
        &["&"],
        &["==", "!="],
        &["<", ">", "<=", ">="],
        &["<<", ">>"],
        &["+", "-"],
        &["*", "/", "%"],
    ];
    1 + levels.iter().position(|level| level.contains(&operator)).expect("an operator of C")
}

fn compare(random: &mut SplitMix64, value: Box<Tree>, bound: i64) -> Tree {
    let operator = one_of(random, &[">=", ">=", ">=", "<", "==", "!=", ">", "<="]);
    if random.below(6) == 0 {
        binary(operator, number(bound), value)
    } else {
        binary(operator, value, number(bound))
    }
}
