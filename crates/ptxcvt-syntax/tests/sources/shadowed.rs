//! Names of Python that are not what they seem: the library's, an outer scope's, or those that something else assigns.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use crate::{check, python};

/// The number of findings, and the number of conversions that were not judged.
fn outcome(text: &str) -> (usize, usize) {
    let stats = check(text, Language::Python, &CheckOptions::default()).stats;
    (python(text).len(), stats.skipped.values().sum())
}

#[test]
fn functions_of_the_library() {
    let body = "    inline_asm(f'cvt.{r}.f16.f32 $0, $1;', '=h,f', [x])\n";
    for (before, head, known) in [
        ("", "for r in ['zz', 'yy']:\n", true),
        ("", "for i, r in enumerate(['zz', 'yy']):\n", true),
        ("from mylib import enumerate\n", "for i, r in enumerate(['zz', 'yy']):\n", false),
        ("from mylib import *\n", "for i, r in enumerate(['zz', 'yy']):\n", false),
        ("def zip(*a): return [('rn', 'f16')]\n", "for r, t in zip(['zz'], ['f16']):\n", false),
        ("", "for r, t in zip(['zz'], ['f16']):\n", true),
        ("range = mine\n", "for r in range(2):\n", false),
        ("from itertools import product\n", "for r, t in product(['zz'], ['f16']):\n", true),
        ("from mine import product\n", "for r, t in product(['zz'], ['f16']):\n", false),
        ("class reversed: pass\n", "for r in reversed(['zz']):\n", false),
    ] {
        let text = format!("{before}{head}{body}");
        let (found, counted) = outcome(&text);
        assert_eq!((found > 0, counted > 0), (known, !known), "{text}");
    }
}

#[test]
fn names_of_a_class_and_of_a_module() {
    let call = "inline_asm(f'cvt.{r}.f16.f32 $0, $1;', '=h,f', [x])";
    for (text, expected) in [
        // A comprehension in a class has the names around the class, a statement of the class its own.
        (format!("r = 'rn'\nclass K:\n    r = 'zz'\n    a = [{call} for _ in (1,)]\n"), (0, 1)),
        (format!("r = 'rn'\nclass K:\n    r = 'zz'\n    a = lambda: {call}\n"), (0, 1)),
        (format!("r = 'rn'\nclass K:\n    r = 'zz'\n    a = {call}\n"), (1, 0)),
        (format!("r = 'zz'\nclass K:\n    a = [{call} for _ in (1,)]\n"), (1, 0)),
        // The module, by its name.
        (format!("import sys\nr = 'zz'\nsys.modules[__name__].r = 'rn'\n{call}\n"), (0, 1)),
        (format!("r = 'zz'\nsetattr(importlib.import_module(__name__), 'r', 'rn')\n{call}\n"), (0, 1)),
        (format!("import __main__\nr = 'zz'\n__main__.r = 'rn'\n{call}\n"), (0, 1)),
    ] {
        assert_eq!(outcome(&text), expected, "{text}");
    }
    // Attributes that a method gives.
    let class = |method: &str| {
        format!(
            "class K:\n    OP = 'cvt.f16.f32'\n    def {method}(self, n): return 'cvt.rn.f16.f32'\n    def k(self, x):\n        inline_asm(f'{{self.OP}} $0, $1;', '=h,f', [x])\n"
        )
    };
    // The string that the method returns is counted.
    assert_eq!(outcome(&class("other")), (1, 1));
    assert_eq!(outcome(&class("__getattribute__")).0, 0);
}

#[test]
fn equal_keys_of_dictionaries() {
    for (keys, known) in [
        (["1", "True"], false),
        (["1.0", "1"], false),
        (["0x1", "1"], false),
        (["1", "2"], true),
        (["'1'", "True"], true),
        (["False", "True"], true),
    ] {
        let text = format!(
            "ops = {{{}: 'cvt.f16.f32', {}: 'cvt.rn.f16.f32'}}\ninline_asm(ops[{}] + ' $0, $1;', '=h,f', [x])\n",
            keys[0], keys[1], keys[0]
        );
        assert_eq!(outcome(&text).0, usize::from(known), "{text}");
    }
}

/// A comparison in a conditional expression is a condition like another one.
#[test]
fn conditions_of_expressions() {
    let call = |asm: &str| format!("inline_asm({asm}, '=h,f', [x])\n");
    let both = "'cvt.f16.f32 $0, $1;' if i == 0 else 'cvt.rz.f16.f32 $0, $1;'";
    for (text, expected) in [
        (format!("for i in range(2):\n    {}", call(both)), (1, 0)),
        (format!("for i in range(2):\n    a = {both}\n    {}", call("a")), (1, 0)),
        (format!("def k(i):\n    {}", call(&both.replace("i == 0", "0 != i"))), (1, 0)),
        (format!("def k(i):\n    {}", call(&both.replace("i == 0", "i >= 1 and i <= 3"))), (1, 0)),
        // The condition and the name that it compares.
        (
            format!(
                "for d, s in [('f16', 'f32'), ('f32', 'f16')]:\n    r = '.rn' if s == 'f32' else ''\n    {}",
                "inline_asm(f'cvt{r}.{d}.{s} $0, $1;', c, [x])\n"
            ),
            (0, 0),
        ),
        (
            format!(
                "for d, s in [('f16', 'f32'), ('f32', 'f16')]:\n    r = '.rn' if s == 'f32' else '.rx'\n    {}",
                "inline_asm(f'cvt{r}.{d}.{s} $0, $1;', c, [x])\n"
            ),
            (1, 0),
        ),
    ] {
        assert_eq!(outcome(&text), expected, "{text}");
    }
}

/// A parameter of a `lambda` and the variable of a comprehension are not the name around them, so that their call is
/// counted.
#[test]
fn names_of_a_lambda() {
    for body in ["g = lambda x, op: CALL\n", "g = [CALL for op in q]\n"] {
        let text = format!(
            "op = 'cvt.f16.f32'\n{}",
            body.replace("CALL", "inline_asm(f'{op} $0, $1;', '=h,f', [x])")
        );
        let stats = check(&text, Language::Python, &CheckOptions::default()).stats;
        let reasons: Vec<_> = stats.skipped.into_iter().collect();
        let (opcode, string) = (
            "its opcode is not known, so it may be a conversion",
            "its string is not known to be inline assembly",
        );
        assert_eq!((reasons, python(&text)), (vec![(opcode, 1), (string, 1)], vec![]), "{text}");
    }
}

/// A string in a kernel that is a string is one string.
#[test]
fn strings_of_kernels_are_counted_once() {
    let text =
        "src = r'''\n__global__ void k() { asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(o) : \"f\"(i)); }\n'''\n";
    let stats = check(text, Language::Python, &CheckOptions::default()).stats;
    assert_eq!((stats.strings, stats.judged_strings, stats.conversions), (1, 1, 1));
}
