//! Every way in which Python binds a name or changes a list: the value is followed or counted, never a wrong one.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::{check, python};

/// Statements about `ty`, which is `f17` before them, and the result for `f"cvt.rn.{ty}.f32"`: `wrong` if `f17` is the
/// only value, `both` if the value may be `f17` or unknown, `unknown` if no value is known.
const REBINDINGS: &[(&str, &str)] = &[
    ("pass", "wrong"),
    ("tyy = q", "wrong"),
    ("self.ty = q", "wrong"),
    ("x = f(ty=q)", "wrong"),
    ("ty, other = q", "unknown"),
    ("(other, [ty]) = q", "unknown"),
    ("*ty, other = q", "unknown"),
    ("other = ty = q", "unknown"),
    ("ty = other = q", "unknown"),
    ("ty: Dict[str, int] = q", "unknown"),
    ("ty: str = q", "unknown"),
    ("with q as ty: pass", "unknown"),
    ("with q as (a, ty), r as b:\n        pass", "unknown"),
    // A block that may be left early.
    ("with suppress(q):\n        ty = q", "both"),
    ("with a, pytest.raises(q):\n        ty = q", "both"),
    ("if (ty := q): pass", "unknown"),
    ("print(ty := q)", "unknown"),
    ("if q: pass\n    elif (ty := q): pass", "unknown"),
    ("match q:\n        case ty if False: pass\n        case 1: pass", "unknown"),
    ("import q as ty", "unknown"),
    ("from q import ty", "unknown"),
    ("from q import (\n        r,\n        s as ty,\n    )", "unknown"),
    ("from q import *", "unknown"),
    ("del ty", "unknown"),
    ("ty -= q", "unknown"),
    ("ty *= 2", "unknown"),
    ("ty **= 2", "unknown"),
    ("ty += q", "unknown"),
    ("def ty(): pass", "unknown"),
    ("class ty:\n        pass", "unknown"),
    ("a = 1; ty = q", "unknown"),
    ("async def ty(): pass", "unknown"),
    ("for ty in q: pass", "both"),
    ("for other, ty in q:\n        pass", "both"),
    ("try:\n        f()\n    except E as ty:\n        pass", "both"),
    ("try:\n        ty = q\n    finally:\n        f()", "unknown"),
    ("try:\n        f()\n    except E:\n        ty = q", "both"),
    ("while q:\n        ty = q", "both"),
    ("for i in q:\n        f()\n    else:\n        ty = q", "unknown"),
    ("match q:\n        case [a, *ty]:\n            pass", "unknown"),
    ("match q:\n        case {'a': ty}:\n            pass\n        case _:\n            pass", "unknown"),
    ("match q:\n        case Point(x=ty): f()", "unknown"),
    ("match q:\n        case 1 as ty: f()", "unknown"),
    ("if q:\n        ty = q", "both"),
    ("with q:\n        ty = q", "unknown"),
    ("def g():\n        nonlocal ty\n        ty = q", "unknown"),
    ("def g():\n        ty = q", "wrong"),
    ("class C:\n        ty = q", "wrong"),
    ("match = f(ty)", "wrong"),
];

/// The result, in a word. Names with letters outside ASCII change nothing.
fn verdict(text: &str) -> &'static str {
    let found = verdict_of(text);
    for name in ["té", "éty", "t\u{e9}\u{301}y", "ty型"] {
        let renamed = text.replace("ty", name);
        assert_eq!(verdict_of(&renamed), found, "{renamed}");
    }
    found
}

fn verdict_of(text: &str) -> &'static str {
    let report = check(text, Language::Python, &CheckOptions::default());
    let counted: usize = report.stats.skipped.values().sum();
    match (python(text).len(), counted) {
        (1, 0) => "wrong",
        (1, 1) => "both",
        (0, 1..) => "unknown",
        other => panic!("{other:?}: {text}"),
    }
}

const USE: &str = "    y = inline_asm(f'cvt.rn.{ty}.f32 $0, $1;', '=h,f', [x])\n";

#[test]
fn a_name_is_never_followed_past_another_binding() {
    for (binding, expected) in REBINDINGS {
        let text = format!("def k(self, x, q):\n    ty = 'f17'\n    {binding}\n{USE}");
        assert_eq!(verdict(&text), *expected, "{text}");
    }
}

