//! Backends in a few lines, with planted errors: each error is found at its line, and nothing else is reported.

use ptxcvt_audit::report::{Kind, Report};

/// The beginning of every backend here; the records of `NVPTX.td` are left out.
const BEGIN: &str = r#"
class hasPTX<int version> : Predicate<"Subtarget->getPTXVersion() >= " # version>;
class hasSM<int version> : Predicate<"Subtarget->getSmVersion() >= " # version>;
class callSubtarget<string name> : Predicate<"Subtarget->" # name # "()">;
def doF32FTZ : Predicate<"useF32FTZ()">;
def CvtNONE : PatLeaf<(i32 0x0)>;
def CvtRNI : PatLeaf<(i32 0x1)>;
def CvtRN : PatLeaf<(i32 0x5)>;
def CvtRN_FTZ : PatLeaf<(i32 0x15)>;
def CvtRN_RELU : PatLeaf<(i32 0x45)>;
class Inst<string asm, list<dag> pattern = []> : Instruction {
  let AsmString = asm # " \t$dst, $a;";
  let Pattern = pattern;
}
"#;

const SUBTARGET: &str = r#"
static cl::opt<bool> NoF16Math("nvptx-no-f16-math");
unsigned getPTXVersion() const { return PTXVersion; }
unsigned getSmVersion() const { return FullSmVersion / 10; }
bool hasArchAccelFeatures() const { return (FullSmVersion & 1) && PTXVersion >= 80; }
bool hasFamilySpecificFeatures() const {
  return FullSmVersion % 10 == 2 ? PTXVersion >= 88 : hasArchAccelFeatures();
}
bool hasFP8() const {
  if (PTXVersion >= 81)
    return SmVersion >= 89;
  if (PTXVersion >= 78) {
    return SmVersion >= 90;
  }
  return false;
}
bool hasFP4() const {
  return hasPTXWithFamilySMs(90, {100, 110, 120}) ||
         hasPTXWithFamilySMs(88, {100, 101, 120}) ||
         hasPTXWithAccelSMs(86, {100, 101, 120});
}
bool allowFP16Math() const { return SmVersion >= 53 && NoF16Math == false; }
"#;

fn audit(td: &str, tests: &[(String, String)]) -> Report {
    let td = format!("{BEGIN}{}", td.trim_start());
    let file = |name: &str| match name {
        "NVPTXInstrInfo.td" => Some(td.clone()),
        "NVPTXSubtarget.h" => Some(SUBTARGET.to_owned()),
        _ => None,
    };
    ptxcvt_audit::audit(&file, tests)
}

/// The findings that are not about missing forms: kind, line after the beginning, opcodes.
fn found(report: &Report) -> Vec<(Kind, u32, Vec<String>)> {
    let lines = BEGIN.lines().count() as u32;
    let others = report.findings.iter().filter(|finding| finding.kind != Kind::Missing);
    others
        .map(|finding| (finding.kind, finding.line.saturating_sub(lines), finding.opcodes.clone()))
        .collect()
}

const FP8: &str = r#"
def E4M3 : Inst<"cvt${mode:base}.satfinite${mode:relu}.e4m3x2.f32">;
def : Pat<(int_nvvm_ff_to_e4m3x2_rn f32:$a, f32:$b), (E4M3 $a, $b, CvtRN)>, Requires<[CONDITION]>;
"#;

#[test]
fn correct_gates_are_no_finding() {
    let report = audit(&FP8.replace("CONDITION", "callSubtarget<\"hasFP8\">"), &[]);
    assert_eq!(found(&report), []);
    assert_eq!(report.unread, []);
    assert_eq!((report.read.conversions, report.read.selections, report.read.patterns), (1, 1, 1));
    // A finding about forms that nothing selects is at the instruction for their types.
    let missing: Vec<&str> =
        report.findings.iter().flat_map(|f| f.opcodes.iter().map(String::as_str)).collect();
    assert!(
        missing.contains(&"cvt.rn.satfinite.relu.e4m3x2.f32")
            && missing.len() == report.read.forms_of_table - 1
    );
}

#[test]
fn a_target_too_many_is_found() {
    let report = audit(&FP8.replace("CONDITION", "hasPTX<81>, hasSM<80>"), &[]);
    let form = "cvt.rn.satfinite.e4m3x2.f32".to_owned();
    // PTX 7.8 and 8.0 of sm_90 have the form, too.
    assert_eq!(found(&report), [(Kind::Admits, 2, vec![form.clone()]), (Kind::Refuses, 2, vec![form])]);
    assert!(report.findings[0].certain);
    assert!(
        report.findings[0].message.ends_with("sm_88; sm_80, sm_86, sm_87 in PTX 8.1 to 9.5"),
        "{:?}",
        report.findings[0]
    );
    assert!(
        report.findings[1].message.ends_with("sm_90 in PTX 7.8 to 8.0; sm_90a in PTX 8.0"),
        "{:?}",
        report.findings[1]
    );
}

