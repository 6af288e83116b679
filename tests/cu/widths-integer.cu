// RUN: check
#include <cstdint>

__device__ __forceinline__ uint16_t i0(uint32_t a) {
    uint16_t d;
    asm volatile("cvt.u8.u16 %0, %1;" : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t i1(uint32_t a) {
    uint32_t d;
    asm volatile("cvt.u8.u32 %0, %1;" : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint16_t i2(uint16_t a) {
    uint16_t d;
    asm volatile("cvt.s16.s8 %0, %1;" : "=h"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t i3(uint16_t a) {
    uint32_t d;
    asm volatile("cvt.s32.s8 %0, %1;" : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint64_t i4(uint16_t a) {
    uint64_t d;
    asm volatile("cvt.u64.u8 %0, %1;" : "=l"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t i5(uint64_t a) {
    uint16_t d;
    asm volatile("cvt.u16.u64 %0, %1;" : "=h"(d) : "l"(a));
    return d;
}

__device__ __forceinline__ uint64_t i6(uint16_t a) {
    uint64_t d;
    asm volatile("cvt.s64.u16 %0, %1;" : "=l"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint32_t i7(uint64_t a) {
    uint32_t d;
    asm volatile("cvt.u32.s64 %0, %1;" : "=r"(d) : "l"(a));
    return d;
}

__device__ __forceinline__ uint32_t i8(uint32_t a) {
    uint32_t d;
    asm volatile("cvt.u32.u16 %0, %1;" : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint16_t i9(uint16_t a) {
    uint16_t d;
    asm volatile("cvt.u16.u32 %0, %1;" : "=h"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint64_t i10(uint64_t a) {
    uint64_t d;
    asm volatile("cvt.s64.s32 %0, %1;" : "=l"(d) : "l"(a));
    return d;
}

__device__ __forceinline__ uint16_t i11(uint16_t a) {
    uint16_t d;
    asm volatile("cvt.u64.u16 %0, %1;" : "=h"(d) : "h"(a));
    return d;
}

