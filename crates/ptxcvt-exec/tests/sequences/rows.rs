//! The sequences, each with its source. The instructions are facts about those projects; their text was written here.

/// A sequence and its definition.
pub struct Sequence {
    pub name: &'static str,
    pub source: &'static str,
    pub constraints: &'static str,
    pub block: &'static str,
    /// The PTX instructions or the definition that it should be equal to.
    pub meaning: &'static str,
    pub note: &'static str,
}

#[rustfmt::skip]
pub const SEQUENCES: &[Sequence] = &[
    Sequence {
        name: "e5m2 to bf16, four at a time", source: "Triton, `Fp8E5M2_to_Bf16` before sm_90", constraints: "=r,=r,r",
        block: "{ .reg .b32 x<2>, m<2>, f<4>, s; mov.u32 s, 0x77800000;
  prmt.b32 x0, 0, %2, 0x5140; prmt.b32 x1, 0, %2, 0x7362;
  lop3.b32 m0, x0, 0x7fff7fff, 0, 0xc0; lop3.b32 m1, x1, 0x7fff7fff, 0, 0xc0;
  shr.b32 m0, m0, 3; shr.b32 m1, m1, 3;
  and.b32 f0, m0, 0xffff0000; shl.b32 f1, m0, 16; and.b32 f2, m1, 0xffff0000; shl.b32 f3, m1, 16;
  mul.f32 f0, f0, s; mul.f32 f1, f1, s; mul.f32 f2, f2, s; mul.f32 f3, f3, s;
  prmt.b32 m0, f0, f1, 0x3276; prmt.b32 m1, f2, f3, 0x3276;
  lop3.b32 %0, m0, 0x80008000, x0, 0xf8; lop3.b32 %1, m1, 0x80008000, x1, 0xf8; }",
        meaning: "{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.rn.bf16x2.e5m2x2 %0, l; cvt.rn.bf16x2.e5m2x2 %1, h; }",
        note: "Infinity and NaN become numbers from 65536 to 114688: 8 of the 256 codes.",
    },
    Sequence {
        name: "e5m2 to f16, four at a time", source: "Triton, `Fp8E5M2_to_Fp16` before sm_90", constraints: "=r,=r,r",
        block: "{ prmt.b32 %0, 0, %2, 0x5140; prmt.b32 %1, 0, %2, 0x7362; }",
        meaning: "{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.rn.f16x2.e5m2x2 %0, l; cvt.rn.f16x2.e5m2x2 %1, h; }",
        note: "A NaN keeps its payload; the instruction returns 0x7fff.",
    },
    Sequence {
        name: "f16 to e5m2, four at a time", source: "Half a step added after the lowest bit is cleared", constraints: "=r,r,r",
        block: "{ .reg .b32 x<2>; and.b32 x0, %1, 0xfffefffe; and.b32 x1, %2, 0xfffefffe;
  add.u32 x0, x0, 0x00800080; add.u32 x1, x1, 0x00800080; prmt.b32 %0, x0, x1, 0x7531; }",
        meaning: "{ .reg .b16 l, h; cvt.rn.satfinite.e5m2x2.f16x2 l, %1; cvt.rn.satfinite.e5m2x2.f16x2 h, %2;
  mov.b32 %0, {l, h}; }",
        note: "Half-way cases go away from zero, large numbers to infinity, and the carry of the lower half is lost in \
               the upper one: the two halves are not independent.",
    },
    Sequence {
        name: "f16 to e5m2 by truncation, two", source: "The upper bytes, as in many FP8 caches", constraints: "=h,r",
        block: "{ .reg .b32 t; prmt.b32 t, %1, 0, 0x4431; cvt.u16.u32 %0, t; }",
        meaning: "cvt.rz.satfinite.e5m2x2.f16x2 %0, %1;",
        note: "Equal to rounding towards zero except for infinity, which the instruction saturates, and NaN.",
    },
    Sequence {
        name: "u4 minus 8 to f16, low nibbles", source: "Marlin, `dequant` of `kU4B8` to `half2`", constraints: "=r,r",
        block: "{ .reg .b32 k<1>; mov.b32 k0, 0x64086408;
  lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea; sub.f16x2 %0, %0, k0; }",
        meaning: "{ .reg .b32 t; .reg .b16 l, h; bfe.u32 t, %1, 0, 4; sub.s32 t, t, 8; cvt.rn.f16.s32 l, t;
  bfe.u32 t, %1, 16, 4; sub.s32 t, t, 8; cvt.rn.f16.s32 h, t; mov.b32 %0, {l, h}; }",
        note: "",
    },
    Sequence {
        name: "u4 minus 8 to f16, high nibbles", source: "Marlin, `dequant` of `kU4B8` to `half2`", constraints: "=r,r",
        block: "{ .reg .b32 k<2>; mov.b32 k0, 0x2c002c00; mov.b32 k1, 0xd480d480;
  lop3.b32 %0, %1, 0x00f000f0, 0x64006400, 0xea; fma.rn.f16x2 %0, %0, k0, k1; }",
        meaning: "{ .reg .b32 t; .reg .b16 l, h; bfe.u32 t, %1, 4, 4; sub.s32 t, t, 8; cvt.rn.f16.s32 l, t;
  bfe.u32 t, %1, 20, 4; sub.s32 t, t, 8; cvt.rn.f16.s32 h, t; mov.b32 %0, {l, h}; }",
        note: "(1024 + 16 x) / 16 − 72 is exact in f16.",
    },
    Sequence {
        name: "u4 to f16, high nibbles", source: "AutoAWQ, `dequantize_s4_to_fp16x2`", constraints: "=r,r",
        block: "{ .reg .b32 k<2>; mov.b32 k0, 0x2c002c00; mov.b32 k1, 0xd400d400;
  lop3.b32 %0, %1, 0x00f000f0, 0x64006400, 0xea; fma.rn.f16x2 %0, %0, k0, k1; }",
        meaning: "{ .reg .b32 t; .reg .b16 l, h; bfe.u32 t, %1, 4, 4; cvt.rn.f16.u32 l, t;
  bfe.u32 t, %1, 20, 4; cvt.rn.f16.u32 h, t; mov.b32 %0, {l, h}; }",
        note: "",
    },
    Sequence {
        name: "s4 to f16", source: "CUTLASS, `NumericArrayConverter` of `int4b_t` to `half_t`", constraints: "=r,r",
        block: "{ .reg .b32 k<1>; mov.b32 k0, 0x64086408;
  lop3.b32 %0, %1, 0x000f000f, 0x64086408, (0xf0 & 0xcc) ^ 0xaa; sub.f16x2 %0, %0, k0; }",
        meaning: "{ .reg .b32 t; .reg .b16 l, h; bfe.s32 t, %1, 0, 4; cvt.rn.f16.s32 l, t;
  bfe.s32 t, %1, 16, 4; cvt.rn.f16.s32 h, t; mov.b32 %0, {l, h}; }",
        note: "",
    },
    Sequence {
        name: "u8 minus 128 to f16, four", source: "FasterTransformer, `FastInterleavedAndBiasedNumericArrayConverter` (8 bits)",
        constraints: "=r,=r,r",
        block: "{ .reg .b32 k<1>; mov.b32 k0, 0x64806480;
  prmt.b32 %0, %2, 0x64646464, 0x5250; prmt.b32 %1, %2, 0x64646464, 0x5351;
  sub.f16x2 %0, %0, k0; sub.f16x2 %1, %1, k0; }",
        meaning: "{ .reg .b32 t; .reg .b16 a<4>; bfe.u32 t, %2, 0, 8; sub.s32 t, t, 128; cvt.rn.f16.s32 a0, t;
  bfe.u32 t, %2, 8, 8; sub.s32 t, t, 128; cvt.rn.f16.s32 a1, t; bfe.u32 t, %2, 16, 8; sub.s32 t, t, 128;
  cvt.rn.f16.s32 a2, t; bfe.u32 t, %2, 24, 8; sub.s32 t, t, 128; cvt.rn.f16.s32 a3, t;
  mov.b32 %0, {a0, a2}; mov.b32 %1, {a1, a3}; }",
        note: "",
    },
    Sequence {
        name: "u8 minus 128 to bf16, two", source: "FasterTransformer, its converter to bf16", constraints: "=r,r",
        block: "{ .reg .b32 x<2>; prmt.b32 x0, %1, 0x4b000000, 0x7650; prmt.b32 x1, %1, 0x4b000000, 0x7652;
  sub.f32 x0, x0, 0f4B000080; sub.f32 x1, x1, 0f4B000080; prmt.b32 %0, x0, x1, 0x7632; }",
        meaning: "{ .reg .b32 t; .reg .b16 l, h; bfe.u32 t, %1, 0, 8; sub.s32 t, t, 128; cvt.rn.bf16.s32 l, t;
  bfe.u32 t, %1, 16, 8; sub.s32 t, t, 128; cvt.rn.bf16.s32 h, t; mov.b32 %0, {l, h}; }",
        note: "",
    },
    Sequence {
        name: "u4 minus 8 to bf16", source: "Marlin, `dequant` of `kU4B8` to `nv_bfloat162`", constraints: "=r,r",
        block: "{ .reg .b32 k<2>; mov.b32 k0, 0x3f803f80; mov.b32 k1, 0xc308c308;
  lop3.b32 %0, %1, 0x000f000f, 0x43004300, 0xea; fma.rn.bf16x2 %0, %0, k0, k1; }",
        meaning: "{ .reg .b32 t; .reg .b16 l, h; bfe.u32 t, %1, 0, 4; sub.s32 t, t, 8; cvt.rn.bf16.s32 l, t;
  bfe.u32 t, %1, 16, 4; sub.s32 t, t, 8; cvt.rn.bf16.s32 h, t; mov.b32 %0, {l, h}; }",
        note: "",
    },
    Sequence {
        name: "e4m3 to f16, the upper byte of each half", source: "Marlin, `dequant` of `kFE4M3fn` to `half2`", constraints: "=r,r",
        block: "{ .reg .b32 k<1>; mov.b32 k0, 0x5c005c00;
  .reg .b32 s, m; and.b32 s, %1, 0x80008000; and.b32 m, %1, 0x7f007f00; shr.u32 m, m, 1;
  or.b32 s, s, m; mul.f16x2 %0, s, k0; }",
        meaning: "{ .reg .b8 b<4>; .reg .b16 t; mov.b32 {b0, b1, b2, b3}, %1; mov.b16 t, {b1, b3};
  cvt.rn.f16x2.e4m3x2 %0, t; }",
        note: "Both NaN codes become ±480.",
    },
    Sequence {
        name: "e4m3 to bf16, the upper byte of each half", source: "Marlin, `dequant` of `kFE4M3fn` to `nv_bfloat162`", constraints: "=r,r",
        block: "{ .reg .b32 k<1>; mov.b32 k0, 0x7b807b80;
  .reg .b32 s, m; and.b32 s, %1, 0x80008000; and.b32 m, %1, 0x7f007f00; shr.u32 m, m, 4;
  or.b32 s, s, m; mul.bf16x2 %0, s, k0; }",
        meaning: "{ .reg .b8 b<4>; .reg .b16 t; mov.b32 {b0, b1, b2, b3}, %1; mov.b16 t, {b1, b3};
  cvt.rn.bf16x2.e4m3x2 %0, t; }",
        note: "Both NaN codes become ±480.",
    },
    Sequence {
        name: "e2m1 to f16, the upper nibble of each half", source: "Marlin, `dequant` of `kFE2M1f` to `half2`", constraints: "=r,r",
        block: "{ .reg .b32 k<1>; mov.b32 k0, 0x74007400;
  .reg .b32 s, m; and.b32 s, %1, 0x80008000; and.b32 m, %1, 0x70007000; shr.u32 m, m, 3;
  or.b32 s, s, m; mul.f16x2 %0, s, k0; }",
        meaning: "{ .reg .b32 l, h; .reg .b8 b, x, y, z; shr.u32 l, %1, 12; and.b32 l, l, 0xf; shr.u32 h, %1, 28; shl.b32 h, h, 4;
  or.b32 l, l, h; mov.b32 {b, x, y, z}, l; cvt.rn.f16x2.e2m1x2 %0, b; }",
        note: "",
    },
    Sequence {
        name: "e2m1 to bf16, the upper nibble of each half", source: "Marlin, `dequant` of `kFE2M1f` to `nv_bfloat162`", constraints: "=r,r",
        block: "{ .reg .b32 k<1>; mov.b32 k0, 0x7e807e80;
  .reg .b32 s, m; and.b32 s, %1, 0x80008000; and.b32 m, %1, 0x70007000; shr.u32 m, m, 6;
  or.b32 s, s, m; mul.bf16x2 %0, s, k0; }",
        meaning: "{ .reg .b32 l, h; .reg .b8 b, x, y, z; shr.u32 l, %1, 12; and.b32 l, l, 0xf; shr.u32 h, %1, 28; shl.b32 h, h, 4;
  or.b32 l, l, h; mov.b32 {b, x, y, z}, l; cvt.rn.bf16x2.e2m1x2 %0, b; }",
        note: "",
    },
    Sequence {
        name: "ue8m0 to bf16, two", source: "The usual shift of MX decoders", constraints: "=r,h",
        block: "{ .reg .b32 t; cvt.u32.u16 t, %1; prmt.b32 t, t, 0, 0x4140; shl.b32 %0, t, 7; }",
        meaning: "cvt.rn.bf16x2.ue8m0x2 %0, %1;",
        note: "Code 0 becomes 0 instead of 2^-127, code 255 infinity instead of NaN (reported in TransformerEngine's issue 3262).",
    },
    Sequence {
        name: "bf16 to f32, two", source: "Any kernel that unpacks a pair by hand", constraints: "=f,=f,r",
        block: "{ shl.b32 %0, %2, 16; and.b32 %1, %2, 0xffff0000; }",
        meaning: "{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.bf16 %0, l; cvt.f32.bf16 %1, h; }",
        note: "",
    },
    Sequence {
        name: "f16 magnitudes, two", source: "A mask instead of an instruction", constraints: "=r,r",
        block: "and.b32 %0, %1, 0x7fff7fff;",
        meaning: "abs.f16x2 %0, %1;",
        note: "",
    },
    Sequence {
        name: "f16 negated, two", source: "A mask instead of an instruction", constraints: "=r,r",
        block: "xor.b32 %0, %1, 0x80008000;",
        meaning: "neg.f16x2 %0, %1;",
        note: "",
    },
    Sequence {
        name: "e4m3 to f16 by half-precision arithmetic, two", source: "A permute, a shift, a product", constraints: "=r,h",
        block: "{ .reg .b32 k<1>; mov.b32 k0, 0x5c005c00;
  .reg .b32 t, s, m; cvt.u32.u16 t, %1; prmt.b32 t, t, 0, 0x1404; shr.u32 m, t, 1; and.b32 s, t, 0x80008000;
  lop3.b32 t, m, 0x3f803f80, s, 0xea; mul.f16x2 %0, t, k0; }",
        meaning: "cvt.rn.f16x2.e4m3x2 %0, %1;",
        note: "Marlin's arithmetic on packed bytes: right except for NaN.",
    },
    Sequence {
        name: "e2m1 to bf16, eight at a time", source: "Triton, `FP4ToBP16Ptx`: two tables of four bytes, indexed by PRMT",
        constraints: "=r,=r,=r,=r,r",
        block: "{ .reg .b32 s, m, l<2>, h<2>, g<2>; and.b32 s, %4, 0x88888888; shr.u32 s, s, 3; and.b32 m, %4, 0x77777777;
  prmt.b32 l0, 0xc0800000, 0xc0804000, m; prmt.b32 h0, 0x3f3f3f00, 0x40404040, m; prmt.b32 g0, 0x8000, 0, s;
  shr.u32 m, m, 16; shr.u32 s, s, 16;
  prmt.b32 l1, 0xc0800000, 0xc0804000, m; prmt.b32 h1, 0x3f3f3f00, 0x40404040, m; prmt.b32 g1, 0x8000, 0, s;
  or.b32 h0, h0, g0; or.b32 h1, h1, g1;
  prmt.b32 %0, l0, h0, 0x5140; prmt.b32 %1, l0, h0, 0x7362; prmt.b32 %2, l1, h1, 0x5140; prmt.b32 %3, l1, h1, 0x7362; }",
        meaning: "{ .reg .b8 b<4>; mov.b32 {b0, b1, b2, b3}, %4; cvt.rn.bf16x2.e2m1x2 %0, b0; cvt.rn.bf16x2.e2m1x2 %1, b1;
  cvt.rn.bf16x2.e2m1x2 %2, b2; cvt.rn.bf16x2.e2m1x2 %3, b3; }",
        note: "",
    },
    Sequence {
        name: "e2m1 to f16 through e4m3, eight at a time", source: "Triton, `FP4ToFP16Ptx`, on sm_89 and sm_90",
        constraints: "=r,=r,=r,=r,r",
        block: "{ .reg .b32 s, m, x<2>, g<2>; .reg .b16 t<4>; and.b32 m, %4, 0x77777777; and.b32 s, %4, 0x88888888;
  shr.u32 s, s, 3; prmt.b32 x0, 0x3c383000, 0x4c484440, m; prmt.b32 g0, 0x8000, 0, s; shr.u32 m, m, 16; shr.u32 s, s, 16;
  prmt.b32 x1, 0x3c383000, 0x4c484440, m; prmt.b32 g1, 0x8000, 0, s; or.b32 x0, x0, g0; or.b32 x1, x1, g1;
  mov.b32 {t0, t1}, x0; mov.b32 {t2, t3}, x1; cvt.rn.f16x2.e4m3x2 %0, t0; cvt.rn.f16x2.e4m3x2 %1, t1;
  cvt.rn.f16x2.e4m3x2 %2, t2; cvt.rn.f16x2.e4m3x2 %3, t3; }",
        meaning: "{ .reg .b8 b<4>; mov.b32 {b0, b1, b2, b3}, %4; cvt.rn.f16x2.e2m1x2 %0, b0; cvt.rn.f16x2.e2m1x2 %1, b1;
  cvt.rn.f16x2.e2m1x2 %2, b2; cvt.rn.f16x2.e2m1x2 %3, b3; }",
        note: "",
    },
    Sequence {
        name: "e2m1 doubled to s8, eight at a time", source: "llama.cpp, `get_int_from_table_16` with the table of MXFP4",
        constraints: "=r,=r,r",
        block: "{ .reg .b32 k<4>, q, s, l, h, t<2>; mov.b32 k0, 0x03020100; mov.b32 k1, 0x0c080604; mov.b32 k2, 0xfdfeff00;
  mov.b32 k3, 0xf4f8fafc; and.b32 q, %2, 0x77777777; and.b32 s, %2, 0x88888888; shr.u32 s, s, 1; or.b32 s, s, 0x32103210;
  prmt.b32 l, k0, k1, q; prmt.b32 h, k2, k3, q; prmt.b32 t0, l, h, s; shr.u32 q, q, 16; shr.u32 s, s, 16;
  prmt.b32 l, k0, k1, q; prmt.b32 h, k2, k3, q; prmt.b32 t1, l, h, s;
  prmt.b32 %0, t0, t1, 0x6420; prmt.b32 %1, t0, t1, 0x7531; }",
        meaning: "{ .reg .b8 b<4>; .reg .b16 l, h; .reg .b32 u, x<4>, y<4>; mov.b32 {b0, b1, b2, b3}, %2;
  cvt.rn.f16x2.e2m1x2 u, b0; add.f16x2 u, u, u; mov.b32 {l, h}, u; cvt.rni.s32.f16 x0, l; cvt.rni.s32.f16 y0, h;
  cvt.rn.f16x2.e2m1x2 u, b1; add.f16x2 u, u, u; mov.b32 {l, h}, u; cvt.rni.s32.f16 x1, l; cvt.rni.s32.f16 y1, h;
  cvt.rn.f16x2.e2m1x2 u, b2; add.f16x2 u, u, u; mov.b32 {l, h}, u; cvt.rni.s32.f16 x2, l; cvt.rni.s32.f16 y2, h;
  cvt.rn.f16x2.e2m1x2 u, b3; add.f16x2 u, u, u; mov.b32 {l, h}, u; cvt.rni.s32.f16 x3, l; cvt.rni.s32.f16 y3, h;
  prmt.b32 x0, x0, x1, 0x40; prmt.b32 x2, x2, x3, 0x40; prmt.b32 %0, x0, x2, 0x5410;
  prmt.b32 y0, y0, y1, 0x40; prmt.b32 y2, y2, y3, 0x40; prmt.b32 %1, y0, y2, 0x5410; }",
        note: "",
    },
    Sequence {
        name: "ue8m0 to bf16, four", source: "Marlin, `dequant_fp8_scales` of `kFE8M0fnu`", constraints: "=r,=r,r",
        block: "{ and.b32 %0, %2, 0xff00ff00; shr.u32 %0, %0, 1; shl.b32 %1, %2, 7; and.b32 %1, %1, 0x7f807f80; }",
        meaning: "{ .reg .b8 b<4>; .reg .b16 t; mov.b32 {b0, b1, b2, b3}, %2; mov.b16 t, {b1, b3};
  cvt.rn.bf16x2.ue8m0x2 %0, t; mov.b16 t, {b0, b2}; cvt.rn.bf16x2.ue8m0x2 %1, t; }",
        note: "Code 0 becomes 0, as Marlin documents, and code 255 becomes infinity.",
    },
    Sequence {
        name: "ue8m0 to f32", source: "llama.cpp, `ggml_cuda_e8m0_to_fp32`", constraints: "=f,h",
        block: "{ .reg .b32 u, t; .reg .pred p; cvt.u32.u16 u, %1; and.b32 u, u, 0xff; shl.b32 t, u, 23;
  setp.eq.u32 p, u, 0; selp.b32 t, 0x00400000, t, p; mov.b32 %0, t; }",
        meaning: "{ .reg .b16 h; .reg .b32 u; and.b16 h, %1, 0xff; cvt.rn.bf16x2.ue8m0x2 u, h; shl.b32 u, u, 16;
  mov.b32 %0, u; }",
        note: "Right for every number; code 255 becomes infinity.",
    },
    Sequence {
        name: "e4m3 to f32 by integers", source: "PyTorch, `fp8e4m3fn_to_fp32_value`", constraints: "=f,h",
        block: "{ .reg .b32 w, s, n, c, i, z; cvt.u32.u16 w, %1; shl.b32 w, w, 24; and.b32 s, w, 0x80000000;
  and.b32 n, w, 0x7fffffff; clz.b32 c, n; max.u32 c, c, 4; sub.u32 c, c, 4; add.u32 i, n, 0x01000000; shr.s32 i, i, 8;
  and.b32 i, i, 0x7f800000; sub.u32 z, n, 1; shr.s32 z, z, 31; not.b32 z, z; shl.b32 n, n, c; shr.u32 n, n, 4;
  sub.u32 c, 0x78, c; shl.b32 c, c, 23; add.u32 n, n, c; or.b32 n, n, i; and.b32 n, n, z; or.b32 n, n, s; mov.b32 %0, n; }",
        meaning: "{ .reg .b32 u; .reg .b16 l, h; cvt.rn.f16x2.e4m3x2 u, %1; mov.b32 {l, h}, u; cvt.f32.f16 %0, l; }",
        note: "Right for every number; a NaN has other bits.",
    },
    Sequence {
        name: "f32 to e2m1 by thresholds", source: "Builds of vLLM and CUTLASS for sm_121 before it had the instruction",
        constraints: "=h,f",
        block: "{ .reg .f32 m; .reg .pred p; .reg .b32 c, t, s; abs.f32 m, %1; setp.gt.f32 p, m, 0f3E800000;
  selp.b32 c, 1, 0, p; setp.ge.f32 p, m, 0f3F400000; selp.b32 t, 1, 0, p; add.u32 c, c, t;
  setp.gt.f32 p, m, 0f3FA00000; selp.b32 t, 1, 0, p; add.u32 c, c, t;
  setp.ge.f32 p, m, 0f3FE00000; selp.b32 t, 1, 0, p; add.u32 c, c, t;
  setp.gt.f32 p, m, 0f40200000; selp.b32 t, 1, 0, p; add.u32 c, c, t;
  setp.ge.f32 p, m, 0f40600000; selp.b32 t, 1, 0, p; add.u32 c, c, t;
  setp.gt.f32 p, m, 0f40A00000; selp.b32 t, 1, 0, p; add.u32 c, c, t;
  mov.b32 s, %1; shr.u32 s, s, 28; and.b32 s, s, 8; or.b32 c, c, s; cvt.u16.u32 %0, c; }",
        meaning: "{ .reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, 0f00000000, %1; cvt.u16.u8 %0, b; }",
        note: "",
    },
    Sequence {
        name: "f32 to e2m1 by integers", source: "Triton, `_downcast_to_mxfp`", constraints: "=h,f",
        block: "{ .reg .b32 s, e, m, d, n; .reg .pred p; mov.b32 s, %1; shr.u32 e, s, 23; and.b32 e, e, 0xff;
  and.b32 m, s, 0x7fffff; sub.u32 d, 126, e; shr.u32 n, m, 1; or.b32 n, n, 0x400000; shr.u32 n, n, d;
  setp.lt.u32 p, e, 127; selp.b32 m, n, m, p; max.u32 e, e, 126; sub.u32 e, e, 126; shl.b32 e, e, 2; shr.u32 m, m, 21;
  or.b32 m, e, m; add.u32 m, m, 1; shr.u32 m, m, 1; min.u32 m, m, 7; and.b32 s, s, 0x80000000; shr.u32 s, s, 28;
  or.b32 m, m, s; cvt.u16.u32 %0, m; }",
        meaning: "{ .reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, 0f00000000, %1; cvt.u16.u8 %0, b; }",
        note: "",
    },
    Sequence {
        name: "f32 to e4m3", source: "PyTorch, `fp8e4m3fn_from_fp32_value`, which does not saturate, after a clamp to ±448 as in torchao", constraints: "=h,f",
        block: "{ .reg .b32 f, s, o, r, n; .reg .f32 x; .reg .pred p; max.NaN.f32 x, %1, 0fC3E00000;
  min.NaN.f32 x, x, 0f43E00000; mov.b32 f, x; and.b32 s, f, 0x80000000;
  xor.b32 f, f, s; mov.b32 x, f; add.f32 x, x, 0f46800000; mov.b32 n, x; sub.u32 n, n, 0x46800000;
  shr.u32 o, f, 20; and.b32 o, o, 1; add.u32 r, f, 0xc407ffff; add.u32 r, r, o; shr.u32 r, r, 20;
  setp.lt.u32 p, f, 0x3c800000; selp.b32 r, n, r, p; setp.ge.u32 p, f, 0x43f00000; selp.b32 r, 0x7f, r, p;
  and.b32 r, r, 0xff; shr.u32 s, s, 24; or.b32 r, r, s; cvt.u16.u32 %0, r; }",
        meaning: "cvt.rn.satfinite.e4m3x2.f32 %0, 0f00000000, %1;",
        note: "",
    },
    Sequence {
        name: "f32 to bf16 by integers", source: "PyTorch, `round_to_nearest_even` of `BFloat16`", constraints: "=h,f",
        block: "{ .reg .b32 u, t; .reg .pred p; mov.b32 u, %1; shr.u32 t, u, 16; and.b32 t, t, 1; add.u32 t, t, 0x7fff;
  add.u32 t, t, u; shr.u32 t, t, 16; setp.nan.f32 p, %1, %1; selp.b32 t, 0x7fc0, t, p; cvt.u16.u32 %0, t; }",
        meaning: "cvt.rn.bf16.f32 %0, %1;",
        note: "",
    },
];
