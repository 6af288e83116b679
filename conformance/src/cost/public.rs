//! Public sequences with the interface of a form, for comparison with ours. docs/generated/sequences.md says what each
//! computes.

use anyhow::Result;
use ptxcvt::Form;
use ptxcvt_exec::{Block, read};

/// A sequence of a project. The instructions are facts about the project; their text was written for this file.
pub struct Sequence {
    /// The project.
    pub project: &'static str,
    /// The form that it replaces.
    pub form: &'static str,
    /// The inputs for which it is right.
    pub contract: &'static str,
    /// The block, whose first line is the constraint string.
    pub text: &'static str,
}

impl Sequence {
    /// The form and the block.
    pub fn read(&self) -> Result<(Form, Block)> {
        let form = self.form.parse().map_err(|e| anyhow::anyhow!("{}: {e}", self.form))?;
        let block = read::block(self.text, &read::Interface::default());
        Ok((form, block.map_err(|e| anyhow::anyhow!("{}: {e}", self.project))?))
    }
}

/// An element of PyTorch's conversion from f32 to e4m3.
macro_rules! e4m3 {
    ($to:literal, $from:literal) => {
        concat!(
            "  mov.b32 f, ", $from, "; and.b32 s, f, 0x80000000; xor.b32 f, f, s; mov.b32 x, f;
  add.f32 x, x, 0f46800000; mov.b32 n, x; sub.u32 n, n, 0x46800000; shr.u32 o, f, 20; and.b32 o, o, 1;
  add.u32 r, f, 0xc407ffff; add.u32 r, r, o; shr.u32 r, r, 20; setp.lt.u32 p, f, 0x3c800000; selp.b32 r, n, r, p;
  setp.ge.u32 p, f, 0x43f00000; selp.b32 r, 0x7f, r, p; and.b32 r, r, 0xff; shr.u32 s, s, 24; or.b32 ", $to, ", r, s;\n"
        )
    };
}

/// An element of f32 to e2m1 by seven comparisons.
macro_rules! thresholds {
    ($to:literal, $from:literal) => {
        concat!(
            "  abs.f32 x, ",
            $from,
            "; setp.gt.f32 p, x, 0f3E800000; selp.b32 r, 1, 0, p;
  setp.ge.f32 p, x, 0f3F400000; selp.b32 n, 1, 0, p; add.u32 r, r, n;
  setp.gt.f32 p, x, 0f3FA00000; selp.b32 n, 1, 0, p; add.u32 r, r, n;
  setp.ge.f32 p, x, 0f3FE00000; selp.b32 n, 1, 0, p; add.u32 r, r, n;
  setp.gt.f32 p, x, 0f40200000; selp.b32 n, 1, 0, p; add.u32 r, r, n;
  setp.ge.f32 p, x, 0f40600000; selp.b32 n, 1, 0, p; add.u32 r, r, n;
  setp.gt.f32 p, x, 0f40A00000; selp.b32 n, 1, 0, p; add.u32 r, r, n;
  mov.b32 s, ",
            $from,
            "; shr.u32 s, s, 28; and.b32 s, s, 8; or.b32 ",
            $to,
            ", r, s;\n"
        )
    };
}

/// An element of Triton's f32 to e2m1 by integers.
macro_rules! integers {
    ($to:literal, $from:literal) => {
        concat!(
            "  mov.b32 s, ", $from, "; shr.u32 f, s, 23; and.b32 f, f, 0xff; and.b32 r, s, 0x7fffff;
  sub.u32 o, 126, f; shr.u32 n, r, 1; or.b32 n, n, 0x400000; shr.u32 n, n, o; setp.lt.u32 p, f, 127;
  selp.b32 r, n, r, p; max.u32 f, f, 126; sub.u32 f, f, 126; shl.b32 f, f, 2; shr.u32 r, r, 21; or.b32 r, f, r;
  add.u32 r, r, 1; shr.u32 r, r, 1; min.u32 r, r, 7; and.b32 s, s, 0x80000000; shr.u32 s, s, 28; or.b32 ", $to, ", r, s;\n"
        )
    };
}

/// Packs two elements from f32 into one word, the first `by` bits above the second.
macro_rules! pair {
    ($element:ident, $shift:literal) => {
        concat!(
            "// =h,f,f\n{ .reg .b32 f, s, o, r, n, a, b; .reg .f32 x; .reg .pred p;\n",
            $element!("a", "%1"),
            $element!("b", "%2"),
            "  shl.b32 a, a, ",
            $shift,
            "; or.b32 a, a, b; cvt.u16.u32 %0, a; }"
        )
    };
}

