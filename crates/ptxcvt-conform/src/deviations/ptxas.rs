//! Instructions that ptxas judges differently from the table, and from similar instructions.

use ptxcvt::Target;

use super::account::Account;

/// A line, and an assembler's verdict on it.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The opcode.
    pub opcode: &'a str,
    /// The operands, as [`crate::legality`] writes them: `%b32`, `0f3F800000`.
    pub operands: &'a str,
    /// The module's target.
    pub target: Target,
    /// The assembler accepted it.
    pub accepted: bool,
}

impl<'a> Judged<'a> {
    /// Matches an instruction's text.
    pub fn new(line: &'a str, target: Target, accepted: bool) -> Option<Self> {
        let (opcode, operands) = line.split_once(' ')?;
        Some(Judged { opcode, operands: operands.trim_end_matches(';'), target, accepted })
    }

    fn has(&self, operand: &str) -> bool {
        self.operands.split(", ").any(|o| o == operand)
    }
}

/// A documented deviation.
#[derive(Debug)]
pub struct Known {
    /// Its row of the page.
    pub account: Account,
    /// Beginnings of the versions that deviate.
    pub versions: &'static [&'static str],
    /// True for the opcodes that it concerns.
    pub concerns: fn(&str) -> bool,
    /// True for the lines of such an opcode that it explains.
    explains: fn(&Judged<'_>) -> bool,
}

