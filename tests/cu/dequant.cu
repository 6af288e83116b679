// RUN: check --target sm_100a --isa 9.1
#include <cstdint>
// Blocks among whose instructions a cvt stands.

__device__ __forceinline__ uint32_t e4m3x4_lo(uint32_t a) {
    uint32_t d;
    asm volatile("{ .reg .b16 lo, hi; mov.b32 {lo, hi}, %1; cvt.rn.f16x2.e4m3x2 %0, lo; }" : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ float e4m3_f32(uint16_t a) {
    float d;
    asm("{ .reg .b16 l; .reg .b32 h2; .reg .b16 a, b; mov.b16 l, %1; cvt.rn.f16x2.e4m3x2 h2, l; mov.b32 {a, b}, h2; cvt.f32.f16 %0, a; }\n" : "=f"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t s8_f16(uint32_t a) {
    uint16_t d;
    asm volatile(
        "{\n\t"
        ".reg .b32 t;\n\t"
        "prmt.b32 t, %1, 0, 0x4440;\n\t"
        "cvt.rn.f16.s32 %0, t;\n\t"
        "}\n\t"
         : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ float u4_f32(uint32_t a) {
    float d;
    __asm__ __volatile__(R"({ .reg .b32 t; and.b32 t, %1, 0xf; cvt.rn.f32.u32 %0, t; })" : "=f"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ float fma(uint32_t a, float b, float e) {
    float d;
    asm volatile("{ .reg .f32 t; cvt.rn.f32.s32 t, %1; fma.rn.f32 %0, t, %2, %3; }" : "=f"(d) : "r"(a), "f"(b), "f"(e));
    return d;
}

__device__ __forceinline__ uint32_t scaled(uint32_t a) {
    uint32_t d;
    asm("{ .reg .b16 e; .reg .b32 b; cvt.u16.u32 e, %1; shl.b16 e, e, 7; mov.b32 b, {e, e}; mov.b32 %0, b; }\n" : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t lop3(uint32_t a) {
    uint32_t d;
    asm volatile(
        "{\n\t"
        ".reg .b32 t;\n\t"
        "lop3.b32 t, %1, 0x000f000f, 0x64006400, 0xea;\n\t"
        "sub.f16x2 %0, t, 0x64006400;\n\t"
        "}\n\t"
         : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint16_t clamp(float a) {
    uint16_t d;
    __asm__ __volatile__(R"({ .reg .f32 t; min.f32 t, %1, 0f43E00000; max.f32 t, t, 0fC3E00000; cvt.rn.satfinite.e4m3x2.f32 %0, 0f00000000, t; })" : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint16_t ex2(float a) {
    uint16_t d;
    asm volatile("{ .reg .f32 t; ex2.approx.ftz.f32 t, %1; cvt.rn.f16.f32 %0, t; }" : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint16_t select(float a) {
    uint16_t d;
    asm("{ .reg .pred p; .reg .b16 a, b; cvt.rn.f16.f32 a, %1; cvt.rz.f16.f32 b, %1; setp.gt.f32 p, %1, 0f00000000; selp.b16 %0, a, b, p; }\n" : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ float typo(uint32_t a, float b) {
    float d;
    asm volatile(
        "{\n\t"
        ".reg .f32 t;\n\t"
        "cvt.f32.s32 t, %1;\n\t"
        "mul.f32 %0, t, %2;\n\t"
        "}\n\t"
         : "=f"(d) : "r"(a), "f"(b));
    return d;
}

__device__ __forceinline__ float undeclared(uint32_t a) {
    float d;
    __asm__ __volatile__(R"({ .reg .f32 t; cvt.rn.f32.s32 u, %1; mov.f32 %0, t; })" : "=f"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t width(uint32_t a) {
    uint32_t d;
    asm volatile("{ .reg .b32 t; cvt.rn.f16x2.e4m3x2 t, %1; mov.b32 %0, t; }" : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t x4(float a, float b, float e, float f, uint32_t g) {
    uint32_t d;
    asm("{ .reg .b32 t; cvt.rs.satfinite.e4m3x4.f32 t, {%1, %2, %3, %4}, %5; mov.b32 %0, t; }\n" : "=r"(d) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(g));
    return d;
}

