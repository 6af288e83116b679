//! Assembly for other machines, whose instructions have similar names: ARM's `vcvt.f32.s32 q0, q0`, MIPS's `cvt.l.d
//! $f0, $f2`.
//!
//! The ARM Architecture Reference Manual, "VCVT"; the MIPS Architecture, "CVT.fmt.fmt".

use super::mention::{NAME, opcode_length};
use super::text::HOLE;

/// The formats of MIPS's conversions. None of these is a modifier of PTX.
const MIPS_FORMATS: [&str; 8] = ["s", "d", "w", "l", "ps", "pw", "pl", "pu"];

/// True if an instruction of a text is another machine's, so the text is not PTX.
pub(super) fn is_foreign(text: &str) -> bool {
    // Names that are declared here, or possibly in an unknown part, are not registers of a machine.
    let declares = text.contains(".reg") || text.contains(HOLE);
    text.split([';', '\n']).any(|statement| {
        let mut words = statement.trim_start_matches(|c: char| c.is_whitespace() || "{}".contains(c));
        if let Some((label, rest)) = words.split_once(':') {
            words = if label.contains(char::is_whitespace) { words } else { rest.trim_start() };
        }
        let (opcode, operands) = words.split_at(opcode_length(words));
        let mut parts = opcode.split('.');
        match parts.next() {
            Some("vcvt") => true,
            Some(name) if name.trim_end() == NAME && opcode.contains('.') => {
                parts.all(|part| MIPS_FORMATS.contains(&part))
                    || !declares && operands.split(',').any(|operand| is_register(operand.trim()))
            }
            _ => false,
        }
    })
}

/// True for the name of a register of another machine: ARM's `q0`, `d1`, `s2` and `v3.4s`, MIPS's `$f4`, x86's
/// `%%xmm5`.
fn is_register(operand: &str) -> bool {
    let numbered = |rest: &str| (1..=2).contains(&rest.len()) && rest.bytes().all(|b| b.is_ascii_digit());
    let name = operand.trim_start_matches("%%");
    if let Some(rest) = ["$f", "xmm", "ymm", "zmm", "q", "d", "s"].iter().find_map(|n| name.strip_prefix(n)) {
        return numbered(rest);
    }
    let vector = name.strip_prefix('v').map(|rest| rest.split_once('.').map_or(rest, |(number, _)| number));
    vector.is_some_and(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_of_other_machines() {
        for text in [
            "vcvt.f32.s32 q0, q0",
            "0:\nvcvt.f32.s32 q0, q0\nbne 0b",
            "cvt.l.d %1, %2\n\tdmfc1 %0, %1",
            "mtc1 %1, $f0\n\tcvt.d.w %0, $f0",
            "l: cvt.s.w $f2, $f4",
            "cvt.f32.s32 q0, q0;",
            "cvt .f32.s32 q0, q0;",
            "cvt.f32.s32 %0, v1.4s",
            "cvt.s32.f32 %%xmm0, %1",
        ] {
            assert!(is_foreign(text), "{text}");
        }
        for text in [
            "cvt.rn.f16.f32 %0, %1;",
            "cvt.rn.f16.f32 h, f;",
            "cvt .rn.f16.f32 h, f;",
            "{ .reg .b16 d0; cvt.rn.f16.f32 d0, %1; }",
            "\u{1a}\u{1a}\u{1a}\u{1a} cvt.rn.f16.f32 d0, %1;",
            "cvt.rn.f16.f32 $0, $1;",
            "cvt.rn.f16.f32 d, s;",
            "mov.b32 q0, q1; cvt.rn.f16.f32 %h1, %f1;",
            "cvt.",
            "",
        ] {
            assert!(!is_foreign(text), "{text}");
        }
    }
}
