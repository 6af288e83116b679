// RUN: check --target sm_89 --isa 8.1
llvm.func @f(%a: f32, %b: f32, %h: i16) -> i16 {
  %0 = nvvm.inline_ptx "cvt.rn.satfinite.e4m3x2.f32 {$w0}, {$r0}, {$r1};" ro(%a, %b : f32, f32) -> i16
  %1 = nvvm.inline_ptx "cvt.rn.f16x2.e4m3x2 {$w0}, {$r0};" ro(%h : i16) -> i32
  %2 = nvvm.inline_ptx "cvt.rn.f16x2.e4m3x2 {$w0}, {$r0};" ro(%a : f32) -> i32
  %3 = nvvm.inline_ptx "cvt.f16.f32 {$w0}, {$r0};" ro(%a : f32) -> f16
  %4, %5 = nvvm.inline_ptx "{ cvt.rna.tf32.f32 {$w0}, {$r0}; cvt.rna.tf32.f32 {$w1}, {$r1}; }" ro(%a, %b : f32, f32) -> i32, f32
  nvvm.inline_ptx "cvt.u64.u32 {$rw0}, {$r0};" ro(%b : i32) rw(%c : i64), predicate = %p
  llvm.return %0 : i16
}
tt.func @g(%a: tensor<4xf32>) {
  %0 = tt.elementwise_inline_asm "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;" {constraints = "=h,f,f", packed_element = 2 : i32, pure = true} %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xi8>
  %1 = tt.elementwise_inline_asm "{\0A.reg .b16 t;\0Acvt.f16.f32 t, $1;\0Amov.b32 $0, {t, t};\0A}" {constraints = "=r,f", packed_element = 1 : i32, pure = true} %a : tensor<4xf32> -> tensor<4xi32>
  %2 = tt.elementwise_inline_asm "cvt.rn.f32.s32 $0, $1;" {constraints = "=f,h", packed_element = 1 : i32, pure = true} %a : tensor<4xi16> -> tensor<4xf32>
}
