// RUN: check
#include <cstdint>
// As cuda_bf16.hpp does it.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__device__ __forceinline__ uint16_t f2b(float a) {
    uint16_t d;
    asm("{ cvt.rn.bf16.f32 %0, %1; }\n" : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint16_t f2b_rz(float a) {
    uint16_t d;
    asm volatile(
        "{\n\t"
        "cvt.rz.bf16.f32 %0, %1;\n\t"
        "}\n\t"
         : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint32_t f2b2(float a, float b) {
    uint32_t d;
    __asm__ __volatile__(R"({ cvt.rn.bf16x2.f32 %0, %1, %2; })" : "=r"(d) : "f"(a), "f"(b));
    return d;
}

#endif
#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ float b2f(uint16_t a) {
    float d;
    asm("{ cvt.f32.bf16 %0, %1; }\n" : "=f"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t b2i(uint16_t a) {
    uint32_t d;
    asm volatile(
        "cvt.rzi.s32.bf16 %0, %1;\n\t"
         : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t i2b(uint32_t a) {
    uint16_t d;
    __asm__ __volatile__(R"(cvt.rn.bf16.s32 %0, %1;)" : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint16_t h2b(uint16_t a) {
    uint16_t d;
    asm volatile("cvt.rn.bf16.f16 %0, %1;" : "=h"(d) : "h"(a));
    return d;
}

#elif __CUDA_ARCH__ >= 800
__device__ __forceinline__ float b2f_80(uint16_t a) {
    float d;
    asm volatile(
        "{\n\t"
        "cvt.f32.bf16 %0, %1;\n\t"
        "}\n\t"
         : "=f"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t b2i_80(uint16_t a) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.rzi.s32.bf16 %0, %1;)" : "=r"(d) : "h"(a));
    return d;
}

#else
__device__ __forceinline__ uint16_t no_guard(float a) {
    uint16_t d;
    asm("cvt.rn.bf16.f32 %0, %1;\n" : "=h"(d) : "f"(a));
    return d;
}

#endif

__device__ __forceinline__ uint32_t tf32(float a) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.rna.tf32.f32 %0, %1;)" : "=r"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ float tf32_f(float a) {
    float d;
    asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=f"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint32_t relu(float a, float b) {
    uint32_t d;
    asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;\n" : "=r"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t no_rn(float a) {
    uint16_t d;
    asm volatile(
        "cvt.bf16.f32 %0, %1;\n\t"
         : "=h"(d) : "f"(a));
    return d;
}

