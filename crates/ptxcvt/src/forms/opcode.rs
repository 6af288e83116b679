//! The two instructions that convert, `cvt` and `cvt.pack`.
//!
//! PTX ISA sections 9.7.9.21 `cvt` and 9.7.9.22 `cvt.pack`.

#[cfg(feature = "alloc")]
use crate::names::{self, UnknownName};

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

    /// Finds an instruction by its name, with or without a dot and blanks around it, in any case.
    ///
    /// # Errors
    ///
    /// Fails if no instruction has the name; the message lists all instructions.
    #[cfg(feature = "alloc")]
    pub fn read(name: &str) -> Result<Opcode, UnknownName> {
        names::read("instruction", name, Opcode::from_name, Opcode::ALL.iter().map(|opcode| opcode.name()))
    }
}
