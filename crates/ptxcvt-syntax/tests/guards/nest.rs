//! Random nests of conditionals, and their text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;

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
fn one_of<T: Copy>(random: &mut SplitMix64, all: &[T]) -> T {
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
}

/// Names that the files themselves define, after they make sure that nothing else does.
const OWN: [&str; 3] = ["HAVE_FAST", "LEAST", "USE_NEW"];

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

impl Tree {
    fn random(random: &mut SplitMix64, style: Style, depth: usize) -> Tree {
        let compare = |random: &mut SplitMix64, name: &'static str, number: i64| {
            let operator = one_of(random, &[">=", ">=", ">=", "<", "==", "!=", ">", "<="]);
            let (name, number) = (Box::new(Tree::Name(name)), Box::new(Tree::Number(number)));
            if random.below(6) == 0 {
                Tree::Binary(operator, number, name)
            } else {
                Tree::Binary(operator, name, number)
            }
        };
        if depth > 0 && random.below(2) == 0 {
            return match random.below(5) {
                0 => Tree::Not(Tree::random(random, style, depth - 1).into()),
                n => {
                    let (left, right) =
                        (Tree::random(random, style, depth - 1), Tree::random(random, style, depth - 1));
                    Tree::Binary(if n < 3 { "&&" } else { "||" }, left.into(), right.into())
                }
            };
        }
        if style == Style::Loose && random.below(4) == 0 {
            let operation = |operator, left, right| Tree::Binary(operator, Box::new(left), Box::new(right));
            let flag = Tree::Name(one_of(random, &style.flags()));
            return match random.below(5) {
                0 => operation(">=", operation("/", flag, Tree::Number(1000)), Tree::Number(12)),
                1 => operation("==", operation("%", flag, Tree::Number(10)), Tree::Number(8)),
                2 => operation("==", operation(">>", flag, Tree::Number(8)), Tree::Number(12)),
                3 => operation("<", operation("<<", flag, Tree::Number(1)), Tree::Number(-2)),
                _ => operation("<", flag, Tree::Name(one_of(random, &style.flags()))),
            };
        }
        match random.below(20) {
            0..=6 => {
                let arch = one_of(random, &ARCHS);
                compare(random, "__CUDA_ARCH__", arch)
            }
            7 => Tree::Defined("__CUDA_ARCH__"),
            8 => Tree::Defined(one_of(random, &["__CUDA_ARCH_FEAT_SM90_ALL", "__CUDA_ARCH_FEAT_SM100_ALL"])),
            9 => Tree::HasFeature(one_of(random, &[90, 100, 103, 120])),
            10 => {
                let name = one_of(random, &["__CUDA_ARCH_SPECIFIC__", "__CUDA_ARCH_FAMILY_SPECIFIC__"]);
                let arch = one_of(random, &[900, 1000, 1030, 1200]);
                compare(random, name, arch)
            }
            11 => {
                let version = one_of(random, &[9000, 11000, 11080, 12010, 12080, 13000]);
                compare(random, "CUDA_VERSION", version)
            }
            12 => {
                let minor = one_of(random, &[1, 6, 8, 9]);
                let major =
                    Tree::Binary("==", Tree::Name("__CUDACC_VER_MAJOR__").into(), Tree::Number(12).into());
                Tree::Binary("&&", major.into(), compare(random, "__CUDACC_VER_MINOR__", minor).into())
            }
            13 => {
                let tenth = Tree::Binary("/", Tree::Name("__CUDA_ARCH__").into(), Tree::Number(10).into());
                let bound = one_of(random, &[75, 89, 100]);
                Tree::Binary(">=", tenth.into(), Tree::Number(bound).into())
            }
            14 if style != Style::Calls => Tree::Defined(one_of(random, &style.flags())),
            14 | 15 => Tree::Name(one_of(random, &style.flags())),
            16 => {
                let flag = one_of(random, &style.flags());
                let number = one_of(random, &[0, 1, 2, 2]);
                compare(random, flag, number)
            }
            17 => Tree::Defined(one_of(random, &OWN)),
            18 => Tree::Name(one_of(random, &OWN)),
            _ => Tree::Binary(">=", Tree::Name("__CUDA_ARCH__").into(), Tree::Name("LEAST").into()),
        }
    }

    fn print(&self, out: &mut String) {
        let _ = match self {
            Tree::Number(number) => write!(out, "{number}"),
            Tree::Name(name) => write!(out, "{name}"),
            Tree::Defined(name) if name.len() % 2 == 0 => write!(out, "defined {name}"),
            Tree::Defined(name) => write!(out, "defined( {name} )"),
            Tree::HasFeature(number) => write!(out, "__CUDA_ARCH_HAS_FEATURE__(SM{number}_ALL)"),
            Tree::Not(inner) => {
                out.push_str("!(");
                inner.print(out);
                write!(out, ")")
            }
            Tree::Binary(operator, left, right) => {
                out.push('(');
                left.print(out);
                let _ = write!(out, " {operator} ");
                right.print(out);
                write!(out, ")")
            }
        };
    }
}

