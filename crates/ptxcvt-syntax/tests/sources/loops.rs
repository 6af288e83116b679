//! Loops over known items: which values their names have, and how often they run.

use ptxcvt_syntax::sources::Language;
use ptxcvt_syntax::{CheckOptions, Severity};

use super::{check, worst_in_function};

const WRONG: &str = "cvt.rn.f17.f32 $0, $1";
const RIGHT: &str = "cvt.rn.f16.f32 $0, $1";

/// The severity of the worst finding in statements of Python, and how many conversions are counted.
fn worst(text: &str) -> (Option<Severity>, usize) {
    let found = check(text, Language::Python, &CheckOptions::default());
    (found.diagnostics.iter().map(|d| d.severity()).min(), found.stats.skipped.values().sum())
}

/// Every combination of the items of loops is executed, so a wrong one is an error.
#[test]
fn nested_loops() {
    let (error, note) = (Some(Severity::Error), Some(Severity::Note));
    let asm = "inline_asm(f'cvt.{r}.satfinite.{t}.f32 $0, $1, $2;', '=h,f,f', [x])";
    let two = "for t in ('e4m3x2', 'e5m2x2'):\n    for r in ('rn', 'rm'):\n        ASM\n";
    let inside = |condition: &str| two.replace("ASM", condition);
    for (text, expected) in [
        (two.to_owned(), error),
        (two.replace("'rm'", "'rn'"), None),
        ("for t, r in [('e4m3x2', 'rn'), ('e5m2x2', 'rm')]:\n    ASM\n".to_owned(), error),
        (
            "for t, r in [('e4m3x2', 'rn'), ('f16', 'rm')]:\n    if t == 'e4m3x2':\n        ASM\n".to_owned(),
            None,
        ),
        (
            "for t, r in [('e4m3x2', 'rn'), ('f16', 'rm')]:\n    if t != 'f16':\n        ASM\n".to_owned(),
            None,
        ),
        ("for r, t in itertools.product(('rn', 'rm'), ['e4m3x2', 'e5m2x2']):\n    ASM\n".to_owned(), error),
        ("for r, t in zip(('rn', 'rm'), ['e4m3x2']):\n    ASM\n".to_owned(), None),
        ("for n, (r, t) in enumerate([('rm', 'e4m3x2')]):\n    ASM\n".to_owned(), error),
        ("for r, t in {'rn': 'e4m3x2', 'rm': 'e5m2x2'}.items():\n    ASM\n".to_owned(), error),
        ("T = {'rn': 'e4m3x2', 'rm': 'e5m2x2'}\nfor r, t in T.items():\n    ASM\n".to_owned(), error),
        ("T = {'e4m3x2': 'rn', 'e5m2x2': 'rm'}\nfor t in T:\n    r = T[t]\n    ASM\n".to_owned(), error),
        ("T = {'e4m3x2': 'rn', 'f16': 'rm'}\nfor t in ['e4m3x2']:\n    r = T[t]\n    ASM\n".to_owned(), None),
        ("L = ['rn', 'rm']\nt = 'e4m3x2'\nfor r in L:\n    ASM\n".to_owned(), error),
        ("L = ['rn', 'rm']\nL[0] = q\nt = 'e4m3x2'\nfor r in L:\n    ASM\n".to_owned(), None),
        ("t = 'e4m3x2'\nfor r in 'rn', 'rm':\n    ASM\n".to_owned(), error),
        (
            "t = 'e4m3x2'\nL = ['rn', 'rm']\nfor i in range(len(L)):\n    r = L[i]\n    ASM\n".to_owned(),
            error,
        ),
        ("t = 'e4m3x2'\nL = ['rm', 'rn']\nr = L[-1]\nASM\n".to_owned(), None),
        // The condition is decided before the loop, or may depend on its rounds.
        ("r = 'rn' if q else 'rm'\nfor t in ('e4m3x2', 'e5m2x2'):\n    ASM\n".to_owned(), error),
        ("for t in ('e4m3x2', 'e5m2x2'):\n    r = 'rn' if f(t) else 'rm'\n    ASM\n".to_owned(), note),
        (
            "for t in ('e4m3x2', 'f16'):\n    r = 'rn' if t == 'e4m3x2' else 'rm'\n    if t != 'f16': ASM\n"
                .to_owned(),
            None,
        ),
        (inside("if f(t, r): ASM"), note),
        (inside("if r == 'rn': ASM"), None),
        (inside("if t == 'e5m2x2' and r == 'rm': ASM"), error),
        (inside("if t == 'f16': ASM"), None),
        (inside("ASM; break"), None),
        (inside("ASM\n        if f(): break"), error),
        (inside("if r == 'rm': continue\n        ASM"), None),
    ] {
        let text = text.replace("ASM", asm);
        assert_eq!(worst(&text).0, expected, "{text}");
    }
}

