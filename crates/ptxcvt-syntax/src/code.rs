//! The codes of what is wrong in a module beside its opcodes, each with its page.
//!
//! They continue [`ptxcvt::Code`], which holds the codes of an opcode (`CVT0nn`): `CVT1nn` operands, registers and
//! immediates; `CVT2nn` the module and its syntax; `CVT3nn` warnings. A code's page is its own doc comment.

use std::fmt;

/// Declares [`PtxCode`]. `codes! { /// Page. Name = "CVT100"; }` expands to the variant `Name` with that doc
/// comment, `PtxCode::ALL`, and the lookups `as_str` and `page`.
macro_rules! codes {
    ($($(#[doc = $line:literal])+ $variant:ident = $code:literal;)*) => {
        /// What is wrong with an operand, a declaration, or the module.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum PtxCode { $($(#[doc = $line])+ $variant),* }

        impl PtxCode {
            /// Every code.
            pub const ALL: &'static [PtxCode] = &[$(PtxCode::$variant),*];

            /// The code as messages print it.
            pub const fn as_str(self) -> &'static str {
                match self { $(PtxCode::$variant => $code),* }
            }

            /// The page that explains the code, in Markdown, line by line.
            pub const fn page(self) -> &'static [&'static str] {
                match self { $(PtxCode::$variant => &[$($line),+]),* }
            }
        }
    };
}

codes! {
    /// A name is used that is not declared here.
    ///
    /// A register is known from its declaration to the end of the block `{ }` that holds it, and not before.
    /// `.reg .b32 %r<4>;` declares `%r0` to `%r3`.
    Undeclared = "CVT101";
    /// A name is declared twice in one block.
    ///
    /// An inner block may declare it again: the inner declaration then hides the outer one. `%r<4>` declares
    /// `%r0` to `%r3`, and a parameterised name may be declared once in each block.
    Redeclared = "CVT102";
    /// The operand is not a register.
    ///
    /// `cvt` reads and writes registers. A variable, a parameter or a label has to be loaded or moved into one
    /// first (`ld`, `mov`).
    NotRegister = "CVT103";
    /// The number of operands is wrong.
    ///
    /// Destination, then the sources in PTX order, then `rbits` or `scale-factor`. A packed destination takes one
    /// source per element (the first goes to the upper part), or one packed source.
    OperandNumber = "CVT104";
    /// The register is of the wrong kind or width.
    ///
    /// Scalar conversions take registers of the type's kind (integer or float; `.b` is both) that are as wide as
    /// the type or wider. Whatever involves bf16, tf32 or a format of 8 bits and fewer wants the exact width, and
    /// mostly `.b`: `.b16` for bf16 and the x2 formats, `.b32` for bf16x2, tf32 and x4, `.b8` for e2m1x2.
    RegisterKind = "CVT105";
    /// An immediate of this kind cannot stand here.
    ///
    /// Integer sources take integers, f32 and f64 sources take floating-point literals (`1.0`, `0f3F800000`);
    /// f16, bf16, packed and narrow sources, `rbits` and `scale-factor` take only registers.
    ImmediateKind = "CVT106";
    /// A constant expression has no value.
    ///
    /// It divides by zero, does not fit in 64 bits, or mixes integers and floating-point numbers.
    Constant = "CVT107";
    /// The vector has the wrong number of elements.
    VectorSize = "CVT108";
    /// A vector stands where one register is needed, or the other way round.
    ///
    /// Only the `x4` destinations take a vector, `{a, b, e, f}`; a packed `x2` destination takes its two sources
    /// as two operands. A vector register is used element by element: `v.x`.
    VectorOperand = "CVT109";
    /// The elements of a vector are not of one type.
    ///
    /// Neighbours have to agree: `.f32`, `.b32` and floating-point literals go together.
    VectorElements = "CVT110";
    /// There is no such element of this register.
    ///
    /// Vector registers have the elements `x y z w`, or `r g b a`; other registers have none.
    Selector = "CVT111";
    /// The sink `_` cannot be an operand of a conversion.
    Sink = "CVT112";
    /// A special register cannot stand here.
    ///
    /// Special registers such as `%tid.x` are sources of conversions from integer to integer only. Move the value
    /// into a register first.
    SpecialRegister = "CVT113";
    /// The operand is written in a way that `cvt` does not take.
    ///
    /// Negation (`-a`, `!a`), addresses (`[a]`) and predicate outputs (`d|p`) belong to other instructions.
    OperandForm = "CVT114";
    /// The guard `@p` is not a predicate register.
    Guard = "CVT115";
    /// The destination is not a register that can be written to.
    Destination = "CVT116";
    /// The text is not PTX at this place.
    Syntax = "CVT201";
    /// A character that cannot stand in PTX.
    ///
    /// PTX is ASCII; other characters may stand only in comments.
    Character = "CVT202";
    /// A comment or a string is never closed.
    Unterminated = "CVT203";
    /// A brace without its partner, or a file that ends inside a function.
    Unbalanced = "CVT204";
    /// The module does not begin with `.version`.
    ///
    /// Every module begins with `.version` and then `.target`. `--isa` and `--target` take their place.
    MissingVersion = "CVT205";
    /// NVIDIA has released no such ISA version, or it is newer than this program.
    UnknownVersion = "CVT206";
    /// `.target` does not follow `.version`.
    MissingTarget = "CVT207";
    /// No such target.
    ///
    /// Targets are `sm_75`, `sm_90a`, `sm_100f` and their kin; `compute_90` belongs on a compiler's command line.
    UnknownTarget = "CVT208";
    /// The ISA version does not know this target: not yet, or no longer.
    TargetVersion = "CVT209";
    /// A declaration that PTX does not allow.
    ///
    /// Registers are of a fundamental type: `.u8 .u16 .u32 .u64`, `.s…`, `.b8` to `.b128`, `.f16 .f16x2 .f32
    /// .f64`, `.pred`. Alternate formats live in `.b` registers. A vector has two or four elements and at most
    /// 128 bits. A register has neither an initial value nor an array size.
    Declaration = "CVT210";
    /// The file is beyond what can be read.
    ///
    /// Files end at 4 GiB, constant expressions at 100 nested levels, blocks at 10,000, opcodes at 100 parts; and
    /// reading ends after 1,000 syntax errors or 100,000 findings.
    Limit = "CVT211";
    /// A NUL byte: the assembler stops reading there.
    Nul = "CVT212";
    /// A modifier stands after the types.
    ///
    /// The assembler takes modifiers in any order, `cvt.f16.f32.rn` as well. Readers expect the types last.
    AfterTypes = "CVT301";
    /// `.sat` changes nothing here.
    ///
    /// Conversion from float to integer always saturates.
    RedundantSat = "CVT302";
    /// An offset is added to a register.
    ///
    /// The assembler reads `a+1` as the expression of an address and takes it as an operand of `cvt`, of some forms
    /// even where `a` itself would not fit. Write an `add`.
    Offset = "CVT303";
    /// A register's number is written with leading zeros.
    ///
    /// `%r01` is `%r1` of the registers `%r<4>`.
    LeadingZeros = "CVT304";
    /// A modifier is written twice, which the assembler accepts of this one.
    ///
    /// `.sat`, `.satfinite` and `.relu` may be repeated, to no effect; every other modifier may not.
    Repeated = "CVT305";
    /// A snippet holds no instruction.
    ///
    /// With `--snippet` the text is a block or an instruction of PTX, or the whole `asm("…" : …);` statement around
    /// it. Nothing that could be checked was found in this one.
    NothingRead = "CVT306";
}

