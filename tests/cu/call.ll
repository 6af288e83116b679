; RUN: check
target triple = "nvptx64-nvidia-cuda"
; call i16 asm "cvt.nonsense $0, $1;", "=h,f"(float %a)

define i16 @e4m3(float %a, float %b) #0 {
  %1 = tail call i16 asm sideeffect "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f"(float %a, float %b) #1, !srcloc !4
  %2 = call i32 asm "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h"(i16 %1)
  %3 = call i16 asm "cvt.rn.e4m3x2.f32 $0, $1, $2;", "=h,f,f"(float %a, float %b)
  %4 = call i32 asm "{\0A\09.reg .b16 t;\0A\09cvt.rn.f16.f32 t, $1;\0A\09mov.b32 $0, {t, t};\0A}", "=r,f"(float %a)
  %5 = call i32 asm "{\0A\09.reg .b16 t;\0A\09cvt.f16.f32 t, $1;\0A\09mov.b32 $0, {t, t};\0A}", "=r,f"(float %a)
  %6 = call float asm alignstack "cvt.rn.f32.u32 $0, $1;", "=f,r"(i32 %2)
  %7 = call float asm "cvt.rn.f32.u32 $0, $1;", "=f,h"(i16 %1)
  %8 = call i64 asm sideeffect "cvt.u64.u32 ${0}, ${1};", "=l,r,~{memory}"(i32 %2)
  %9 = call { i32, i32 } asm "{ cvt.u32.u16 $0, $2; cvt.u32.u16 $1, $2; }", "=r,=r,h"(i16 %1)
  %10 = call i32 asm "cvt.rn.f16x2.e2m1x2 $0, $1;", "=r,h"(i16 %1)
  %11 = call i16 asm "cvt.pack.sat.u8.s32.b32 $0, $1, $2, 0;", "=r,r,n"(i32 %2, i32 7)
  %12 = call i32 asm "cvt.rna.tf32.f32 $0, $1;", "=r,f"(float %a)
  %13 = call i32 asm "cvt.rn.tf32.f32 $0, $1;", "=r,f"(float %a)
  ret i16 %1
}
attributes #0 = { "target-cpu"="sm_89" "target-features"="+ptx81,+sm_89" }