/// `name == value` is an argument without a name.
#[test]
fn comparisons_are_arguments() {
    for head in ["range(2, n == 3)", "enumerate(n == 3)", "zip('ab', n == 3)"] {
        let text = format!(
            "r = 'rm'\nfor i in {head}:\n    r = 'rn'\n\
             inline_asm(f'cvt.{{r}}.satfinite.e4m3x2.f32 $0, $1, $2;', '=h,f,f', [x])\n"
        );
        assert_eq!(worst(&text).0, worst(&text.replace("n == 3", "n")).0, "{head}");
        assert_ne!(worst(&text).0, None, "{head}: it may have no rounds");
    }
}

/// Only the last item is left after a loop.
#[test]
fn the_order_of_items() {
    let error = Some(Severity::Error);
    for (loop_over, expected) in [
        ("reversed([RIGHT, WRONG])", None),
        ("reversed([WRONG, RIGHT])", error),
        ("sorted([WRONG, RIGHT])", error),
        ("sorted([WRONG, RIGHT], reverse=True)", None),
        ("{WRONG: 1, RIGHT: 2}", None),
        ("{RIGHT: 1, WRONG: 2}.keys()", error),
        ("{1: WRONG, 2: RIGHT}.values()", None),
        ("list([WRONG, RIGHT])", None),
        ("tuple((RIGHT, WRONG))", error),
    ] {
        let body = format!("for ty in {loop_over}: pass");
        assert_eq!(worst_in_function(&body, [WRONG, RIGHT]), expected, "{body}");
    }
}

#[test]
fn loops_that_run() {
    let error = Some(Severity::Error);
    for (items, runs) in [
        ("{'a': 1}.items()", true),
        ("{'a': 1}.keys()", true),
        ("{'a': 1}.values()", true),
        ("{}.items()", false),
        ("{**q}.items()", false),
        ("zip([1, 2], 'ab')", false),
        ("zip([1, 2], q)", false),
        ("zip([1, 2], [3])", true),
        ("zip([1, 2], [])", false),
        ("range(len([1, 2]))", true),
        ("range(len([]))", false),
        ("range(len(q))", false),
        ("range(1, len((1, 2)))", true),
        ("enumerate(zip([1], [2]))", true),
        ("enumerate([1], start=1)", true),
        ("sorted([2, 1], key=f)", true),
        ("set([1])", true),
        ("itertools.product([1], [2])", true),
        ("itertools.product([1], [])", false),
        ("mine.product([1], [2])", false),
        ("q.items()", false),
        ("1, 2", true),
        ("[1] + q", false),
    ] {
        let body = format!("ty = WRONG\n    for i in {items}:\n        ty = RIGHT");
        let expected = if runs { None } else { error };
        assert_eq!(worst_in_function(&body, [WRONG, RIGHT]), expected, "{body}");
    }
}

/// Opposite comparisons exclude each other.
#[test]
fn comparisons() {
    for (first, second) in [
        ("x > 3", "not x > 3"),
        ("x > 3", "x <= 3"),
        ("x>3", "x <= 3"),
        ("x < 3", "x >= 3"),
        ("x > 3", "3 >= x"),
        ("x == 1", "x != 1"),
        ("x == 1", "x > 3"),
        ("x in q", "x not in q"),
    ] {
        // The value assigned under the first condition is overwritten unless the second condition holds.
        let body =
            format!("ty = RIGHT\n    if {first}: ty = WRONG\n    if {second}: pass\n    else: ty = RIGHT");
        assert_eq!(worst_in_function(&body, [WRONG, RIGHT]), None, "{body}");
    }
    let note = Some(Severity::Note);
    for (first, second, expected) in [
        ("x == 1", "x > 0", None),
        ("x == 1", "x > 1", note),
        ("x > 5", "x > 3", None),
        ("x == 'a'", "x != 'b'", None),
    ] {
        let body = format!("ty = RIGHT\n    if {first}: ty = WRONG\n    if {second}: ty = RIGHT");
        assert_eq!(worst_in_function(&body, [WRONG, RIGHT]), expected, "{body}");
    }
}
