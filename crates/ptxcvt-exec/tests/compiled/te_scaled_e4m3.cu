// A cast as training libraries do it: multiply by a scale, clamp to 448, round to e4m3.
__device__ unsigned char te_scaled_e4m3(float x, float scale) {
    float y = __fmul_rn(x, scale);
    if (y != y) return 0x7f;
    y = fminf(fmaxf(y, -448.0f), 448.0f);
    const unsigned bits = __float_as_uint(y);
    const unsigned magnitude = bits & 0x7fffffffu;
    unsigned code;
    if (magnitude < 0x3c800000u) {
        code = (unsigned)__float2int_rn(__uint_as_float(magnitude) * 512.0f);
    } else {
        code = (magnitude + 0x7ffffu + ((magnitude >> 20) & 1u) - (120u << 23)) >> 20;
    }
    return (unsigned char)(code | (bits >> 24 & 0x80u));
}
