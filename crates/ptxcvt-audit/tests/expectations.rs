//! Tests of LLVM, as text: which conversions they expect, and for which machines.

use ptxcvt_audit::report::{Kind, Report};

fn audit(test: &str) -> Report {
    let default = "std::string getTargetName() const { return TargetName.empty() ? \"sm_75\" : TargetName; }";
    let file = |name: &str| (name == "NVPTXSubtarget.h").then(|| default.to_owned());
    ptxcvt_audit::audit(&file, &[("convert.ll".to_owned(), test.to_owned())])
}

fn messages(report: &Report) -> Vec<String> {
    let of_tests = report.findings.iter().filter(|finding| finding.kind == Kind::Test);
    of_tests.map(|f| format!("{}: {} {}", f.line, f.opcodes[0], f.message)).collect()
}

#[test]
fn each_machine_of_a_line_is_judged() {
    let report = audit(
        "; RUN: llc < %s -mtriple=nvptx64 -mcpu=sm_90 -mattr=+ptx78 | FileCheck %s --check-prefixes=CHECK,NEW
; RUN: llc < %s -mcpu=sm_89 -mattr=+ptx78 \\
; RUN:   -O0 | FileCheck %s -check-prefix OLD
; RUN: %if ptxas-sm_89 %{ llc < %s -mcpu=sm_89 | %ptxas-verify -arch=sm_89 %}
; RUN: not llc < %s -mcpu=sm_20 2>&1 | FileCheck %s --check-prefix=ERROR
; CHECK: cvt.rn.satfinite.e4m3x2.f32 %rs1, %r1, %r2;
; OLD-NEXT: cvt.rn.satfinite.e4m3x2.f32 %rs1, %r1, %r2;
; OLD: mov.b32 %r1, cvta.to.global;
; NEW-DAG: cvt.rn.e4m3x2.f32 %rs1, %r1, %r2;
",
    );
    assert_eq!(
        messages(&report),
        [
            "7: cvt.rn.satfinite.e4m3x2.f32 the test expects it for sm_89 in PTX 7.8; sm_89 has it from 8.1 on",
            "9: cvt.rn.e4m3x2.f32 the test expects a form that does not exist",
        ]
    );
    assert_eq!((report.read.tests, report.read.expectations), (1, 3));
    assert_eq!(report.unread, []);
}

#[test]
fn defaults_are_those_of_llvm() {
    let report = audit("; RUN: llc < %s | FileCheck %s\n; CHECK: cvt.rn.bf16.f32 %rs1, %r1;\n");
    let message = "2: cvt.rn.bf16.f32 the test expects it for sm_75 in PTX 6.3; sm_75 does not have it";
    assert_eq!(messages(&report), [message]);
}

#[test]
fn other_lines_are_counted() {
    let report = audit(
        "; RUN: llc < %s -mcpu=sm_90 | FileCheck %s
; RUN: llc < %s -mcpu=gfx90a | FileCheck %s --check-prefix=AMD
; CHECK-NOT: cvt.rn.bf16.f32
; CHECK: cvt.{{rn|rz}}.bf16.f32 %rs1, %r1;
; AMD: cvt.rn.bf16.f32 %rs1, %r1;
; CHECK: cvt.rn.bf16.f32 %rs1, %r1;
",
    );
    assert_eq!(messages(&report), [""; 0]);
    let reasons: Vec<(u32, &str)> = report.unread.iter().map(|u| (u.line, u.reason.as_str())).collect();
    assert_eq!(
        reasons,
        [
            (3, "it expects that a conversion is absent"),
            (5, "no RUN line that was read compares it"),
            (4, "the opcode is a regular expression"),
            (2, "the target of a RUN line is not known"),
        ]
    );
    assert_eq!(report.read.expectations, 1);
}

#[test]
fn every_place_and_suffix_of_a_prefix_is_read() {
    let report = audit(
        "; RUN: llc < %s -mcpu=sm_90 | FileCheck %s
; CHECK{LITERAL}: cvt.rn.bf16.f32 %rs1, %r1;
ret i32 0 ; CHECK: cvt.rn.bf16.f32 %rs1, %r1;
; CHECK-COUNT-2: cvt.rn.bf16.f32 %rs1, %r1;
; CHECK: {{cvt.rn.bf16.f32|mov.b32}} %rs1, %r1;
; CHECK: {{.*}}cvt{{.*}}.f32 %rs1, %r1;
; This text names CHECK and cvt.rn.bf16.f32, and is not a line for FileCheck: cvt.rn.bf16.f32
; CHECK-MOST: cvt.rn.bf16.f32 %rs1, %r1;
; CHECK: cvta.to.global.u64 %rd1, @llvm.nvvm.cvt.x; // %cvt.i
",
    );
    assert_eq!(report.read.expectations, 3);
    let reasons: Vec<(u32, &str, usize)> =
        report.unread.iter().map(|u| (u.line, u.reason.as_str(), u.count)).collect();
    assert_eq!(
        reasons,
        [(8, "no RUN line that was read compares it", 1), (5, "the opcode is a regular expression", 2),]
    );
}

#[test]
fn opcodes_between_regular_expressions_are_read() {
    let report = audit(
        "; RUN: llc < %s -mcpu=sm_75 | FileCheck %s
; CHECK: {{ +}}cvt.rn.bf16.f32 %rs1, %r1;
; CHECK-DAG: {{[[:space:]]*}}{cvt.rn.bf16.f32{{[ \\t]+}}%rs1, [[R:%r[0-9]+]];
; CHECK: [[R]], cvt.rn.bf16.f32{{$}}
; CHECK{LITERAL}: {{cvt.rn.bf16.f32 {{ %rs1;
; CHECK: cvt.rn.f16.f32{{ *}}%rs1, %r1;
; CHECK: {{@?}}cvt.rn{{.ftz|}}.f16.f32 %rs1;
; CHECK: {{(cvt.rn.f16.f32|cvt\\.rz\\.f16\\.f32)}} %rs1;
; CHECK: xcvt.rn.f16.f32 %rs1, {{acvt.x}};
; CHECK: cvt.rn.f16.f32 {{never closed
",
    );
    assert_eq!(
        messages(&report),
        ["2: cvt.rn.bf16.f32 the test expects it for sm_75 in PTX 6.3; sm_75 does not have it (4 times)"]
    );
    let reasons: Vec<(u32, &str, usize)> =
        report.unread.iter().map(|u| (u.line, u.reason.as_str(), u.count)).collect();
    assert_eq!(reasons, [(6, "the opcode is a regular expression", 4)]);
    assert_eq!(report.read.expectations, 5);
}