#[test]
fn assignments_after_a_place_count_where_they_can_reach_it() {
    for (text, expected) in [
        // A function may be called after another assignment of the module.
        (format!("ty = 'f17'\ndef k(x):\n{USE}ty = q\n"), "both"),
        (format!("ty = q\ndef k(x):\n{USE}ty = 'f17'\n"), "both"),
        (format!("def k(x):\n{USE}ty = 'f17'\n"), "wrong"),
        (format!("ty = 'f17'\ndef k(x):\n{USE}def f():\n    global ty\n    ty = q\n"), "unknown"),
        (format!("ty = 'f17'\ndef k(x):\n{USE}def f():\n    ty = q\n"), "wrong"),
        (format!("ty = 'f17'\ndef k(x):\n{USE}globals()['ty'] = q\n"), "unknown"),
        (format!("ty = 'f17'\nclass C:\n  ty = q\n  def k(x):\n{USE}"), "wrong"),
        (format!("class C:\n  ty = 'f17'\n  def k(x):\n{USE}"), "unknown"),
        // A local name is local in the whole function.
        (format!("ty = 'f17'\ndef k(x):\n{USE}    ty = q\n"), "unknown"),
        // A loop runs again.
        (format!("def k(x, q):\n  ty = 'f17'\n  while q:\n{USE}    ty = q\n"), "both"),
        (format!("def k(x, q):\n  ty = 'f17'\n  while q:\n    ty = 'f17'\n{USE}    ty = q\n"), "wrong"),
        (format!("def k(x, q):\n  ty = 'f17'\n  while q:\n{USE}  ty = q\n"), "wrong"),
        (
            format!(
                "def k(x, q):\n  ty = 'f17'\n  for a in q:\n   if a:\n     ty = q\n{}",
                USE.replace("    y", "   y")
            ),
            "both",
        ),
        // The variables of comprehensions and `lambda` are other variables, even with the same name.
        (
            format!("def k(x, q):\n  ty = 'f17'\n  z = [{} for ty in q]\n", USE.trim().replace("y = ", "")),
            "unknown",
        ),
        (
            format!("def k(x, q):\n  ty = 'f17'\n  z = lambda ty: {}\n", USE.trim().replace("y = ", "")),
            "unknown",
        ),
        (
            format!("def k(x, q):\n  ty = 'f17'\n  z = [i for i in q]\n{}", USE.replace("    y", "  y")),
            "wrong",
        ),
    ] {
        assert_eq!(verdict(&text), expected, "{text}");
    }
}

/// Which of several values a function is called with is not known.
#[test]
fn assignments_after_a_function_are_doubts() {
    const INNER: &str = "tl.inline_asm_elementwise(f'cvt.{t}.f32 $0, $1;', '=h,f', [x])\n";
    for (text, expected) in [
        (format!("t = 'rna.f16'\ndef f(x):\n    {INNER}t = 'rn.f16'\nf(0)\n"), "note CVT007"),
        (format!("t = 'rn.f16'\ndef f(x):\n    {INNER}t = 'rna.f16'\nf(0)\n"), "note CVT007"),
        (format!("def f(x):\n    {INNER}t = 'rna.f16'\nf(0)\nt = 'rn.f16'\n"), "note CVT007"),
        (
            format!("def g(x):\n    t = 'rna.f16'\n    def f():\n        {INNER}    t = 'rn.f16'\n    f()\n"),
            "note CVT007",
        ),
        (format!("t = 'rn.f16'\nt = 'rna.f16'\ndef f(x):\n    {INNER}f(0)\n"), "error CVT007"),
        (format!("def f(x):\n    {INNER}t = 'rna.f16'\nf(0)\n"), "error CVT007"),
    ] {
        let found: Vec<_> = python(&text).iter().map(|line| line[2..].to_owned()).collect();
        assert_eq!(found, [expected], "{text}");
    }
}

