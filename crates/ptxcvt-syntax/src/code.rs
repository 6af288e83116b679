//! The codes of findings in a module other than those in opcodes, each with its page.
//!
//! [`ptxcvt::Code`] has the codes of opcodes (`CVT0nn`). This file adds `CVT1nn` for operands, registers and immediates,
//! `CVT2nn` for the module and its syntax, and `CVT3nn` for warnings. The doc comment of a code is its page.

use std::fmt;

ptxcvt::codes! {
    /// A kind of finding in an operand, a declaration, or the module.
    pub enum PtxCode;

    /// A name is not declared.
    ///
    /// A register is in scope from its declaration to the end of the surrounding block `{ }`.
    /// `.reg .b32 %r<4>;` declares `%r0` to `%r3`.
    ///
    /// Wrong: `.reg .f16 d; cvt.rn.f16.f32 d, a;`
    ///
    /// Right: `.reg .f16 d; .reg .f32 a; cvt.rn.f16.f32 d, a;`
    ///
    /// ptxas: "Unknown symbol 'a'"
    Undeclared = "CVT101";
    /// A name is declared twice in one block.
    ///
    /// An inner block may declare the name again, which hides the outer declaration. `%r<4>` declares `%r0` to
    /// `%r3`. A parameterised name can be declared once in each block.
    ///
    /// Wrong: `.reg .f32 a; .reg .f16 d, a; cvt.rn.f16.f32 d, a;`
    ///
    /// Right: `.reg .f32 a; .reg .f16 d; cvt.rn.f16.f32 d, a;`
    ///
    /// ptxas: "Duplicate definition of variable 'a'"
    Redeclared = "CVT102";
    /// The operand is not a register.
    ///
    /// `cvt` reads and writes registers. First load or move a variable, a parameter or a label into a register (`ld`,
    /// `mov`).
    ///
    /// Wrong: `.shared .f32 a; .reg .f16 d; cvt.rn.f16.f32 d, a;`
    ///
    /// Right: `.reg .f32 a; .reg .f16 d; cvt.rn.f16.f32 d, a;`
    ///
    /// ptxas: "Argument 1 of instruction 'cvt': must be register"
    NotRegister = "CVT103";
    /// The number of operands is wrong.
    ///
    /// The order is: destination, sources in PTX order, then `rbits` or `scale-factor`. A packed destination takes one
    /// source per element (the first goes to the upper part), or one packed source.
    ///
    /// Wrong: `cvt.rn.f16x2.f32 d, {a, b};`
    ///
    /// Right: `cvt.rn.f16x2.f32 d, a, b;`
    ///
    /// ptxas: "Arguments mismatch for instruction 'cvt'"
    OperandNumber = "CVT104";
    /// The register has the wrong kind or width.
    ///
    /// Scalar conversions accept `.b` registers, and for integers `.u` and `.s`, of the type's width or more; an `.f`
    /// register must have the type itself. Conversions with bf16, tf32 or a format of 8 bits and fewer need the exact
    /// width, in most cases of a `.b` register: `.b16` for bf16 and the x2 formats, `.b32` for bf16x2, tf32 and x4,
    /// `.b8` for e2m1x2.
    ///
    /// Wrong: `.reg .b32 d; .reg .f32 a; cvt.rn.bf16.f32 d, a;`
    ///
    /// Right: `.reg .b16 d; .reg .f32 a; cvt.rn.bf16.f32 d, a;`
    ///
    /// ptxas: "Arguments mismatch for instruction 'cvt'"
    RegisterKind = "CVT105";
    /// An immediate of this kind is invalid here.
    ///
    /// Integer sources accept integers. f32 and f64 sources accept floating-point literals (`1.0`, `0f3F800000`).
    /// f16, bf16, packed and narrow sources, `rbits` and `scale-factor` accept only registers.
    ///
    /// Wrong: `cvt.rn.f16.f32 d, 1;`
    ///
    /// Right: `cvt.rn.f16.f32 d, 1.0;`
    ///
    /// ptxas: "Arguments mismatch for instruction 'cvt'"
    ImmediateKind = "CVT106";
    /// A constant expression has no value.
    ///
    /// It divides by zero, does not fit in 64 bits, or mixes integers and floating-point numbers.
    ///
    /// Wrong: `cvt.u32.u16 d, 1/0;`
    ///
    /// Right: `cvt.u32.u16 d, 1/2;`
    ///
    /// ptxas: "Constant expression has division by zero"
    Constant = "CVT107";
    /// The vector has the wrong number of elements.
    ///
    /// An `x4` destination takes four elements, in the order from the upper to the lower part of the result: `{a, b,
    /// e, f}`.
    ///
    /// Wrong: `cvt.rs.satfinite.e4m3x4.f32 d, {a, b}, r;`
    ///
    /// Right: `cvt.rs.satfinite.e4m3x4.f32 d, {a, b, e, f}, r;`
    ///
    /// ptxas: "Arguments mismatch for instruction 'cvt'"
    VectorSize = "CVT108";
    /// A vector is given instead of one register, or one register instead of a vector.
    ///
    /// Only the `x4` destinations have a vector of sources, `{a, b, e, f}`. A packed `x2` destination has two sources
    /// as two operands. Use a vector register element by element: `v.x`.
    ///
    /// Wrong: `cvt.rn.f16.f32 d, {a, b};`
    ///
    /// Right: `cvt.rn.f16.f32 d, a;`
    ///
    /// ptxas: "Vector operand is not allowed for instruction 'cvt'"
    VectorOperand = "CVT109";
    /// The elements of a vector have different types.
    ///
    /// Adjacent elements must agree: `.f32`, `.b32` and floating-point literals can be combined.
    ///
    /// Wrong: `.reg .f32 a; .reg .u32 b; .reg .b32 d, r; cvt.rs.satfinite.e4m3x4.f32 d, {a, b, a, a}, r;`
    ///
    /// Right: `.reg .f32 a; .reg .b32 b, d, r; cvt.rs.satfinite.e4m3x4.f32 d, {a, b, a, a}, r;`
    ///
    /// ptxas: "Incompatible elements of vector expression"
    VectorElements = "CVT110";
    /// The register has no such element.
    ///
    /// Vector registers have the elements `x y z w`, or `r g b a`. Other registers have none.
    ///
    /// Wrong: `.reg .f32 a; .reg .f16 d; cvt.rn.f16.f32 d, a.x;`
    ///
    /// Right: `.reg .v2 .f32 a; .reg .f16 d; cvt.rn.f16.f32 d, a.x;`
    ///
    /// ptxas: "Video selector is not allowed on source operand for instruction 'cvt'"
    Selector = "CVT111";
    /// The sink `_` cannot be an operand of a conversion.
    ///
    /// `_` stands for a result that other instructions discard. A conversion without a result has no use.
    ///
    /// Wrong: `cvt.rn.f16.f32 _, a;`
    ///
    /// Right: `cvt.rn.f16.f32 d, a;`
    ///
    /// ptxas: "Result discard mode is not allowed for instruction 'cvt'"
    Sink = "CVT112";
    /// A special register is invalid here.
    ///
    /// Special registers such as `%tid.x` can only be sources of conversions from integer to integer. Some of them
    /// need a newer target or ISA version. Move the value into a register first.
    ///
    /// Wrong: `cvt.rn.f32.u32 d, %tid.x;`
    ///
    /// Right: `mov.u32 r, %tid.x; cvt.rn.f32.u32 d, r;`
    ///
    /// ptxas: "Special register argument not allowed for instruction 'cvt'"
    SpecialRegister = "CVT113";
    /// `cvt` does not accept an operand of this form.
    ///
    /// Negation (`-a`, `!a`), addresses (`[a]`) and predicate outputs (`d|p`) belong to other instructions.
    ///
    /// Wrong: `cvt.rn.f16.f32 d, -a;`
    ///
    /// Right: `neg.f32 b, a; cvt.rn.f16.f32 d, b;`
    ///
    /// ptxas: "Operand negation not allowed for instruction 'cvt'"
    OperandForm = "CVT114";
    /// The guard `@p` is not a predicate register.
    ///
    /// A guard is a register of `.pred`, set by `setp`: `@p` runs the instruction if it is true, `@!p` if it is
    /// false.
    ///
    /// Wrong: `.reg .b32 p; .reg .f16 d; @p cvt.rn.f16.f32 d, 1.0;`
    ///
    /// Right: `.reg .pred p; .reg .f16 d; @p cvt.rn.f16.f32 d, 1.0;`
    ///
    /// ptxas: "Predicate expression expected"
    Guard = "CVT115";
    /// The destination is not a writable register.
    ///
    /// Special registers such as `%tid.x`, constants and variables cannot be written by `cvt`.
    ///
    /// Wrong: `cvt.u32.u16 %tid.x, a;`
    ///
    /// Right: `cvt.u32.u16 d, a;`
    ///
    /// ptxas: "Read-only special register cannot be destination argument"
    Destination = "CVT116";
    /// The `asm` statement has no such operand.
    ///
    /// `%0` is the first operand, outputs before inputs, and `%[name]` is the operand that is declared `[name] "r"(x)`.
    /// A register of PTX is written with two signs: `%%r0`.
    ///
    /// Wrong: `asm("cvt.rn.f16.f32 %0, %2;" : "=h"(d) : "f"(a));`
    ///
    /// Right: `asm("cvt.rn.f16.f32 %0, %1;" : "=h"(d) : "f"(a));`
    NoOperand = "CVT117";
    /// The constraint of an operand is invalid.
    ///
    /// NVIDIA's compilers know `h` (16 bits), `r` (32), `l` (64), `q` (128), `f` (f32), `d` (f64), `n` (a constant) and
    /// `C` (the text of a constant array). `=` marks an output, `+` an operand that is read and written. The number of an
    /// output, such as `0`, is its register.
    ///
    /// Wrong: `asm("cvt.rn.f16.f32 %0, %1;" : "=z"(d) : "f"(a));`
    ///
    /// Right: `asm("cvt.rn.f16.f32 %0, %1;" : "=h"(d) : "f"(a));`
    Constraint = "CVT118";
    /// The text is not valid PTX here.
    ///
    /// The message names what was expected and what was found instead; often a `;` or a `,` is missing before it.
    ///
    /// Wrong: `cvt.rn.f16.f32 d, a`
    ///
    /// Right: `cvt.rn.f16.f32 d, a;`
    Syntax = "CVT201";
    /// A character that is invalid in PTX.
    ///
    /// PTX is ASCII. Other characters are allowed only in comments.
    ///
    /// Wrong: `cvt.rn.f16.f32 d, ä;`
    ///
    /// Right: `cvt.rn.f16.f32 d, a;`
    ///
    /// ptxas: "Unexpected non-ASCII character encountered"
    Character = "CVT202";
    /// A comment or a string has no end.
    ///
    /// `/*` needs `*/`, and a string ends on its own line. What follows was not read, so conversions may be missing.
    ///
    /// Wrong: `cvt.rn.f16.f32 d, a; /* upper`
    ///
    /// Right: `cvt.rn.f16.f32 d, a; /* upper */`
    ///
    /// ptxas: "unexpected EOF while scanning"
    Unterminated = "CVT203";
    /// A brace has no partner, or the file ends inside a function.
    ///
    /// The place is the brace that has no partner. Conversions after it may be judged in the wrong scope.
    ///
    /// Wrong: `{ cvt.rn.f16.f32 d, a;`
    ///
    /// Right: `{ cvt.rn.f16.f32 d, a; }`
    Unbalanced = "CVT204";
    /// The module does not begin with `.version`.
    ///
    /// Every module begins with `.version` and then `.target`. `--isa` and `--target` replace them.
    MissingVersion = "CVT205";
    /// There is no such ISA version, or it is newer than this program.
    ///
    /// `.version 8.7` names a version of the PTX ISA, not the CUDA release (12.8) nor the driver. A newer `ptxcvt`
    /// may know it.
    UnknownVersion = "CVT206";
    /// `.target` does not follow `.version`.
    ///
    /// The second line of a module is `.target sm_90a`; without it, conversions are judged for no target. `--target`
    /// replaces it.
    MissingTarget = "CVT207";
    /// There is no such target, or the target does not have this option.
    ///
    /// Targets have names such as `sm_75`, `sm_90a` and `sm_100f`. A name such as `compute_90` belongs on a compiler's
    /// command line. The option `map_f64_to_f32` exists only for targets below sm_13.
    UnknownTarget = "CVT208";
    /// The ISA version does not have this target: not yet, or no longer.
    ///
    /// The help names a version that has the target and every conversion of the module, or the target's new name.
    TargetVersion = "CVT209";
    /// PTX does not allow this declaration.
    ///
    /// Registers have a fundamental type: `.u8 .u16 .u32 .u64`, `.s…`, `.b8` to `.b128`, `.f16 .f16x2 .f32
    /// .f64`, `.pred`. `.b128` needs sm_70 and ISA 8.3, `.f16x2` needs sm_53 and ISA 4.2. Values of alternate formats
    /// are kept in `.b` registers. A vector has two or four elements and at most 128 bits. A register has no initial
    /// value and no array size.
    ///
    /// Wrong: `.reg .e4m3x2 d; cvt.rn.satfinite.e4m3x2.f32 d, 1.0, 2.0;`
    ///
    /// Right: `.reg .b16 d; cvt.rn.satfinite.e4m3x2.f32 d, 1.0, 2.0;`
    ///
    /// ptxas: "Type .e4m3x2 may only be used as an instruction type"
    Declaration = "CVT210";
    /// The file exceeds a limit of the program.
    ///
    /// The limits are: 4 GiB per file, 100 nested levels of a constant expression, 10,000 nested blocks, 100 parts of
    /// an opcode. Reading ends after 1,000 syntax errors or 100,000 findings.
    Limit = "CVT211";
    /// A NUL byte, at which the assembler stops reading.
    ///
    /// `cuModuleLoadData` reads a text up to its NUL byte; a file should have none. What follows was not read.
    Nul = "CVT212";
    /// The file is not a Jupyter notebook.
    ///
    /// A notebook (`.ipynb`) is a JSON object with a list `cells`, or `worksheets` with such lists. What precedes an error
    /// in the JSON is judged, what follows is not. `--lang python` reads a file as Python whatever its name.
    Notebook = "CVT213";
    /// A modifier is after the types.
    ///
    /// The assembler accepts modifiers in any order, such as `cvt.f16.f32.rn`. Readers expect the types last.
    ///
    /// Wrong: `cvt.f16.f32.rn d, a;`
    ///
    /// Right: `cvt.rn.f16.f32 d, a;`
    AfterTypes = "CVT301";
    /// `.sat` changes nothing here.
    ///
    /// Conversion from float to integer always saturates.
    ///
    /// Wrong: `cvt.rzi.sat.u8.f32 d, a;`
    ///
    /// Right: `cvt.rzi.u8.f32 d, a;`
    RedundantSat = "CVT302";
    /// An offset is added to a register.
    ///
    /// The assembler reads `a+1` as the expression of an address and accepts it as an operand of `cvt`, in some forms
    /// even if `a` itself is invalid. Use `add`.
    ///
    /// Wrong: `.reg .f32 a; .reg .f16 d; cvt.rn.f16.f32 d, a+1;`
    ///
    /// Right: `.reg .f32 a; .reg .f16 d; cvt.rn.f16.f32 d, a;`
    Offset = "CVT303";
    /// A register's number has leading zeros.
    ///
    /// `%r01` is `%r1` of the registers `%r<4>`.
    ///
    /// Wrong: `.reg .f32 %r<4>; .reg .f16 d; cvt.rn.f16.f32 d, %r01;`
    ///
    /// Right: `.reg .f32 %r<4>; .reg .f16 d; cvt.rn.f16.f32 d, %r1;`
    LeadingZeros = "CVT304";
    /// A modifier is repeated, which the assembler accepts for this one.
    ///
    /// `.sat`, `.satfinite` and `.relu` can be repeated without effect. Every other modifier can be used once.
    ///
    /// Wrong: `cvt.rn.sat.sat.f16.f32 d, a;`
    ///
    /// Right: `cvt.rn.sat.f16.f32 d, a;`
    Repeated = "CVT305";
    /// The snippet has no instruction.
    ///
    /// With `--snippet` the text is a block or an instruction of PTX, or a whole `asm("…" : …);` statement. This one
    /// contains nothing to check.
    NothingRead = "CVT306";
    /// A comment that suppresses findings names no code.
    ///
    /// `ptxcvt: ignore[CVT302]` suppresses this code on its line and on the next one, `ignore[CVT3]` all codes that
    /// begin so. `ptxcvt: ignore` alone suppresses every code.
    Ignore = "CVT307";
}

