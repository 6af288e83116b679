//! PTX that a program completes: placeholders of formats, of templates and of replacements.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::{check, found, python};

/// The findings of a text, and how many conversions were not judged.
fn judged(text: &str, language: Language) -> (Vec<String>, usize) {
    let options = CheckOptions::default();
    let report = check(text, language, &options);
    (found(text, language, &options), report.stats.skipped.values().sum())
}

#[test]
fn placeholders_are_counted() {
    for template in [
        "cvt.rn.TYPE.f32 d, a;",
        "cvt.rn.__TY__.f32 d, a;",
        "cvt.MODS d, a;",
        "cvt.rn.dst_type.f32 d, a;",
        "cvt.rn.<TYPE>.f32 d, a;",
        "cvt.rn.@TYPE@.f32 d, a;",
        "cvt.rn.{{ty}}.f32 {{d}}, {{a}};",
        "cvt.rn{% if ftz %}.ftz{% endif %}.f16.f32 d, a;",
        "cvt.rn.${ty}.f32 ${d}, ${a};",
        "cvt.rn.%(ty)s.f32 %(d)s, %(a)s;",
        "{{op}} d, a; cvt.rn.T.f32 d, a;",
    ] {
        for (language, program) in [
            (Language::Cpp, format!("std::string s = fill(\"{template}\", \"f16\");\n")),
            (Language::Python, format!("TEXT = '{template}'\nprint(fill(TEXT))\n")),
            (Language::Rust, format!("let text = \"{template}\".to_owned();\n")),
        ] {
            let (found, counted) = judged(&program, language);
            assert_eq!((found, counted.min(1)), (Vec::new(), 1), "{program}");
        }
    }
}

/// Text in a string is not a macro of the program.
#[test]
fn placeholders_are_not_counted_as_macros() {
    let reason = |program: &str| -> Vec<&str> {
        check(program, Language::Cpp, &CheckOptions::default()).stats.skipped.into_keys().collect()
    };
    let placeholder = "part of it is a placeholder, which the program may replace";
    let argument = "part of it is a macro or a template's argument";
    assert_eq!(reason("const char *s = \"cvt.rn.TYPE.f32 d, a;\";"), [placeholder]);
    let kernel =
        |asm: &str| format!("const char *s = R\"(__device__ void f() {{ asm({asm} : : \"f\"(a)); }})\";");
    assert_eq!(reason(&kernel("\"cvt.rn.TYPE.f32 d, %0;\"")), [placeholder]);
    assert_eq!(reason(&kernel("\"cvt.rn.\" TYPE \".f32 d, %0;\"")), [argument]);
}

/// An operand may be a placeholder, which may be replaced by several operands. The opcode is judged.
#[test]
fn operands_that_are_placeholders_fit_everywhere() {
    for (template, expected) in [
        ("cvt.rn.f16.f32 {{d}}, {{a}};", None),
        ("cvt.rn.satfinite.e4m3x2.f32 DST, SRC;", None),
        ("cvt.rn.satfinite.e4m3x2.f32 {{d}}, {{a}};", None),
        ("cvt.f16.f32 {{d}}, {{a}};", Some("CVT006")),
        ("cvt.f16.f32 DST, SRC;", Some("CVT006")),
        ("cvt.rn.satfinite.e4m3x2.f32 dst, src;", Some("CVT104")),
        // Neither a misspelling with one nearest name nor the name of a format is a placeholder.
        ("cvt.rn.f61.f32 d, a;", Some("CVT002")),
        ("cvt.rn.e4m3.f32 d, a;", Some("CVT002")),
        // Nor is a word that is written as modifiers are.
        ("cvt.rq.f16.f32 d, a;", Some("CVT002")),
        ("cvt.rn.rnd.f32 d, a;", Some("CVT002")),
    ] {
        let program = format!("TEXT = '{template}'\n");
        let expected: Vec<String> = expected.map(|code| format!("1 error {code}")).into_iter().collect();
        assert_eq!(judged(&program, Language::Python), (expected, 0), "{program}");
    }
}

