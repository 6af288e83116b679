//! Backends with constructs that are not read: each is counted, and no certain finding comes from it.

use ptxcvt_audit::report::{Finding, Kind, Report};

const BEGIN: &str = r#"
class hasPTX<int version> : Predicate<"Subtarget->getPTXVersion() >= " # version>;
class hasSM<int version> : Predicate<"Subtarget->getSmVersion() >= " # version>;
class When<string condition> : Predicate<condition>;
def CvtRN : PatLeaf<(i32 0x5)>;
def CVT : Instruction { let AsmString = "cvt${mode:base}.bf16x2.f32 \t$dst, $a, $b;"; }
"#;

const SUBTARGET: &str = r#"
static cl::opt<bool> NoX("no-x");
unsigned getPTXVersion() const { return PTXVersion; }
unsigned getSmVersion() const { return FullSmVersion / 10; }
bool hasArchAccelFeatures() const { return (FullSmVersion & 1) && PTXVersion >= 80; }
"#;

/// A pattern that no condition keeps from any target.
const PATTERN: &str = "def : Pat<(int_nvvm_ff2bf16x2_rn f32:$a, f32:$b), (CVT $a, $b, CvtRN)>";

fn audit(td: &str, subtarget: &str) -> Report {
    let td = format!("{BEGIN}{td}");
    let subtarget = format!("{SUBTARGET}{subtarget}");
    let file = |name: &str| match name {
        "NVPTXInstrInfo.td" => Some(td.clone()),
        "NVPTXSubtarget.h" => Some(subtarget.clone()),
        _ => None,
    };
    ptxcvt_audit::audit(&file, &[])
}

/// The findings for the form that the backends here select. Forms that they do not select have findings, too.
fn judged(report: &Report) -> Vec<&Finding> {
    let of_form = |finding: &&Finding| {
        finding.kind != Kind::Missing || finding.opcodes.iter().any(|opcode| opcode == "cvt.rn.bf16x2.f32")
    };
    report.findings.iter().filter(of_form).collect()
}

/// Nothing is judged, and one place is counted with a reason that has these words.
fn is_unknown(report: &Report, words: &str) {
    assert_eq!(judged(report), Vec::<&Finding>::new(), "{words}");
    let counted = report.unread.iter().any(|skipped| skipped.reason.contains(words));
    assert!(counted, "{words}: {:?}", report.unread);
}

#[test]
fn the_pattern_alone_is_a_certain_finding() {
    let report = audit(&format!("{PATTERN};"), "");
    assert_eq!(judged(&report)[0].kind, Kind::Admits);
    assert!(judged(&report)[0].certain && report.unread.is_empty());
}

#[test]
fn a_class_that_was_not_read_makes_its_records_unknown() {
    is_unknown(&audit(&format!("{PATTERN}, Gated<[P]>;"), ""), "its class `Gated` was not read");
    let inherited = format!("class Mine : Gated<[P]>;\n{PATTERN}, Mine;");
    is_unknown(&audit(&inherited, ""), "its class `Gated` was not read");
    let instruction =
        "def OTHER : Instruction, Gated<[P]> { let AsmString = \"cvt${mode:base}.bf16x2.f32 $a;\"; }";
    let pattern = PATTERN.replace("CVT", "OTHER");
    is_unknown(&audit(&format!("{instruction}\n{pattern};"), ""), "its class `Gated` was not read");
    // The contents of the record are unknown, too.
    let report = audit(&PATTERN.replace("Pat<", "Patt<").replace("CvtRN)>", "CvtRN)>;"), "");
    assert!(report.unread.iter().any(|skipped| skipped.reason == "its class `Patt` was not read"));
    let made = format!("multiclass M {{ {PATTERN}; }}\ndefm A : M, Gated<[P]>;");
    is_unknown(&audit(&made, ""), "its class `Gated` was not read");
}

#[test]
fn what_stands_in_an_unread_let_is_unknown() {
    for text in [
        format!("let append Predicates = [hasSM<80>] in\n{PATTERN};"),
        format!("let append Predicates = [hasSM<80>] in {{\n{PATTERN};\n}}"),
        format!("let Predicates = [hasSM<80>] where Other = 1 in {{\ndef X;\n{PATTERN};\n}}"),
        format!("let append Predicates = [] in\nmulticlass M {{ {PATTERN}; }}\ndefm A : M;"),
    ] {
        is_unknown(&audit(&text, ""), "it is in a `let` that cannot be read");
    }
    let bits = format!("let Predicates{{0-3}} = [hasSM<80>] in {PATTERN};");
    is_unknown(&audit(&bits, ""), "single bits are not evaluated");
    let item = format!("{PATTERN} {{ let Predicates{{0-3}} = [hasSM<80>]; }}");
    is_unknown(&audit(&item, ""), "single bits are not evaluated");
}

