//! Random functions of Python: every value that a name can have where an assembly uses it is judged, or counted as
//! unknown. With `if` and `else` alone, no other value is judged.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Severity, Source};

/// A value: the line of its literal, or 0 if the value is not known. A name without a value is absent.
type Values = BTreeSet<usize>;

/// Statements about the name `ty`.
enum Item {
    /// A literal, by its line, which is known when it is printed.
    Literal(usize),
    /// Another binding.
    Unknown(&'static str),
    If(Vec<Item>, Vec<Item>),
    Loop(&'static str, Vec<Item>),
    Try(Vec<Item>, Vec<Item>),
    With(Vec<Item>),
    /// An assembly uses the name.
    Use,
}

const BINDINGS: [&str; 12] = [
    "ty, other = q",
    "(other, [ty]) = q",
    "import q as ty",
    "from q import ty",
    "del ty",
    "print(ty := q)",
    "ty = other = q",
    "ty = q",
    "ty *= 2",
    "def ty(): pass",
    "ty: Dict[str, int] = q",
    "x = [ty := i for i in q]",
];

fn block(random: &mut SplitMix64, depth: usize, uses: &mut usize) -> Vec<Item> {
    let count = 1 + random.below(3);
    let mut item = |_| {
        let kinds = if depth == 0 { 6 } else { 11 };
        match random.below(kinds) {
            0..=2 => Item::Literal(0),
            3 if random.below(4) == 0 => Item::Unknown(BINDINGS[random.below(BINDINGS.len())]),
            3..=5 if *uses > 0 && random.below(3) == 0 => {
                *uses -= 1;
                Item::Use
            }
            3..=5 => Item::Literal(0),
            6 | 7 => Item::If(block(random, depth - 1, uses), block(random, depth - 1, uses)),
            8 => Item::Loop(["while f():", "for i in q:"][random.below(2)], block(random, depth - 1, uses)),
            9 => Item::Try(block(random, depth - 1, uses), block(random, depth - 1, uses)),
            _ => Item::With(block(random, depth - 1, uses)),
        }
    };
    (0..count).map(&mut item).collect()
}

/// Prints statements, and notes the lines of literals.
fn print(items: &mut [Item], depth: usize, conditions: &mut usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for item in items {
        let line = text.lines().count() + 1;
        match item {
            Item::Literal(at) => {
                *at = line;
                let _ = writeln!(text, "{indent}ty = 'cvt.rn.f17.f32 $0, $1'");
            }
            Item::Unknown(binding) => drop(writeln!(text, "{indent}{binding}")),
            Item::Use => {
                let _ = writeln!(text, "{indent}y = inline_asm(ty + ';', '=h,f', [x])");
            }
            Item::If(yes, no) => {
                *conditions += 1;
                let _ = writeln!(text, "{indent}if c{conditions}:");
                print(yes, depth + 1, conditions, text);
                if no.is_empty() {
                    continue;
                }
                let _ = writeln!(text, "{indent}else:");
                print(no, depth + 1, conditions, text);
            }
            Item::Loop(head, body) => {
                let _ = writeln!(text, "{indent}{head}");
                print(body, depth + 1, conditions, text);
            }
            Item::Try(body, handler) => {
                let _ = writeln!(text, "{indent}try:");
                print(body, depth + 1, conditions, text);
                let _ = writeln!(text, "{indent}except E:");
                if handler.is_empty() {
                    let _ = writeln!(text, "{indent}    pass");
                }
                print(handler, depth + 1, conditions, text);
            }
            Item::With(body) => {
                let _ = writeln!(text, "{indent}with suppress(E):");
                print(body, depth + 1, conditions, text);
            }
        }
    }
}

/// The values after some statements, computed from the values before them. The values at every place are added to
/// `met`, and the values at uses to `used`.
fn run(items: &[Item], before: &Values, met: &mut Values, used: &mut Values) -> Values {
    let mut now = before.clone();
    for item in items {
        met.extend(&now);
        now = match item {
            Item::Literal(at) => [*at].into(),
            Item::Unknown(_) => [0].into(),
            Item::Use => {
                used.extend(&now);
                now
            }
            Item::If(yes, no) => {
                let mut after = run(yes, &now, met, used);
                after.extend(run(no, &now, met, used));
                after
            }
            Item::Loop(_, body) => loop {
                let mut after = now.clone();
                after.extend(run(body, &now, met, used));
                if after == now {
                    break now;
                }
                now = after;
            },
            Item::Try(body, handler) => {
                let mut within = Values::new();
                let mut after = run(body, &now, &mut within, used);
                met.extend(&within);
                after.extend(run(handler, &within, met, used));
                after
            }
            // It may be left early.
            Item::With(body) => {
                let mut within = Values::new();
                let after = run(body, &now, &mut within, used);
                met.extend(&within);
                within.extend(after);
                within
            }
        };
    }
    now
}

#[test]
fn every_value_that_reaches_an_assembly_is_judged_or_counted() {
    let (mut exact, mut several, mut unknown) = (0, 0, 0);
    for seed in 1..=1_500 {
        let mut random = SplitMix64::new(seed);
        let mut items = block(&mut random, 3, &mut 1);
        if random.below(2) == 0 {
            items.push(Item::Use);
        }
        let mut text = String::from("def k(x, q):\n    ty = 'cvt.rn.f16.f32 $0, $1'\n");
        print(&mut items, 1, &mut 0, &mut text);
        let mut expected = Values::new();
        run(&items, &[2].into(), &mut Values::new(), &mut expected);
        let source = Source::new("random.py", text.as_bytes());
        let found = check_source(&source, Language::Python, &CheckOptions::default());
        let judged: Values = found.diagnostics.iter().map(|d| source.position(d.span().start).line).collect();
        // Literals that reach no assembly are counted by another reason.
        let counted = found.stats.skipped.keys().any(|reason| reason.starts_with("its opcode is not known"));
        let says = || format!("{expected:?}, {judged:?}, {:?}\n{text}", found.stats.skipped);
        // A block that may be left anywhere gives each value in it.
        let plain = !["while ", "for ", "try:", "with "].iter().any(|word| text.contains(word));
        assert!(!plain || judged.is_subset(&expected), "{}", says());
        assert!(counted || !expected.contains(&0), "{}", says());
        // The first value is a right one.
        let wrong: Values = expected.iter().copied().filter(|line| *line > 2).collect();
        assert!(counted || judged.is_superset(&wrong), "{}", says());
        exact += usize::from(!counted);
        several += usize::from(!counted && wrong.len() > 1);
        unknown += usize::from(expected.contains(&0));
    }
    assert!(exact > 400 && several > 200 && unknown > 100, "{exact} {several} {unknown}");
}

/// Whatever happened before, a value that one block brings to an assembly can reach it.
#[test]
fn a_wrong_value_of_the_last_block_is_an_error() {
    for seed in 1..=400 {
        let mut random = SplitMix64::new(seed);
        let mut items = block(&mut random, 2, &mut 0);
        let wrong = || vec![Item::Literal(0)];
        items.push(match random.below(4) {
            0 => Item::If(wrong(), vec![]),
            1 => Item::Loop(["while f():", "for i in q:"][random.below(2)], wrong()),
            2 => Item::Try(wrong(), vec![]),
            _ => Item::With(wrong()),
        });
        items.push(Item::Use);
        let mut text = String::from("def k(x, q):\n    ty = 'cvt.rn.f16.f32 $0, $1'\n");
        print(&mut items, 1, &mut 0, &mut text);
        let last =
            text.lines().enumerate().filter(|(_, line)| line.contains("f17")).last().expect("it was added").0;
        let source = Source::new("random.py", text.as_bytes());
        let found = check_source(&source, Language::Python, &CheckOptions::default());
        let errors = found.diagnostics.iter().filter(|d| d.severity() == Severity::Error);
        let mut lines = errors.map(|d| source.position(d.span().start).line);
        assert!(lines.any(|line| line == last + 1), "{last}\n{text}");
    }
}

/// An assignment that is always overwritten reaches nothing, and a condition may change between two uses of its name.
#[test]
fn what_a_later_assignment_decides() {
    let wrong = "cvt.rn.f17.f32 $0, $1";
    let right = "cvt.rn.f16.f32 $0, $1";
    for (body, expected) in [
        ("ty = WRONG\n    ty = RIGHT", None),
        ("ty = WRONG\n    with f():\n        ty = RIGHT", None),
        ("ty = WRONG\n    with suppress(E):\n        ty = RIGHT", Some(Severity::Error)),
        ("ty = WRONG\n    if 1:\n        ty = RIGHT", None),
        ("ty = RIGHT\n    if False:\n        ty = WRONG", None),
        ("ty = RIGHT\n    if TYPE_CHECKING:\n        ty = WRONG", None),
        ("ty = RIGHT\n    if sys.version_info < (3,):\n        ty = WRONG", None),
        ("if sys.version_info[0] >= 3:\n        ty = RIGHT\n    else:\n        ty = WRONG", None),
        ("ty = WRONG\n    if not True:\n        ty = RIGHT", Some(Severity::Error)),
        ("ty = WRONG\n    if q:\n        ty = RIGHT", Some(Severity::Error)),
        // Two conditions have to hold.
        (
            "ty = RIGHT\n    if q:\n        ty = WRONG\n    while f():\n        ty = RIGHT",
            Some(Severity::Note),
        ),
        ("ty = RIGHT\n    if q:\n        ty = WRONG\n    if q:\n        ty = RIGHT", None),
        (
            "ty = RIGHT\n    if q:\n        ty = WRONG\n    q = f()\n    if q:\n        ty = RIGHT",
            Some(Severity::Note),
        ),
        ("ty = RIGHT\n    if x.q:\n        ty = WRONG\n    q = f()\n    if x.q:\n        ty = RIGHT", None),
        // One use is doubtful, and the next one is not.
        (
            "w = WRONG\n    ty = RIGHT\n    if q:\n        ty = w\n    while f():\n        ty = RIGHT\n    z = inline_asm(ty + ';', '=h,f', [x])\n    ty = w",
            Some(Severity::Error),
        ),
        // Both values belong to one block.
        (
            "a, b = 'rn', 'f16'\n    a = 'rn'\n    b = 'f16'\n    try:\n        a = 'rn'\n        b = 'f17'\n    finally:\n        f()\n    ty = f'cvt.{a}.{b}.f32 $0, $1'",
            Some(Severity::Error),
        ),
    ] {
        assert_eq!(super::worst_in_function(body, [wrong, right]), expected, "{body}");
    }
}