#[rustfmt::skip]
pub const SEQUENCES: &[Sequence] = &[
    Sequence {
        project: "Triton", form: "cvt.rn.f16x2.e5m2x2", contract: "any NaN",
        text: "// =r,h\n{ .reg .b32 u; cvt.u32.u16 u, %1; prmt.b32 %0, 0, u, 0x5140; }",
    },
    Sequence {
        project: "Marlin", form: "cvt.rn.f16x2.e4m3x2", contract: "numbers",
        text: "// =r,h\n{ .reg .b32 u, s, m; cvt.u32.u16 u, %1; prmt.b32 u, u, 0, 0x1404; and.b32 s, u, 0x80008000;
  and.b32 m, u, 0x7f007f00; shr.u32 m, m, 1; or.b32 s, s, m; mov.b32 m, 0x5c005c00; mul.f16x2 %0, s, m; }",
    },
    Sequence {
        project: "Marlin", form: "cvt.rn.f16x2.e2m1x2", contract: "every input",
        text: "// =r,h\n{ .reg .b32 u, s, m; cvt.u32.u16 u, %1; and.b32 u, u, 0xff; shl.b32 m, u, 12; shl.b32 u, u, 24;
  or.b32 u, u, m; and.b32 s, u, 0x80008000; and.b32 m, u, 0x70007000; shr.u32 m, m, 3; or.b32 s, s, m;
  mov.b32 m, 0x74007400; mul.f16x2 %0, s, m; }",
    },
    Sequence {
        project: "MX decoders", form: "cvt.rn.bf16x2.ue8m0x2", contract: "neither code 0 nor NaN",
        text: "// =r,h\n{ .reg .b32 u; cvt.u32.u16 u, %1; prmt.b32 u, u, 0, 0x4140; shl.b32 %0, u, 7; }",
    },
    Sequence {
        project: "FlashAttention and others", form: "cvt.rz.bf16x2.f32", contract: "numbers",
        text: "// =r,f,f\nprmt.b32 %0, %2, %1, 0x7632;",
    },
    Sequence {
        project: "Marlin", form: "cvt.rn.bf16x2.e4m3x2", contract: "numbers",
        text: "// =r,h\n{ .reg .b32 u, s, m; cvt.u32.u16 u, %1; prmt.b32 u, u, 0, 0x1404; and.b32 s, u, 0x80008000;
  and.b32 m, u, 0x7f007f00; shr.u32 m, m, 4; or.b32 s, s, m; mov.b32 m, 0x7b807b80; mul.bf16x2 %0, s, m; }",
    },
    Sequence {
        project: "Marlin", form: "cvt.rn.bf16x2.e2m1x2", contract: "every input",
        text: "// =r,h\n{ .reg .b32 u, s, m; cvt.u32.u16 u, %1; and.b32 u, u, 0xff; shl.b32 m, u, 12; shl.b32 u, u, 24;
  or.b32 u, u, m; and.b32 s, u, 0x80008000; and.b32 m, u, 0x70007000; shr.u32 m, m, 6; or.b32 s, s, m;
  mov.b32 m, 0x7e807e80; mul.bf16x2 %0, s, m; }",
    },
    Sequence {
        project: "PyTorch", form: "cvt.rn.satfinite.e4m3x2.f32", contract: "below 464",
        text: pair!(e4m3, 8),
    },
    Sequence {
        project: "vLLM for sm_121", form: "cvt.rn.satfinite.e2m1x2.f32", contract: "numbers",
        text: pair!(thresholds, 4),
    },
    Sequence {
        project: "Triton", form: "cvt.rn.satfinite.e2m1x2.f32", contract: "numbers but ties",
        text: pair!(integers, 4),
    },
    Sequence {
        project: "PyTorch", form: "cvt.rn.bf16.f32", contract: "any NaN",
        text: "// =h,f\n{ .reg .b32 u, t; .reg .pred p; mov.b32 u, %1; shr.u32 t, u, 16; and.b32 t, t, 1;
  add.u32 t, t, 0x7fff; add.u32 t, t, u; shr.u32 t, t, 16; setp.nan.f32 p, %1, %1; selp.b32 t, 0x7fc0, t, p;
  cvt.u16.u32 %0, t; }",
    },
];
