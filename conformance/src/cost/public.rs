//! Public sequences with the interface of a form, to set beside ours. What each computes is on docs/sequences.md.

use anyhow::Result;
use ptxcvt::Form;
use ptxcvt_exec::{Block, read};

/// A sequence: facts about a project, written anew.
pub struct Sequence {
    /// Who has it.
    pub project: &'static str,
    /// The form that it stands for.
    pub form: &'static str,
    /// For which inputs it is right.
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
];
