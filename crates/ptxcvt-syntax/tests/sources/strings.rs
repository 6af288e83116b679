//! Strings of each language: escapes, names that hold them, wrappers, and text that only resembles PTX.

use ptxcvt_syntax::sources::{Language, Wrappers, check_source_with};
use ptxcvt_syntax::{CheckOptions, Source};

use super::{check, cpp, found, found_and_counted, machine, python};

#[test]
fn escapes_are_decoded_with_their_places() {
    let text = r#"asm("cvt.rn.e4m3x2.\x66\x33\062 %0, %1, %1;" : "=h"(d) : "f"(a));"#;
    let report = check(text, Language::Cpp, &CheckOptions::default());
    assert_eq!(report.diagnostics.len(), 1);
    assert_eq!(report.diagnostics[0].code().as_str(), "CVT008");
    assert_eq!(&text[report.diagnostics[0].span().range()], r"cvt.rn.e4m3x2.\x66\x33\062");
    let text = "y = inline_asm(\"cvt.rn.\\x66\\u0031\\66.f32 $0, $1;\", \"=h,h\")\n";
    assert_eq!(python(text), ["1 error CVT105"]);
    // Bytes have no characters by their numbers.
    assert_ne!(python("y = inline_asm(b\"cvt.rn.f\\x31\\u0036.f32 $0, $1;\", \"=h,f\")\n"), [""; 0]);
    assert_eq!(python("y = inline_asm(b\"cvt.rn.f\\x31\\66.f32 $0, $1;\", \"=h,f\")\n"), [""; 0]);
    // A character by its name is not judged.
    let text = "y = inline_asm(\"cvt.\\N{LATIN SMALL LETTER F}16.f32 $0, $1;\", \"=h,f\")\n";
    let report = check(text, Language::Python, &CheckOptions::default());
    assert!(report.diagnostics.is_empty());
    assert_eq!((report.stats.strings, report.stats.judged_strings, report.stats.skipped.len()), (1, 0, 1));
    let text = "asm!(\"cvt.\\u{66}\\x316.\\\n    f32 {}, {};\", out(reg16) d, in(reg32) a);";
    let report = check(text, Language::Rust, &CheckOptions::default());
    let codes: Vec<_> = report.diagnostics.iter().map(|d| d.code().as_str()).collect();
    assert_eq!(codes, ["CVT006"]);
}

