//! Error codes, each with its page, and the error of an evaluation.
//!
//! A code's page is its own doc comment: `ptxcvt explain CODE` prints the same text that rustdoc shows.

use core::fmt;

crate::codes! {
    /// The stable code of an error.
    ///
    /// ```
    /// use ptxcvt::{Code, Form};
    /// let error = "cvt.f16.f32".parse::<Form>().unwrap_err();
    /// assert_eq!(error.code(), Code::MissingRounding);
    /// assert_eq!(Code::MissingRounding.as_str(), "CVT006");
    /// ```
    pub enum Code;

    /// The instruction is neither `cvt` nor `cvt.pack`.
    ///
    /// A conversion begins with `cvt.` or `cvt.pack.`. The instruction `cvta` converts addresses.
    NotConversion = "CVT001";
    /// No modifier or type of that name exists for `cvt`.
    ///
    /// Element formats without a count are not types: `.e4m3` exists in PTX only packed, as `.e4m3x2` or
    /// `.e4m3x4`.
    ///
    /// Wrong: `cvt.e4m3.f32 d, a;`
    ///
    /// Right: `cvt.rn.satfinite.e4m3x2.f32 d, a, b;`
    ///
    /// ptxas: "Unexpected instruction types specified for 'cvt'"
    UnknownModifier = "CVT002";
    /// A modifier of one kind is written twice.
    ///
    /// An opcode can have one rounding modifier, one scale, one `.ftz` and one `.pzo`. The assembler accepts
    /// a repeated `.sat`, `.satfinite` or `.relu`, which has no effect.
    ///
    /// Wrong: `cvt.rn.rz.f16.f32 d, a;`
    ///
    /// Right: `cvt.rz.f16.f32 d, a;`
    ///
    /// ptxas: "Multiple rounding modifiers specified"
    DuplicateModifier = "CVT003";
    /// The number of types is wrong.
    ///
    /// `cvt` has two types, destination then source. `cvt.pack` has two, or three for destinations of at most
    /// 8 bits, where the third is `.b32`.
    ///
    /// Wrong: `cvt.rn.f16 d, a;`
    ///
    /// Right: `cvt.rn.f16.f32 d, a;`
    ///
    /// ptxas: "Unexpected instruction types specified for 'cvt'"
    TypeCount = "CVT004";
    /// No conversion between these two types exists.
    ///
    /// Most pairs with an alternate format exist only packed and only to or from `.f32`, `.f16x2` and
    /// `.bf16x2`; convert in two steps if that is exact.
    ///
    /// Wrong: `cvt.rn.satfinite.e4m3x2.f64 d, a, b;`
    ///
    /// Right: `cvt.rn.satfinite.e4m3x2.f32 d, a, b;`
    ///
    /// ptxas: "Unexpected instruction types specified for 'cvt'"
    TypePair = "CVT005";
    /// A rounding modifier is required.
    ///
    /// Float to narrower float and integer to float need `.rn`, `.rz`, `.rm` or `.rp`; float to integer
    /// needs `.rni`, `.rzi`, `.rmi` or `.rpi`; packed formats and `.tf32` always need one.
    ///
    /// Wrong: `cvt.f16.f32 d, a;`
    ///
    /// Right: `cvt.rn.f16.f32 d, a;`
    ///
    /// ptxas: "Rounding modifier required for instruction 'cvt'"
    MissingRounding = "CVT006";
    /// This rounding modifier is invalid for these types.
    ///
    /// Float to integer rounds to an integer, with `.rni`, `.rzi`, `.rmi` or `.rpi`. Float to float and integer to
    /// float round to a value of the destination, with `.rn`, `.rz`, `.rm`, `.rp`, `.rna` or `.rs`. Conversions of one
    /// scalar float to a wider one, and between integers, have none. The message lists those that the types have;
    /// `ptxcvt where cvt.f16.f32` lists their targets.
    ///
    /// Wrong: `cvt.rn.s32.f32 d, a;`
    ///
    /// Right: `cvt.rni.s32.f32 d, a;`
    ///
    /// ptxas: "Illegal rounding modifier for instruction 'cvt'"
    IllegalRounding = "CVT007";
    /// A modifier that these types require is missing.
    ///
    /// `.satfinite` is required for FP8, FP6, FP4 and `.s2f6x2` destinations, because most of them have no
    /// infinity (`.ue8m0x2` and `.ue5m3x2` also have forms without it); `.sat` is required for `cvt.pack`.
    ///
    /// Wrong: `cvt.rn.e4m3x2.f32 d, a, b;`
    ///
    /// Right: `cvt.rn.satfinite.e4m3x2.f32 d, a, b;`
    ///
    /// ptxas: "'.satfinite' modifier required for instruction 'cvt' with destination type '.e4m3x2'"
    MissingModifier = "CVT008";
    /// This modifier is invalid for these types.
    ///
    /// The message lists what the types have. `.relu` exists for floating-point destinations of 16 bits and fewer and
    /// `.tf32`, `.ftz` for conversions from or to `.f32`, `.satfinite` and `.scaled::n2::ue8m0` for some alternate
    /// formats.
    ///
    /// Wrong: `cvt.rn.relu.f32.f64 d, a;`
    ///
    /// Right: `cvt.rn.f32.f64 d, a;`
    ///
    /// ptxas: "Unexpected instruction types specified for 'cvt'"
    IllegalModifier = "CVT009";
    /// Two modifiers exclude each other.
    ///
    /// Each of them is legal for these types, but not together: `.sat` excludes `.satfinite` and `.relu`;
    /// `.rm` excludes both, and `.rp` both except towards `.ue8m0x2` and `.ue5m3x2`.
    ///
    /// Wrong: `cvt.rn.sat.relu.f16.f32 d, a;`
    ///
    /// Right: `cvt.rn.relu.f16.f32 d, a;`
    ///
    /// ptxas: "Modifier '.relu' cannot be combined with modifier '.sat'"
    Conflict = "CVT010";
    /// The target does not have the form.
    ///
    /// Formats of 8 bits and fewer need recent architectures, most of them with the suffix `a` or `f`
    /// (`.target sm_100a`), which plain `sm_100` does not include.
    Target = "CVT011";
    /// The target has the form, but only from a later ISA version on.
    ///
    /// Or the version does not have the target at all, and so none of its forms.
    Version = "CVT012";
    /// The number of operands is wrong.
    ///
    /// Sources in PTX order, vectors flattened, then `c`, `rbits` or `scale-factor`.
    OperandCount = "CVT020";
    /// An operand is not a number that its type accepts.
    ///
    /// Accepted are bits (`0x3f800000`), decimals (`1.5`, C's `1.5f`, `-inf`, `nan`), PTX's `0f3F800000` and
    /// `0d3FF0000000000000`, and integers. With a sign, `+0x10` is the integer 16.
    OperandSyntax = "CVT021";
    /// An operand does not fit its register.
    ///
    /// An operand of 16 bits is at most `0xffff`. An integer of a type of 8 bits is from -128 to 255, of which the low
    /// bits are used: as `.u8`, `-1` is read as 255 with a note, and `300` is refused.
    OperandRange = "CVT022";
    /// No target has this name.
    ///
    /// Targets are written like `sm_90`, `sm_100a` or `sm_120f`. Those of current assemblers and of their
    /// predecessors are known.
    UnknownTarget = "CVT023";
    /// This is not a PTX ISA version.
    ///
    /// Versions are written `major.minor`, like the number after `.version`: `9.1`.
    UnknownVersion = "CVT024";
    /// Arrays do not fit the form or each other.
    ///
    /// Every column has one element for each instruction, as wide as its operand. A packed array consists of
    /// whole instructions, unless it is padded. Its length determines the length of the result.
    ArrayShape = "CVT025";
    /// `PTXCVT_TIER` names no set of CPU features, or one that this machine lacks.
    ///
    /// Use a name from the message. Without the variable, the fastest set that the machine has is used.
    Tier = "CVT026";
    /// Conversions that follow each other do not fit together.
    ///
    /// Opcodes are joined by `then`, and formats by `->`. The result of each conversion is the source of the next.
    Chain = "CVT027";
    /// No format, type, rounding, modifier or instruction has this name.
    ///
    /// The message lists the names. Formats also have the names that other libraries use, such as `float8_e4m3fn`.
    UnknownName = "CVT028";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The wrong number of operands was given to a form.
///
/// ```
/// use ptxcvt::{Form, OperandCountError};
/// let form: Form = "cvt.rn.f16x2.f32".parse()?;
/// let error = form.eval(&[0]).unwrap_err();
/// assert_eq!(error, OperandCountError::new(2, 1));
/// assert_eq!(error.to_string(), "2 source operands needed, 1 given");
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperandCountError {
    expected: usize,
    given: usize,
}

impl OperandCountError {
    /// The error of a form that has `expected` operands if `given` were given.
    pub const fn new(expected: usize, given: usize) -> Self {
        OperandCountError { expected, given }
    }

    /// The number of operands that the form has.
    pub const fn expected(&self) -> usize {
        self.expected
    }

    /// The number of operands that were given.
    pub const fn given(&self) -> usize {
        self.given
    }

    /// The code of the error.
    pub const fn code(&self) -> Code {
        Code::OperandCount
    }

    /// How to correct it.
    pub const fn help(&self) -> Option<&str> {
        Some("give the sources in PTX order, vectors flattened, then `c`, `rbits` or `scale-factor`")
    }
}

impl fmt::Display for OperandCountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = crate::counted(self.expected, "source operand");
        write!(f, "{expected} needed, {} given", self.given)
    }
}

impl core::error::Error for OperandCountError {}
