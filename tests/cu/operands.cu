// RUN: check
// The compiler's own escapes, constraints of several strings, and operands that do not exist.

__device__ void operands(float a, unsigned short &h) {
    asm("%{ cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1; %}" : "=h"(h) : "f"(a));
    asm("{ .reg .b32 %%r%=; mov.b32 %%r%=, %1; cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1; }" : "=h"(h) : "f"(a));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : R"(=h)"(h) : u8"f" /* one */ ""(a));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "= " "r"(h) : R"x(f)x"(a));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %7;" : "=h"(h) : "f"(a));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %[a], %[b];" : "=h"(h) : [a] "f"(a));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %[b];" : "=h"(h) : "f"(a));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=z"(h) : "f"(a));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(h) : "5"(a));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1" : "=h"(h) : "f"(a));
    // A macro may give any operand, and letters of other machines and sets of letters are not judged.
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %7;" : "=h"(h) : "f"(a), MORE);
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h" LETTERS(h) : "f"(a));
    asm("cvt.u32.u16 %0, %1;" : "=r"(h) : "hn"(a));
    asm("cvt.u32.u16 %0, %1;" : "=r"(h) : "m"(a));
    asm("cvt.u32.u16 %0, %1;" : "=r"(h) : "?h#m"(a));
}
