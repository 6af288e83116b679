// RUN: check
#include <cstdint>
// Scaled and stochastic conversions of the newest versions.

#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
__device__ __forceinline__ uint16_t s2f6(float a, float b, uint16_t e) {
    uint16_t d;
    asm volatile("cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %0, %1, %2, %3;" : "=h"(d) : "f"(a), "f"(b), "h"(e));
    return d;
}

__device__ __forceinline__ uint16_t s2f6_b(uint32_t a, uint16_t b) {
    uint16_t d;
    asm("cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.bf16x2 %0, %1, %2;\n" : "=h"(d) : "r"(a), "h"(b));
    return d;
}

__device__ __forceinline__ uint32_t back(uint16_t a, uint16_t b) {
    uint32_t d;
    asm volatile(
        "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.s2f6x2 %0, %1, %2;\n\t"
         : "=r"(d) : "h"(a), "h"(b));
    return d;
}

__device__ __forceinline__ uint16_t no_scale(float a, float b) {
    uint16_t d;
    __asm__ __volatile__(R"(cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %0, %1, %2;)" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint32_t rs4(float a, float b, float e, float f, uint32_t g) {
    uint32_t d;
    asm volatile("cvt.rs.satfinite.e4m3x4.f32 %0, {%1, %2, %3, %4}, %5;" : "=r"(d) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(g));
    return d;
}

__device__ __forceinline__ uint32_t rs5(float a, float b, float e, float f, uint32_t g) {
    uint32_t d;
    asm("cvt.rs.satfinite.relu.e5m2x4.f32 %0, {%1, %2, %3, %4}, %5;\n" : "=r"(d) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(g));
    return d;
}

__device__ __forceinline__ uint32_t rs4_flat(float a, float b, float e, float f, uint32_t g) {
    uint32_t d;
    asm volatile(
        "cvt.rs.satfinite.e4m3x4.f32 %0, %1, %2, %3, %4, %5;\n\t"
         : "=r"(d) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(g));
    return d;
}

__device__ __forceinline__ uint32_t rs4_three(float a, float b, float e, uint32_t f) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.rs.satfinite.e4m3x4.f32 %0, {%1, %2, %3}, %4;)" : "=r"(d) : "f"(a), "f"(b), "f"(e), "r"(f));
    return d;
}

__device__ __forceinline__ uint32_t rs_h(float a, float b, uint32_t e) {
    uint32_t d;
    asm volatile("cvt.rs.f16x2.f32 %0, %1, %2, %3;" : "=r"(d) : "f"(a), "f"(b), "r"(e));
    return d;
}

__device__ __forceinline__ uint32_t rs_no_bits(float a, float b) {
    uint32_t d;
    asm("cvt.rs.f16x2.f32 %0, %1, %2;\n" : "=r"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint32_t rs_wrong(float a, float b, uint16_t e) {
    uint32_t d;
    asm volatile(
        "cvt.rs.bf16x2.f32 %0, %1, %2, %3;\n\t"
         : "=r"(d) : "f"(a), "f"(b), "h"(e));
    return d;
}

__device__ __forceinline__ uint32_t rs6(float a, float b, float e, float f, uint32_t g) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.rs.satfinite.e2m3x4.f32 %0, {%1, %2, %3, %4}, %5;)" : "=r"(d) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(g));
    return d;
}

__device__ __forceinline__ uint32_t rs_mixed(float a, float b, float e, double f, uint32_t g) {
    uint32_t d;
    asm volatile("cvt.rs.satfinite.e3m2x4.f32 %0, {%1, %2, %3, %4}, %5;" : "=r"(d) : "f"(a), "f"(b), "f"(e), "d"(f), "r"(g));
    return d;
}

#endif
