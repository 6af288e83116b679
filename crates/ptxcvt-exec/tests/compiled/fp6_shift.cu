// Two e3m2 codes to halves as FP6-LLM does it: the fields are shifted to those of a half, and a multiplication by 2^12
// corrects the exponent.
__device__ unsigned fp6_shift(unsigned short codes) {
    const unsigned wide = (codes & 0xffu) | (unsigned)(codes & 0xff00u) << 8;
    const unsigned bits = (wide & 0x00200020u) << 10 | (wide & 0x001f001fu) << 8;
    unsigned halves;
    asm("mul.f16x2 %0, %1, %2;" : "=r"(halves) : "r"(bits), "r"(0x6c006c00u));
    return halves;
}
