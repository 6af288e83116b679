//! What keeps a run from starting. Nothing is written when one of these is returned.

use core::fmt;

use crate::error::Code;
use crate::forms::{Form, Role};

/// The columns do not fit the form or each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BulkError {
    /// The number of operand columns is not [`Form::source_count`](crate::Form::source_count).
    ColumnCount {
        /// How many the form takes.
        expected: usize,
        /// How many were given.
        given: usize,
    },
    /// A column's elements are wider or narrower than its operand.
    ElementWidth {
        /// Which operand.
        role: Role,
        /// The operand's width in bits.
        expected: u32,
        /// The column's element width in bits.
        given: u32,
    },
    /// A column holds another number of bytes than the result's length asks for.
    Length {
        /// Which operand.
        role: Role,
        /// The bytes that fit.
        expected: usize,
        /// The bytes that were given.
        given: usize,
    },
    /// The result or the packed source ends within an element or an instruction.
    Partial {
        /// Which operand.
        role: Role,
        /// The bytes that were given.
        given: usize,
        /// What their number must be a multiple of.
        multiple_of: usize,
    },
    /// A source that holds data was given as one value, or a generator stands where no `rbits` is.
    NotAData {
        /// Which operand.
        role: Role,
    },
    /// `rbits` or `scale-factor` is needed beside the packed elements, or was given without need.
    Extra {
        /// What the form needs.
        needed: Option<Role>,
    },
    /// Elements that become FP4, two to a byte, end within a byte.
    OddElements {
        /// The form.
        form: Form,
        /// How many elements were given.
        given: usize,
    },
    /// A byte that should hold one code of 4 bits holds more.
    NotACode {
        /// The byte.
        code: u8,
    },
    /// `cvt.pack` has no packed arrays: it takes operand columns.
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
            _ => Code::ArrayShape,
        }
    }

    /// What to do instead, where that can be said.
    ///
    /// ```
    /// use ptxcvt::bulk::Plan;
    /// let plan = Plan::new("cvt.rn.satfinite.e4m3x2.f32".parse()?);
    /// let error = plan.run_packed((&[1.0_f32; 3]).into(), None, (&mut [0_u8; 4]).into()).unwrap_err();
    /// assert_eq!(error.to_string(), "`a` holds 12 bytes, which is no multiple of 8");
    /// assert_eq!(error.help(), Some("`run_padded` takes any number of elements"));
    /// # Ok::<(), ptxcvt::forms::SpellingError>(())
    /// ```
    pub const fn help(&self) -> Option<&'static str> {
        match self {
            BulkError::ColumnCount { .. } => Some("give one column for each source operand, in PTX order"),
            BulkError::ElementWidth { .. } => {
                Some("`Column::Bytes` takes little-endian elements of any width")
            }
            BulkError::Partial { .. } => Some("`run_padded` takes any number of elements"),
            BulkError::NotAData { role: Role::RandomBits | Role::ScaleFactor } => {
                Some("give a slice with one number for each instruction, or one value for all")
            }
            BulkError::NotAData { .. } => {
                Some("`run` takes one value for all instructions, operand by operand")
            }
            BulkError::Extra { needed: Some(_) } => {
                Some("give a slice with one number for each instruction, one value for all, or a generator")
            }
            BulkError::NotPacked { .. } => Some("`run` takes one column for each source operand"),
            BulkError::NotACode { .. } => Some("say that two elements share a byte, if they do"),
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
                let plural = if expected == 1 { "" } else { "s" };
                write!(f, "{expected} operand column{plural} needed, {given} given")
            }
            BulkError::ElementWidth { role, expected, given } => {
                write!(f, "elements of `{}` must have {expected} bits, not {given}", role.name())
            }
            BulkError::Length { role, expected, given } => {
                write!(f, "`{}` must hold {expected} bytes to match the others, not {given}", role.name())
            }
            BulkError::Partial { role, given, multiple_of } => {
                write!(f, "`{}` holds {given} bytes, which is no multiple of {multiple_of}", role.name())
            }
            BulkError::NotAData { role: Role::RandomBits | Role::ScaleFactor } => {
                f.write_str("a random generator can only stand for `rbits`")
            }
            BulkError::NotAData { role } => write!(f, "`{}` must be a slice", role.name()),
            BulkError::Extra { needed: Some(role) } => write!(f, "`{}` is needed", role.name()),
            BulkError::Extra { needed: None } => f.write_str("this form takes neither `rbits` nor a scale"),
            BulkError::OddElements { form, given } => {
                let format = form.destination().format();
                write!(
                    f,
                    "{given} elements given: two {format} elements are packed in a byte, so their number must be even"
                )
            }
            BulkError::NotACode { code } => {
                write!(f, "{code:#04x} is not a code of 4 bits, so it is not an element a byte")
            }
            BulkError::NotPacked { form } => write!(f, "{form} takes operand columns, not packed elements"),
        }
    }
}

impl core::error::Error for BulkError {}
