// Four e4m3 codes to two pairs of halves without the factor 2^8, as Marlin unpacks them for its own scales.
__global__ void marlin_e4m3(const unsigned *codes, unsigned *halves) {
    const unsigned word = codes[0];
    halves[0] = (word & 0x80008000u) | (word & 0x7f007f00u) >> 1;
    const unsigned low = word << 8;
    halves[1] = (low & 0x80008000u) | (low & 0x7f007f00u) >> 1;
}
