// RUN: check
#include <cstdint>

__device__ __forceinline__ uint32_t widen_u16(uint16_t a) {
    uint32_t d;
    asm volatile("cvt.u32.u16 %0, %1;" : "=r"(d) : "h"(a));
    return d;
}

__device__ __forceinline__ uint16_t narrow(uint32_t a) {
    uint16_t d;
    asm("cvt.u16.u32 %0, %1;\n" : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint64_t to_u64(uint32_t a) {
    uint64_t d;
    asm volatile(
        "cvt.u64.u32 %0, %1;\n\t"
         : "=l"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint64_t sext(uint32_t a) {
    uint64_t d;
    __asm__ __volatile__(R"(cvt.s64.s32 %0, %1;)" : "=l"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t low(uint64_t a) {
    uint32_t d;
    asm volatile("cvt.u32.u64 %0, %1;" : "=r"(d) : "l"(a));
    return d;
}

__device__ __forceinline__ uint32_t sat_u8(uint32_t a) {
    uint32_t d;
    asm("cvt.sat.u8.s32 %0, %1;\n" : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint16_t sat_s16(uint32_t a) {
    uint16_t d;
    asm volatile(
        "cvt.sat.s16.s32 %0, %1;\n\t"
         : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t pack_s8(uint32_t a, uint32_t b, uint32_t e) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;)" : "=r"(d) : "r"(a), "r"(b), "r"(e));
    return d;
}

__device__ __forceinline__ uint32_t pack_u16(uint32_t a, uint32_t b) {
    uint32_t d;
    asm volatile("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    return d;
}

__device__ __forceinline__ uint16_t byte(uint32_t a) {
    uint16_t d;
    asm("cvt.u8.u32 %0, %1;\n" : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t wrong_width(uint32_t a) {
    uint32_t d;
    asm volatile(
        "cvt.u32.u64 %0, %1;\n\t"
         : "=r"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint32_t wrong_out(uint32_t a) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.u64.u32 %0, %1;)" : "=r"(d) : "r"(a));
    return d;
}

