// half to float by integers, subnormal numbers by an addition.
__device__ float half_to_f32(unsigned short half) {
    const unsigned sign = (unsigned)(half & 0x8000u) << 16;
    const unsigned rest = half & 0x7fffu;
    if (rest >= 0x7c00u) return rest == 0x7c00u ? __uint_as_float(sign | 0x7f800000u) : __uint_as_float(0x7fffffffu);
    if (rest >= 0x0400u) return __uint_as_float(sign | ((rest << 13) + (112u << 23)));
    return __uint_as_float(sign | __float_as_uint(__uint_as_float(rest | 0x4b000000u) - 8388608.0f) ) * 0x1.0p-24f;
}