/// The only conversion of a file may have no letter of its name.
#[test]
fn a_file_whose_conversions_are_escaped_is_read() {
    for (language, text) in [
        (Language::Cpp, r#"const char* s = "\x63vt.f16.f32 %0, %1;";"#),
        (Language::Cpp, r#"const char* s = "\143\166\164.f16.f32 %0, %1;";"#),
        (Language::Python, r#"s = "\u0063vt.f16.f32 $0, $1;""#),
        (Language::Rust, r#"const S: &str = "\u{63}vt.f16.f32 {}, {};";"#),
        (Language::Llvm, r#"!0 = !{!"c\76t.f16.f32 $0, $1;"}"#),
        (Language::Mlir, r#"%s = "m.string"() {value = "\63vt.f16.f32 $0, $1;"} : () -> i32"#),
    ] {
        let report = check(text, language, &CheckOptions::default());
        assert_eq!(report.stats.strings, 1, "{text}");
        assert!(!report.diagnostics.is_empty() || !report.stats.skipped.is_empty(), "{text}");
    }
}

#[test]
fn both_assignments_of_a_name_are_read() {
    let text = "\
def f(x, fast):
    if fast:
        asm = 'cvt.f16.f32 $0, $1;'
        constraints = '=h,f'
    elif x:
        asm = 'cvt.rn.f32.s32 $0, $1;'
        constraints = '=f,h'
    else:
        asm = (
            'cvt.rn.bf16.f32 $0,'
            ' $1;'
        )
        constraints = '=h,r'
    return tl.inline_asm_elementwise(asm=asm, constraints=constraints, args=[x])
";
    // Each assembly goes with the constraints of its branch: f32 takes `r`.
    assert_eq!(python(text), ["3 error CVT006", "6 error CVT105"]);
    let text = "\
ASM = 'cvt.f16.f32 $0, $1;'
def f(ASM): return inline_asm(ASM, '=h,f')
def g(x):
    op = 'cvt.rn.f16.f32'
    return inline_asm(f'{op} $0, $1;', '=h,f') + inline_asm(ASM, '=h,f')
";
    let report = check(text, Language::Python, &CheckOptions::default());
    assert_eq!(python(text), ["1 error CVT006"]);
    // The parameter of `f` may be a conversion, too.
    assert_eq!((report.stats.conversions, report.stats.skipped.values().sum()), (2, 1));
    assert_eq!((report.stats.strings, report.stats.judged_strings), (2, 2));
}

#[test]
fn rust_is_read() {
    assert_eq!(Language::of("kernel.rs".as_ref()), Some(Language::Rust));
    let text = "// \"cvt.a\"\nfn f<'a>() {\n asm!(\"cvt.f16.f32 {0}, {1};\", out(reg16) d, in(reg32) a); let c = '\"';\n \
                say(r#\"cvt.rn.f32.f16\"#); }\n";
    assert_eq!(found(text, Language::Rust, &CheckOptions::default()), ["3 error CVT006"]);
    let stats = check(text, Language::Rust, &CheckOptions::default()).stats;
    let skipped: Vec<_> = stats.skipped.into_iter().collect();
    assert_eq!(skipped, [("its string is not known to be inline assembly", 1)]);
    assert_eq!((stats.strings, stats.judged_strings), (2, 1));
}

/// A wrapper's string is judged for the machine, even if it is not a whole statement. Strings in calls of other
/// functions are not.
#[test]
fn wrappers_are_named() {
    let wrappers = Wrappers::from_iter(["emit".to_owned()]);
    for (language, text) in [
        (Language::Cpp, "emit(\"cvt.rna.tf32.f32 %0, %1\", d, a);"),
        (Language::Cpp, "emit(1, R\"(cvt.rna.tf32.f32 %0, %1)\", f(d), a);"),
        (Language::Cpp, "NV_IF_TARGET(NV_IS_DEVICE, (emit(\"cvt.rna.tf32.f32 %0, %1\", d);))"),
        (Language::Python, "emit(\"cvt.rna.tf32.f32 %0, %1\", d, a)\n"),
        (Language::Rust, "emit!(\"cvt.rna.tf32.f32 {}, {}\", d, a);"),
    ] {
        let options = CheckOptions::default().machine(machine("sm_75"));
        let source = Source::new("source", text.as_bytes());
        let codes = |wrappers: &Wrappers| -> Vec<&'static str> {
            let found = check_source_with(&source, language, &options, wrappers);
            found.diagnostics.iter().map(|d| d.code().as_str()).collect()
        };
        assert_eq!(codes(&Wrappers::default()), [""; 0], "{text}");
        assert!(codes(&wrappers).contains(&"CVT011"), "{text}: {:?}", codes(&wrappers));
    }
}

/// Text about PTX is not PTX, even if it looks like PTX.
#[test]
fn text_about_conversions_is_not_judged() {
    for text in [
        "use cvt.f16.f32 %0, %1; instead",
        "cvt.f16.f32 %0, %1; is wrong",
        "cvt.f16.f32 needs a rounding modifier; add one",
        "error: cvt.f16.f32 %0, %1;",
        "cvt.f16.f32",
        "cvt.f16.f32 %0,",
        "cvt.f16.f32 the first, the second;",
        "cvt.f16. %0, %1",
        "{ cvt.f16.f32 %0, %1;",
    ] {
        for (language, program) in [
            (Language::Cpp, format!("const char *text = \"{text}\";\n")),
            (Language::Python, format!("text = f(\"{}\")\n", text)),
            (Language::Rust, format!("let text = \"{text}\";\n")),
        ] {
            let report = check(&program, language, &CheckOptions::default());
            let counted: usize = report.stats.skipped.values().sum();
            assert_eq!((report.diagnostics.len(), counted), (0, 1), "{program}: {:?}", report.diagnostics);
        }
    }
}

/// A name that an `=` gives to a function of inline assembly may follow any character.
#[test]
fn wide_characters_before_an_alias() {
    for wide in ["\u{7d1}", "\u{e9}", "\u{1f600}", "x.\u{20ac}"] {
        let text = format!("y = f({wide}s_pure=True, pack=inline_asm_e, a)\n{wide}=inline_asm\n");
        check(&text, Language::Python, &CheckOptions::default());
    }
}

/// The message of an assertion is not PTX, even if it is a whole statement.
#[test]
fn messages_of_assertions_are_not_judged() {
    for (program, judged) in [
        ("void f() { static_assert(N > 1, \"cvt.f16.f32 d, a;\"); }", 0),
        ("void f() { _Static_assert(T{} == 1, \"a\" \"cvt.f16.f32 d, a;\"); }", 0),
        ("static_assert(N > 1, \"m\");\nvoid f() { *p = emit(\"cvt.f16.f32 d, a;\"); }", 1),
        ("static_assert(N > 1, \"m\");\nvoid f() { emit(\"cvt.f16.f32 d, a;\"); }", 1),
    ] {
        let report = check(program, Language::Cpp, &CheckOptions::default());
        let counted: usize = report.stats.skipped.values().sum();
        assert_eq!((report.diagnostics.len(), counted), (judged, 1 - judged), "{program}");
    }
}

/// A string that an operator joins to something else is only a part of the argument.
#[test]
fn parts_of_python_arguments_are_counted() {
    for argument in [
        "\"cvt.rn.\" + t + \".f96 $0, $1;\"",
        "\"cvt.rn.f16.\" + t + \" $0, $1;\"",
        "\"cvt.rn.%s.f96 $0, $1;\" % t",
        "\"cvt.rn.T.f96 $0, $1;\".replace(\"T\", t)",
    ] {
        let text = format!("y = tl.inline_asm_elementwise({argument}, \"=h,f\", [x])\n");
        let report = check(&text, Language::Python, &CheckOptions::default());
        let counted: usize = report.stats.skipped.values().sum();
        let strings = argument.matches("cvt").count();
        assert_eq!((report.diagnostics.len(), counted), (0, strings), "{argument}");
    }
    let either =
        "y = inline_asm(\"cvt.rn.f16.f33 $0, $1;\" if a else\n \"cvt.rn.f16.f34 $0, $1;\", \"=h,f\", [x])\n";
    let either = either.replace("if a else\n", "if a else ");
    assert_eq!(python(&either), ["1 error CVT002", "1 error CVT002"]);
    let stripped =
        "tl.inline_asm_elementwise(\"\"\"\n cvt.rn.f16.f33 $0, $1;\"\"\".strip(), \"=h,f\", [x])\n";
    assert_eq!(python(stripped).len(), 1);
}

/// A colon of a block is not one of an annotation.
#[test]
fn blocks_on_one_line_are_branches() {
    let call = "y = tl.inline_asm_elementwise(asm, \"=h,f\", [x])\n";
    for (first, second) in
        [("if a:", "else:"), ("if a == b:", "elif c:"), ("try:", "except E:"), ("if a:", "if not a:")]
    {
        let text = format!(
            "{first} asm = \"cvt.rn.f16.f33 $0, $1;\"\n{second} asm = \"cvt.rn.f16.f34 $0, $1;\"\n{call}"
        );
        assert_eq!(python(&text), ["1 error CVT002", "2 error CVT002"], "{text}");
    }
    let text = format!("asm: str = \"cvt.rn.f16.f33 $0, $1;\"\n{call}");
    assert_eq!(python(&text), ["1 error CVT002"]);
}

#[test]
fn macros_and_prefixes_next_to_quotes() {
    // A macro needs no blank before a quote.
    for (template, macros) in [
        (r#"asm("cvt.rn."TYPE".f32 %0, %1;" : "=h"(d) : "f"(a));"#, 1),
        (r#"asm(BEGIN"cvt.rn.f16.f32 %0, %1;" : "=h"(d) : "f"(a));"#, 1),
        (r#"asm("cvt.rn." /* a */ TYPE ".f32 %0, %1;" : "=h"(d) : "f"(a));"#, 1),
    ] {
        assert_eq!(found_and_counted(template), (Vec::new(), macros), "{template}");
    }
    for prefix in ["", "L", "u8", "u", "U"] {
        for (open, close) in [("\"", "\""), ("R\"(", ")\"")] {
            let text = format!("asm({prefix}{open}cvt.f16.f32 %0, %1;{close} : \"=h\"(d) : \"f\"(a));");
            assert_eq!(cpp(&text), ["1 error CVT006"], "{text}");
        }
    }
}

#[test]
fn misspelt_conversions_are_found_wherever_their_letters_are() {
    for (template, code) in [
        ("\"CVT.rn.f16.f32 %0, %1;\"", "CVT001"),
        ("\"cvtt.rn.f16.f32 %0, %1;\"", "CVT001"),
        ("\"c\\x76t.f16.f32 %0, %1;\"", "CVT006"),
        ("\"cv\" \"t.f16.f32 %0, %1;\"", "CVT006"),
        ("\"cv\"\n\"t.f16\" /* */ \".f32 %0, %1;\"", "CVT006"),
    ] {
        let text = format!("asm({template} : \"=h\"(d) : \"f\"(a));");
        assert_eq!(cpp(&text), [format!("1 error {code}")], "{text}");
        assert_eq!(check(&text, Language::Cpp, &CheckOptions::default()).stats.conversions, 1, "{text}");
    }
    // Code for other machines has similar names.
    for text in [
        "asm(\"cvtsi2sd %1, %0\" : \"=x\"(d) : \"r\"(a));",
        "asm(\"ct.a b\");",
        "#if 0\nasm(\"CVT.f16.f32 a, b;\");\n#endif",
    ] {
        assert_eq!(cpp(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn strings_within_formatted_strings_are_counted() {
    for text in [
        "y = inline_asm(f\"{'cvt.rn.f16.f33'} $0, $1;\", \"=h,f\")\n",
        "y = inline_asm(f\"\"\"{f\"cvt.rn.{t}.f33\"} $0, $1;\"\"\", \"=h,f\")\n",
        "y = f'{a[\"cvt.rn.f16.f33\"]:{b}}'\n",
    ] {
        let report = check(text, Language::Python, &CheckOptions::default());
        let counted: usize = report.stats.skipped.values().sum();
        // The first one is a known value.
        assert_eq!(report.diagnostics.len() + counted, 1, "{text}");
    }
}

#[test]
fn attributes_are_read_to_the_end_of_the_text() {
    let text =
        "%0 = tt.elementwise_inline_asm \"cvt.rn.f16.f32 $0, $1;\" {pure = true, constraints = \"=h,h\"";
    assert_eq!(found(text, Language::Mlir, &CheckOptions::default()), ["1 error CVT105"]);
}

/// Text that begins like a raw string but is not one, or that ends after its macro, is read once: the reader never gets
/// stuck at it.
#[test]
fn raw_strings_that_are_none() {
    let asm = "asm(\"cvt.rn.f17.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));";
    for raw in [
        "R\"\"",
        "R\"",
        "R\"x",
        "u8R\"x(",
        "LR\"a b(",
        "R\"12345678901234567(",
        "R\"x\\(",
        "R\")(",
        "R\"\" \"a\"",
    ] {
        for text in [
            format!("#define Q {raw}\nvoid f() {{ {asm} }}\n"),
            format!("#define Q x {raw} y\n#define R Q\nvoid f() {{ asm(\"cvt\" Q R); }}\n"),
            format!("void f() {{ {raw}\n(x)\"; {asm} }}\n"),
            format!("#if 1\n#define Q(a) a {raw} \\\n {raw}\n#endif\nQ({raw})"),
        ] {
            let found = cpp(&text);
            // A delimiter that is valid begins a string that may contain the rest.
            let is_read = text.starts_with("#define Q R\"\"\n") || text.starts_with("#define Q LR");
            assert!(!is_read || found.len() == 1, "{found:?}\n{text}");
        }
    }
    let text = "asm(R\"abcdefghijklmnop(cvt.rn.f17.f32 %0, %1;)abcdefghijklmnop\" : \"=h\"(d) : \"f\"(a));";
    assert_eq!(cpp(text).len(), 1);
}