impl PtxCode {
    /// True of the codes of what is legal but surely not meant.
    pub const fn is_warning(self) -> bool {
        self.as_str().as_bytes()[3] == b'3'
    }
}

/// What a diagnostic is about, as a stable code: an opcode's problem, or one of the module around it.
///
/// ```
/// use ptxcvt_syntax::{Code, PtxCode};
/// let code: Code = "CVT105".parse()?;
/// assert_eq!(code, Code::Ptx(PtxCode::RegisterKind));
/// assert!(code.page()[0].contains("wrong kind"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Code {
    /// The opcode alone is wrong.
    Opcode(ptxcvt::Code),
    /// Something else is.
    Ptx(PtxCode),
}

impl Code {
    /// Every code, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Code> {
        let opcode = ptxcvt::Code::ALL.iter().copied().map(Code::Opcode);
        opcode.chain(PtxCode::ALL.iter().copied().map(Code::Ptx))
    }

    /// The code as messages print it: `CVT105`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::Opcode(code) => code.as_str(),
            Code::Ptx(code) => code.as_str(),
        }
    }

    /// The page that explains it, in Markdown, line by line.
    pub const fn page(self) -> &'static [&'static str] {
        match self {
            Code::Opcode(code) => code.page(),
            Code::Ptx(code) => code.page(),
        }
    }

    /// The first line of the page, without Markdown's marks.
    pub fn title(self) -> String {
        self.page()[0].trim().replace('`', "")
    }

    /// True where the module is legal all the same.
    pub const fn is_warning(self) -> bool {
        matches!(self, Code::Ptx(code) if code.is_warning())
    }
}

impl From<ptxcvt::Code> for Code {
    fn from(code: ptxcvt::Code) -> Self {
        Code::Opcode(code)
    }
}

impl From<PtxCode> for Code {
    fn from(code: PtxCode) -> Self {
        Code::Ptx(code)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// There is no such code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeError;

impl fmt::Display for CodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such code; codes are written like CVT006")
    }
}

impl std::error::Error for CodeError {}

impl CodeError {
    /// What to do about it.
    pub const fn help(&self) -> Option<&'static str> {
        Some("docs/codes.md lists them all")
    }
}

impl std::str::FromStr for Code {
    type Err = CodeError;

    /// Reads a code in upper or lower case.
    fn from_str(text: &str) -> Result<Self, CodeError> {
        Self::all().find(|code| code.as_str().eq_ignore_ascii_case(text)).ok_or(CodeError)
    }
}
