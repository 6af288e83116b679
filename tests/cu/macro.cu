// RUN: check
#include <cstdint>

#define STRINGIFY(x) #x
#define CVT(NAME, TYPE)                                          \
    __device__ uint16_t to_##NAME(float a, float b) {            \
        uint16_t d;                                              \
        asm volatile("cvt.rn.satfinite." #TYPE ".f32 %0, %1, %2;\n" \
                     : "=h"(d) : "f"(a), "f"(b));                \
        return d;                                                \
    }
CVT(e4m3x2, e4m3x2)
CVT(e5m2x2, e5m2x2)

#define PACK_HALF(d, a, b) asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(a), "f"(b))
#define PACK_BAD(d, a, b)  \
    asm("cvt.f16x2.f32 %0, %1, %2;" \
        : "=r"(d) : "f"(a), "f"(b))
#define ROUND ".rn"
#define REG "%1"

__device__ void macros(uint16_t& h, uint32_t& r, float f, double x) {
    asm("cvt" ROUND ".f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    asm("cvt.rn.f16.f32 %0, " REG ";" : "=h"(h) : "f"(f));
    asm("cvt.rn.f16.f32 %0, " STRINGIFY(%1) ";" : "=h"(h) : "f"(f));
    asm("cvt.f16.f32 %0, " REG ";" : "=h"(h) : "f"(f));
    asm("{\n" DECLARE_TEMP "cvt.rn.f16.f32 tmp, %1;\n mov.b16 %0, tmp;\n}" : "=h"(h) : "f"(f));
    asm("cvt.rn.f16x2.f32 %0, %1, " "%2;" : "=r"(r) : "f"(f), "f"(f));
    asm("cvt.rn.sat" "finite.e4m3x2.f32 %0, %1, %1;" : "=h"(h) : "f"(f));
    asm("cvt.rn.e4m3" /* packed */ "x2.f32 %0, %1, %1;" // here
        : "=h"(h) : "f"(f));
    asm("cvt.u16.u32 %0, %1; add.u16 %0, %0, " STRINGIFY(1) ";" : "=h"(h) : "r"(r));
    asm(PREFIX "cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    asm("cvt.rn.f16.f32 %0, %1;" : OUTPUTS(h) : INPUTS(f));
    asm("cvt.f16.f32 %0, %1;" : OUTPUTS(h) : INPUTS(f));
    asm("// cvt.f16.f32 %0, %1;\n cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(x));
}

