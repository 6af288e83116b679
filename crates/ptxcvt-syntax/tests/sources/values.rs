//! Strings of Python with several values: each enters the statistics, and an unknown one is counted.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::{check, python};

const PARTLY: &str = "some of its values are not known, and only the others were judged";
const OPCODE: &str = "its opcode is not known, so it may be a conversion";

const MACRO: &str = "part of it is a macro or a template's argument";

/// Ways in which a program may choose the type `ty`; its values are `{}` and `f16`.
const CHOICES: &[&str] = &[
    "    if p:\n        ty = 'f16'\n    else:\n        ty = {}\n",
    "    ty = 'f16' if p else {}\n",
    "    ty = {}\n    if p:\n        ty = 'f16'\n",
    "    d = {'a': 'f16', 'b': {}}\n    ty = d[p]\n",
];

/// The assembly that a choice is part of, alone and in a string that the program writes.
const USES: &[&str] =
    &["    inline_asm(f'cvt.rn.{ty}.f32 $0, $1;', '=h,f', [x])\n", "    emit(f'cvt.rn.{ty}.f32 h, f;')\n"];

#[test]
fn each_value_of_a_string_is_a_form_that_the_program_uses() {
    let loops = ["    for ty in ['f16', 'bf16']:\n    "];
    let choices = CHOICES.iter().map(|choice| choice.replace("{}", "'bf16'"));
    for choice in choices.chain(loops.map(str::to_owned)) {
        for used in USES {
            let text = format!("def k(x, p):\n{choice}{used}");
            let report = check(&text, Language::Python, &CheckOptions::default());
            assert_eq!(python(&text), Vec::<String>::new(), "{text}");
            let forms: Vec<String> = report.stats.forms.keys().map(ToString::to_string).collect();
            assert_eq!(forms, ["cvt.rn.f16.f32", "cvt.rn.bf16.f32"], "{text}");
            let counts = (report.stats.conversions, report.stats.not_legal, report.stats.skipped.len());
            assert_eq!(counts, (2, 0, 0), "{text}");
        }
    }
}

#[test]
fn a_wrong_value_of_a_string_is_found_whatever_its_order() {
    for choice in CHOICES {
        for used in USES {
            let text = format!("def k(x, p):\n{}{used}", choice.replace("{}", "'f17'"));
            assert_eq!(python(&text).len(), 1, "{text}");
            let stats = check(&text, Language::Python, &CheckOptions::default()).stats;
            let legal: u64 = stats.forms.values().map(|uses| uses.count()).sum();
            assert_eq!((stats.conversions, legal, stats.not_legal), (2, 1, 1), "{text}");
        }
    }
}

/// A value of a statement counts once, however many assemblies and rounds have it.
#[test]
fn equal_values_of_a_statement_are_counted_once() {
    let text = "def k(x):\n    for ty in ['f16', 'bf16', 'f16', 'f17', 'f17', 'f18']:\n        for n in [1, 2]:\n            inline_asm(f'cvt.rn.{ty}.f32 $0, $1; mov.b32 a, b;', '=h,f', [x])\n";
    let stats = check(text, Language::Python, &CheckOptions::default()).stats;
    let forms: Vec<u64> = stats.forms.values().map(|uses| uses.count()).collect();
    assert_eq!((stats.conversions, stats.not_legal, &forms[..]), (4, 2, &[1, 1][..]));
    assert_eq!((stats.assemblies, stats.instructions), (1, 5));
}

#[test]
fn an_unknown_value_of_a_string_is_counted() {
    for choice in CHOICES {
        for used in USES {
            let text = format!("def k(x, p, q):\n{}{used}", choice.replace("{}", "q"));
            let report = check(&text, Language::Python, &CheckOptions::default());
            assert_eq!(report.stats.skipped.get(PARTLY), Some(&1), "{text}");
            assert_eq!(report.stats.judged_strings, report.stats.strings - 1, "{text}");
        }
    }
    // A whole assembly that is unknown in some combinations.
    for (assembly, before) in [
        ("'cvt.rn.f16.f32 $0, $1;' if p else q", ""),
        ("a", "    a = q\n    if p:\n        a = 'cvt.rn.f16.f32 $0, $1;'\n"),
    ] {
        let text = format!("def k(x, p, q):\n{before}    inline_asm({assembly}, '=h,f', [x])\n");
        let report = check(&text, Language::Python, &CheckOptions::default());
        assert_eq!((report.stats.skipped.get(OPCODE), report.stats.conversions), (Some(&1), 1), "{text}");
    }
}

/// A private function whose assembly depends on a parameter.
const PRIVATE: &str =
    "def _f(ty, x, *, loc=None):\n    inline_asm(f'cvt.rn.{ty}.f32 $0, $1;', '=h,f', [x])\n";

