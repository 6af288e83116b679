// An NVFP4 weight to bf16, as a kernel with the header of `ptxcvt lower --header` does it: 16 codes, their e4m3 scale, and
// the f32 scale of the tensor.
#include "ptxcvt.cuh"

__global__ void nvfp4_to_bf16(const unsigned* __restrict__ codes, const unsigned char* __restrict__ scale,
                              const float* __restrict__ global, __nv_bfloat162* __restrict__ weight)
{
    const float factor = ptxcvt::from_e4m3(*scale) * *global;
    for (int word = 0; word < 2; ++word) {
        float q[8];
        ptxcvt::from_e2m1x8(codes[word], q);
        for (int n = 0; n < 4; ++n)
            weight[4 * word + n] = __floats2bfloat162_rn(q[2 * n] * factor, q[2 * n + 1] * factor);
    }
}
