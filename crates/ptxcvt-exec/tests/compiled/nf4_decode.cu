// NF4 to float by a tree of branches, as bitsandbytes dequantises it; the numbers are those of the QLoRA paper.
__device__ float nf4_decode(unsigned char code) {
    if (code & 8) {
        if (code & 4) {
            if (code & 2) return code & 1 ? 1.0f : 0.7229568362236023f;
            return code & 1 ? 0.5626170039176941f : 0.44070982933044434f;
        }
        if (code & 2) return code & 1 ? 0.33791524171829224f : 0.24611230194568634f;
        return code & 1 ? 0.16093020141124725f : 0.07958029955625534f;
    }
    if (code & 4) {
        if (code & 2) return code & 1 ? 0.0f : -0.09105003625154495f;
        return code & 1 ? -0.18477343022823334f : -0.28444138169288635f;
    }
    if (code & 2) return code & 1 ? -0.39491748809814453f : -0.5250730514526367f;
    return code & 1 ? -0.6961928009986877f : -1.0f;
}
