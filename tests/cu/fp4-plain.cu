// RUN: check
#include <cstdint>

#if (defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 1000))
// A guard that admits sm_100, which has none of these.
__device__ __forceinline__ uint16_t two(float a, float b) {
    uint16_t d;
    asm volatile("{ .reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, %2, %1; cvt.u16.u8 %0, b; }" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint16_t ue8m0(float a) {
    uint16_t d;
    asm("cvt.rp.satfinite.ue8m0x2.f32 %0, 0.0, %1;\n" : "=h"(d) : "f"(a));
    return d;
}

__device__ __forceinline__ uint16_t fp8(float a, float b) {
    uint16_t d;
    asm volatile(
        "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\n\t"
         : "=h"(d) : "f"(a), "f"(b));
    return d;
}

#if __CUDA_ARCH_FAMILY_SPECIFIC__ >= 1000
__device__ __forceinline__ uint16_t family(float a, float b) {
    uint16_t d;
    asm volatile("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
    return d;
}

__device__ __forceinline__ uint32_t rs_family(float a, float b, uint32_t e) {
    uint32_t d;
    asm("cvt.rs.f16x2.f32 %0, %1, %2, %3;\n" : "=r"(d) : "f"(a), "f"(b), "r"(e));
    return d;
}

#endif
#if __CUDA_ARCH_HAS_FEATURE__(SM103_ALL)
__device__ __forceinline__ uint32_t specific(float a, float b, uint32_t e) {
    uint32_t d;
    __asm__ __volatile__(R"(cvt.rs.f16x2.f32 %0, %1, %2, %3;)" : "=r"(d) : "f"(a), "f"(b), "r"(e));
    return d;
}

__device__ __forceinline__ uint32_t rs_b(float a, float b, uint32_t e) {
    uint32_t d;
    asm volatile("cvt.rs.relu.bf16x2.f32 %0, %1, %2, %3;" : "=r"(d) : "f"(a), "f"(b), "r"(e));
    return d;
}

#endif
#endif