/// Text that a program replaces somewhere is unknown everywhere, even if it is a modifier.
#[test]
fn replaced_texts_are_unknown() {
    for (language, program) in [
        (Language::Cpp, "auto t = \"cvt.f16.f32 d, a;\"; s = replaceAll(t, \"cvt\", op);"),
        (Language::Cpp, "auto t = \"cvt.f16.f32 d, a;\"; s = replaceAll(t, \"f16\", op);"),
        (
            Language::Cpp,
            "std::regex_replace(std::string(\"cvt.f16.f32 d, a;\"), std::regex(\"f16\"), \"f64\");",
        ),
        (Language::Python, "T = 'cvt.f16.f32 d, a;'\nuse(T.replace('f16', ty))\n"),
        (Language::Rust, "const T: &str = \"cvt.f16.f32 d, a;\"; fn f() { T.replace(\"f16\", ty); }"),
    ] {
        assert_eq!(judged(program, language), (Vec::new(), 1), "{program}");
    }
    // Inserted text is not replaced again.
    let program = "const T: &str = \"cvt.f16.f32 d, a;\"; fn f() { s.replace(key, \"f16\"); }";
    assert_eq!(judged(program, Language::Rust).0.len(), 1);
}

#[test]
fn replacements_of_python_are_followed() {
    for (expression, expected) in [
        ("T.replace('TYPE', 'f16')", Some("CVT006")),
        ("'cvt.A.B $0, $1;'.replace('A', 'f16').replace('B', 'f32')", Some("CVT006")),
        ("'cvt.rn.f16.f32 $0, $1;'.replace('.rn', '')", Some("CVT006")),
        ("T.replace('TYPE', ty)", None),
        ("T.replace(key, 'f16')", None),
        ("Template('cvt.$ty.f32 $$0, $$1;').substitute(ty='f16')", Some("CVT006")),
        ("string.Template('cvt.${ty}.f32 $0, $1;').safe_substitute({'ty': 'f16'})", Some("CVT006")),
        ("Template('cvt.$ty.f32 $$0, $$1;').substitute(ty=ty)", None),
        ("str(textwrap.indent(b'cvt.f16.f32 $0, $1;'.decode(), ' '))", Some("CVT006")),
        ("Template('cvt.$ty.f32 $$0, $$1;').substitute({'ty': 'f64'}, ty='f16')", Some("CVT006")),
    ] {
        let program =
            format!("T = 'cvt.TYPE.f32 $0, $1;'\ndef k(ty): return inline_asm({expression}, '=h,f')\n");
        let codes: Vec<_> = python(&program).iter().map(|line| line[line.len() - 6..].to_owned()).collect();
        let expected: Vec<String> = expected.map(str::to_owned).into_iter().collect();
        assert_eq!(codes, expected, "{expression}");
    }
}

/// A table of opcodes and constraints has no calls of a wrapper.
#[test]
fn tables_of_parts_are_no_assemblies() {
    let text = "
for op, c in f([('cvt.f16.f32', '=h,f'), ('cvt.f16.f32 $0,', '=h,f')]):
    y = inline_asm(op + ' $0, $1;', c)
";
    assert_eq!(judged(text, Language::Python), (Vec::new(), 3));
    let text = "y = emit('cvt.f16.f32 $0, $1;', '=h,f')\n";
    assert_eq!(judged(text, Language::Python).0, ["1 error CVT006"]);
}

