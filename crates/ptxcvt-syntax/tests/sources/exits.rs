//! Statements that leave their blocks, and loops that run at least once.

use ptxcvt_syntax::Severity;

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
        // An assertion or an exit restricts no place before it.
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
        // How often a loop runs.
        ("ty = WRONG\n    for i, j in enumerate([1, 2]):\n        ty = RIGHT", None),
        ("ty = WRONG\n    for i in enumerate(q):\n        ty = RIGHT", error),
        ("ty = WRONG\n    for i in range(2):\n        ty = RIGHT", None),
        ("ty = WRONG\n    for i in range(0):\n        ty = RIGHT", error),
        ("ty = WRONG\n    for i in sorted({'a': 1}):\n        ty = RIGHT", None),
        ("ty = WRONG\n    while True:\n        ty = RIGHT\n        if f(): break", None),
        ("ty = WRONG\n    while f():\n        ty = RIGHT", error),
        ("for ty in [RIGHT, WRONG]:\n        break", None),
        ("for ty in [WRONG, RIGHT]:\n        break", error),
        ("for ty in [WRONG]:\n        if f(): continue\n        ty = RIGHT", error),
        ("ty = WRONG\n    for i in [1]:\n        if f(): continue\n        ty = RIGHT", error),
        ("ty = WRONG\n    for i in [1]:\n        ty = RIGHT\n        continue\n        ty = WRONG", None),
        ("ty = WRONG\n    for i in [1, 2]:\n        ty = RIGHT\n        break", None),
        ("ty = RIGHT\n    for i in q:\n        ty = WRONG\n        return", None),
        ("ty = RIGHT\n    for i in q:\n        ty = WRONG\n        ty = RIGHT\n        if i: break", None),
        ("ty = WRONG\n    for i in q:\n        f()\n    else:\n        ty = RIGHT", None),
        ("ty = WRONG\n    for i in q:\n        if i: break\n    else:\n        ty = RIGHT", error),
        ("ty = WRONG\n    while f():\n        if q: return\n    else:\n        ty = RIGHT", None),
        ("ty = RIGHT\n    return\n    ty = WRONG", None),
        ("ty = WRONG\n    if q:\n        ty = RIGHT\n    else:\n        sys.exit(1)", None),
        // Exceptions.
        ("ty = WRONG\n    try:\n        f()\n    finally:\n        ty = RIGHT", None),
        ("ty = RIGHT\n    try:\n        f()\n    except E:\n        ty = WRONG\n        raise", None),
        (
            "ty = WRONG\n    try:\n        f()\n    except E:\n        return\n    else:\n        ty = RIGHT",
            None,
        ),
        (
            "ty = WRONG\n    try:\n        f()\n    except E:\n        pass\n    else:\n        ty = RIGHT",
            error,
        ),
        // One outcome excludes another.
        ("ty = RIGHT\n    if q and x:\n        ty = WRONG\n    if q:\n        ty = RIGHT", None),
        ("ty = RIGHT\n    if not (q or x):\n        ty = WRONG\n    if not q:\n        ty = RIGHT", None),
    ] {
        assert_eq!(super::worst_in_function(body, [wrong, right]), expected, "{body}");
    }
}

/// One condition selects the value; another must hold for the assembly to be reached.
#[test]
fn conditions_of_the_place() {
    let (wrong, right) = ("cvt.rn.f17.f32 $0, $1", "cvt.rn.f16.f32 $0, $1");
    let note = Some(Severity::Note);
    let error = Some(Severity::Error);
    for (body, expected) in [
        ("ty = RIGHT\n    if q.a():\n        ty = WRONG\n    if q.b == 16:", note),
        ("ty = RIGHT\n    if q.a():\n        ty = WRONG\n    if not x: return\n    if True:", note),
        ("ty = RIGHT\n    if q.a():\n        ty = WRONG\n    assert x\n    if True:", note),
        ("ty = RIGHT\n    if q.a():\n        ty = WRONG\n    if x: raise E\n    else:", note),
        ("ty = {1: RIGHT, 2: WRONG}[q]\n    if x:", note),
        ("ty = WRONG if q else RIGHT\n    if x:", note),
        // The choice and the place depend on the same condition, and both of its values are followed.
        ("ty = RIGHT\n    if q == 1:\n        ty = WRONG\n    if q < 3:", error),
        ("ty = RIGHT\n    if q == 1:\n        ty = WRONG\n    if q < 0x1:", None),
        ("ty = RIGHT\n    if q == tl.a:\n        ty = WRONG\n    if q != tl.b:", error),
        ("ty = RIGHT\n    if q == tl.a:\n        ty = WRONG\n    if q == tl.b:", None),
        ("ty = RIGHT\n    if q:\n        ty = WRONG\n    if q:", error),
        // No choice, or a constant condition.
        ("ty = WRONG\n    if q.b == 16:", error),
        ("ty = RIGHT\n    if q.a():\n        ty = WRONG\n    if 0x1:", error),
        ("ty = RIGHT\n    if q.a():\n        ty = WRONG\n    if __name__ == '__main__':", error),
    ] {
        let body = format!("{body}\n        z = inline_asm(ty + ';', '=h,f', [x])\n    ty = RIGHT");
        assert_eq!(super::worst_in_function(&body, [wrong, right]), expected, "{body}");
    }
}

