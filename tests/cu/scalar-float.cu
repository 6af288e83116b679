// RUN: check
#include <cstdint>

__device__ __forceinline__ uint32_t rz(float a) {
    uint32_t d;
    asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint32_t rn(float a) {
    uint32_t d;
    asm("cvt.rni.s32.f32 %0, %1;\n" : "=r"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ float rm(float a) {
    float d;
    asm volatile(
        "cvt.rmi.f32.f32 %0, %1;\n\t"
         : "=f"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ float rp(float a) {
    float d;
    __asm__ __volatile__(R"(cvt.rpi.ftz.f32.f32 %0, %1;)" : "=f"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ float i2f(uint32_t a) {
    float d;
    asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ float u2f(uint32_t a) {
    float d;
    asm("cvt.rz.f32.u32 %0, %1;\n" : "=f"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ double f2d(float a) {
    double d;
    asm volatile(
        "cvt.f64.f32 %0, %1;\n\t"
         : "=d"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ float d2f(double a) {
    float d;
    __asm__ __volatile__(R"(cvt.rn.f32.f64 %0, %1;)" : "=f"(d) : "d"(a));
    return d;
}

__device__ __forceinline__ uint64_t d2ll(double a) {
    uint64_t d;
    asm volatile("cvt.rzi.s64.f64 %0, %1;" : "=l"(d) : "d"(a));
    return d;
}

__device__ __forceinline__ float sat(float a) {
    float d;
    asm("cvt.sat.f32.f32 %0, %1;\n" : "=f"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint32_t u8(float a) {
    uint32_t d;
    asm volatile(
        "cvt.rni.sat.u8.f32 %0, %1;\n\t"
         : "=r"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint32_t no_rounding(float a) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.s32.f32 %0, %1;)" : "=r"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ float no_rounding_d(double a) {
    float d;
    asm volatile("cvt.f32.f64 %0, %1;" : "=f"(d) : "d"(a));
    return d;
}

__device__ __forceinline__ uint16_t h_is_not_f(uint32_t a) {
    uint16_t d;
    asm("cvt.rn.f32.s32 %0, %1;\n" : "=h"(d) : "r"(a));
    return d;
}

