// ue8m0 to float: the exponent; 2^-127 is subnormal.
__device__ float ue8m0_to_f32(unsigned char scale) {
    if (scale == 0) return __uint_as_float(0x00400000u);
    if (scale == 255) return __uint_as_float(0x7fffffffu);
    return __uint_as_float((unsigned)scale << 23);
}
