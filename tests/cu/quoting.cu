// RUN: check
#include <cstdint>

// asm("cvt.nonsense %0, %1;" : "=r"(d) : "r"(a));
/* asm("cvt.nonsense %0, %1;" : "=r"(d) : "r"(a)); */
static const char* text = "asm(\"cvt.nonsense %0, %1;\" : \"=r\"(d) : \"r\"(a));";
static const char* raw = R"x(asm("cvt.nonsense %0, %1;" : "=r"(d) : "r"(a));)x";
static const int big = 1'000'000;
static const char quote = '"', other = '\'';

__device__ void raw_strings(uint16_t& h, uint32_t& r, float f) {
    asm volatile(R"(
        {
            .reg .b16 lo, hi;
            cvt.rn.f16.f32 lo, %1;   // the lower half
            cvt.f16.f32 hi, %1;      /* no rounding */
            mov.b32 %0, {lo, hi};
        }
    )" : "=r"(r) : "f"(f));
    asm(R"ptx(cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;)ptx" : "=h"(h) : "f"(f));
    asm volatile ( "cvt.rn.f16.f32 %0,%1;\n\t"
                   "cvt.u32.u16 %2,%0;\n\t" : "=h"(h) : "f"(f), "r"(r) );
    asm("{.reg .b32 %%r1; .reg.b16 %%h1; cvt.u16.u32 %%h1, %1; cvt.u32.u16 %%r1, %%h1; mov.b32 %0, %%r1;}" : "=r"(r) : "r"(r));
    asm("{.reg .b32 t<3>; cvt.u32.u16 t0, %1; cvt.u32.u16 t3, %1; mov.b32 %0, t0;}" : "=r"(r) : "h"(h));
    asm("{.reg .pred p; setp.ne.u32 p, %1, 0; @p cvt.rn.f16.f32 %0, %2; @!p cvt.rz.f16.f32 %0, %2;}" : "=h"(h) : "r"(r), "f"(f));
    asm("cvt.rn.f16.f32 %0, 0f3F800000;" : "=h"(h));
    asm("cvt.rn.f16.f32 %0, 1;" : "=h"(h));
    asm("cvt.u32.u16 %0, %tid.x;" : "=r"(r));
    asm("cvt.u64.u32 %0, %%laneid;" : "=l"(*(uint64_t*)&r));
    asm("cvt.rn.f16.f32 %0 %1;" : "=h"(h) : "f"(f));
    asm("cvt.rn.f16.f32 %0, %1" : "=h"(h) : "f"(f));
    asm("cvt.rn.f16.f32 %0, [%1];" : "=h"(h) : "l"(&f));
    asm("cvt.rn.f16.f32 %0, -%1;" : "=h"(h) : "f"(f));
    asm("cvt.rn.f16.f32 %0;" : "=h"(h) : "f"(f));
    asm("nop;"); asm(""); asm volatile("membar.gl;" ::: "memory");
    asm("cvt.rn.f16.f32 %1, %0;" : "=h"(h) : "f"(f));
}


