//! Reading of sources: alternatives within a statement, escapes, names in Python, and the conversions that
//! are only counted.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::check::TargetSet;
use ptxcvt_syntax::sources::{Language, Wrappers, check_source, check_source_with};
use ptxcvt_syntax::{CheckOptions, Findings, Source};

fn check(text: &str, language: Language, options: &CheckOptions) -> Findings {
    check_source(&Source::new("source", text.as_bytes()), language, options)
}

/// The findings, as `line severity code`.
fn found(text: &str, language: Language, options: &CheckOptions) -> Vec<String> {
    let source = Source::new("source", text.as_bytes());
    let all = check_source(&source, language, options).diagnostics;
    let line = |at: u32| source.position(at).line;
    all.iter().map(|d| format!("{} {} {}", line(d.span().start), d.severity().name(), d.code())).collect()
}

fn cpp(text: &str) -> Vec<String> {
    found(text, Language::Cpp, &CheckOptions::default())
}

fn python(text: &str) -> Vec<String> {
    found(text, Language::Python, &CheckOptions::default())
}

#[test]
fn every_branch_between_the_strings_of_a_statement_is_judged() {
    // TransformerEngine's ptx.cuh has `#if (defined X)` between the strings.
    let text = r#"
asm volatile("{\n"
#if (defined _LOOSE_PRECISION)
    "cvt.f16.f32 %0, %1;\n"
#elif __CUDA_ARCH__ >= 800
    "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;\n"
#else
    "cvt.rn.f16.f32 %0, %2;\n"
#endif
    "}"
    : "=h"(d) : "f"(a), "h"(b));
"#;
    assert_eq!(cpp(text), ["4 error CVT006", "6 note CVT011", "8 error CVT105"]);
    let stats = check(text, Language::Cpp, &CheckOptions::default()).stats;
    assert_eq!((stats.conversions, stats.skipped.len()), (3, 0));
    // The statement ends in each branch.
    let text = r#"
#if __CUDA_ARCH__ >= 700
asm("cvt.rna.tf32.f32 %0, %1;"
#if __CUDA_ARCH__ >= 800
    : "=r"(d) : "f"(a));
#else
    : "=f"(d) : "f"(a));
#endif
asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(d) : "f"(a));
#endif
"#;
    assert_eq!(cpp(text), ["3 error CVT011", "3 error CVT105", "9 error CVT011"]);
}

#[test]
fn alternatives_that_contradict_an_outer_guard_are_none() {
    // CUDA's mma.h.
    let text = r#"
#if __CUDA_ARCH__ >= 700
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));
#endif
#else
asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));
#endif
"#;
    assert_eq!(cpp(text), ["7 error CVT011"]);
}

