//! The two instructions that convert, `cvt` and `cvt.pack`.
//!
//! PTX ISA sections 9.7.9.21 `cvt` and 9.7.9.22 `cvt.pack`.

/// The instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Opcode {
    /// `cvt`
    Cvt,
    /// `cvt.pack`
    CvtPack,
}

impl Opcode {
    /// Both instructions.
    pub const ALL: &'static [Opcode] = &[Opcode::Cvt, Opcode::CvtPack];

    /// PTX's name.
    pub const fn name(self) -> &'static str {
        match self {
            Opcode::Cvt => "cvt",
            Opcode::CvtPack => "cvt.pack",
        }
    }

    /// The instruction of that name.
    pub fn from_name(name: &str) -> Option<Opcode> {
        Self::ALL.iter().copied().find(|opcode| opcode.name() == name)
    }
}

#[cfg(feature = "alloc")]
crate::names::from_str!(Opcode, "instruction");
