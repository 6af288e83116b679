// RUN: check
// Kernels in strings, as NVRTC takes them: raw strings are sources of their own, with guards of their own.
#if __CUDA_ARCH__ >= 1000
const char *kernel = R"cuda(
extern "C" __global__ void pack(unsigned short *d, const float *a) {
    unsigned short r;
    asm volatile("cvt.rn.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(a[0]), "f"(a[1]));
#if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 890
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(a[0]), "f"(a[1]));
#endif
    *d = r;
}
)cuda";
#endif

void compile() {
    nvrtcCreateProgram(&program, R"(
        __device__ float widen(unsigned short h) { float f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "f"(h)); return f; }
    )", "widen.cu", 0, nullptr, nullptr);
    // What is no raw string is not looked into.
    const char *other = "asm(\"cvt.rn.e4m3x2.f32 %0, %1, %2;\" : : )";
}
