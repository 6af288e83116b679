//! Blanks, comments, line ends and joints of strings between `cvt` and its modifiers, and `cvt` without modifiers.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::check;

/// A source with this assembly in each language.
fn sources(content: &str) -> Vec<(Language, String)> {
    let json = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let triton = format!("x = tl.inline_asm_elementwise(\"{content}\", \"=h,f\", [y])");
    let llvm = content.replace("\\n", "\\0A").replace("\\t", "\\09").replace("\\x", "\\");
    vec![
        (Language::Cpp, format!("void f() {{ asm(\"{content}\" : \"=h\"(h) : \"f\"(a)); }}")),
        (Language::Python, triton.clone()),
        (
            Language::Python,
            format!("x = inline_ptx(\"{content}\", write_only_types=[U16], read_only_args=[y])"),
        ),
        (Language::Llvm, format!("%1 = call i16 asm \"{llvm}\", \"=h,f\"(float %0)")),
        (Language::Mlir, format!("%1 = llvm.inline_asm \"{llvm}\", \"=h,f\" %0 : (f32) -> i16")),
        (Language::Rust, format!("asm!(\"{content}\", out(reg16) h, in(reg32) a);")),
        (
            Language::Notebook,
            format!(
                "{{\"nbformat\": 4, \"cells\": [{{\"cell_type\": \"code\", \"source\": [\"{}\"]}}]}}",
                json(&triton)
            ),
        ),
    ]
}

#[test]
fn before_modifiers_in_every_language() {
    for gap in ["", " ", "\\t", "\\n", "\\x0c", "\\x1a", "/**/", " /* .rn */ ", " // .rn\\n  "] {
        for (language, text) in sources(&format!("cvt{gap}.rn.f16.f61 $0, $1;")) {
            let found = check(&text, language, &CheckOptions::default());
            let counts = (found.diagnostics.len(), found.stats.strings, found.stats.judged_strings);
            assert_eq!(counts, (1, 1, 1), "{text}\n{:?}", found.stats.skipped);
        }
        // Strings of a program outside of assembly.
        let text = format!("f(\"cvt{gap}.rn.f16.f61 h, f;\")\ng(\"see cvt{gap}.rn for all\")\n");
        for language in [Language::Cpp, Language::Python] {
            let found = check(&text, language, &CheckOptions::default());
            let counts = (found.diagnostics.len(), found.stats.skipped.values().sum(), found.stats.strings);
            assert_eq!(counts, (1, 1, 2), "{text}");
        }
    }
}

