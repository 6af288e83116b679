// RUN: check
#include <cstdint>

template <int Rounding, typename T>
struct Convert;

template <bool Relu>
__device__ __forceinline__ uint32_t pack(float a, float b) {
    uint32_t d;
    asm volatile("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(d) : "f"(a), "f"(b));
    return d;
}

template <typename T, int N>
__device__ __forceinline__ uint32_t pack_b(float a, float b) {
    uint32_t d;
    asm volatile(
        "cvt.rn.bf16x2.f32 %0, %2, %1;\n\t"
         : "=r"(d) : "f"(a), "f"(b));
    return d;
}

template <>
__device__ __forceinline__ uint16_t imm(uint32_t a) {
    uint16_t d;
    asm volatile(
        "{\n\t"
        ".reg .b32 t;\n\t"
        "mov.b32 t, %1;\n\t"
        "cvt.u16.u32 %0, t;\n\t"
        "}\n\t"
         : "=h"(d) : "r"(a));
    return d;
}

template <int kScale>
__device__ uint32_t immediates(uint32_t a) {
    uint32_t d;
    asm volatile("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(d) : "r"(a), "n"(kScale));
    asm volatile("cvt.pack.sat.u8.s32.b32 %0, %1, %1, %2;" : "=r"(d) : "r"(a), "n"(kScale));
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(*(uint16_t*)&d) : "n"(kScale));
    asm("cvt.u32.u16 %1, %0;" : : "h"((uint16_t)a), "n"(3));
    asm("cvt.rn.f32.s32 %0, %1;" : "=f"(*(float*)&d) : "n"(sizeof(int) * 2));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(*(uint16_t*)&d) : "f"(1.0f), "n"(2));
    return d;
}

__device__ void in_out(uint32_t& a, float& f, uint16_t& h) {
    asm volatile("cvt.u16.u32 %1, %0;" : "+r"(a), "+h"(h));
    asm volatile("cvt.rn.f32.u32 %0, %1;" : "=f"(f) : "0"(f), "r"(a));
    asm volatile("cvt.rni.f32.f32 %0, %1;" : "=f"(f) : "0"(f));
    asm volatile("cvt.rn.f16.f32 %0, %1;" : "=&h"(h) : "f"(f) : "memory");
    asm volatile("cvt.rn.f16.f32 %[d], %[a];" : [d] "=h"(h) : [a] "f"(f));
    asm volatile("cvt.rn.f16.f32 %[a], %[d];" : [d] "=h"(h) : [a] "f"(f));
    asm volatile("cvt.f32.f16 %0, %1;" : "=f"(f) : "0"(h));
}

