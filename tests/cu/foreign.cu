// RUN: check --target sm_89 --isa 8.1
// Assembly of other machines, in headers that are shared with them.
#include <cstdint>

static inline uint64_t ticks() { uint32_t lo, hi; asm volatile("rdtsc" : "=a"(lo), "=d"(hi)); return lo; }
static inline int truncate(float x) { int r; asm("cvttss2si %1, %0" : "=r"(r) : "x"(x)); return r; }
static inline void pause() { asm volatile("pause" ::: "memory"); }
#if defined(__HIP_PLATFORM_AMD__)
__device__ uint32_t to_fp8(float a, float b) { uint32_t d; asm volatile("v_cvt_pk_fp8_f32 %0, %1, %2" : "=v"(d) : "v"(a), "v"(b)); return d; }
#else

__device__ __forceinline__ uint16_t to_fp8(float a, float b) {
    uint16_t d;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;\n" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t to_bf8(float a, float b) {
    uint16_t d;
    asm volatile(
        "cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;\n\t"
         : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t plain(float a) {
    uint16_t d;
    __asm__ __volatile__(R"(cvt.rn.f16.f32 %0, %1;)" : "=h"(d) : "f"(a));
    return d;
}

#endif