#[test]
fn a_private_function_has_the_words_of_its_calls() {
    let word = "    _f('f16', x)\n    _f('bf16', x, loc=1)\n";
    for (calls, legal, wrong, reason) in [
        (word, 2, 0, None),
        ("    _f('f16', x)\n    return _f(ty=\"bf16\", x=x)\n", 2, 0, None),
        ("    _f('f16', _f('bf16', x))\n    _f('f16', x)\n", 2, 0, None),
        ("    _f('f16', x)\n    _f('f17', x)\n", 1, 1, None),
        // Another value is not known.
        ("    _f('f16', x)\n    _f(x, x)\n", 1, 0, Some(PARTLY)),
        ("    _f('f16', x)\n    _f(*x)\n", 1, 0, Some(PARTLY)),
        ("    _f('f16', x)\n    g(_f)\n", 1, 0, Some(PARTLY)),
        ("    _f('f16', x)\n    g(f'{_f(1, x)}')\n", 1, 0, Some(PARTLY)),
        // Not a call of this function.
        ("    x._f('f16', x)\n    '_f(1)' # _f(2)\n", 0, 0, Some(MACRO)),
        ("    pass\n", 0, 0, Some(MACRO)),
    ] {
        for text in [format!("{PRIVATE}def k(x):\n{calls}"), format!("def k(x):\n{calls}{PRIVATE}")] {
            let stats = check(&text, Language::Python, &CheckOptions::default()).stats;
            let forms: u64 = stats.forms.values().map(|uses| uses.count()).sum();
            assert_eq!((forms, stats.not_legal), (legal, wrong), "{text}");
            let reasons: Vec<String> = stats.skipped.keys().map(ToString::to_string).collect();
            assert_eq!(reasons, Vec::from_iter(reason), "{text}");
        }
    }
    // Functions that others may call, methods, and functions that are defined again keep unknown parameters.
    for (from, to) in [("_f", "f"), ("def _f", "if x:\n  def _f"), ("\ndef k", "\ndef _f(a): pass\ndef k")] {
        let text = format!("{PRIVATE}def k(x):\n{word}").replace(from, to);
        let stats = check(&text, Language::Python, &CheckOptions::default()).stats;
        assert_eq!((stats.forms.len(), stats.skipped.len()), (0, 1), "{text}");
    }
}

/// An opcode may be passed as well; a condition on the parameter chooses among the calls.
#[test]
fn conditions_on_a_parameter_exclude_other_calls() {
    let text = "def _f(op, ty, x):\n    if ty == 'a':\n        inline_asm(f'{op}.f16.f32 $0, $1;', '=h,f', [x])\n    else:\n        inline_asm(f'{op}.s32.f32 $0, $1;', '=r,f', [x])\ndef k(x):\n    _f('cvt.rn', 'a', x)\n    _f('cvt.rni', 'b', x)\n";
    let stats = check(text, Language::Python, &CheckOptions::default()).stats;
    let forms: Vec<String> = stats.forms.keys().map(ToString::to_string).collect();
    assert_eq!(forms, ["cvt.rni.s32.f32", "cvt.rn.f16.f32"]);
    assert_eq!((stats.not_legal, stats.skipped.len()), (0, 0));
}

#[test]
fn a_name_with_one_constant_decides_conditions() {
    let call = "inline_asm('cvt.' + s + '.f32 $0, $1;', '=h,f')\n";
    for (text, is_wrong) in [
        ("DEBUG = False\nif DEBUG: s = 'f16'\nelse: s = 'rn.f16'\n", false),
        ("DEBUG = True\nif DEBUG: s = 'f16'\nelse: s = 'rn.f16'\n", true),
        ("DEBUG = False\nif not DEBUG: s = 'rn.f16'\nelse: s = 'f16'\n", false),
        ("x = 3\ns = 'rn.f16' if x > 2 else 'f16'\n", false),
        ("x = 3\ns = 'rn.f16' if x < 2 else 'f16'\n", true),
        ("x = 3\nx = y\ns = 'rn.f16' if x > 2 else 'f16'\n", true),
        ("x = 3\nx += 1\ns = 'rn.f16' if x > 2 else 'f16'\n", true),
        ("x = 3\nfrom m import *\ns = 'rn.f16' if x > 2 else 'f16'\n", true),
        ("x = 3\ndef g():\n    global x\n    x = 1\ns = 'rn.f16' if x > 2 else 'f16'\n", true),
        ("k = 'a'\ns = 'rn.f16' if k == 'a' else 'f16'\n", false),
        ("k = 'a'\ns = 'rn.f16' if k in ('a', 'b') else 'f16'\n", false),
        ("k = 'c'\ns = 'rn.f16' if k in ('a', 'b') else 'f16'\n", true),
        ("k = 'a'\ns = 'rn.f16' if k in ('a') else 'f16'\n", false),
        ("k = None\ns = 'rn.f16' if k is None else 'f16'\n", false),
        ("i = 1\ns = ('f16', 'rn.f16')[i == 1]\n", false),
        ("i = 2\ns = ('f16', 'rn.f16')[i == 1]\n", true),
        ("i = True\ns = 'rn.f16' if i else 'f16'\n", false),
        ("i = 1\ndef f(i):\n    s = 'rn.f16' if i else 'f16'\n    ", true),
        ("i = 1\nt = [g(i) for i in a]\ns = 'rn.f16' if i else 'f16'\n", true),
    ] {
        let text = format!("{text}{call}");
        assert_eq!(!python(&text).is_empty(), is_wrong, "{text}");
    }
}