/// Calls that never return, in each place of a branch.
#[test]
fn calls_that_never_return() {
    let (wrong, right) = ("cvt.rn.f17.f32 $0, $1", "cvt.rn.f16.f32 $0, $1");
    let worst = |body: &str| super::worst_in_function(body, [wrong, right]);
    for leaves in [
        "pytest.skip('no')",
        "pytest.fail(\n            'no'\n        )",
        "pytest.xfail()",
        "sys.exit(1)",
        "quit()",
        "os._exit(1)",
        "os.abort()",
        "raise SystemExit",
        "assert False",
        "assert 0, 'no'",
        "assert not True",
        "self.skipTest('no')",
        "tl.static_assert(False, 'no')",
        "while True: pass",
    ] {
        let one = leaves.replace('\n', "");
        let mut bodies = vec![
            format!("if q:\n        ty = WRONG\n        {leaves}\n    else:\n        ty = RIGHT"),
            format!("ty = RIGHT\n    if q:\n        ty = WRONG\n        {leaves}"),
            format!("ty = WRONG\n    try:\n        f()\n        ty = RIGHT\n    except E:\n        {leaves}"),
        ];
        if !leaves.starts_with("while") {
            bodies.push(format!("ty = WRONG\n    if q: ty = RIGHT\n    else: {one}"));
            bodies.push(format!("if q: ty = WRONG; {one}\n    else: ty = RIGHT"));
        }
        for body in bodies {
            assert_eq!(worst(&body), None, "{body}");
        }
    }
    let error = Some(Severity::Error);
    for other in [
        "pytest.skipif(q)",
        "self.exit(1)",
        "exits(1)",
        "assert q",
        "x = lambda: sys.exit(1)",
        "q or sys.exit()",
        "end = 1",
        "end(q)",
    ] {
        let body = format!("ty = RIGHT\n    if q:\n        ty = WRONG\n        {other}");
        assert_eq!(worst(&body), error, "{body}");
    }
}

/// Exception handlers around calls that never return.
#[test]
fn handlers_of_calls_that_never_return() {
    let (wrong, right) = ("cvt.rn.f17.f32 $0, $1", "cvt.rn.f16.f32 $0, $1");
    let error = Some(Severity::Error);
    for (leaves, handler, expected) in [
        ("os._exit(1)", "except", None),
        ("os.abort()", "except BaseException", None),
        ("while True: pass", "except", None),
        ("while True:\n            pass", "except", None),
        ("while True: f()", "except", error),
        ("sys.exit(1)", "except", error),
        ("sys.exit(1)", "except SystemExit", error),
        ("sys.exit(1)", "except E", error),
        ("sys.exit(1)", "except ValueError", None),
        ("raise SystemExit", "except (OSError, m.MyError) as e", None),
        ("raise SystemExit", "except (OSError, SystemExit) as e", error),
        ("raise", "except ValueError", error),
        ("pytest.skip('no')", "except Exception", None),
        ("self.fail('no')", "except Exception", error),
        ("assert False", "except Exception", error),
    ] {
        let body = format!("ty = RIGHT\n    try:\n        ty = WRONG\n        {leaves}\n    {handler}: pass");
        assert_eq!(super::worst_in_function(&body, [wrong, right]), expected, "{body}");
        let body = format!("ty = RIGHT\n    try:\n        ty = WRONG\n        {leaves}\n    finally: f(ty)");
        assert_eq!(super::worst_in_function(&body, [wrong, right]), None, "{body}");
    }
}

/// Names that a file imports or defines.
#[test]
fn names_of_calls_that_never_return() {
    for (head, call, returns) in [
        ("from pytest import skip", "skip('no')", false),
        ("from pytest import skip as no", "no()", false),
        ("from sys import (exit)", "exit(1)", false),
        ("def die() -> NoReturn:\n    raise E", "die()", false),
        ("def skip(x): pass", "skip('no')", true),
        ("def exit(x): pass", "exit(1)", true),
        ("from mine import exit", "exit(1)", true),
        ("exit = print", "exit(1)", true),
    ] {
        let body =
            "if q:\n        ty = 'f17'\n        CALL\n    else:\n        ty = 'f16'".replace("CALL", call);
        let asm = "inline_asm(f'cvt.rn.{ty}.f32 $0, $1;', '=h,f', [x])";
        let text = format!("{head}\ndef k(x, q):\n    {body}\n    y = {asm}\n");
        let found = super::check(&text, super::Language::Python, &super::CheckOptions::default());
        assert_eq!(found.diagnostics.len(), usize::from(returns), "{text}");
    }
}

