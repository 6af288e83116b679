//! Conversion sequences as public projects write them, against what they stand for, on every input; the page
//! docs/sequences.md is written from here (`BLESS=1 cargo test -p ptxcvt-exec --test sequences`) and kept fresh.
//!
//! The instructions are facts about those projects, written anew; where each comes from stands beside it.

use std::fmt::Write as _;

use ptxcvt_exec::prove::{Method, Options, prove};
use ptxcvt_exec::read::{self, Interface};

/// A sequence and what it should compute.
struct Sequence {
    name: &'static str,
    source: &'static str,
    constraints: &'static str,
    block: &'static str,
    /// The same computed by the instruction for it, or by the definition.
    meaning: &'static str,
    note: &'static str,
}

#[rustfmt::skip]
const SEQUENCES: &[Sequence] = &[
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
        note: "A NaN keeps its payload, where the instruction returns 0x7fff.",
    },
    Sequence {
        name: "f16 to e5m2, four at a time", source: "half a step added after the lowest bit is cleared", constraints: "=r,r,r",
        block: "{ .reg .b32 x<2>; and.b32 x0, %1, 0xfffefffe; and.b32 x1, %2, 0xfffefffe;
  add.u32 x0, x0, 0x00800080; add.u32 x1, x1, 0x00800080; prmt.b32 %0, x0, x1, 0x7531; }",
        meaning: "{ .reg .b16 l, h; cvt.rn.satfinite.e5m2x2.f16x2 l, %1; cvt.rn.satfinite.e5m2x2.f16x2 h, %2;
  mov.b32 %0, {l, h}; }",
        note: "Half-way cases go away from zero, large numbers to infinity, and the carry of the lower half is lost in \
               the upper one: the two halves are not independent.",
    },
    Sequence {
        name: "f16 to e5m2 by cutting off, two", source: "the upper bytes, as many FP8 caches are written", constraints: "=h,r",
        block: "{ .reg .b32 t; prmt.b32 t, %1, 0, 0x4431; cvt.u16.u32 %0, t; }",
        meaning: "cvt.rz.satfinite.e5m2x2.f16x2 %0, %1;",
        note: "The same as rounding towards zero but for infinity, which saturates, and NaN.",
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
        name: "u4 minus 8 to f16, high nibbles", source: "Marlin, the same", constraints: "=r,r",
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
        name: "u8 minus 128 to bf16, two", source: "FasterTransformer, the same to bf16", constraints: "=r,r",
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
        name: "e4m3 to bf16, the upper byte of each half", source: "Marlin, the same to `nv_bfloat162`", constraints: "=r,r",
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
        name: "e2m1 to bf16, the upper nibble of each half", source: "Marlin, the same to `nv_bfloat162`", constraints: "=r,r",
        block: "{ .reg .b32 k<1>; mov.b32 k0, 0x7e807e80;
  .reg .b32 s, m; and.b32 s, %1, 0x80008000; and.b32 m, %1, 0x70007000; shr.u32 m, m, 6;
  or.b32 s, s, m; mul.bf16x2 %0, s, k0; }",
        meaning: "{ .reg .b32 l, h; .reg .b8 b, x, y, z; shr.u32 l, %1, 12; and.b32 l, l, 0xf; shr.u32 h, %1, 28; shl.b32 h, h, 4;
  or.b32 l, l, h; mov.b32 {b, x, y, z}, l; cvt.rn.bf16x2.e2m1x2 %0, b; }",
        note: "",
    },
    Sequence {
        name: "ue8m0 to bf16, two", source: "the usual shift of MX decoders", constraints: "=r,h",
        block: "{ .reg .b32 t; cvt.u32.u16 t, %1; prmt.b32 t, t, 0, 0x4140; shl.b32 %0, t, 7; }",
        meaning: "cvt.rn.bf16x2.ue8m0x2 %0, %1;",
        note: "Code 0 becomes 0 instead of 2^-127, code 255 infinity instead of NaN; so in TransformerEngine's issue 3262.",
    },
    Sequence {
        name: "bf16 to f32, two", source: "any kernel that unpacks a pair by hand", constraints: "=f,=f,r",
        block: "{ shl.b32 %0, %2, 16; and.b32 %1, %2, 0xffff0000; }",
        meaning: "{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.bf16 %0, l; cvt.f32.bf16 %1, h; }",
        note: "",
    },
    Sequence {
        name: "f16 magnitudes, two", source: "a mask instead of an instruction", constraints: "=r,r",
        block: "and.b32 %0, %1, 0x7fff7fff;",
        meaning: "abs.f16x2 %0, %1;",
        note: "",
    },
    Sequence {
        name: "f16 negated, two", source: "a mask instead of an instruction", constraints: "=r,r",
        block: "xor.b32 %0, %1, 0x80008000;",
        meaning: "neg.f16x2 %0, %1;",
        note: "",
    },
    Sequence {
        name: "e4m3 to f16 by half-precision arithmetic, two", source: "a permute, a shift, a product", constraints: "=r,h",
        block: "{ .reg .b32 k<1>; mov.b32 k0, 0x5c005c00;
  .reg .b32 t, s, m; cvt.u32.u16 t, %1; prmt.b32 t, t, 0, 0x1404; shr.u32 m, t, 1; and.b32 s, t, 0x80008000;
  lop3.b32 t, m, 0x3f803f80, s, 0xea; mul.f16x2 %0, t, k0; }",
        meaning: "cvt.rn.f16x2.e4m3x2 %0, %1;",
        note: "As Marlin's, from packed bytes: right but for NaN.",
    },
];