#[test]
fn a_statement_with_an_error_does_not_release_what_stands_in_it() {
    for text in [
        format!("foreach i = : in {{\n{PATTERN};\n}}"),
        format!("multiclass M<int> {{\n{PATTERN};\n}}"),
        format!("let Predicates [] i\n{PATTERN};"),
    ] {
        let report = audit(&text, "");
        assert_eq!((report.read.patterns, report.unread.len()), (0, 1), "{text}: {:?}", report.unread);
    }
    // The statements after one with an error in braces keep the `let` around.
    let text =
        format!("let Predicates = [hasSM<80>, hasPTX<70>] in {{\ndef X : 5;\n{PATTERN};\n}}\n{PATTERN};");
    let report = audit(&text, "");
    assert_eq!((report.read.patterns, report.unread.len()), (2, 1), "{:?}", report.unread);
    let last = (BEGIN.lines().count() + 5) as u32;
    let lines: Vec<u32> = judged(&report).iter().map(|finding| finding.line).collect();
    assert_eq!(lines, [last]);
}

#[test]
fn predicates_that_are_not_known_leave_their_form_open() {
    is_unknown(&audit(&format!("{PATTERN}, Requires<!bogus(1)>;"), ""), "its predicates are not known");
}

#[test]
fn sides_of_a_preprocessor_condition_are_unknown() {
    for text in [
        format!("#ifdef A\n{PATTERN};\n#endif"),
        format!("#ifndef A\n#else\n{PATTERN};\n#endif"),
        format!("#ifdef A\nmulticlass M {{ {PATTERN}; }}\n#endif\ndefm B : M;"),
    ] {
        is_unknown(&audit(&text, ""), "it is within `#ifdef` or `#else`");
    }
    // A macro that nothing defines: all of a file is in such a condition.
    let guarded = audit(&format!("#ifndef A\n#define A\n{PATTERN};\n#endif"), "");
    assert_eq!(judged(&guarded)[0].kind, Kind::Admits);
}

/// The pattern under a condition.
fn when(condition: &str, subtarget: &str) -> Report {
    audit(&format!("{PATTERN}, Requires<[When<\"{condition}\">]>;"), subtarget)
}

#[test]
fn names_that_no_file_declares_are_unknown() {
    for (condition, words) in [
        ("Subtarget->HasFP8", "`HasFP8` of the subtarget is not known"),
        ("ST->hasNew()", "the subtarget has no function `ST.hasNew()`"),
        ("hasNew()", "the subtarget has no function `hasNew()`"),
        ("Other.PTXVersion >= 70", "`Other.PTXVersion` is neither"),
        ("Host.SmVersion >= 80", "`Host.SmVersion` is neither"),
        ("TM.Subtarget->PTXVersion", "`TM.Subtarget.PTXVersion` is neither"),
        ("SmVersion >= 80", "`SmVersion` is neither"),
        ("useF32FTZ() ? Nope : 0", "`Nope` is neither"),
        ("Subtarget->hasFeature(NVPTX::Typo)", "no feature `NVPTX::Typo` was read"),
        ("Subtarget->hasAnyFeature({NVPTX::Nope, 3})", "no feature `NVPTX::Nope` was read"),
        ("Subtarget->hasAnyFeature({3})", "a feature is not named"),
        ("Subtarget->hasPTXWithAccelSMs(80, {LAST})", "`LAST` is neither"),
        ("Subtarget->getSmVersion() >= 08", "cannot be read"),
    ] {
        is_unknown(&when(condition, ""), words);
    }
    is_unknown(
        &when("Subtarget->f()", "bool f() const { return Other.PTXVersion >= 70; }"),
        "`Other.PTXVersion`",
    );
    is_unknown(&when("Subtarget->f()", "bool f() const { if (NoX) return Nope; return true; }"), "`Nope`");
}

#[test]
fn options_may_hold() {
    for condition in ["NoX", "!NoX", "useF32FTZ()", "!useF32FTZ()", "this ? 0 : 1"] {
        let report = when(condition, "");
        let found: Vec<Kind> = judged(&report).iter().map(|finding| finding.kind).collect();
        let expected: &[Kind] = if condition.starts_with("this") { &[] } else { &[Kind::Admits] };
        assert_eq!(found, expected, "{condition}");
    }
    // Either version may be meant, so forms that the older one admits can be selected.
    let sm_90a = "Subtarget->hasPTXWithAccelSMs(NoX ? 81 : 80, {90})";
    let message = &judged(&when(sm_90a, ""))[0].message.clone();
    assert!(!message.contains("sm_90a"), "{message}");
}

