//! The two instructions.
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
    /// PTX's name.
    pub const fn name(self) -> &'static str {
        match self {
            Opcode::Cvt => "cvt",
            Opcode::CvtPack => "cvt.pack",
        }
    }
}
