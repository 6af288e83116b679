// Eight e2m1 codes to bytes of twice the number, as llama.cpp keeps them: a table of sixteen bytes in four registers, read
// by byte permutes. The result is two words: the even elements and the odd ones.
__global__ void mxfp4_word(const unsigned *codes, unsigned *numbers) {
    const unsigned word = codes[0];
    unsigned found[2];
    for (int odd = 0; odd < 2; ++odd) {
        const unsigned nibbles = word >> (4 * odd) & 0x0f0f0f0fu;
        const unsigned selector = (nibbles & 7u) | (nibbles >> 4 & 0x70u) | (nibbles >> 8 & 0x700u) | (nibbles >> 12 & 0x7000u);
        const unsigned positive = __byte_perm(0x03020100u, 0x0c080604u, selector);
        const unsigned negative = __byte_perm(0xfdfeff00u, 0xf4f8fafcu, selector);
        const unsigned sign = (nibbles >> 3 & 0x01010101u) * 0xffu;
        found[odd] = (positive & ~sign) | (negative & sign);
    }
    numbers[0] = found[0];
    numbers[1] = found[1];
}
