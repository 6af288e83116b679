; A test of another backend.
; RUN: llc < %s -mtriple=x86_64-- | FileCheck %s
; CHECK: cvttss2si %xmm0, %eax