impl Known {
    /// The deviation that explains this assembler's verdict on a line, if there is one.
    pub fn of(version: &str, line: &Judged<'_>) -> Option<&'static Known> {
        ALL.into_iter().find(|known| {
            known.versions.iter().any(|v| version.starts_with(v))
                && (known.concerns)(line.opcode)
                && (known.explains)(line)
        })
    }
}

/// Every documented deviation.
pub static ALL: [&Known; 8] = [
    &DIRECTED_PZO,
    &WIDE_FTZ,
    &PACK_FLOAT,
    &PACKED_12,
    &PACKED_13,
    &EXTRA_SCALE,
    &EXTRA_SCALE_UE5M3,
    &EARLY_BF16,
];

const EVERY: &[&str] = &["12.", "13."];

/// `.pzo` with a directed rounding.
pub static DIRECTED_PZO: Known = Known {
    account: Account {
        who: "ptxas 13.5",
        forms: "`cvt.{rm,rp}.pzo.{f16,bf16}.f32`",
        what: "its front end reads the spelling, but its code generator fails on it (C7907) once the result is used",
        ours: "no form",
    },
    versions: EVERY,
    concerns: |opcode| {
        let directed = opcode.split('.').any(|part| matches!(part, "rm" | "rp"));
        directed && opcode.contains(".pzo") && !opcode.contains(".ftz")
    },
    explains: |line| {
        let parts: Vec<&str> = line.opcode.split('.').collect();
        line.accepted && matches!(parts[..], ["cvt", "rm" | "rp", "pzo", "f16" | "bf16", "f32"])
    },
};

/// Registers wider than the type, together with a 64-bit type.
pub static WIDE_FTZ: Known = Known {
    account: Account {
        who: "ptxas",
        forms: "forms with `.ftz` and a 64-bit side",
        what: "it replaces the form by several instructions, which accept no register wider than the type \
               (`cvt.rz.ftz.f32.f64 %b64, %f64`); its front end accepts them",
        ours: "legal, as its front end says",
    },
    versions: EVERY,
    concerns: |opcode| opcode.contains(".ftz.") && opcode.contains("64"),
    explains: |line| !line.accepted && (line.has("%b64") || line.has("%b128")),
};

/// A float literal as the third operand of `cvt.pack`.
pub static PACK_FLOAT: Known = Known {
    account: Account {
        who: "ptxas",
        forms: "`c` of `cvt.pack`",
        what: "it accepts the 32 bits of a literal `0f3F800000` for `c`",
        ours: "an integer is needed",
    },
    versions: EVERY,
    concerns: |opcode| opcode.starts_with("cvt.pack."),
    explains: |line| line.accepted && line.has("0f3F800000"),
};

/// Packed operands whose kind 12.9 does not check.
pub static PACKED_12: Known = Known {
    account: Account {
        who: "ptxas 12.9",
        forms: "the `.bf16x2` operand of `.ue8m0x2.bf16x2` and `.bf16x2.ue8m0x2`",
        what: "it does not check the packed operand: any 32 bits pass, even a predicate",
        ours: "`.b32`",
    },
    versions: &["12."],
    concerns: |opcode| opcode.ends_with(".ue8m0x2.bf16x2") || opcode.ends_with(".bf16x2.ue8m0x2"),
    explains: any_32_bits,
};

/// Packed operands whose kind 13.1 and 13.5 do not check.
pub static PACKED_13: Known = Known {
    account: Account {
        who: "ptxas 13.1, 13.5",
        forms: "the source of `.e2m1x2.bf16x2`, and of `.scaled::n1` forms from `.bf16x2`",
        what: "it does not check the packed operand: any 32 bits pass, even a predicate",
        ours: "`.b32`",
    },
    versions: &["13."],
    concerns: |opcode| {
        opcode.ends_with(".bf16x2") && (opcode.contains(".e2m1x2.") || opcode.contains(".scaled::n1::"))
    },
    explains: any_32_bits,
};

fn any_32_bits(line: &Judged<'_>) -> bool {
    let kinds = ["%u32", "%s32", "%f32", "%f16x2", "%pred", "0f3F800000"];
    line.accepted && kinds.into_iter().any(|kind| line.has(kind))
}

/// A scale-factor without `.scaled` in the opcode, from `.ue8m0x2`.
pub static EXTRA_SCALE: Known = Known {
    account: Account {
        who: "ptxas 13.1",
        forms: "`cvt.rn.bf16x2.ue8m0x2`",
        what: "it accepts a scale-factor too, without `.scaled`",
        ours: "two operands",
    },
    versions: &["13.1."],
    concerns: |opcode| opcode == "cvt.rn.bf16x2.ue8m0x2",
    explains: |line| line.accepted,
};

/// ptxas 13.5 accepts a scale-factor without `.scaled` also for conversions to `.ue5m3x2`.
pub static EXTRA_SCALE_UE5M3: Known = Known {
    account: Account {
        who: "ptxas 13.5",
        forms: "to `.ue5m3x2`",
        what: "it accepts a scale-factor too, without `.scaled`",
        ours: "as many operands as the opcode says",
    },
    versions: &["13.5."],
    concerns: |opcode| opcode.contains(".ue5m3x2."),
    explains: |line| line.accepted && !line.opcode.contains(".scaled") && line.operands.ends_with("%b8"),
};

/// `.ftz` from bf16 before sm_90.
pub static EARLY_BF16: Known = Known {
    account: Account {
        who: "ptxas 12.9",
        forms: "`.ftz.f32.bf16`",
        what: "CUDA 12.9 accepts it before sm_90; later assemblers do not",
        ours: "sm_90 and up",
    },
    versions: &["12."],
    concerns: |opcode| opcode.ends_with(".ftz.f32.bf16"),
    explains: |line| line.accepted && (80..90).contains(&line.target.sm()),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_documented_deviations_are_known() {
        let sm_80: Target = "sm_80".parse().unwrap();
        let known = |line, version, accepted| {
            Known::of(version, &Judged::new(line, sm_80, accepted).unwrap()).is_some()
        };
        assert!(known("cvt.rm.pzo.f16.f32 %b16, %b32;", "13.5.37", true));
        assert!(!known("cvt.rm.pzo.f16.f32 %b16, %b32;", "13.5.37", false));
        assert!(!known("cvt.rm.pzo.f16x2.f32 %b32, %b32, %b32;", "13.5.37", true));
        assert!(!known("cvt.rm.relu.pzo.f32.f16 %b32, %b16;", "13.5.37", true));
        assert!(known("cvt.rn.satfinite.e2m1x2.bf16x2 %b8, %pred;", "13.5.37", true));
        assert!(!known("cvt.rn.satfinite.e2m1x2.bf16x2 %b8, %b64;", "13.5.37", true));
        assert!(!known("cvt.rn.satfinite.e4m3x2.bf16x2 %b16, %pred;", "13.5.37", true));
        assert!(!known("cvt.rz.ue8m0x2.bf16x2 %b16, %pred;", "13.5.37", true));
        assert!(known("cvt.rz.ue8m0x2.bf16x2 %b16, %pred;", "12.9.86", true));
        assert!(known("cvt.rn.bf16x2.ue8m0x2 %pred, %b16;", "12.9.86", true));
        assert!(known("cvt.rn.bf16x2.ue8m0x2 %b32, %b16, %b16;", "13.1.115", true));
        assert!(known("cvt.rz.ftz.f32.f64 %b64, %f64;", "13.5.37", false));
        assert!(!known("cvt.rz.f32.f64 %b64, %f64;", "13.5.37", false));
        assert!(known("cvt.ftz.f32.bf16 %f32, %b16;", "12.9.86", true));
        assert!(!known("cvt.ftz.f32.bf16 %f32, %b16;", "13.5.37", true));
        assert!(known("cvt.pack.sat.u8.s32.b32 %u32, %s32, %s32, 0f3F800000;", "13.5.37", true));
        assert!(!known("cvt.pack.sat.u8.s32.b32 %u32, %s32, %s32, 1.5;", "13.5.37", true));
    }
}
