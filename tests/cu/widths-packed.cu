// RUN: check --target sm_100a --isa 9.1
#include <cstdint>

__device__ __forceinline__ uint32_t p0(float a, float b) {
    uint32_t d;
    asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t p1(float a, float b) {
    uint16_t d;
    asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint64_t p2(float a, float b) {
    uint64_t d;
    asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=l"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t p3(float a, double b) {
    uint16_t d;
    asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "d"(b));
    return d;
}

__device__ __forceinline__ uint16_t p4(uint16_t a) {
    uint16_t d;
    asm volatile("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t p5(uint32_t a) {
    uint32_t d;
    asm volatile("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint64_t p6(uint16_t a) {
    uint64_t d;
    asm volatile("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=l"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint64_t p7(float a) {
    uint64_t d;
    asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=l"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint32_t p8(float a) {
    uint32_t d;
    asm volatile("cvt.rn.bf16.f32 %0, %1;" : "=r"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint16_t p9(double a) {
    uint16_t d;
    asm volatile("cvt.rn.bf16.f32 %0, %1;" : "=h"(d) : "d"(a));
    return d;
}

__device__ __forceinline__ float p10(uint32_t a) {
    float d;
    asm volatile("cvt.f32.bf16 %0, %1;" : "=f"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ float p11(uint32_t a) {
    float d;
    asm volatile("cvt.f32.f16 %0, %1;" : "=f"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t p12(uint16_t a) {
    uint32_t d;
    asm volatile("cvt.f32.f16 %0, %1;" : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint64_t p13(uint16_t a) {
    uint64_t d;
    asm volatile("cvt.f64.f16 %0, %1;" : "=l"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t p14(float a) {
    uint32_t d;
    asm volatile("cvt.rn.satfinite.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint32_t p15(float a) {
    uint32_t d;
    asm volatile("cvt.rz.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint32_t p16(float a) {
    uint32_t d;
    asm volatile("cvt.rna.satfinite.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));
    return d;
}