#[test]
fn a_pattern_has_only_its_own_conditions() {
    // As in LLVM: those of the instruction do not count for a pattern of its own.
    let td = r#"
def H : Inst<"cvt${mode:base}${mode:relu}.bf16x2.f32">, Requires<[hasPTX<70>, hasSM<80>]>;
def : Pat<(int_nvvm_ff2bf16x2_rn f32:$a, f32:$b), (H $a, $b, CvtRN)>;
let Predicates = [hasPTX<70>, hasSM<80>] in
  def : Pat<(int_nvvm_ff2bf16x2_rn_relu f32:$a, f32:$b), (H $a, $b, CvtRN_RELU)>, Requires<[doF32FTZ]>;
"#;
    let report = audit(td, &[]);
    assert_eq!(found(&report), [(Kind::Admits, 2, vec!["cvt.rn.bf16x2.f32".to_owned()])]);
    assert!(report.findings[0].message.contains("without a condition"));
}

#[test]
fn suffixes_and_options_are_understood() {
    let td = r#"
def F4 : Instruction {
  let AsmString = "{{ \n\t.reg .b8 \t%x; \n\tcvt${mode:base}.f16x2.e2m1x2 \t$dst, %x; \n\tcvt.u16.u8 \t$d, %x; }}";
}
def : Pat<(int_nvvm_e2m1x2_to_f16x2_rn i16:$a), (F4 $a, CvtRN)>, Requires<[callSubtarget<"hasFP4">]>;
def F16 : Inst<"cvt${mode:base}${mode:ftz}.f16.f32">;
def : Pat<(f16 (fpround f32:$a)), (F16 $a, CvtRN)>, Requires<[callSubtarget<"allowFP16Math">]>;
def : Pat<(f16 (fpround f32:$a)), (F16 $a, CvtRN)>, Requires<[doF32FTZ]>;
"#;
    let report = audit(td, &[]);
    assert_eq!(found(&report), []);
    assert_eq!(report.unread, []);
}

#[test]
fn what_is_no_form_is_found_once_for_each_mode() {
    let td = r#"
multiclass To<string type, list<Predicate> preds = []> {
  foreach mode = [CvtRN, CvtRN_FTZ] in {
    def _ # mode : Inst<!strconcat("cvt", !if(!eq(mode, CvtRN), ".rn", ".rn.ftz"), ".", type, ".f64"),
                        [(set f32:$dst, (fpround f64:$a))]>, Requires<preds>;
  }
}
defm X : To<"f32">;
defm Y : To<"e4m3x2", [hasSM<100>]>;
"#;
    let report = audit(td, &[]);
    let no_form = vec!["cvt.rn.e4m3x2.f64".to_owned(), "cvt.rn.ftz.e4m3x2.f64".to_owned()];
    assert_eq!(found(&report), [(Kind::NoForm, 3, no_form)]);
    assert_eq!(report.unread, []);
}

#[test]
fn an_instruction_that_prints_no_form_is_found_without_a_pattern() {
    let td = r#"
multiclass From<string type> {
  def _f32 : Inst<"cvt${mode:base}${mode:ftz}." # type # ".f32">;
  def _f64 : Inst<"cvt.rn." # type # ".f64">;
}
defm F16 : From<"f16">;
defm E2M1 : From<"e2m1x2">;
def : Pat<(int_nvvm_x f32:$a), (E2M1_f32 $a, CvtRN)>;
defm E5M2 : From<"e5m2x2">;
"#;
    let report = audit(td, &[]);
    let one = |opcode: &str| vec![opcode.to_owned()];
    assert_eq!(
        found(&report),
        [
            (Kind::NoForm, 2, one("cvt.e5m2x2.f32")),
            (Kind::NoForm, 3, one("cvt.rn.e2m1x2.f64")),
            (Kind::NoForm, 3, one("cvt.rn.e5m2x2.f64")),
            // The pattern says in which mode.
            (Kind::NoForm, 7, one("cvt.rn.e2m1x2.f32")),
        ]
    );
    assert_eq!(report.unread, []);
}