#[test]
fn a_flag_of_another_header_makes_a_note() {
    // CUTLASS: the flag implies `a` or `f`.
    let text = r#"
#if defined(CUTLASS_ARCH_MMA_SM110_ENABLED) && __CUDA_ARCH__ >= 1100
asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
asm("cvt.rn.ue8m0x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
asm("cvt.rn.nonsense.f32 %0, %1;" : "=h"(d) : "f"(a));
#endif
"#;
    let errors = ["3 note CVT011", "4 error CVT007", "5 error CVT002"];
    assert_eq!(cpp(text), errors);
}

#[test]
fn targets_that_are_not_built_are_not_judged() {
    let text = r#"
#if __CUDA_ARCH__ >= 1000
asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
#endif
#if __CUDA_ARCH__ == 1030
asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
#endif
#if __CUDA_ARCH__ >= 890
asm("cvt.rs.f16x2.f32 %0, %1, %2, %3;" : "=r"(d) : "f"(a), "f"(b), "r"(c));
#endif
"#;
    let options = CheckOptions::default();
    assert_eq!(cpp(text), ["3 error CVT011", "6 error CVT011", "9 error CVT011"]);
    let only = |target: &str| found(text, Language::Cpp, &options.target(target.parse().ok()));
    assert_eq!(only("sm_100a"), Vec::<String>::new());
    assert_eq!(only("sm_120a"), ["9 error CVT011"]);
    let built = |names: &[&str]| {
        let targets: TargetSet = names.iter().map(|name| name.parse().expect("a target")).collect();
        found(text, Language::Cpp, &options.built(Some(targets)))
    };
    assert_eq!(built(&["sm_80", "sm_100a", "sm_103a"]), Vec::<String>::new());
    assert_eq!(built(&["sm_90", "sm_100a"]), ["9 error CVT011"]);
    // Code that no guard restricts is judged for `--target` alone.
    let plain = r#"asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));"#;
    let sm_75 = TargetSet::from_iter("sm_75".parse());
    assert_eq!(found(plain, Language::Cpp, &options.built(Some(sm_75))), Vec::<String>::new());
    assert_eq!(found(plain, Language::Cpp, &options.target("sm_75".parse().ok())), ["1 error CVT011"]);
}

#[test]
fn toolkits_flags_of_the_file_and_code_for_the_host() {
    for (guards, expected) in [
        (&["#if CUDA_VERSION >= 11080"][..], ""),
        (&["#if __CUDA_ARCH__ >= 890 && CUDA_VERSION >= 11080"], "error CVT012"),
        (&["#if __CUDA_ARCH__ >= 890 && CUDA_VERSION >= 12010"], ""),
        (&["#if __CUDA_ARCH__ >= 890", "#define FP8", "#endif", "#ifdef FP8"], ""),
        (&["#if __CUDA_ARCH__ >= 800", "#define FP8", "#endif", "#ifdef FP8"], "error CVT011"),
        (&["#define AT_LEAST(n) (__CUDA_ARCH__ >= (n))", "#if AT_LEAST(890)"], ""),
        (&["#define AT_LEAST(n) (__CUDA_ARCH__ >= (n))", "#if AT_LEAST(860)"], "error CVT011"),
        (&["#if __CUDA_ARCH__ * 2 > 1780 ? 1 : 0"], ""),
        (&["#if !defined(USE_ROCM) && __CUDA_ARCH__ >= 800"], "error CVT011"),
        (&["#if __has_include(<x.h>) && __CUDA_ARCH__ >= 800"], "note CVT011"),
        (&["#if __CUDA_ARCH__ >= 800 || FLAG", "#if !FLAG"], "note CVT011"),
        (&["#ifdef FLAG", "#if __CUDA_ARCH__ >= 890"], ""),
        (&["#ifdef FLAG"], ""),
        (&["#if __CUDA_ARCH__ >= 500"], "error CVT011"),
        (&["#ifdef __CUDA_ARCH__"], ""),
        (&["#ifndef __CUDA_ARCH__"], "dead"),
        (&["#ifdef USE_ROCM"], "dead"),
        (&["#if 0"], "dead"),
        (&["#if __CUDA_ARCH__ >= 900", "#if __CUDA_ARCH__ < 890"], "dead"),
    ] {
        let mut text = guards.join("\n");
        text +=
            "\nasm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b));\n#endif\n";
        let report = check(&text, Language::Cpp, &CheckOptions::default());
        let what = match &report.diagnostics[..] {
            [] if report.stats.skipped.contains_key("no device compiler sees it") => "dead".to_owned(),
            [] => String::new(),
            [only] => format!("{} {}", only.severity().name(), only.code()),
            more => panic!("{more:?}"),
        };
        assert_eq!(what, expected, "{text}");
    }
    // An include guard is no unknown flag.
    let text = "#pragma once\n#ifndef FP8_H\n#define FP8_H\n#if __CUDA_ARCH__ >= 800\n\
                asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b));\n#endif\n#endif\n";
    assert_eq!(cpp(text), ["5 error CVT011"]);
}

#[test]
fn escapes_are_decoded_with_their_places() {
    let text = r#"asm("cvt.rn.e4m3x2.\x66\x33\062 %0, %1, %1;" : "=h"(d) : "f"(a));"#;
    let report = check(text, Language::Cpp, &CheckOptions::default());
    assert_eq!(report.diagnostics.len(), 1);
    assert_eq!(report.diagnostics[0].code().as_str(), "CVT008");
    assert_eq!(&text[report.diagnostics[0].span().range()], r"cvt.rn.e4m3x2.\x66\x33\062");
    let text = "y = inline_asm(\"cvt.rn.\\x66\\u0031\\66.f32 $0, $1;\", \"=h,h\")\n";
    assert_eq!(python(text), ["1 error CVT105"]);
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
    assert_eq!((report.stats.conversions, report.stats.skipped.len()), (2, 0));
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

/// A wrapper's string is judged for the machine, even if it is no whole statement, and in no other function.
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
        let options = CheckOptions::default().target("sm_75".parse().ok());
        let source = Source::new("source", text.as_bytes());
        let codes = |wrappers: &Wrappers| -> Vec<&'static str> {
            let found = check_source_with(&source, language, &options, wrappers);
            found.diagnostics.iter().map(|d| d.code().as_str()).collect()
        };
        assert_eq!(codes(&Wrappers::default()), [""; 0], "{text}");
        assert!(codes(&wrappers).contains(&"CVT011"), "{text}: {:?}", codes(&wrappers));
    }
}

