//! Operands that do not exist, and advice in each language's words.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::check;

/// The code, the message and the help of the only finding; `None` without one.
fn only(text: &str, language: Language) -> Option<(String, String, String)> {
    let found = check(text, language, &CheckOptions::default()).diagnostics;
    assert!(found.len() < 2, "{text}: {found:?}");
    let help = |d: &ptxcvt_syntax::Diagnostic| d.help().unwrap_or_default().to_owned();
    found.first().map(|d| (d.code().to_string(), d.message().to_owned(), help(d)))
}

fn expect(text: &str, language: Language, expected: Option<[&str; 3]>) {
    let found = only(text, language);
    let found = found.as_ref().map(|(code, message, help)| [&code[..], &message[..], &help[..]]);
    assert_eq!(found, expected, "{text}");
}

#[test]
fn rust() {
    for (asm, expected) in [
        ("\"cvt.rn.f16.f32 {d}, {a};\", d = out(reg16) d, a = in(reg32) a", None),
        (
            "\"cvt.rn.f16.f32 {d}, {zz};\", d = out(reg16) d, a = in(reg32) a",
            Some(["CVT117", "no operand is named `zz`", "the names are d, a"]),
        ),
        (
            "\"cvt.rn.f16.f32 {}, {zz};\", out(reg16) d, in(reg32) a",
            Some(["CVT117", "no operand is named `zz`", "declare it: `zz = in(reg32) x`"]),
        ),
        (
            "\"cvt.rn.f16.f32 {0}, {7};\", out(reg16) d, in(reg32) a",
            Some(["CVT117", "no operand 7: the statement has 2 operands", "the last one is `{1}`"]),
        ),
        (
            "\"cvt.rn.satfinite.e4m3x2.f32 {0}, {1}, {1};\", out(reg32) d, in(reg32) a",
            Some([
                "CVT105",
                "`{0}` is `.b32`, but the destination (`.e4m3x2`) takes `.b16`",
                "give it the class `reg16`",
            ]),
        ),
        (
            "\"cvt.rn.f16.f32 {0}, {1};\", out(reg8) d, in(reg32) a",
            Some(["CVT118", "invalid register class `reg8`", "classes are reg16, reg32 and reg64"]),
        ),
        (
            "\"cvt.rn.f16.f32 {0}, {x};\", out(reg16) d, x = const 3",
            Some(["CVT106", "`{x}` is an integer, but the source `a` (`.f32`) does not accept one", ""]),
        ),
        // A class that is not known, and a part of the opcode.
        ("\"cvt.rn.f16.f32 {0}, {zz};\", out(reg16) d, sym f", None),
        ("\"cvt.rn.{zz}.f32 {0}, {1};\", out(reg16) d, in(reg32) a", None),
    ] {
        expect(&format!("fn f() {{ unsafe {{ asm!({asm}); }} }}"), Language::Rust, expected);
    }
}

#[test]
fn types() {
    let mlir = |asm: &str| format!("%0 = nvvm.inline_ptx \"{asm}\" ro(%a, %b : f32, f32) -> i16\n");
    let cute = |asm: &str| {
        format!(
            "r = nvvm.inline_ptx(\"{asm}\", read_only_args=[Float32(a), Float32(b)], write_only_types=[Int16])\n"
        )
    };
    for (language, text) in [(Language::Mlir, &mlir as &dyn Fn(&str) -> String), (Language::Python, &cute)] {
        let (narrow, names) = match language {
            Language::Mlir => ("f32", "the names are `{$w0}`, `{$r0}`, `{$r1}`"),
            _ => ("Float32", "the names are `{$r0}`, `{$r1}`, `{$w0}`"),
        };
        expect(&text("cvt.rn.satfinite.e4m3x2.f32 {$w0}, {$r0}, {$r1};"), language, None);
        for missing in ["{$r2}", "{$rw0}"] {
            let asm = format!("cvt.rn.satfinite.e4m3x2.f32 {{$w0}}, {{$r0}}, {missing};");
            let message = format!("no operand is named `{missing}`");
            let found = only(&text(&asm), language).expect("a finding");
            assert_eq!((&found.0[..], &found.1), ("CVT117", &message), "{asm}");
            let mut sorted: Vec<&str> =
                found.2.split(['`', ' ', ',']).filter(|word| word.contains('$')).collect();
            let mut expected: Vec<&str> =
                names.split(['`', ' ', ',']).filter(|word| word.contains('$')).collect();
            sorted.sort_unstable();
            expected.sort_unstable();
            assert_eq!(sorted, expected);
        }
        let found =
            only(&text("cvt.rn.satfinite.e4m3x2.f32 {$w1}, {$r0}, {$r1};"), language).expect("a finding");
        assert_eq!(found.0, "CVT117");
        let found =
            only(&text("cvt.rn.satfinite.e4m3x2.f32 {$w0}, {$w0}, {$r1};"), language).expect("a finding");
        assert_eq!(found.2, format!("give it the type `{narrow}`"));
    }
    // Arguments that are not known.
    let text = "r = nvvm.inline_ptx(\"cvt.rn.f16.f32 {$w0}, {$r0};\", read_only_args=args, write_only_types=[Int16])\n";
    expect(text, Language::Python, None);
}

/// A predicate and attributes between the operands and the results.
#[test]
fn a_predicate_of_inline_ptx_is_no_operand() {
    for between in
        ["", ", predicate = %p", " predicate = %p#1", ", @%p", " {fast}", ", predicate = %p {fast = true}"]
    {
        let text = |opcode: &str| {
            format!("%0 = nvvm.inline_ptx \"{opcode} {{$w0}}, {{$r0}};\" ro(%a : f32){between} -> i16\n")
        };
        expect(&text("cvt.rn.f16.f32"), Language::Mlir, None);
        let found = only(&text("cvt.rn.f32.f16"), Language::Mlir);
        assert!(found.is_some(), "the operands are known: {between}");
    }
}
