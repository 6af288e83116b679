//! The parts of the API guidelines that a compiler can check: threads, printing, comparing, errors.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use ptxcvt::forms::{BetweenError, Refusal};
use ptxcvt::literal::{LiteralError, WordError};
use ptxcvt::targets::{IsaVersionError, MachineError, TargetError};
use ptxcvt::{
    Code, Conversion, Exact, Explanation, Form, Format, IsaVersion, Modifiers, OperandCountError, Outcome,
    Random, Rounding, Spelling, Target, Type, UnknownName, Value,
};

fn crosses_threads<T: Send + Sync + Debug>() {}
fn is_a_value<T: Copy + Eq + Hash + Debug>() {}
fn is_read_and_written<T: FromStr<Err: std::error::Error> + Display>() {}
fn is_an_error<T: std::error::Error + Clone + PartialEq + Send + Sync + 'static>() {}

/// Every type can be sent to other threads and printed.
#[test]
fn types_cross_threads() {
    crosses_threads::<Explanation>();
    crosses_threads::<Spelling>();
    crosses_threads::<Exact>();
    crosses_threads::<Value>();
    crosses_threads::<Random>();
    crosses_threads::<Outcome>();
}

/// Names can be compared, hashed and copied, and their text parses.
#[test]
fn names_are_values() {
    is_a_value::<Form>();
    is_a_value::<Format>();
    is_a_value::<Target>();
    is_a_value::<IsaVersion>();
    is_a_value::<Modifiers>();
    is_a_value::<Rounding>();
    is_a_value::<Type>();
    is_a_value::<Code>();
    is_a_value::<Conversion>();
    is_read_and_written::<Form>();
    is_read_and_written::<Target>();
    is_read_and_written::<IsaVersion>();
}

/// The code of every error is a code, and its help one text.
macro_rules! reported {
    ($($error:ty),+ $(,)?) => {
        $(_ = |error: &$error| -> (Code, Option<String>) { (error.code(), error.help().map(str::to_owned)) };)+
    };
}

/// Errors implement `Error`, own their data and can be sent to other threads.
#[test]
fn errors_are_of_one_style() {
    is_an_error::<OperandCountError>();
    is_an_error::<BetweenError>();
    is_an_error::<Refusal>();
    is_an_error::<LiteralError>();
    is_an_error::<TargetError>();
    is_an_error::<IsaVersionError>();
    is_an_error::<MachineError>();
    is_an_error::<UnknownName>();
    reported!(
        OperandCountError,
        BetweenError,
        Refusal,
        LiteralError,
        WordError<'_>,
        TargetError,
        IsaVersionError,
        MachineError,
        UnknownName,
    );
}