/// Text about PTX is no PTX, whatever it resembles.
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

/// Makes parts of a file. Each conversion is in a separate string on its own line and spelled wrongly, so that it is found if
/// it is judged.
struct Maker {
    random: SplitMix64,
    text: String,
    strings: usize,
}

impl Maker {
    fn string(&mut self) {
        self.strings += 1;
        let wrong = [
            "cvt.f16.f32 t, %1;",
            "cvt.rn.f32.f16 t, %1;",
            "cvt.nonsense t, %1;",
            "cvt.rn.f16.f32;",
            "cvt.rn.f32.f16 t;",
            "{cvt.nonsense;}",
        ][self.random.below(6)];
        let comment =
            ["", " // \"cvt.f16.f32\"", " /* cvt. */", " // a \\\n\"cvt.f16.f32\" )"][self.random.below(4)];
        let prefix = ["", "", "L", "u8", "u", "U"][self.random.below(6)];
        let _ = match self.random.below(4) {
            0 => writeln!(self.text, "  {prefix}R\"x({wrong})x\"{comment}"),
            _ => writeln!(self.text, "  {prefix}\"{wrong}\\n\"{comment}"),
        };
    }

    fn pieces(&mut self, depth: usize) {
        for _ in 0..=self.random.below(2) {
            self.string();
            if depth > 0 && self.random.below(2) == 0 {
                let flag = ["A", "B", "C"][self.random.below(3)];
                let _ = writeln!(self.text, "#ifdef {flag}");
                self.pieces(depth - 1);
                if self.random.below(2) == 0 {
                    let _ = writeln!(self.text, " # elif (defined {flag}2)");
                    self.pieces(depth - 1);
                }
                if self.random.below(2) == 0 {
                    self.text.push_str("#else\n");
                    self.pieces(depth - 1);
                }
                self.text.push_str("#endif\n");
            }
        }
    }

    fn items(&mut self, depth: usize) {
        for _ in 0..=self.random.below(4) {
            match self.random.below(if depth == 0 { 8 } else { 11 }) {
                0..=2 => {
                    self.text.push_str("asm volatile(\"{ .reg .f32 t; \"\n");
                    self.pieces(2);
                    self.text.push_str("  \"}\" : \"=h\"(d) : \"f\"(a) : \"memory\");\n");
                }
                3 => {
                    // A sum is not whole.
                    let sum = ["", "prefix +"][self.random.below(2)];
                    let _ = writeln!(self.text, "const char *text = {sum}");
                    self.string();
                    self.text.push_str(";\n");
                }
                4 => {
                    self.text.push_str("asm(PREFIX(1)\n");
                    self.string();
                    self.text.push_str(": \"=h\"(d) : OPERANDS(a));\n");
                }
                5 => {
                    self.text.push_str("asm(\n");
                    self.string();
                    self.text.push_str(": \"=v\"(d) : \"v\"(a));\n");
                }
                6 => {
                    // No statement.
                    self.text.push_str("asm(\n");
                    self.string();
                    self.text.push_str("+ 1);\n");
                }
                7 => {
                    // Without operands, in a macro; its last line is joined to no other.
                    self.strings += 1;
                    let name = self.strings;
                    let _ = writeln!(
                        self.text,
                        "#define M{name}() \\\n  asm VOLATILE(\"cvt.f16.f32 h, f;\")\n#define ASM{name} asm"
                    );
                }
                n => {
                    let guard =
                        ["#if __CUDA_ARCH__ >= 800", "%:ifndef __CUDA_ARCH__", "#ifdef D /* a\n b */"][n - 8];
                    let _ = writeln!(self.text, "{guard}");
                    self.items(depth - 1);
                    if self.random.below(2) == 0 {
                        self.text.push_str(["#else\n", "%: else\n"][self.random.below(2)]);
                        self.items(depth - 1);
                    }
                    self.text.push_str("#endif\n");
                }
            }
        }
    }
}

