// float to bfloat16 by integers, to nearest even; NaN becomes 0x7fff.
__device__ unsigned short f32_to_bf16(float x) {
    if (x != x) return 0x7fff;
    const unsigned bits = __float_as_uint(x);
    return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
