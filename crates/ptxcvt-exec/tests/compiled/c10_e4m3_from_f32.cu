// float to e4m3fn as PyTorch's c10 does it: subnormal results by the addition of a magic number, others by integers;
// numbers from 480 on become NaN.
__device__ unsigned char c10_e4m3_from_f32(float x) {
    const unsigned nan_from = 1087u << 20;
    const unsigned magic = (127u - 7u + (23u - 3u) + 1u) << 23;
    unsigned bits = __float_as_uint(x);
    const unsigned sign = bits & 0x80000000u;
    bits ^= sign;
    unsigned char code;
    if (bits >= nan_from) {
        code = 0x7f;
    } else if (bits < (121u << 23)) {
        bits = __float_as_uint(__uint_as_float(bits) + __uint_as_float(magic));
        code = (unsigned char)(bits - magic);
    } else {
        const unsigned odd = (bits >> 20) & 1u;
        bits += ((7u - 127u) << 23) + 0x7ffffu;
        bits += odd;
        code = (unsigned char)(bits >> 20);
    }
    return code | (unsigned char)(sign >> 24);
}