#[test]
fn every_string_with_a_conversion_is_judged_or_counted() {
    let (mut judged, mut counted) = (0, BTreeMap::new());
    for seed in 1..=1_500 {
        let random = SplitMix64::new(seed);
        let mut maker = Maker { random, text: String::new(), strings: 0 };
        maker.items(2);
        let source = Source::new("random.cu", maker.text.as_bytes());
        let report = check_source(&source, Language::Cpp, &CheckOptions::default());
        let lines: std::collections::BTreeSet<usize> =
            report.diagnostics.iter().map(|d| source.position(d.span().start).line).collect();
        let skipped: usize = report.stats.skipped.values().sum();
        // An error accounts for a string as well: text that is no instruction is not a conversion.
        assert_eq!(lines.len() + skipped, maker.strings, "{}\n{:?}", maker.text, report.diagnostics);
        assert!(report.stats.conversions as usize <= lines.len(), "{}", maker.text);
        judged += lines.len();
        for (reason, count) in report.stats.skipped {
            *counted.entry(reason).or_insert(0) += count;
        }
    }
    assert!(judged > 5_000 && counted.len() >= 5, "{judged}, {counted:?}");
}

/// The findings and the counted conversions of C++.
fn found_and_counted(text: &str) -> (Vec<String>, usize) {
    (cpp(text), check(text, Language::Cpp, &CheckOptions::default()).stats.skipped.values().sum())
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

/// Directives as a compiler reads them: joined lines, comments, and what other code leaves of them.
#[test]
fn directives_are_read_as_a_compiler_reads_them() {
    const FP8: &str = "asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b));\n";
    for (before, compiled_for) in [
        ("#if __CUDA_ARCH__ >= 800 /* a\n and b */ && __CUDA_ARCH__ >= 890\n", 89),
        ("#if __CUDA_ARCH__ >= 800 /* a */ /* b\n */\n", 80),
        ("#if __CUDA_ARCH_\\\n_ >= 890\n", 89),
        ("#if __CUDA_ARCH__ >= 800 // a \\\n && __CUDA_ARCH__ >= 890\n", 80),
        ("%:if __CUDA_ARCH__ >= 800\n", 80),
        (" %: if __CUDA_ARCH__ >= 890\n", 89),
        // A part of a keyword is not a statement.
        ("#define ASM asm volatile\n#if __CUDA_ARCH__ >= 800\n", 80),
        ("#define CHOOSE NV_IF_TARGET\n#if __CUDA_ARCH__ >= 800\n", 80),
        ("#define ASM asm volatile\n#if __CUDA_ARCH__ >= 890\n", 89),
        ("// a \\\n#if 0\n#if __CUDA_ARCH__ >= 800\n", 80),
        ("#if defined __CUDA_ARCH__ and not (__CUDA_ARCH__ < 800)\n", 80),
        ("#if (__CUDA_ARCH__ bitand 0xffff) not_eq 0 and __CUDA_ARCH__ >= 890 or 0\n", 89),
    ] {
        let expected = if compiled_for < 89 {
            format!("{} error CVT011", before.lines().count() + 1)
        } else {
            String::new()
        };
        let text = format!("{before}{FP8}#endif\n");
        assert_eq!(cpp(&text).join(" "), expected, "{text}");
        // Spelling is judged everywhere.
        let wrong = text.replace("cvt.rn.satfinite", "cvt.rn");
        assert_eq!(cpp(&wrong).len(), 1, "{wrong}");
    }
    // A directive's lines within a statement, and lines of its strings and comments that look like some.
    let text = r###"
#if __CUDA_ARCH__ >= 890
asm(
/*
#endif
*/
R"(
#endif
)"
"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
%:ifdef A /* b
 c */
"cvt.f16.f32 %0, %1;"
%:endif
 : "=h"(d) : "f"(a), "f"(b));
#else
asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
#endif
asm VOLATILE ("cvt.f16.f32 %0, %1;" : "=h"(d) : "f"(a));
"###;
    let found = cpp(text);
    assert!(
        found.contains(&"13 error CVT006".to_owned()) && found.contains(&"17 error CVT011".to_owned()),
        "{found:?}"
    );
    assert!(found.contains(&"19 error CVT006".to_owned()), "{found:?}");
}

