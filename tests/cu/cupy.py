# RUN: check
# CUDA C++ in the strings of Python: read if the string has no escapes of Python.
import cupy

pack = cupy.RawKernel(r'''
extern "C" __global__ void pack(unsigned short *d, const float *a) {
    unsigned short r;
    asm volatile("cvt.rn.e4m3x2.f32 %0, %1, %2;\n\t" : "=h"(r) : "f"(a[0]), "f"(a[1]));
    *d = r;
}
''', 'pack')

SOURCE = """
__device__ float widen(unsigned short h) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "f"(h));
    return f;
}
"""
module = cupy.RawModule(code=SOURCE)

# Python resolves these escapes before NVRTC sees them.
other = "asm(\"cvt.rn.e4m3x2.f32 %0, %1, %2;\" : : )"
