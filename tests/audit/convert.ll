; A test of the small backend.
; RUN: llc < %s -mcpu=sm_89 -mattr=+ptx80 | FileCheck %s
; CHECK: cvt.rn.satfinite.e4m3x2.f32 %rs1, %r1, %r2;
; CHECK-NEXT: cvt.rn.f16.f32 %rs2, %r1;
