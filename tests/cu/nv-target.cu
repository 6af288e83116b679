// RUN: check
// Code that libcu++'s macros choose by target: each block is judged for the targets that reach it.
#include <nv/target>

__device__ void provided(unsigned short &h, float a, float b) {
    NV_IF_TARGET(NV_PROVIDES_SM_89,
                 (asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));),
                 (h = 0;))
    NV_IF_TARGET(NV_PROVIDES_SM_80, (asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));))
}

__device__ void otherwise(unsigned &r, float a, float b) {
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80, (r = f(a, b);), (asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(a), "f"(b));))
}

__device__ void several(unsigned short &h, float a, float b) {
    NV_DISPATCH_TARGET(
        NV_HAS_FEATURE_SM_100a, (asm("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));),
        NV_PROVIDES_SM_90, (asm("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));),
        NV_IS_HOST, (asm("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));),
        NV_IS_DEVICE, (asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(h) : "f"(a), "f"(b));))
    // After the macro there is no guard.
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));
}

#if __CUDA_ARCH__ >= 700
__device__ void nested(unsigned short &h, float a, float b) {
    NV_IF_TARGET(NV_IS_DEVICE, (
        NV_IF_TARGET(NV_IS_EXACTLY_SM_90, (asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));)))
    )
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));
}
#endif
