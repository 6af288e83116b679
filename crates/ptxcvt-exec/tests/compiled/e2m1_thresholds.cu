// float to e2m1 by comparisons with the midpoints, as quantisers written in PyTorch do it. Ties go to even codes.
__device__ unsigned char e2m1_thresholds(float x) {
    const float a = fabsf(x);
    unsigned code = 0;
    if (a > 5.0f) {
        code = 7;
    } else if (a >= 3.5f) {
        code = 6;
    } else if (a > 2.5f) {
        code = 5;
    } else if (a >= 1.75f) {
        code = 4;
    } else if (a > 1.25f) {
        code = 3;
    } else if (a >= 0.75f) {
        code = 2;
    } else if (a > 0.25f) {
        code = 1;
    }
    return (unsigned char)(code | (__float_as_uint(x) >> 28 & 8u));
}