/// A kernel in a string may be completed, too, but not a string that the program passes to the compiler itself.
#[test]
fn kernels_in_strings_may_have_placeholders() {
    let kernel = |asm: &str| format!("__global__ void k() {{ asm(\"{asm}\" : \"=h\"(d) : \"f\"(a)); }}");
    for (asm, expected) in [
        ("cvt.rn.TYPE.f32 %0, %1;", 0),
        ("cvt.rn.%s.f32 %%0, %%1;", 0),
        ("cvt.rn.{{ty}}.f32 %0, %1;", 0),
        ("cvt.rn.${ty}.f32 %0, %1;", 0),
        ("cvt.rn.<ty>.f32 %0, %1;", 0),
        ("cvt.f16.f32 %0, %1;", 1),
        ("cvt.rn.f16.f32 %0, %0;", 1),
    ] {
        let text = kernel(asm);
        for (language, program) in [
            (Language::Python, format!("SOURCE = '''{text}'''\n")),
            (Language::Cpp, format!("const char *source = R\"x({text})x\";\n")),
        ] {
            let (found, counted) = judged(&program, language);
            assert_eq!((found.len(), counted), (expected, 1 - expected), "{program}: {found:?}");
        }
    }
    let text = kernel("cvt.rn.TYPE.f32 %0, %1;");
    assert_eq!(judged(&text, Language::Cpp).0, ["1 error CVT002"]);
}

/// Conversions with placeholders are left out of a module, whose other conversions are judged. `%p` is a register.
#[test]
fn modules_with_placeholders() {
    let module = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {
  .reg .pred %p; .reg .b16 %h; .reg .f32 %f;
  @%p cvt.f16.f32 %h, %f;
  cvt.rn.TYPE.f32 %h, %f;
  cvt.rn.f16.f32 %h, {{a}};
  ret;
}
";
    for (language, program) in [
        (Language::Python, format!("SOURCE = '''{module}'''\n")),
        (Language::Cpp, format!("const char *source = R\"({module})\";\n")),
        (Language::Rust, format!("const SOURCE: &str = r#\"{module}\"#;\n")),
    ] {
        assert_eq!(judged(&program, language), (vec!["7 error CVT006".to_owned()], 2), "{program}");
    }
}

/// In a module, only what has a placeholder is left out.
#[test]
fn modules_with_unknown_parts() {
    let module = |version: &str, target: &str, name: &str, inside: &str| {
        format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry {name}(.param .u64 {name}_p) {{\n.reg .b16 h<2>; .reg .f32 f;\n{inside}\ncvt.f16.f32 h1, f;\nret;\n}}\n"
        )
    };
    let modules = [
        (module("8.0", "sm_80", "k", ""), 0),
        (module("8.0", "sm_{cc}", "k", ""), 0),
        (module("{v}", "sm_80", "k", ""), 0),
        (module("{v}", "sm_{cc}", "{name}", "{loads}"), 0),
        (module("8.0", "sm_80", "{name}", "add.{ty} a, b, c; .reg .b32 r<{n}>;"), 0),
        (module("8.0", "sm_80", "k", "cvt.rn.{ty}.f32 h1, f;"), 1),
    ];
    for (text, counted) in &modules {
        // In the order of the lines, the wrong conversion is the last but three.
        let line = text.lines().count() - 2;
        let doubled = text.replace('{', "{{").replace('}', "}}");
        let mut python = doubled;
        for name in ["cc", "v", "name", "loads", "ty", "n"] {
            python = python.replace(&format!("{{{{{name}}}}}"), &format!("{{{name}}}"));
        }
        let program = format!("M = f\"\"\"{python}\"\"\"\n");
        assert_eq!(
            judged(&program, Language::Python),
            (vec![format!("{line} error CVT006")], *counted),
            "{program}"
        );
    }
    // Formats of C++, and the rest of a module after what another string has.
    for (head, tail) in
        [(".version 8.0\\n.target sm_%d\\n", "\", cc"), (".version 8.0\\n.target sm_\" + cc + \"", "\"")]
    {
        let body =
            "\\n.address_size 64\\n.visible .entry k() {\\n.reg .b16 h; .reg .f32 f;\\ncvt.f16.f32 h, f; }";
        let program = format!("print(buffer, \"{head}{body}{tail});\n");
        assert_eq!(judged(&program, Language::Cpp), (vec!["1 error CVT006".to_owned()], 0), "{program}");
    }
}
