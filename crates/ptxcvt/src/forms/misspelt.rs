//! Names of instructions that are misspelt conversions: `CVT.u32.u64`, `cvtt.u32.u64`, `cvtrn.f16.f32`,
//! `cvt_pack.sat.u8.s32.b32`.

#[cfg(feature = "alloc")]
use alloc::{format, string::String};

use super::opcode::Opcode;
use super::part::Part;
#[cfg(feature = "alloc")]
use super::spelling::Spelling;

impl Opcode {
    /// The conversion that a misspelt name of an instruction probably means: one in capitals, with one letter too many,
    /// too few or wrong, or with modifiers after no dot. `None` for the right names, and for those of other instructions.
    ///
    /// ```
    /// use ptxcvt::Opcode;
    /// assert_eq!(Opcode::meant_by("cvtt"), Some(Opcode::Cvt));
    /// assert_eq!(Opcode::meant_by("cvt_rn"), Some(Opcode::Cvt));
    /// assert_eq!(Opcode::meant_by("cvta"), None);
    /// ```
    pub fn meant_by(name: &str) -> Option<Opcode> {
        let mut small = [0; 32];
        let small = small.get_mut(..name.len())?;
        small.copy_from_slice(name.as_bytes());
        small.make_ascii_lowercase();
        match &*small {
            // Right, or another instruction.
            _ if name == Opcode::Cvt.name() || name == Opcode::CvtPack.name() => None,
            _ if name == "cvta" => None,
            b"cvt_pack" | b"cvtpack" | b"cvt.pack" => Some(Opcode::CvtPack),
            other => {
                let has_modifiers = || core::str::from_utf8(other).is_ok_and(|name| joined(name).is_some());
                (one_edit_from_cvt(other) || has_modifiers()).then_some(Opcode::Cvt)
            }
        }
    }
}

/// The modifiers that a name joins to `cvt` without a dot, with `_` between them: `rn` of `cvtrn`, `rn_f16` of `cvt_rn_f16`.
fn joined(name: &str) -> Option<&str> {
    let rest = name.strip_prefix(Opcode::Cvt.name())?;
    let modifiers = rest.strip_prefix('_').unwrap_or(rest);
    modifiers.split('_').all(|part| Part::read(part) != Part::Unknown).then_some(modifiers)
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
        let small = name.to_ascii_lowercase();
        let joined = joined(&small).map(|names| format!(".{}", names.replace('_', "."))).unwrap_or_default();
        let corrected = format!("{right}{joined}{modifiers}");
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
        for (wrong, corrected) in [
            ("cvtrn.f16.f32", "cvt.rn.f16.f32"),
            ("cvt_rn.f16.f32", "cvt.rn.f16.f32"),
            ("CVT_RN.F16.F32", "cvt.rn.f16.f32"),
            ("cvtrni.u32.f32", "cvt.rni.u32.f32"),
            ("cvt_rn_satfinite_e4m3x2.f32", "cvt.rn.satfinite.e4m3x2.f32"),
            ("cvt_f64_f32", "cvt.f64.f32"),
            ("cvtf64.f32", "cvt.f64.f32"),
            ("cvtA.rz.f32.s32", "cvt.rz.f32.s32"),
        ] {
            assert_eq!(right(wrong).as_deref(), Some(corrected), "{wrong}");
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
            "CVTA.to.global.u64",
            "cvtx_rn.f16.f32",
            "cvt_rn.f16",
            "add.u32",
            "set.u32.u32",
            "abcd.u32.u64",
            "",
        ] {
            assert_eq!(right(other), None, "{other}");
        }
    }
}
