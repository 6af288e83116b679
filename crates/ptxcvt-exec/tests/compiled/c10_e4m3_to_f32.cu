// e4m3fn to float as PyTorch's c10 does it: all in integers, subnormal codes by their leading zeros.
__device__ float c10_e4m3_to_f32(unsigned char code) {
    const unsigned word = (unsigned)code << 24;
    const unsigned sign = word & 0x80000000u;
    const unsigned rest = word & 0x7fffffffu;
    unsigned shift = __clz(rest);
    shift = shift > 4u ? shift - 4u : 0u;
    const int is_nan = ((int)(rest + 0x01000000u) >> 8) & 0x7f800000;
    const int is_zero = (int)(rest - 1u) >> 31;
    const unsigned number = ((rest << shift >> 4) + ((120u - shift) << 23)) | is_nan;
    return __uint_as_float(sign | (number & ~is_zero));
}
