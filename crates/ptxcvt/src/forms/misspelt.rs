//! Names of instructions that are misspelt conversions: `CVT.u32.u64`, `cvtt.u32.u64`, `cvt_pack.sat.u8.s32.b32`.

#[cfg(feature = "alloc")]
use alloc::{format, string::String};

use super::opcode::Opcode;
#[cfg(feature = "alloc")]
use super::{part::Part, spelling::Spelling};

impl Opcode {
    /// The conversion that a misspelt name of an instruction probably means: one in capitals, or with one letter too many,
    /// too few or wrong. `None` for the right names, and for those of other instructions.
    ///
    /// ```
    /// use ptxcvt::Opcode;
    /// assert_eq!(Opcode::meant_by("cvtt"), Some(Opcode::Cvt));
    /// assert_eq!(Opcode::meant_by("cvta"), None);
    /// ```
    pub fn meant_by(name: &str) -> Option<Opcode> {
        let mut small = [0; 8];
        let small = small.get_mut(..name.len())?;
        small.copy_from_slice(name.as_bytes());
        small.make_ascii_lowercase();
        match &*small {
            // Right, or another instruction.
            _ if name == Opcode::Cvt.name() || name == Opcode::CvtPack.name() => None,
            b"cvta" => None,
            b"cvt_pack" | b"cvtpack" | b"cvt.pack" => Some(Opcode::CvtPack),
            other => one_edit_from_cvt(other).then_some(Opcode::Cvt),
        }
    }
}

/// True for `cvt` and for names with one insertion, deletion, replacement or exchange of neighbours.
fn one_edit_from_cvt(name: &[u8]) -> bool {
    const CVT: &[u8] = b"cvt";
    match name.len() {
        2 => (0..3)
            .any(|left_out| CVT[..left_out] == name[..left_out] && CVT[left_out + 1..] == name[left_out..]),
        3 => matches!(name, b"vct" | b"ctv") || name.iter().zip(CVT).filter(|(a, b)| a != b).count() <= 1,
        4 => (0..4).any(|added| name[..added] == CVT[..added] && name[added + 1..] == CVT[added..]),
        _ => false,
    }
}

#[cfg(feature = "alloc")]
impl Spelling<'_> {
    /// The opcode with the right name, if that of the instruction is misspelt; `None` for every other instruction.
    ///
    /// ```
    /// use ptxcvt::Spelling;
    /// assert_eq!(Spelling::new("CVT.RN.F16.F32").corrected().as_deref(), Some("cvt.rn.f16.f32"));
    /// assert_eq!(Spelling::new("add.u32").corrected(), None);
    /// ```
    pub fn corrected(&self) -> Option<String> {
        if self.opcode().is_some() {
            return None;
        }
        let text = self.text();
        let name = text.split('.').next().unwrap_or_default();
        let right = Opcode::meant_by(name)?.name();
        let modifiers = &text[name.len()..];
        let is_small = !name.bytes().any(|byte| byte.is_ascii_uppercase());
        let modifiers = if is_small { modifiers.into() } else { modifiers.to_ascii_lowercase() };
        let corrected = format!("{right}{modifiers}");
        // An instruction of a newer PTX may have a similar name, but not the types of a conversion.
        let spelling = Spelling::new(&corrected);
        let types = spelling.parts().filter(|(part, _)| matches!(part, Part::Type(_))).count();
        (name.eq_ignore_ascii_case(Opcode::Cvt.name()) || types >= 2).then_some(corrected)
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let right = |opcode: &str| Spelling::new(opcode).corrected();
        for wrong in
            ["CVT", "Cvt", "cvtt", "ccvt", "cv", "ct", "vt", "vct", "ctv", "cxt", "cvf", "cvt2", "xcvt"]
        {
            assert_eq!(right(&format!("{wrong}.u32.u64")).as_deref(), Some("cvt.u32.u64"), "{wrong}");
        }
        assert_eq!(right("cvt_pack.sat.u8.s32.b32").as_deref(), Some("cvt.pack.sat.u8.s32.b32"));
        assert_eq!(right("CVT.RN.F16.F32").as_deref(), Some("cvt.rn.f16.f32"));
        assert_eq!(right("CVT.PACK.SAT.U8.S32.B32").as_deref(), Some("cvt.pack.sat.u8.s32.b32"));
        // No other instruction has this name, whatever follows it.
        assert_eq!(right("CVT.pred").as_deref(), Some("cvt.pred"));
        for other in [
            "cvt.u32.u64",
            "cvta.global.u64",
            "cvta.to.global.u64",
            "add.u32",
            "set.u32.u32",
            "abcd.u32.u64",
            "",
        ] {
            assert_eq!(right(other), None, "{other}");
        }
    }
}