#[test]
fn many_branches_of_a_statement_are_all_judged() {
    let mut text = String::from("asm(\"{\"\n");
    for flag in 0..40 {
        let _ = write!(
            text,
            "#ifdef A{flag}\n\"cvt.f16.f32 %0, %1;\"\n#if B{flag}\n\"cvt.f16.f32 %0, %1;\"\n#elif C\n\"cvt.f16.f32 %0, %1;\"\n\
             #endif\n#else\n\"cvt.f16.f32 %0, %1;\"\n#endif\n"
        );
    }
    text += "\"}\" : \"=h\"(d) : \"f\"(a));\n";
    let (found, counted) = found_and_counted(&text);
    assert_eq!((found.len(), counted), (160, 0));
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

/// Deep and long files take time in proportion to their length.
#[test]
fn many_flags_take_no_time() {
    let wrong = "asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));\n";
    let each = |n: usize| format!("#ifdef A{n}\n{wrong}#endif\n");
    let long: String = (0..10_000).map(each).collect();
    let deep: String = (0..4_000).map(|n| format!("#ifdef A{n}\n")).collect();
    let deep = format!("{deep}{wrong}{}", "#endif\n".repeat(4_000));
    let begin = std::time::Instant::now();
    assert_eq!(cpp(&long).len(), 10_000);
    assert_eq!(cpp(&deep), ["4001 error CVT006"]);
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}

/// A macro's body is compiled where the macro is used; without a use in the file, where it is defined.
#[test]
fn macros_are_compiled_where_they_are_used() {
    const BODY: &str = "asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b))";
    for (uses, expected) in [
        ("", "2 error CVT011"),
        ("#if __CUDA_ARCH__ >= 890\nvoid f() { M(d); }\n#endif\n", ""),
        ("#if __CUDA_ARCH__ >= 860\nvoid f() { M(d); }\n#endif\n", "2 error CVT011"),
        (
            "#if __CUDA_ARCH__ >= 890\nvoid f() { M(d); }\n#else\nvoid f() { M(d); }\n#endif\n",
            "2 error CVT011",
        ),
        ("#define N(x) if (x) { M(x); }\n#if __CUDA_ARCH__ >= 900\nvoid f() { N(d); }\n#endif\n", ""),
        ("#define N(x) M(x)\n#define M2 N\nvoid f() { M2(d); }\n", "2 error CVT011"),
        ("#ifdef FLAG\nvoid f() { M(d); }\n#endif\n", "2 note CVT011"),
        ("#ifndef __CUDA_ARCH__\nvoid f() { M(d); }\n#endif\n", "dead"),
        // No uses: directives, strings, comments.
        (
            "#if __CUDA_ARCH__ >= 890 && defined(M)\nconst char* t = \"M\"; // M\n#undef M\n#endif\n",
            "2 error CVT011",
        ),
    ] {
        let text = format!("#if __CUDA_ARCH__ >= 800\n#define M(x) {BODY}\n#endif\n{uses}");
        let report = check(&text, Language::Cpp, &CheckOptions::default());
        let found = match report.stats.skipped.contains_key("no device compiler sees it") {
            true => "dead".to_owned(),
            false => cpp(&text).join(" "),
        };
        assert_eq!(found, expected, "{text}");
    }
    // Each definition is compiled where both it and a use are.
    let text = format!(
        "#if __CUDA_ARCH__ >= 890\n#define M(x) {BODY}\n#else\n#define M(x) {BODY}\n#endif\n\
         #if __CUDA_ARCH__ >= 800\nvoid f() {{ M(d); }}\n#endif\n"
    );
    assert_eq!(cpp(&text), ["4 error CVT011"]);
}