#[derive(Debug)]
pub enum Item {
    /// An assembly, by its number and its form's.
    Assembly(usize, usize),
    Define(&'static str, i64),
    Undefine(&'static str),
    /// `#error`, only within a conditional.
    Refuse,
    /// Branches with their conditions; the last one may have none.
    Conditional(Vec<(Option<Tree>, Vec<Item>)>),
}

/// Forms of different targets and versions, with operands that fit.
pub const FORMS: [(&str, &str); 6] = [
    ("cvt.rna.tf32.f32", r#"%0, %1;" : "=r"(r) : "f"(a));"#),
    ("cvt.rn.bf16.f32", r#"%0, %1;" : "=h"(h) : "f"(a));"#),
    ("cvt.rn.satfinite.e4m3x2.f32", r#"%0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));"#),
    ("cvt.rn.f16x2.e4m3x2", r#"%0, %1;" : "=r"(r) : "h"(h));"#),
    ("cvt.rp.satfinite.ue8m0x2.f32", r#"%0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));"#),
    ("cvt.rn.f16.f32", r#"%0, %1;" : "=h"(h) : "f"(a));"#),
];

pub fn items(random: &mut SplitMix64, style: Style, depth: usize, assemblies: &mut usize) -> Vec<Item> {
    let mut all = Vec::new();
    for _ in 0..=random.below(3) {
        match random.below(if depth == 0 { 5 } else { 9 }) {
            0..=2 => {
                all.push(Item::Assembly(*assemblies, random.below(FORMS.len())));
                *assemblies += 1;
            }
            3 => all.push(Item::Define(one_of(random, &OWN), one_of(random, &[0, 1, 800, 890, 900]))),
            4 => all.push(Item::Undefine(one_of(random, &OWN))),
            _ => {
                let mut branches =
                    vec![(Some(Tree::random(random, style, 2)), items(random, style, depth - 1, assemblies))];
                for _ in 0..random.below(3) {
                    branches.push((
                        Some(Tree::random(random, style, 2)),
                        items(random, style, depth - 1, assemblies),
                    ));
                }
                if random.below(2) == 0 {
                    branches.push((None, items(random, style, depth - 1, assemblies)));
                }
                if random.below(8) == 0 {
                    let branch = random.below(branches.len());
                    branches[branch].1.push(Item::Refuse);
                }
                all.push(Item::Conditional(branches));
            }
        }
    }
    all
}

pub fn print(items: &[Item], out: &mut String, lines: &mut BTreeMap<usize, (usize, usize)>) {
    for item in items {
        let line = out.lines().count() + 1;
        let _ = match item {
            Item::Assembly(number, form) => {
                lines.insert(line, (*number, *form));
                writeln!(out, "  asm(\"{} {}", FORMS[*form].0, FORMS[*form].1)
            }
            Item::Define(name, 1) if line % 2 == 0 => writeln!(out, "#define {name}"),
            Item::Define(name, number) => writeln!(out, "# define {name} {number} // a number"),
            Item::Undefine(name) => writeln!(out, "#undef {name}"),
            Item::Refuse => writeln!(out, "#error \"it isn't compiled here"),
            Item::Conditional(branches) => {
                for (n, (condition, items)) in branches.iter().enumerate() {
                    match condition {
                        None => out.push_str("#else\n"),
                        Some(Tree::Defined(name)) if n == 0 => drop(writeln!(out, "#ifdef {name}")),
                        Some(tree) => {
                            out.push_str(if n == 0 { "#if " } else { "#elif " });
                            tree.print(out);
                            out.push('\n');
                        }
                    }
                    print(items, out, lines);
                }
                writeln!(out, "#endif")
            }
        };
    }
}
