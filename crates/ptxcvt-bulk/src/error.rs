//! The errors of a run. Unless an error says otherwise, nothing has been written.

use core::fmt;

use ptxcvt::Code;
use ptxcvt::forms::{Form, Role};

/// Why columns or elements do not fit the form or each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BulkError {
    /// The number of operand columns is not [`Form::source_count`](ptxcvt::Form::source_count).
    ColumnCount {
        /// The number that the form has.
        expected: usize,
        /// The number that was given.
        given: usize,
    },
    /// A column's elements are wider or narrower than its operand.
    ElementWidth {
        /// The operand.
        role: Role,
        /// The operand's width in bits.
        expected: u32,
        /// The column's element width in bits.
        given: u32,
    },
    /// The number of bytes of a column does not match the length of the result.
    Length {
        /// The operand.
        role: Role,
        /// The number of bytes that would match.
        expected: usize,
        /// The number of bytes given.
        given: usize,
    },
    /// The result or the packed source ends within an element or an instruction.
    Partial {
        /// The operand.
        role: Role,
        /// The number of bytes given.
        given: usize,
        /// The number of bytes must be a multiple of this.
        multiple_of: usize,
    },
    /// A data operand was given as one value, or a random generator was given for an operand other than `rbits`.
    NotAData {
        /// The operand.
        role: Role,
    },
    /// `rbits` or `scale-factor` is missing, or was given for a form without it.
    Extra {
        /// The operand that the form needs.
        needed: Option<Role>,
    },
    /// Elements that become FP4, two per byte, end within a byte.
    OddElements {
        /// The form.
        form: Form,
        /// The number of elements that were given.
        given: usize,
    },
    /// A byte is not a 4-bit code.
    NotACode {
        /// The byte.
        code: u8,
    },
    /// `cvt.pack` has no packed arrays, only operand columns.
    NotPacked {
        /// The form.
        form: Form,
    },
}

impl BulkError {
    /// The code of the error.
    pub const fn code(&self) -> Code {
        match self {
            BulkError::ColumnCount { .. } | BulkError::Extra { .. } => Code::OperandCount,
            BulkError::ElementWidth { .. }
            | BulkError::Length { .. }
            | BulkError::Partial { .. }
            | BulkError::NotAData { .. }
            | BulkError::OddElements { .. }
            | BulkError::NotACode { .. }
            | BulkError::NotPacked { .. } => Code::ArrayShape,
        }
    }

    /// How to correct it, if there is advice.
    ///
    /// ```
    /// use ptxcvt_bulk::Plan;
    /// let plan = Plan::new("cvt.rn.satfinite.e4m3x2.f32".parse()?);
    /// let error = plan.run_packed((&[1.0_f32; 3]).into(), None, (&mut [0_u8; 4]).into()).unwrap_err();
    /// assert_eq!(error.to_string(), "`a` holds 12 bytes, which is not a multiple of 8");
    /// assert_eq!(error.help(), Some("`run_padded` accepts any number of elements"));
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub const fn help(&self) -> Option<&str> {
        match self {
            BulkError::ColumnCount { .. } => Some("give one column for each source operand, in PTX order"),
            BulkError::ElementWidth { .. } => {
                Some("`Column::Bytes` accepts little-endian elements of any width")
            }
            BulkError::Partial { .. } => Some("`run_padded` accepts any number of elements"),
            BulkError::NotAData { role: Role::RandomBits | Role::ScaleFactor } => {
                Some("give a slice with one number for each instruction, or one value for all")
            }
            BulkError::NotAData { .. } => {
                Some("`run` accepts one value for all instructions for each operand")
            }
            BulkError::Extra { needed: Some(_) } => {
                Some("give a slice with one number for each instruction, one value for all, or a generator")
            }
            BulkError::NotPacked { .. } => Some("`run` accepts one column for each source operand"),
            BulkError::NotACode { .. } => Some("if two elements share a byte, pass them as packed"),
            BulkError::Length { .. } | BulkError::OddElements { .. } | BulkError::Extra { needed: None } => {
                None
            }
        }
    }
}

impl fmt::Display for BulkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            BulkError::ColumnCount { expected, given } => {
                write!(f, "{} needed, {given} given", ptxcvt::counted(expected, "operand column"))
            }
            BulkError::ElementWidth { role, expected, given } => {
                write!(f, "elements of `{}` must have {expected} bits, not {given}", role.name())
            }
            BulkError::Length { role, expected, given } => {
                let expected = ptxcvt::counted(expected, "byte");
                write!(f, "`{}` must hold {expected} to match the others, not {given}", role.name())
            }
            BulkError::Partial { role, given, multiple_of } => {
                let given = ptxcvt::counted(given, "byte");
                write!(f, "`{}` holds {given}, which is not a multiple of {multiple_of}", role.name())
            }
            BulkError::NotAData { role: Role::RandomBits | Role::ScaleFactor } => {
                f.write_str("only `rbits` can be a random generator")
            }
            BulkError::NotAData { role } => write!(f, "`{}` must be a slice", role.name()),
            BulkError::Extra { needed: Some(role) } => write!(f, "`{}` is missing", role.name()),
            BulkError::Extra { needed: None } => f.write_str("this form has neither `rbits` nor a scale"),
            BulkError::OddElements { form, given } => {
                let format = form.destination().format();
                let given = ptxcvt::counted(given, "element");
                write!(
                    f,
                    "{given} given: two {format} elements are packed in a byte, so their number must be even"
                )
            }
            BulkError::NotACode { code } => {
                write!(f, "byte {code:#04x} is not a code of 4 bits: expected at most 0x0f")
            }
            BulkError::NotPacked { form } => write!(f, "{form} needs operand columns, not packed elements"),
        }
    }
}

impl core::error::Error for BulkError {}
