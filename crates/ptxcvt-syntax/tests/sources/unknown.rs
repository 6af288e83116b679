//! Assemblies that are not known, or only in part: each that may be a conversion is counted, once.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::{check, cpp, found};

const OPCODE: &str = "its opcode is not known, so it may be a conversion";
const MACRO: &str = "part of it is a macro or a template's argument";

/// Ways to make the string of an assembly in Python, and the counts for each.
const PYTHON: &[(&str, &str, usize)] = &[
    ("f\"{op} $0, $1;\"", OPCODE, 1),
    ("\"%s $0, $1;\" % op", OPCODE, 1),
    ("\"%s $0, $1;\" % (op,)", OPCODE, 1),
    ("\"%(op)s $0, $1;\" % {\"op\": op}", OPCODE, 1),
    ("\"%-9s $0, $1;\" % op", OPCODE, 1),
    ("\"mov.b16 $0, $1; %s $0, $1;\" % op", OPCODE, 1),
    ("\"%s $0, $1; %s $0, $1;\" % (op, op)", OPCODE, 2),
    ("\"cvt.rn.%s.f32 $0, $1;\" % op", MACRO, 1),
    ("\"cvt.f16.%d $0, $1;\" % 32", MACRO, 0),
    ("\"{} $0, $1;\".format(op)", OPCODE, 1),
    ("\"{op} $0, $1;\".format_map(op)", OPCODE, 1),
    ("Template(\"$op $0, $1;\").substitute(op=op)", OPCODE, 1),
    ("\"OP $0, $1;\".replace(\"OP\", op)", OPCODE, 1),
    ("\"cvt.OP $0, $1;\".replace(\"OP\", op)", MACRO, 1),
    ("\"\\n\".join(op)", OPCODE, 1),
    ("\" \".join([op, \"$0, $1;\"])", OPCODE, 1),
    ("\"mov.b16 $0, $1; \" + op", OPCODE, 1),
    ("op", OPCODE, 1),
    ("op[0]", OPCODE, 1),
    ("op % ()", OPCODE, 1),
    ("make(op)", OPCODE, 1),
    ("asm=op", OPCODE, 1),
    ("\"mov.b16 $0, %d;\" % op", OPCODE, 0),
];

#[test]
fn python_counts_each_assembly_that_it_does_not_know() {
    for (expression, reason, count) in PYTHON {
        for constraints in ["\"=h,f\"", "constraints=\"=h,f\""] {
            let text = format!(
                "def k(x, op):\n    return tl.inline_asm_elementwise({expression}, {constraints}, [x])\n"
            );
            let report = check(&text, Language::Python, &CheckOptions::default());
            let counted = report.stats.skipped.get(reason).copied().unwrap_or(0);
            assert_eq!((counted, report.stats.skipped.values().sum()), (*count, *count), "{text}");
        }
    }
    // Calls without an assembly, and definitions.
    for text in
        ["x = is_inline_asm(op)\n", "def inline_asm(asm, constraints, *rest):\n    pass\n", "inline_asm()\n"]
    {
        let report = check(text, Language::Python, &CheckOptions::default());
        assert_eq!((report.stats.skipped.len(), report.diagnostics.len()), (0, 0), "{text}");
    }
}

#[test]
fn values_after_the_operator_of_a_template_are_followed() {
    let call = |expression: &str| {
        let text = format!("ty = 'f17'\nd = {{'t': 'f17'}}\ny = inline_asm({expression}, '=h,f', [x])\n");
        found(&text, Language::Python, &CheckOptions::default())
    };
    for expression in [
        "'cvt.rn.%s.f32 $0, $1;' % 'f17'",
        "'cvt.rn.%s.f32 $0, $1;' % ty",
        "'cvt.rn.%s.%s $0, $1;' % (ty, 'f32')",
        "'cvt.rn.%(t)s.f32 $0, $1;' % {'t': ty}",
        "'cvt.rn.%(t)s.f32 $0, $1;' % d",
        "'cvt.rn.' + '%s.f%d $0, $1;' % (ty, 32)",
        "'cvt.rn.' '%s' '.f32 $0, $1;' % ty",
    ] {
        let lines = call(expression);
        assert!(matches!(&lines[..], [only] if only.ends_with("error CVT002")), "{expression}: {lines:?}");
    }
    for expression in [
        // `%%` is a percent sign.
        "'{ .reg .b16 %%t; cvt.rn.%s.f32 %%t, $1; mov.b16 $0, %%t; }' % 'f16'",
        "'cvt.rn.f16.f32 $0, %s;' % operand",
    ] {
        assert_eq!(call(expression), Vec::<String>::new(), "{expression}");
    }
}

#[test]
fn cpp_counts_each_assembly_that_it_does_not_know() {
    for (template, count) in [
        ("OP \" %0, %1;\"", 1),
        ("OP", 1),
        ("OP(1, 2)", 1),
        ("text", 1),
        ("\"mov.b32 %0, %1; \" OP", 1),
        ("\"{\" OP \"}\"", 1),
        ("\"@p \" OP", 1),
        ("OP \" %0, %1; mov.b32 %0, %1; \" OP", 2),
        ("\"mov.b32 %0, \" OP \";\"", 0),
        ("DECLARE \" mov.b32 %0, %1;\"", 0),
    ] {
        let text = format!("asm({template} : \"=r\"(d) : \"r\"(a));\n");
        let report = check(&text, Language::Cpp, &CheckOptions::default());
        assert_eq!(cpp(&text), Vec::<String>::new(), "{text}");
        assert_eq!(report.stats.skipped.get(OPCODE).copied().unwrap_or(0), count, "{text}");
        assert_eq!(report.stats.skipped.values().sum::<usize>(), count, "{text}");
    }
}