impl PtxCode {
    /// True for codes of legal code that is probably a mistake.
    pub const fn is_warning(self) -> bool {
        self.as_str().as_bytes()[3] == b'3'
    }

    /// True for codes of texts that were not read completely, so that conversions in it may be missing.
    pub const fn is_unread(self) -> bool {
        matches!(
            self,
            PtxCode::Syntax
                | PtxCode::Character
                | PtxCode::Unterminated
                | PtxCode::Unbalanced
                | PtxCode::Limit
                | PtxCode::Nul
                | PtxCode::Notebook
        )
    }
}

/// The stable code of a finding: one in an opcode, or one in the module around it.
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
    /// A finding in an opcode.
    Opcode(ptxcvt::Code),
    /// Any other finding.
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

    /// The page that explains the code, in Markdown, line by line.
    pub const fn page(self) -> &'static [&'static str] {
        match self {
            Code::Opcode(code) => code.page(),
            Code::Ptx(code) => code.page(),
        }
    }

    /// The first line of the page, without Markdown.
    pub fn title(self) -> String {
        self.page()[0].trim().replace('`', "")
    }

    /// True if the assembler accepts a module with this finding.
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

/// The error for a text that is not a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CodeError;

impl fmt::Display for CodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such code: codes look like CVT006")
    }
}

impl std::error::Error for CodeError {}

impl CodeError {
    /// How to correct it.
    pub const fn help(&self) -> Option<&str> {
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
