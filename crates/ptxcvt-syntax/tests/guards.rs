//! Guards of C++ sources: compares random nests of conditionals with separate evaluations of every
//! configuration.
//!
//! The evaluation here shares no code with the crate: conditions are made as trees, printed for `check_source` and
//! evaluated for one target, one toolkit and one value of each flag at a time.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;
use ptxcvt::targets::Suffix;
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Severity, Source};

/// The names of a file's conditions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
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

/// One configuration: a target (`None` is a future one), a toolkit, and the values of flags.
struct Configuration<'c> {
    target: Option<Target>,
    toolkit: (u32, u32),
    flags: &'c HashMap<&'static str, Option<i64>>,
}

const FUTURE: (u32, u32) = (99, 0);

#[derive(Clone, Debug)]
enum Tree {
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
    fn flags(self) -> [&'static str; 2] {
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

    fn eval(&self, at: &Configuration<'_>, own: &HashMap<&'static str, i64>) -> i64 {
        match self {
            Tree::Number(number) => *number,
            Tree::Name(name) => value(name, at, own).unwrap_or(0),
            Tree::Defined(name) => value(name, at, own).is_some().into(),
            Tree::HasFeature(number) => {
                at.target.is_some_and(|t| t.sm() == *number && t.suffix() == Suffix::Architecture).into()
            }
            Tree::Not(inner) => (inner.eval(at, own) == 0).into(),
            Tree::Binary(operator, left, right) => {
                let (a, b) = (left.eval(at, own), right.eval(at, own));
                match *operator {
                    "&&" => (a != 0 && b != 0).into(),
                    "||" => (a != 0 || b != 0).into(),
                    ">=" => (a >= b).into(),
                    "<=" => (a <= b).into(),
                    ">" => (a > b).into(),
                    "<" => (a < b).into(),
                    "==" => (a == b).into(),
                    "!=" => (a != b).into(),
                    "/" => a / b,
                    "%" => a % b,
                    ">>" => a >> b,
                    "<<" => a << b,
                    other => unreachable!("{other}"),
                }
            }
        }
    }
}

fn value(name: &str, at: &Configuration<'_>, own: &HashMap<&'static str, i64>) -> Option<i64> {
    let arch = at.target.map_or(9_990, |target| i64::from(target.sm()) * 10);
    let suffix = at.target.map_or(Suffix::Plain, Target::suffix);
    let (major, minor) = (i64::from(at.toolkit.0), i64::from(at.toolkit.1));
    match name {
        "__CUDA_ARCH__" => Some(arch),
        "__CUDA_ARCH_SPECIFIC__" => (suffix == Suffix::Architecture).then_some(arch),
        "__CUDA_ARCH_FAMILY_SPECIFIC__" => (suffix != Suffix::Plain).then_some(arch),
        "__CUDA_ARCH_FEAT_SM90_ALL" => (suffix == Suffix::Architecture && arch == 900).then_some(1),
        "__CUDA_ARCH_FEAT_SM100_ALL" => (suffix == Suffix::Architecture && arch == 1000).then_some(1),
        "CUDA_VERSION" => Some(major * 1000 + minor * 10),
        "__CUDACC_VER_MAJOR__" => Some(major),
        "__CUDACC_VER_MINOR__" => Some(minor),
        _ => own.get(name).copied().or_else(|| at.flags.get(name).copied().flatten()),
    }
}

#[derive(Debug)]
enum Item {
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
const FORMS: [(&str, &str); 6] = [
    ("cvt.rna.tf32.f32", r#"%0, %1;" : "=r"(r) : "f"(a));"#),
    ("cvt.rn.bf16.f32", r#"%0, %1;" : "=h"(h) : "f"(a));"#),
    ("cvt.rn.satfinite.e4m3x2.f32", r#"%0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));"#),
    ("cvt.rn.f16x2.e4m3x2", r#"%0, %1;" : "=r"(r) : "h"(h));"#),
    ("cvt.rp.satfinite.ue8m0x2.f32", r#"%0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));"#),
    ("cvt.rn.f16.f32", r#"%0, %1;" : "=h"(h) : "f"(a));"#),
];

fn items(random: &mut SplitMix64, style: Style, depth: usize, assemblies: &mut usize) -> Vec<Item> {
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

fn print(items: &[Item], out: &mut String, lines: &mut BTreeMap<usize, (usize, usize)>) {
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

/// The assemblies that a configuration compiles; true if it refuses the file.
fn reached(
    items: &[Item],
    at: &Configuration<'_>,
    own: &mut HashMap<&'static str, i64>,
    found: &mut Vec<usize>,
) -> bool {
    let mut refused = false;
    for item in items {
        match item {
            Item::Refuse => refused = true,
            Item::Assembly(number, _) => found.push(*number),
            Item::Define(name, number) => drop(own.insert(name, *number)),
            Item::Undefine(name) => drop(own.remove(name)),
            Item::Conditional(branches) => {
                let taken =
                    branches.iter().find(|(c, _)| c.as_ref().is_none_or(|tree| tree.eval(at, own) != 0));
                if let Some((_, items)) = taken {
                    refused |= reached(items, at, own, found);
                }
            }
        }
    }
    refused
}

/// A set of configurations: for each target a bit for each toolkit.
type Rows = Vec<u64>;

/// For each assembly: the configurations that compile it whatever the flags are, as a row for each target.
struct Certain {
    targets: Vec<Option<Target>>,
    toolkits: Vec<(u32, u32)>,
    rows: Vec<Rows>,
    /// Compiled by some configuration for some values of the flags.
    ever: Vec<bool>,
}

fn certain(items: &[Item], style: Style, text: &str, assemblies: usize) -> Certain {
    let targets: Vec<_> = Target::legacy().chain(Target::all()).map(Some).chain([None]).collect();
    let toolkits: Vec<_> = IsaVersion::cuda_toolkits().chain([FUTURE]).collect();
    // A value between any two of the numbers that conditions have, and some that other operations tell apart.
    let mut numbers = vec![None, Some(-1), Some(0), Some(1), Some(2), Some(3)];
    if style == Style::Loose {
        numbers.extend([3_078, 12_008].map(Some));
    }
    let mut assignments = vec![HashMap::new()];
    for name in style.flags().into_iter().filter(|name| text.contains(name)) {
        let with =
            |values: &HashMap<_, _>, number| values.clone().into_iter().chain([(name, number)]).collect();
        assignments = assignments.iter().flat_map(|a| numbers.iter().map(move |n| with(a, *n))).collect();
    }
    let versioned = text.contains("CUDA_VERSION") || text.contains("__CUDACC_VER");
    let all = u64::MAX >> (64 - toolkits.len());
    // For each assembly and value of the flags, and for `#error`.
    let mut compiled = vec![vec![vec![0; targets.len()]; assignments.len()]; assemblies];
    let mut refused = vec![vec![0; targets.len()]; assignments.len()];
    for (row, target) in targets.iter().enumerate() {
        let evaluated = if versioned { toolkits.len() } else { 1 };
        for (column, toolkit) in toolkits.iter().enumerate().take(evaluated) {
            let columns = if versioned { 1 << column } else { all };
            for (n, flags) in assignments.iter().enumerate() {
                let at = Configuration { target: *target, toolkit: *toolkit, flags };
                let mut found = Vec::new();
                if reached(items, &at, &mut HashMap::new(), &mut found) {
                    refused[n][row] |= columns;
                }
                found.into_iter().for_each(|number| compiled[number][n][row] |= columns);
            }
        }
    }
    let refused = in_all(&refused);
    let rows = compiled.iter().map(|sets| without(in_all(sets), &refused, all)).collect();
    let any = |set: &Rows| without(set.clone(), &refused, all).iter().any(|row| *row != 0);
    let ever = compiled.iter().map(|sets| sets.iter().any(any)).collect();
    Certain { targets, toolkits, rows, ever }
}

/// What all sets have.
fn in_all(sets: &[Rows]) -> Rows {
    (0..sets[0].len()).map(|row| sets.iter().fold(u64::MAX, |both, set| both & set[row])).collect()
}

/// True if a set tells targets from each other, and if it tells toolkits; `all` has every toolkit.
fn restricts(rows: &Rows, all: u64) -> (bool, bool) {
    (rows.windows(2).any(|pair| pair[0] != pair[1]), rows.iter().any(|row| *row != 0 && *row != all))
}

/// The configurations that compile a file with an `#error`: without toolkits of a target only if the guards tell them from
/// each other, and without targets only if they tell anything.
fn without(rows: Rows, refused: &Rows, all: u64) -> Rows {
    let (by_target, by_toolkit) = restricts(&rows, all);
    let whole = |refused: u64| if refused == all { all } else { 0 };
    let each = rows.iter().zip(refused).map(|(row, refused)| match (by_target, by_toolkit) {
        (_, true) => row & !refused,
        (true, false) => row & !whole(*refused),
        (false, false) => *row,
    });
    each.collect()
}

impl Certain {
    /// The real pairs that compile it: a target, and the version that the toolkit's assembler reads.
    fn pairs(&self, number: usize) -> Vec<(Target, IsaVersion)> {
        let mut pairs = Vec::new();
        for (row, target) in self.targets.iter().enumerate() {
            let Some(target) = target.filter(|target| target.sm() >= 50) else { continue };
            for (column, toolkit) in self.toolkits.iter().enumerate() {
                let isa = IsaVersion::of_cuda_toolkit(*toolkit).filter(|isa| target.exists_in(*isa));
                pairs.extend(
                    isa.filter(|_| self.rows[number][row] >> column & 1 == 1).map(|isa| (target, isa)),
                );
            }
        }
        pairs
    }

    /// True if a device compiler that this assembly is judged for rejects the form.
    fn rejected(&self, number: usize, form: Form) -> bool {
        let rows = &self.rows[number];
        let (by_target, by_toolkit) = restricts(rows, u64::MAX >> (64 - self.toolkits.len()));
        let pairs = self.pairs(number);
        let legal = |target: Target, isa: IsaVersion| legal(form, target, isa);
        match (by_target, by_toolkit) {
            (false, false) => false,
            (true, false) => pairs.iter().any(|(target, _)| form.since(*target).is_none()),
            (true, true) => pairs.iter().any(|(target, isa)| !legal(*target, *isa)),
            // Judged for the oldest toolkit that knows a target with this form, on any target.
            (false, true) => {
                let known = pairs.iter().filter(|(target, _)| form.since(*target).is_some());
                let oldest = known.map(|(_, isa)| *isa).min();
                oldest.is_some_and(|isa| !Target::all().any(|target| legal(target, isa)))
            }
        }
    }
}

fn legal(form: Form, target: Target, isa: IsaVersion) -> bool {
    form.since(target).is_some_and(|since| since <= isa)
}

#[test]
fn guards_are_evaluated_as_every_configuration_evaluates_them() {
    const NESTS: usize = 2_000;
    let mut random = SplitMix64::new(1);
    let (mut judged, mut errors, mut loose, mut notes, mut dead) = (0, 0, 0, 0, 0);
    for nest in 0..NESTS {
        let style = [Style::Exact, Style::Exact, Style::Calls, Style::Loose][nest % 4];
        let mut assemblies = 0;
        let items = items(&mut random, style, 3, &mut assemblies);
        let (mut text, mut lines) =
            (String::from("#undef HAVE_FAST\n#undef LEAST\n#undef USE_NEW\n"), BTreeMap::new());
        print(&items, &mut text, &mut lines);
        let source = Source::new("nest.cu", text.as_bytes());
        let found = check_source(&source, Language::Cpp, &CheckOptions::default());
        let on = |severity: Severity| -> BTreeSet<usize> {
            let wanted = found.diagnostics.iter().filter(|d| d.severity() == severity);
            wanted.map(|d| source.position(d.span().start).line).collect()
        };
        let (rejected, noted) = (on(Severity::Error), on(Severity::Note));
        let certain = certain(&items, style, &text, assemblies);
        for (line, (number, form)) in lines {
            let form: Form = FORMS[form].0.parse().expect("a form");
            let says = || format!("nest {nest}, line {line} of\n{text}\n{:?}", found.diagnostics);
            match style {
                Style::Exact | Style::Calls => {
                    let expected = certain.rejected(number, form);
                    assert_eq!(rejected.contains(&line), expected, "{}", says());
                    assert!(certain.ever[number] || !noted.contains(&line), "{}", says());
                    errors += usize::from(expected);
                }
                // No error but one that a device compiler reports for certain.
                Style::Loose if rejected.contains(&line) => {
                    let fails = |(target, isa): (Target, IsaVersion)| !legal(form, target, isa);
                    assert!(certain.pairs(number).into_iter().any(fails), "{}", says());
                    loose += 1;
                }
                Style::Loose => {}
            }
            judged += 1;
            notes += usize::from(noted.contains(&line));
            dead += usize::from(!certain.ever[number]);
        }
        let unseen = found.stats.skipped.get("no device compiler sees it").copied().unwrap_or(0);
        let never = certain.ever.iter().filter(|ever| !**ever).count();
        match style {
            Style::Exact | Style::Calls => assert_eq!(unseen, never, "nest {nest}\n{text}"),
            // An undecided branch is never dead.
            Style::Loose => assert!(unseen <= never, "nest {nest}: {unseen}, {never}\n{text}"),
        }
    }
    assert!(
        errors > 300 && loose > 50 && notes > 100 && dead > 100,
        "{judged}: {errors} and {loose} errors, {notes} notes, {dead} dead"
    );
}

/// An `#error` refuses a file for some targets, wherever it is; what it does not restrict stays unrestricted.
#[test]
fn what_error_refuses_is_not_compiled() {
    let tf32 = r#"asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(a));"#;
    let guarded = format!("#if __CUDA_ARCH__ >= 700\n{tf32}\n#endif\n");
    for (error, errors) in [
        ("", 1),
        ("#if __CUDA_ARCH__ < 800\n#error \"too old\"\n#endif\n", 0),
        ("#if __CUDA_ARCH__ < 750\n#error it isn't built\n#endif\n", 1),
        // Another flag may be the reason.
        ("#if __CUDA_ARCH__ < 800 && defined(STRICT)\n#error too old\n#endif\n", 1),
        ("#ifndef WITH_TF32\n#error needed\n#endif\n", 1),
        ("#if __CUDACC_VER_MAJOR__ < 12\n#error too old\n#endif\n", 1),
        ("#if __CUDA_ARCH__ < 800\n#warning too old\n#endif\n", 1),
    ] {
        for text in [format!("{error}{guarded}"), format!("{guarded}{error}")] {
            let source = Source::new("refused.cu", text.as_bytes());
            let found = check_source(&source, Language::Cpp, &CheckOptions::default());
            assert_eq!(found.diagnostics.len(), errors, "{text}\n{:?}", found.diagnostics);
            assert_eq!(found.stats.skipped.len(), 0, "{text}");
        }
    }
    let text = format!("#if __CUDA_ARCH__ < 750\n#error too old\n{tf32}\n#endif\n{tf32}\n");
    let source = Source::new("refused.cu", text.as_bytes());
    let found = check_source(&source, Language::Cpp, &CheckOptions::default());
    assert!(found.diagnostics.is_empty(), "{:?}", found.diagnostics);
    assert_eq!(found.stats.skipped.get("no device compiler sees it"), Some(&1));
}

/// Conditions on flags and macros of other files, each with a number that makes it true.
#[test]
fn what_cannot_be_decided_is_alive() {
    for condition in [
        "FLAG_B / 1000 >= 12",
        "FLAG_B / 10 == 3",
        "FLAG_B / 100 % 10 == 8",
        "(FLAG_B >> 8) == 12",
        "VER(FLAG_B, 2) >= 12",
        "VER(9,2) >= 12",
        "FLAG_B < 1 && FLAG_B",
        "FLAG_B < 1 && FLAG_B && __CUDA_ARCH__ >= 890",
        "FLAG_B - FLAG_C == 5 && FLAG_B > 100",
        "FLAG_B >= LEAST && FLAG_B < LEAST + 1",
        "~FLAG_B == 7",
        "FLAG_B >= 100u && FLAG_B < 0",
        "ANY(FLAG_B) && !ANY(FLAG_C)",
        "PAIR(VER(1, 2), FLAG_B) >= 40",
        "VER(\"a\") && !VER(\"b\")",
        "VER(defined FLAG_B) && !VER(defined FLAG_C)",
    ] {
        let text = format!(
            "#define LEAST (3 * 100)\n#define ANY(...) (__VA_ARGS__)\n#define PAIR(a, b) ((a) + (b) * 10)\n\
             #if {condition}\n__device__ void f() {{ asm(\"cvt.rn.f16x2.f33 %0, %1;\" : \"=r\"(y) : \"f\"(a)); }}\n#endif\n"
        );
        let source = Source::new("flag.cu", text.as_bytes());
        let found = check_source(&source, Language::Cpp, &CheckOptions::default());
        assert!(!found.diagnostics.is_empty(), "{condition}: {:?}", found.stats.skipped);
    }
    // A name that is a macro of the file with parameters is 0 where it has no arguments.
    for condition in ["CALLED", "FLAG_B > 3 && FLAG_B < 4", "FLAG_B / 1000 >= 12 && !(FLAG_B / 1000 > 11)"] {
        let text = format!(
            "#define CALLED(x) x\n#if {condition}\nasm(\"cvt.rn.f16x2.f33 %0, %1;\" : \"=r\"(y) : \"f\"(a));\n#endif\n"
        );
        let source = Source::new("dead.cu", text.as_bytes());
        let found = check_source(&source, Language::Cpp, &CheckOptions::default());
        assert!(found.diagnostics.is_empty(), "{condition}: {:?}", found.diagnostics);
    }
}