fn verdict(s: &Sequence) -> String {
    let interface = Interface::constraints(s.constraints).unwrap();
    let [block, meaning] = [s.block, s.meaning].map(|text| {
        read::block(text, &interface).unwrap_or_else(|e| panic!("{}: {e}: {}", s.name, &text[e.span.range()]))
    });
    let answer = prove(&block, &meaning, &Options::default(), &|_| {}).unwrap();
    assert_ne!(answer.method, Method::Sampled, "{}: not all inputs were tried", s.name);
    let mut text = answer.to_string();
    if let Some(d) = &answer.difference {
        let kinds: Vec<String> = d.kinds.rows().map(|(kind, n)| format!("{kind} {n}")).collect();
        let hex = |words: &[u64]| words.iter().map(|w| format!("{w:#x}")).collect::<Vec<_>>().join(" ");
        let (inputs, a, b) = (hex(&d.inputs), hex(&d.a), hex(&d.b));
        write!(text, " ({}); first at {inputs}: {a} instead of {b}", kinds.join(", ")).unwrap();
    }
    text
}

#[test]
fn the_page_tells_what_they_compute() {
    let mut page = String::from(
        "# Conversion sequences, tried on every input\n\n\
         What public projects write where a GPU has no instruction for a conversion, against the instruction or the\n\
         definition. Written by `BLESS=1 cargo test -p ptxcvt-exec --test sequences`, which otherwise keeps it fresh;\n\
         `ptxcvt prove A B` asks the same of your own. Where outputs depend on few input bits each, each part is tried\n\
         with all of these, and counts are sums over the parts.\n",
    );
    let mut equal = 0;
    for s in SEQUENCES {
        let verdict = verdict(s);
        equal += usize::from(verdict.starts_with("equal"));
        write!(page, "\n## {}\n\n{}. Constraints `{}`.\n\n", s.name, s.source, s.constraints).unwrap();
        write!(
            page,
            "```ptx\n{}\n```\n\nstands for\n\n```ptx\n{}\n```\n\n**{verdict}.**\n",
            s.block, s.meaning
        )
        .unwrap();
        if !s.note.is_empty() {
            writeln!(page, "\n{}", s.note).unwrap();
        }
    }
    assert!(SEQUENCES.len() >= 20 && equal >= 10, "{} sequences, {equal} equal", SEQUENCES.len());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sequences.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == page, "docs/sequences.md is stale: run the test with BLESS=1 and read the diff");
}
