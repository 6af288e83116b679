// RUN: check
#include <cstdint>

#if __CUDA_ARCH__ >= 800
// Guarded too low: this needs sm_89.
__device__ __forceinline__ uint16_t e4m3x2(float a, float b) {
    uint16_t d;
    asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint32_t to_h2(uint16_t a) {
    uint32_t d;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;\n" : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t fine(float a, float b) {
    uint32_t d;
    asm volatile(
        "cvt.rn.f16x2.f32 %0, %2, %1;\n\t"
         : "=r"(d) : "f"(a), "f"(b));
    return d;
}

#if __CUDA_ARCH__ > 880 && CUDA_VERSION >= 12010
__device__ __forceinline__ uint16_t inner(float a, float b) {
    uint16_t d;
    asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

#elif __CUDA_ARCH__ >= 860
__device__ __forceinline__ uint16_t elif_86(float a, float b) {
    uint16_t d;
    asm volatile(
        "cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;\n\t"
         : "=h"(d) : "f"(a), "f"(b));
    return d;
}

#endif
#if CUDA_VERSION >= 11080 && __CUDA_ARCH__ == 890
__device__ __forceinline__ uint16_t old_toolkit(float a, float b) {
    uint16_t d;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;\n" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

#endif
#if __CUDA_ARCH__ < 890
#else
__device__ __forceinline__ uint16_t else_89(float a, float b) {
    uint16_t d;
    asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

#endif
#ifdef SOME_MACRO
__device__ __forceinline__ uint16_t unknown_80(uint32_t a) {
    uint16_t d;
    __asm__ __volatile__(R"(cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;)" : "=h"(d) : "r"(a));
    return d;
}

#endif
#endif