#[test]
fn lists_and_dictionaries_that_may_change_are_unknown() {
    for (change, expected) in [
        ("pass", "wrong"),
        ("n = len(t)", "wrong"),
        ("u['a'] = q", "wrong"),
        ("t['a'] = q", "unknown"),
        ("t['a'], u = q", "unknown"),
        ("t['a'] += q", "unknown"),
        ("del t['a']", "unknown"),
        ("t.update(q)", "unknown"),
        ("t |= q", "unknown"),
        ("t.setdefault('a', []).append(q)", "unknown"),
        ("if q:\n        t.pop('a')", "unknown"),
        ("for i in q:\n        t['a'] = i", "unknown"),
        ("fill(t)", "unknown"),
        ("fill(q, table=t)", "unknown"),
        ("q.fill(t)", "unknown"),
        ("u = t\n    u['a'] = q", "unknown"),
        ("def g():\n        t['a'] = q", "unknown"),
    ] {
        let text = format!("def k(x, q):\n    t = {{'a': 'f17'}}\n    {change}\n    ty = t['a']\n{USE}");
        assert_eq!(verdict(&text), expected, "{text}");
    }
    for (change, expected) in [
        ("pass", "wrong"),
        ("t.append(q)", "unknown"),
        ("t.extend([q])", "unknown"),
        ("t.insert(0, q)", "unknown"),
        ("t += [q]", "unknown"),
        ("t = t + [q]", "unknown"),
        ("for i in q:\n        t.append(i)", "unknown"),
        ("[t.append(i) for i in q]", "unknown"),
        ("t[0] = q", "unknown"),
        ("list.append(t, q)", "unknown"),
    ] {
        let text = format!(
            "def k(x, q):\n    t = ['cvt.rn.f17.f32 $0,', '$1;']\n    {change}\n    inline_asm(' '.join(t), '=h,f', [x])\n"
        );
        assert_eq!(verdict(&text), expected, "{text}");
    }
    // A string that grows in a loop.
    let text = "def k(x, q):\n    t = 'cvt.rn.f17.f32 $0, $1;'\n    for i in q:\n        t += 'mov.b16 $0, $0;'\n    inline_asm(t, '=h,f', [x])\n";
    assert_eq!(verdict(text), "both");
}

#[test]
fn calls_of_the_function_by_other_names_are_judged_or_counted() {
    const CVT: &str = "'cvt.rn.f17.f32 $0, $1;', '=h,f', [x]";
    for (text, expected) in [
        (format!("asm = tl.inline_asm_elementwise\ndef k(x):\n    asm({CVT})\n"), "wrong"),
        (format!("def k(x):\n    asm({CVT})\nasm = tl.inline_asm_elementwise\n"), "wrong"),
        ("asm = tl.inline_asm_elementwise\ndef k(x, op):\n    asm(op, '=h,f', [x])\n".to_owned(), "unknown"),
        ("asm = tl.inline_asm_elementwise\nasm2 = asm\ndef k(x, op):\n    asm2(op, '=h,f')\n".to_owned(), "unknown"),
        ("from tl import inline_asm_elementwise as asm\nasm(op, '=h,f')\n".to_owned(), "unknown"),
        ("asm = functools.partial(tl.inline_asm_elementwise, constraints='=h,f')\nasm('cvt.rn.f17.f32 $0, $1;')\n".to_owned(), "wrong"),
        (format!("asm = functools.partial(tl.inline_asm_elementwise, {CVT})\nasm()\n"), "wrong"),
        ("tl.inline_asm_elementwise(*q)\n".to_owned(), "unknown"),
        ("tl.inline_asm_elementwise(**q)\n".to_owned(), "unknown"),
        ("tl.inline_asm_elementwise(args=[x], **q)\n".to_owned(), "unknown"),
        ("asm = tl.inline_asm_elementwise\nasm(*q)\n".to_owned(), "unknown"),
        (format!("getattr(tl, 'inline_asm_elementwise')({CVT})\n"), "wrong"),
        ("getattr(tl, 'inline_asm_elementwise')(op, '=h,f')\n".to_owned(), "unknown"),
        ("asm = getattr(tl, 'inline_asm_elementwise')\nasm(op, '=h,f')\n".to_owned(), "unknown"),
        (format!("t = {{'a': tl.inline_asm_elementwise}}\nt['a']({CVT})\n"), "wrong"),
    ] {
        assert_eq!(verdict(&text), expected, "{text}");
    }
}
