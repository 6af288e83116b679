; A test of NVPTX without conversions.
; RUN: llc < %s -mtriple=nvptx64 -mcpu=sm_90 | FileCheck %s
; CHECK: add.s32 %r1, %r2, %r3;
