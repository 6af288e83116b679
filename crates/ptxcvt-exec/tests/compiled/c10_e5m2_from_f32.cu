// float to e5m2 as PyTorch's c10 does it: infinity for too large numbers, 0x7f for NaN.
__device__ unsigned char c10_e5m2_from_f32(float x) {
    const unsigned infinity = 255u << 23;
    const unsigned too_large = 143u << 23;
    const unsigned magic = 134u << 23;
    unsigned bits = __float_as_uint(x);
    const unsigned sign = bits & 0x80000000u;
    bits ^= sign;
    unsigned char code;
    if (bits >= too_large) {
        code = bits > infinity ? 0x7f : 0x7c;
    } else if (bits < (113u << 23)) {
        bits = __float_as_uint(__uint_as_float(bits) + __uint_as_float(magic));
        code = (unsigned char)(bits - magic);
    } else {
        const unsigned odd = (bits >> 21) & 1u;
        bits += ((15u - 127u) << 23) + 0xfffffu;
        bits += odd;
        code = (unsigned char)(bits >> 21);
    }
    return code | (unsigned char)(sign >> 24);
}
