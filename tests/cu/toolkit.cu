// RUN: check
#include <cstdint>
// What an older toolkit does not know.

#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
#if CUDA_VERSION >= 13020
__device__ __forceinline__ uint32_t b4(uint16_t a) {
    uint32_t d;
    asm("cvt.rn.bf16x2.e4m3x2 %0, %1;\n" : "=r"(d) : "h"(a));
    return d;
}

#else
__device__ __forceinline__ uint32_t b4_old(uint16_t a) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.rn.bf16x2.e4m3x2 %0, %1;)" : "=r"(d) : "h"(a));
    return d;
}

#endif
#if CUDA_VERSION >= 12080
__device__ __forceinline__ uint32_t b4_128(uint16_t a) {
    uint32_t d;
    asm("cvt.rn.bf16x2.e4m3x2 %0, %1;\n" : "=r"(d) : "h"(a));
    return d;
}

#endif
#if __CUDACC_VER_MAJOR__ >= 13
__device__ __forceinline__ uint16_t major(uint32_t a) {
    uint16_t d;
    __asm__ __volatile__(R"(cvt.rn.satfinite.e4m3x2.bf16x2 %0, %1;)" : "=h"(d) : "r"(a));
    return d;
}

__device__ __forceinline__ uint16_t ue8(float a, float b) {
    uint16_t d;
    asm volatile("cvt.rz.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

#endif
#endif
#if __CUDA_ARCH__ >= 900 && ((__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 1) || __CUDACC_VER_MAJOR__ > 12)
__device__ __forceinline__ uint16_t hopper(float a, float b) {
    uint16_t d;
    __asm__ __volatile__(R"(cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;)" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

#endif
#if __CUDA_ARCH__ >= 800 && CUDA_VERSION >= 11000
__device__ __forceinline__ uint16_t ampere(float a) {
    uint16_t d;
    asm volatile(
        "cvt.rn.bf16.f32 %0, %1;\n\t"
         : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ double ftz(float a) {
    double d;
    __asm__ __volatile__(R"(cvt.ftz.f64.f32 %0, %1;)" : "=d"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint32_t tf32_rn(float a) {
    uint32_t d;
    asm volatile("cvt.rn.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));
    return d;
}

#endif
#if CUDA_VERSION >= 11080
__device__ __forceinline__ uint16_t any(float a, float b) {
    uint16_t d;
    __asm__ __volatile__(R"(cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;)" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t any_h(float a) {
    uint16_t d;
    asm volatile("cvt.rn.f16.f32 %0, %1;" : "=h"(d) : "f"(a));
    return d;
}

#endif
