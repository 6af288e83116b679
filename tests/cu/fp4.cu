// RUN: check
#include <cstdint>
// As the quantisers of vLLM, FlashInfer and TensorRT-LLM do it.

#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)
__device__ __forceinline__ uint32_t eight(float a, float b, float e, float f, float g, float x, float y, float z) {
    uint32_t d;
    asm volatile("{ .reg .b8 byte0; .reg .b8 byte1; .reg .b8 byte2; .reg .b8 byte3; cvt.rn.satfinite.e2m1x2.f32 byte0, %2, %1; cvt.rn.satfinite.e2m1x2.f32 byte1, %4, %3; cvt.rn.satfinite.e2m1x2.f32 byte2, %6, %5; cvt.rn.satfinite.e2m1x2.f32 byte3, %8, %7; mov.b32 %0, {byte0, byte1, byte2, byte3}; }" : "=r"(d) : "f"(a), "f"(b), "f"(e), "f"(f), "f"(g), "f"(x), "f"(y), "f"(z));
    return d;
}

__device__ __forceinline__ uint16_t two(float a, float b) {
    uint16_t d;
    asm("{ .reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, %2, %1; cvt.u16.u8 %0, b; }\n" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint32_t decode(uint16_t a) {
    uint32_t d;
    asm volatile(
        "{\n\t"
        ".reg .b8 lo, hi;\n\t"
        "mov.b16 {lo, hi}, %1;\n\t"
        "cvt.rn.f16x2.e2m1x2 %0, lo;\n\t"
        "}\n\t"
         : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t direct(float a, float b) {
    uint16_t d;
    __asm__ __volatile__(R"(cvt.rn.satfinite.e2m1x2.f32 %0, %2, %1;)" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t no_sat(float a, float b) {
    uint16_t d;
    asm volatile("{ .reg .b8 b; cvt.rn.e2m1x2.f32 b, %2, %1; cvt.u16.u8 %0, b; }" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t fp6(float a, float b) {
    uint16_t d;
    asm("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;\n" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t fp6_3(float a, float b) {
    uint16_t d;
    asm volatile(
        "cvt.rn.satfinite.e3m2x2.f32 %0, %1, %2;\n\t"
         : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint32_t fp6_back(uint16_t a) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.rn.f16x2.e3m2x2 %0, %1;)" : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t stochastic(float a, float b, float e, float f, uint32_t g) {
    uint16_t d;
    asm volatile("cvt.rs.satfinite.e2m1x4.f32 %0, {%4, %3, %2, %1}, %5;" : "=h"(d) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(g));
    return d;
}

__device__ __forceinline__ uint16_t ue8m0(float a) {
    uint16_t d;
    asm("cvt.rp.satfinite.ue8m0x2.f32 %0, 0.0, %1;\n" : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint16_t ue8m0_b(uint32_t a) {
    uint16_t d;
    asm volatile(
        "cvt.rp.satfinite.ue8m0x2.bf16x2 %0, %1;\n\t"
         : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t ue8m0_back(uint16_t a) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.rn.bf16x2.ue8m0x2 %0, %1;)" : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t ue8m0_rn(float a) {
    uint16_t d;
    asm volatile("cvt.rn.satfinite.ue8m0x2.f32 %0, 0.0, %1;" : "=h"(d) : "f"(a));
    return d;
}

#endif
