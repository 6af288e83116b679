// RUN: check --target sm_80 --isa 7.0
#include <cstdint>
// As cuda_fp16.hpp does it.

__device__ __forceinline__ uint16_t f2h(float a) {
    uint16_t d;
    asm volatile("{ cvt.rn.f16.f32 %0, %1; }" : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint16_t f2h_rz(float a) {
    uint16_t d;
    asm("{ cvt.rz.f16.f32 %0, %1; }\n" : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ float h2f(uint16_t a) {
    float d;
    asm volatile(
        "{\n\t"
        "cvt.f32.f16 %0, %1;\n\t"
        "}\n\t"
         : "=f"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t h2i(uint16_t a) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.rzi.s32.f16 %0, %1;)" : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t i2h(uint32_t a) {
    uint16_t d;
    asm volatile("cvt.rn.f16.s32 %0, %1;" : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint16_t ull2h(uint64_t a) {
    uint16_t d;
    asm("cvt.rn.f16.u64 %0, %1;\n" : "=h"(d) : "l"(a));
    return d;
}

__device__ __forceinline__ double h2d(uint16_t a) {
    double d;
    asm volatile(
        "cvt.f64.f16 %0, %1;\n\t"
         : "=d"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t d2h(double a) {
    uint16_t d;
    __asm__ __volatile__(R"({ cvt.rn.f16.f64 %0, %1; })" : "=h"(d) : "d"(a));
    return d;
}

__device__ __forceinline__ uint16_t trunc_(uint16_t a) {
    uint16_t d;
    asm volatile("cvt.rzi.f16.f16 %0, %1;" : "=h"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t h2_rn(float a, float b) {
    uint32_t d;
    asm("{ cvt.rn.f16x2.f32 %0, %2, %1; }\n" : "=r"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint32_t two(float a) {
    uint32_t d;
    asm volatile(
        "{\n\t"
        ".reg .f16 low;\n\t"
        ".reg .f16 high;\n\t"
        "cvt.rn.f16.f32 low, %1;\n\t"
        "mov.b32 %0, {low, low};\n\t"
        "}\n\t"
         : "=r"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ float lo2f(uint32_t a) {
    float d;
    __asm__ __volatile__(R"({ .reg .f16 low,high; mov.b32 {low,high}, %1; cvt.f32.f16 %0, low; })" : "=f"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint16_t misspelt(float a) {
    uint16_t d;
    asm volatile("{ cvt.rn.fp16.f32 %0, %1; }" : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ float as_float(float a) {
    float d;
    asm("{ cvt.f32.f16 %0, %1; }\n" : "=f"(d) : "f"(a));
    return d;
}