/// On a path within a branch its condition holds, until a name in it is assigned.
#[test]
fn conditions_hold_within_their_branches() {
    let (wrong, right) = ("cvt.rn.f17.f32 $0, $1", "cvt.rn.f16.f32 $0, $1");
    let error = Some(Severity::Error);
    for (body, expected) in [
        ("if q:\n        ty = WRONG\n        if q: return\n    else:\n        ty = RIGHT", None),
        (
            "if q:\n        ty = WRONG\n        q = f()\n        if q: return\n    else:\n        ty = RIGHT",
            error,
        ),
        ("if q.a:\n        ty = WRONG\n        if q.a: return\n    else:\n        ty = RIGHT", None),
        (
            "if q.a:\n        ty = WRONG\n        q.a = 1\n        if q.a: return\n    else:\n        ty = RIGHT",
            error,
        ),
        ("if q and x:\n        ty = WRONG\n        if x: return\n    else:\n        ty = RIGHT", None),
        ("if q or x:\n        ty = RIGHT\n    else:\n        ty = WRONG\n        if not x: return", None),
        (
            "ty = RIGHT\n    if not q: return\n    for i in x:\n        ty = WRONG\n        if q: ty = RIGHT",
            None,
        ),
        (
            "ty = RIGHT\n    if not q: return\n    for i in x:\n        ty = WRONG\n        if q: ty = RIGHT\n        q = f()",
            error,
        ),
        (
            "ty = RIGHT\n    while f():\n        ty = WRONG\n        while f(): pass\n        if x: break",
            error,
        ),
        ("while q:\n        ty = WRONG\n        if q: return\n    else:\n        ty = RIGHT", None),
        // How often a loop runs.
        ("ty = WRONG\n    for i in range(3, 0, -1):\n        ty = RIGHT", None),
        ("ty = WRONG\n    for i in range(0, 3, -1):\n        ty = RIGHT", error),
        ("ty = WRONG\n    for i in range(0x10):\n        ty = RIGHT", None),
        ("ty = WRONG\n    for i in tl.static_range(1_000):\n        ty = RIGHT", None),
        ("n = 4\n    ty = WRONG\n    for i in range(n):\n        ty = RIGHT", None),
        ("n = 0\n    ty = WRONG\n    for i in range(n):\n        ty = RIGHT", error),
        ("n = 4\n    n = f()\n    ty = WRONG\n    for i in range(n):\n        ty = RIGHT", error),
        ("ty = WRONG\n    for i in 'ab':\n        ty = RIGHT", None),
    ] {
        let found = super::worst_in_function(body, [wrong, right]);
        let note = expected.is_some() && found == Some(Severity::Note);
        assert!(note || found == expected, "{found:?}: {body}");
    }
}

/// Code that the program never reaches is counted and not judged.
#[test]
fn what_follows_an_exit_is_not_judged() {
    const ASM: &str = "inline_asm('cvt.rn.f17.f32 $0, $1;', '=h,f', [x])";
    for (body, judged) in [
        ("return\n    ASM", false),
        ("raise E\n    ASM", false),
        ("raise E from q\n    ASM", false),
        ("if q: return\n    ASM", true),
        ("if q:\n        return\n    else:\n        raise E\n    ASM", false),
        ("for i in q:\n        break\n        ASM", false),
        ("for i in q:\n        continue\n        ASM", false),
        ("for i in q:\n        ASM", true),
        ("while True:\n        f()\n    ASM", false),
        ("while 1:\n        if q: break\n    ASM", true),
        ("while False:\n        ASM", false),
        ("if False:\n        ASM", false),
        ("if TYPE_CHECKING:\n        ASM\n    else:\n        f()", false),
        ("try:\n        return\n    finally:\n        ASM", true),
        ("try:\n        raise E\n        ASM\n    except E:\n        f()", false),
        ("try:\n        raise E\n    except E:\n        ASM", true),
        ("with q:\n        return\n    ASM", false),
        ("with suppress(E):\n        raise E\n    ASM", true),
        ("sys.exit(1)\n    ASM", false),
        ("os._exit(1)\n    ASM", false),
        ("exit = f\n    exiting(1)\n    ASM", true),
        ("match q:\n        case 1: return\n        case _: return\n    ASM", false),
        ("match q:\n        case 1: return\n    ASM", true),
        ("return\n    def g():\n        ASM", true),
        ("if q and x:\n        if x:\n            return\n        ASM", false),
        ("if q:\n        q = f()\n        if q: return\n        ASM", true),
    ] {
        let text = format!("def k(x, q):\n    {}\n", body.replace("ASM", ASM));
        let found = super::check(&text, super::Language::Python, &super::CheckOptions::default());
        let counted: usize = found.stats.skipped.values().sum();
        assert_eq!((found.diagnostics.len(), counted), if judged { (1, 0) } else { (0, 1) }, "{text}");
    }
}
