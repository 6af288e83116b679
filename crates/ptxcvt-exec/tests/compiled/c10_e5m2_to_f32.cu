// e5m2 to float as PyTorch's c10 does it: the code is the upper byte of a half, which becomes a float by a
// multiplication, or by an addition if it is subnormal.
__device__ float c10_e5m2_to_f32(unsigned char code) {
    const unsigned word = (unsigned)code << 24;
    const unsigned sign = word & 0x80000000u;
    const unsigned twice = word + word;
    const float normal = __uint_as_float((twice >> 4) + (224u << 23)) * 0x1.0p-112f;
    const float subnormal = __uint_as_float((twice >> 17) | (126u << 23)) - 0.5f;
    const unsigned number = twice < (1u << 27) ? __float_as_uint(subnormal) : __float_as_uint(normal);
    return __uint_as_float(sign | number);
}