/// Text between `cvt` and its modifiers that no opcode has is an error in an assembly. In other strings it is only counted.
#[test]
fn every_joint_is_judged_or_counted() {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$%".contains(byte);
    let mut joints: Vec<String> =
        (1..=255_u8).filter(|byte| !is_word(byte)).map(|b| format!("\\x{b:02x}")).collect();
    joints.extend(["\u{85}", "\u{a0}", "\u{2003}", "\u{3000}", "\u{200b}", "\u{feff}"].map(str::to_owned));
    joints.extend([", ", "::", "}", "{", "-", "\\n\\x0b"].map(str::to_owned));
    let mut silent = Vec::new();
    for joint in &joints {
        for modifiers in [".rn.f16.f61", "rn.f16.f61", "::rn.f16.f61"] {
            for (language, text) in sources(&format!("{{ cvt{joint}{modifiers} $0, $1; }}")) {
                let found = check(&text, language, &CheckOptions::default());
                // A label, and another instruction.
                let is_label = joint == "\\x3a" && modifiers != ".rn.f16.f61";
                if found.diagnostics.is_empty() && found.stats.skipped.is_empty() && !is_label {
                    silent.push(text);
                }
            }
        }
        for language in [Language::Cpp, Language::Python] {
            let text = format!("f(\"{{ cvt{joint}.rn.f16.f61 h, f; }}\")\n");
            let found = check(&text, language, &CheckOptions::default());
            if found.stats.strings != 1 || found.diagnostics.is_empty() && found.stats.skipped.is_empty() {
                silent.push(text);
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

#[test]
fn joints_and_unknown_parts() {
    let cpp = |asm: &str| (Language::Cpp, format!("asm({asm} : \"=h\"(h) : \"f\"(a));"));
    let python = |asm: &str| (Language::Python, format!("inline_asm({asm}, \"=h,f\", [x])\n"));
    for ((language, text), expected) in [
        (cpp("\"cvt\" \".rn.f16.f61 %0, %1;\""), (1, 0, 1)),
        (cpp("\"cvt\" /**/ \" \"\n\" .rn.f16.f61 %0, %1;\""), (1, 0, 1)),
        (cpp("\"cvt\"\n#ifdef A\n\".rn.f16.f61\"\n#else\n\".rn.f16.f62\"\n#endif\n\" %0, %1;\""), (2, 0, 1)),
        (cpp("\"cvt .\" D \".\" S \" %0, %1;\""), (0, 1, 1)),
        (cpp("\"cvt \" D \" %0, %1;\""), (0, 1, 1)),
        (cpp("\"cvt\" D \", %1;\""), (0, 1, 1)),
        (cpp("OPC \" .rn.f16.f61 %0, %1;\""), (0, 1, 0)),
        // Escapes of C++23; the names of characters are not known.
        (cpp("\"cvt.rn.f16.\\x{66}32 %0, %1;\""), (0, 0, 1)),
        (cpp("\"\\x{63}vt.rn.f16.\\u{66}61 %0, %1;\""), (1, 0, 1)),
        (cpp("\"\\N{LATIN SMALL LETTER C}vt.rn.f16.f61 %0, %1;\""), (0, 1, 0)),
        (python("\"cvt\" \" .rn.f16.f61 $0, $1;\""), (1, 0, 1)),
        (python("\"cvt\" # .\n  \"\"  '.rn.f16.f61 $0, $1;'"), (1, 0, 1)),
        (python("f\"cvt {a} $0, $1;\""), (0, 1, 1)),
        (python("\"cvt \" + a + \" $0, $1;\""), (0, 1, 1)),
        (python("\"cvt\" + \" .rn.f16.f61 $0, $1;\""), (1, 0, 1)),
        ((Language::Cpp, "f(\"cvt\" \" .rn of all\"); g(\"cvt \" D \" of all\");".to_owned()), (0, 2, 2)),
        ((Language::Python, "f('cvt' ' .rn of all')\n".to_owned()), (0, 1, 1)),
    ] {
        let found = check(&text, language, &CheckOptions::default());
        let counts = (found.diagnostics.len(), found.stats.skipped.values().sum(), found.stats.strings);
        assert_eq!(counts, expected, "{text}\n{:?} {:?}", found.diagnostics, found.stats.skipped);
    }
}

#[test]
fn conversions_without_modifiers() {
    for content in ["cvt $0, $1;", "cvt;", "{ cvt\\t$0, $1; }", "mov.b32 $0, $1; cvt $0, $1;"] {
        for (language, text) in sources(content) {
            let found = check(&text, language, &CheckOptions::default());
            assert_eq!(found.diagnostics.len(), 1, "{text}");
        }
    }
    // Counted if they are not judged.
    let found =
        check("asm(\"cvt %0, %1;\" : \"=v\"(h) : \"v\"(a));", Language::Cpp, &CheckOptions::default());
    assert_eq!((found.diagnostics.len(), found.stats.skipped.values().sum()), (0, 1));
    // The word in prose.
    for text in [
        "f(\"cvt failed\");",
        "f(\"use cvt ...\");",
        "f(\"cvt\");",
        "asm(\"mov.b32 %0, %1; // cvt\" : \"=r\"(h) : \"r\"(a));",
    ] {
        let found = check(text, Language::Cpp, &CheckOptions::default());
        assert_eq!(
            (found.diagnostics.len(), found.stats.skipped.len(), found.stats.strings),
            (0, 0, 0),
            "{text}"
        );
    }
}
