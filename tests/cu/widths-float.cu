// RUN: check
#include <cstdint>

__device__ __forceinline__ uint16_t i0(uint16_t a) {
    uint16_t d;
    asm volatile("cvt.rn.f16.u16 %0, %1;" : "=h"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t i1(uint32_t a) {
    uint16_t d;
    asm volatile("cvt.rn.f16.s8 %0, %1;" : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ float i2(uint64_t a) {
    float d;
    asm volatile("cvt.rn.f32.u64 %0, %1;" : "=f"(d) : "l"(a));
    return d;
}

__device__ __forceinline__ double i3(uint64_t a) {
    double d;
    asm volatile("cvt.rn.f64.s64 %0, %1;" : "=d"(d) : "l"(a));
    return d;
}

__device__ __forceinline__ double i4(uint32_t a) {
    double d;
    asm volatile("cvt.rn.f64.u32 %0, %1;" : "=d"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ float i5(uint16_t a) {
    float d;
    asm volatile("cvt.rn.f32.u8 %0, %1;" : "=f"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t i6(float a) {
    uint16_t d;
    asm volatile("cvt.rzi.u16.f32 %0, %1;" : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint64_t i7(float a) {
    uint64_t d;
    asm volatile("cvt.rzi.s64.f32 %0, %1;" : "=l"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint64_t i8(double a) {
    uint64_t d;
    asm volatile("cvt.rzi.u64.f64 %0, %1;" : "=l"(d) : "d"(a));
    return d;
}

__device__ __forceinline__ uint16_t i9(uint16_t a) {
    uint16_t d;
    asm volatile("cvt.rni.s8.f16 %0, %1;" : "=h"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t i10(uint16_t a) {
    uint32_t d;
    asm volatile("cvt.rmi.u32.f16 %0, %1;" : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t i11(double a) {
    uint32_t d;
    asm volatile("cvt.rpi.s32.f64 %0, %1;" : "=r"(d) : "d"(a));
    return d;
}

__device__ __forceinline__ float i12(double a) {
    float d;
    asm volatile("cvt.rn.f32.f64 %0, %1;" : "=f"(d) : "d"(a));
    return d;
}

__device__ __forceinline__ uint16_t i13(double a) {
    uint16_t d;
    asm volatile("cvt.rz.f16.f64 %0, %1;" : "=h"(d) : "d"(a));
    return d;
}

__device__ __forceinline__ uint32_t i14(float a) {
    uint32_t d;
    asm volatile("cvt.rn.f16.f32 %0, %1;" : "=r"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint64_t i15(float a) {
    uint64_t d;
    asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=l"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ float i16(uint32_t a) {
    float d;
    asm volatile("cvt.rn.f64.s32 %0, %1;" : "=f"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t i17(uint32_t a) {
    uint32_t d;
    asm volatile("cvt.rn.f32.s32 %0, %1;" : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ float i18(float a) {
    float d;
    asm volatile("cvt.rzi.u16.f32 %0, %1;" : "=f"(d) : "f"(a));
    return d;
}