#[test]
fn numbers_are_those_of_cxx() {
    let both = "Subtarget->getPTXVersion() >= 0b100'0110 && Subtarget->getSmVersion() >= ";
    for number in ["80", "0120", "0X50", "8'0u"] {
        let report = when(&format!("{both}{number}"), "");
        assert_eq!((judged(&report), report.unread.len()), (Vec::new(), 0), "{number}");
    }
}

#[test]
fn bodies_under_a_preprocessor_condition_are_unknown() {
    for function in [
        "#ifdef A\nbool f() const { return true; }\n#endif",
        "#ifdef A\nbool f() const { return true; }\n#else\nbool f() const { return false; }\n#endif",
        "bool f() const {\n#ifdef A\nreturn false;\n#else\nreturn true;\n#endif\n}",
        "#if 0\n#elif A\nbool f() const { return true; }\n#endif",
        "#if 0\n#elifdef A\nbool f() const { return true; }\n#endif",
        "#ifndef A\nbool f() const { return true; }\n#endif",
        "#if(A)\nbool f() const { return true; }\n#endif",
        "/* x */ #if A // \\\nand B\nbool f() const { return true; }\n%:endif",
        "bool f() const { return true; }\nbool NVPTXSubtarget::f() const { return false; }",
    ] {
        is_unknown(&when("Subtarget->f()", function), "the body of `f` cannot be read");
    }
    let none = "#if 0\nbool f() const { return true; }\n#endif";
    is_unknown(&when("Subtarget->f()", none), "no body of `f` was read");
    for function in [
        "#if 0\nbool f() const { return false; }\n#ifdef X\n#else\n#endif\n#endif\nbool f() const { return true; }",
        "#ifndef F\n#define F\nbool f() const { return true; }\n#endif",
        "bool f() const {\n#if 0\nreturn false;\n#endif\nreturn true; }",
        "#if 0\n#iffy\n#endif_\n#else\nbool f() const { return true; }\n#endif",
    ] {
        assert_eq!(judged(&when("Subtarget->f()", function))[0].kind, Kind::Admits, "{function}");
    }
}

#[test]
fn comments_and_literals_hold_no_functions() {
    let other = "bool f() const { return Nope; }";
    for text in [
        format!("// An old one: \\\n{other}\n"),
        format!("// An old one: \\\r\n{other}\r\n"),
        format!("/*/ {other} */"),
        format!("#if 0\n/*\n#endif\n*/\n{other}\n#endif\n"),
        format!("const char *Text = R\"(\" {other} \")\";"),
    ] {
        let function = format!("{text}\nbool f() const {{ return not NoX and true or Nope; }}");
        is_unknown(&when("Subtarget->f()", &function), "`Nope`");
        let function = format!("{text}\nbool f() const {{ return not false and true; }}");
        assert_eq!(judged(&when("Subtarget->f()", &function))[0].kind, Kind::Admits, "{function}");
    }
}

#[test]
fn functions_of_other_classes_are_not_those_of_the_subtarget() {
    let right = "bool f() const { return getSmVersion() >= 80 && getPTXVersion() >= 70; }";
    for function in [
        format!(
            "class NVPTXSubtarget : public Base {{ {right} }};\nstruct Other {{ bool f() const {{ return true; }} }};"
        ),
        format!("{right}\nbool Other::f() const {{ return true; }}"),
    ] {
        let report = when("Subtarget->f()", &function);
        assert_eq!((judged(&report), report.unread.len()), (Vec::new(), 0), "{function}");
    }
}

#[test]
fn a_feature_that_is_not_known_leaves_its_machines_out() {
    let features = r#"
def PTX80 : SubtargetFeature<"ptx80", "PTXVersion", "80", "">;
def SM20 : SubtargetFeature<"sm_20", "FullSmVersion", VALUE, "">;
def : Processor<"sm_20", NoItineraries, FEATURES>;
"#;
    let with = |value: &str, list: &str| {
        let features = features.replace("VALUE", value).replace("FEATURES", list);
        audit(&format!("{features}{PATTERN};"), "")
    };
    assert_eq!(judged(&with("\"200\"", "[SM20]"))[0].kind, Kind::Admits);
    is_unknown(&with("!bogus(\"200\")", "[SM20]"), "the FullSmVersion of `SM20` is not a known number");
    is_unknown(&with("\"200\"", "[SM20, Gone]"), "the features in `Features` are not known");
    is_unknown(&with("\"200\"", "!bogus(1)"), "the features in `Features` are not known");
}

#[test]
fn a_flag_of_a_mode_that_is_not_known_is_unknown() {
    let text = format!("def CvtRN_NEW : PatLeaf<(i32 0x105)>;\n{};", PATTERN.replace("CvtRN", "CvtRN_NEW"));
    let report = audit(&text, "");
    assert!(report.unread.iter().any(|skipped| skipped.reason.contains("cannot be printed")), "{report:?}");
    assert_eq!(report.read.selections, 0);
}
