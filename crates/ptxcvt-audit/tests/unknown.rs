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

/// The findings of the form that the backends here select: of what they do not select there are others.
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
    // What the record is, is not known either.
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
        is_unknown(&audit(&text, ""), "it stands in a `let` that cannot be read");
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
        is_unknown(&audit(&text, ""), "it stands in `#ifdef` or `#else`");
    }
    // A macro that nothing defines: all of a file stands in such a condition.
    let guarded = audit(&format!("#ifndef A\n#define A\n{PATTERN};\n#endif"), "");
    assert_eq!(judged(&guarded)[0].kind, Kind::Admits);
}
