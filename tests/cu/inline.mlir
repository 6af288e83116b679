// RUN: check --target sm_90 --isa 8.0
llvm.func @f(%a: f32, %b: f32) -> i16 {
  %0 = llvm.inline_asm "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f" %a, %b : (f32, f32) -> i16
  %1 = llvm.inline_asm has_side_effects asm_dialect = att "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f" %a, %b : (f32, f32) -> i32
  %2 = llvm.inline_asm "cvt.f32.f16 $0, $1;", "=f,h" %0 : (i16) -> f32
  %3 = llvm.inline_asm "cvt.rn.f32.f16 $0, $1;", "=f,h" %0 : (i16) -> f32
  llvm.return %0 : i16
}