#[test]
fn the_wrong_mode_for_an_intrinsic_is_found() {
    let td = r#"
def I : Inst<"cvt${mode:base}.s32.f64">;
def : Pat<(int_nvvm_d2i_rz f64:$a), (I $a, CvtRNI)>;
"#;
    let report = audit(td, &[]);
    assert_eq!(found(&report), [(Kind::Intrinsic, 2, vec!["cvt.rni.s32.f64".to_owned()])]);
    assert!(report.findings[0].message.ends_with("cvt.rzi.s32.f64"));
    let td = r#"
def R : Inst<"cvt${mode:base}${mode:ftz}.f32.f32">;
def : Pat<(int_nvvm_round_f f32:$a), (R $a, CvtRNI)>;
def : Pat<(int_nvvm_trunc_f f32:$a), (R $a, CvtRNI)>;
"#;
    let report = audit(td, &[]);
    assert_eq!(found(&report), [(Kind::Intrinsic, 3, vec!["cvt.rni.f32.f32".to_owned()])]);
    assert!(report.findings[0].message.ends_with("cvt.rzi.f32.f32"));
}

#[test]
fn what_cannot_be_read_is_counted_with_its_reason() {
    let td = r#"
def A : Inst<"cvt.rn." # Elsewhere.Name # ".f32">;
def B : Inst<"cvt${mode:base}.f32.f64">;
def : Pat<(f32 (fpround f64:$a)), (B $a, Elsewhere)>;
def : Pat<(f32 (fpround f64:$a)), (CVT_gone $a, CvtRN)>;
def : Pat<(f32 (fpround f64:$a)), (B $a, CvtRN)>, Requires<[callSubtarget<"isRaining">]>;
defm C : Unknown<1>;
foreach x = Elsewhere in def D # x : Inst<"cvt.rn.f16.f32">;
def E : Inst<!nonsense("cvt.rn.f16.f32")>;
def F : Inst<"cvt.rn.f16.f32" ;
def G : Inst<"cvt.rn.f16.f32", [(set f16:$d, (fpround f32:$a))]>;
"#;
    let report = audit(td, &[]);
    let lines = BEGIN.lines().count() as u32;
    let unread: Vec<(u32, &str)> =
        report.unread.iter().map(|u| (u.line - lines, u.reason.as_str())).collect();
    let has = |line: u32, part: &str| unread.iter().any(|(at, reason)| *at == line && reason.contains(part));
    assert!(has(1, "its assembly is not known: `Elsewhere` is defined in no file"), "{unread:?}");
    assert!(has(3, "the mode of a conversion is not known"), "{unread:?}");
    assert!(has(4, "CVT_gone"), "{unread:?}");
    assert!(has(5, "no body of `isRaining` was read"), "{unread:?}");
    assert!(has(6, "the multiclass `Unknown` was not read"), "{unread:?}");
    assert!(has(7, "the list of a loop is not known"), "{unread:?}");
    assert!(has(8, "`!nonsense` with 1 operand is not known"), "{unread:?}");
    assert!(has(9, "`>` is missing"), "{unread:?}");
    assert_eq!(unread.len(), 8, "{unread:?}");
    // The statement after one that cannot be read is read.
    assert_eq!(report.read.forms, 2);
}

#[test]
fn targets_and_versions_come_from_the_records() {
    let td = r#"
class FeaturePTX<int v, list<SubtargetFeature> implies> :
    SubtargetFeature<"ptx" # v, "PTXVersion", "" # v, "", implies>,
    Predicate<"Subtarget->hasFeature(NVPTX::" # NAME # ")">;
class FeatureSM<list<SubtargetFeature> implies> :
    SubtargetFeature<"sm_" # !substr(NAME, 2), "HasArchitecture", "true", "", implies>,
    Predicate<"Subtarget->hasFeature(NVPTX::" # NAME # ")">;
defvar Versions = [80, 81];
foreach v = Versions in
  def PTX # v : FeaturePTX<v, !foreach(e, !filter(w, Versions, !lt(w, v)), !cast<SubtargetFeature>("PTX" # e))>;
multiclass ProcSM<list<SubtargetFeature> implies> {
  def NAME : FeatureSM<implies>;
  def : Processor<!cast<FeatureSM>(NAME).Name, NoItineraries, [!cast<FeatureSM>(NAME)]>;
}
defm SM89 : ProcSM<[]>;
defm SM90 : ProcSM<!sort(feature, [SM89], feature.Name)>;
def E : Inst<"cvt.rn.satfinite.e4m3x2.f32", [(set i16:$d, (int_x f32:$a))]>, Requires<[PTX81, SM89]>;
"#;
    let report = audit(td, &[]);
    assert_eq!(report.read.machines, 4);
    assert_eq!(report.unread, []);
    let refused: Vec<&str> =
        report.findings.iter().filter(|f| f.kind == Kind::Refuses).map(|f| &*f.message).collect();
    assert_eq!(refused, ["it is legal, but not selected: sm_90 in PTX 8.0"]);
}
