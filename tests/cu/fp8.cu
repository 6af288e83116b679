// RUN: check
#include <cstdint>
// As cuda_fp8.hpp and the kernels of inference engines do it.

#if (defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 890)) || \
    (defined(__CUDA_ARCH_FEAT_SM90_ALL))
#define FP8_CVT_ENABLED 1
#endif

#if defined(FP8_CVT_ENABLED)
__device__ __forceinline__ uint16_t e4m3x2(float a, float b) {
    uint16_t d;
    asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t e5m2x2(float a, float b) {
    uint16_t d;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;\n" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t from_h2(uint32_t a) {
    uint16_t d;
    asm volatile(
        "cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;\n\t"
         : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint16_t from_h2_5(uint32_t a) {
    uint16_t d;
    __asm__ __volatile__(R"(cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;)" : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t to_h2(uint16_t a) {
    uint32_t d;
    asm volatile("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t to_h2_5(uint16_t a) {
    uint32_t d;
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;\n" : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t relu(float a, float b) {
    uint16_t d;
    asm volatile(
        "cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;\n\t"
         : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t not_saturated(float a, float b) {
    uint16_t d;
    __asm__ __volatile__(R"(cvt.rn.e4m3x2.f32 %0, %1, %2;)" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t after_types(float a, float b) {
    uint16_t d;
    asm volatile("cvt.rn.e4m3x2.f32.satfinite %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint32_t wide_out(float a, float b) {
    uint32_t d;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\n" : "=r"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint32_t swapped(uint16_t a) {
    uint32_t d;
    asm volatile(
        "cvt.rn.e4m3x2.f16x2 %0, %1;\n\t"
         : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t single(float a) {
    uint16_t d;
    __asm__ __volatile__(R"(cvt.rn.satfinite.e4m3.f32 %0, %1;)" : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint16_t h_to_8(uint16_t a) {
    uint16_t d;
    asm volatile("cvt.rn.satfinite.e4m3x2.f16 %0, %1;" : "=h"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t four(float a, float b, float e, float f) {
    uint32_t d;
    asm("{ .reg .b16 lo; .reg .b16 hi; cvt.rn.satfinite.e4m3x2.f32 lo, %2, %1; cvt.rn.satfinite.e4m3x2.f32 hi, %4, %3; mov.b32 %0, {lo, hi}; }\n" : "=r"(d) : "f"(a), "f"(b), "f"(e), "f"(f));
    return d;
}

__device__ __forceinline__ uint32_t unpack(uint32_t a) {
    uint32_t d;
    asm volatile(
        "{\n\t"
        ".reg .b16 lo, hi;\n\t"
        "mov.b32 {lo, hi}, %1;\n\t"
        "cvt.rn.f16x2.e4m3x2 %0, lo;\n\t"
        "}\n\t"
         : "=r"(d) : "r"(a));
    return d;
}

#endif
