//! What the API guidelines ask of types and a compiler can check: threads, printing, comparing, errors.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use ptxcvt::bulk::{BulkError, Column, ColumnMut, Plan, Tier, TierError};
use ptxcvt::forms::SpellingError;
use ptxcvt::{
    Code, Exact, Explanation, Form, Format, IsaVersion, Modifiers, OperandCountError, Outcome, Random,
    Rounding, Spelling, Target, Type, Value,
};

fn crosses_threads<T: Send + Sync + Debug>() {}
fn is_a_value<T: Copy + Eq + Hash + Debug>() {}
fn is_read_and_written<T: FromStr<Err: std::error::Error> + Display>() {}
fn is_an_error<T: std::error::Error + Clone + PartialEq + Send + Sync + 'static>() {}

/// Whatever a caller holds goes to other threads, and can be printed.
#[test]
fn types_cross_threads() {
    crosses_threads::<Plan>();
    crosses_threads::<Column<'_>>();
    crosses_threads::<ColumnMut<'_>>();
    crosses_threads::<Explanation>();
    crosses_threads::<Spelling>();
    crosses_threads::<Exact>();
    crosses_threads::<Value>();
    crosses_threads::<Random>();
    crosses_threads::<Outcome>();
}

/// What names something is compared, hashed and copied, and its text is read back.
#[test]
fn names_are_values() {
    is_a_value::<Form>();
    is_a_value::<Format>();
    is_a_value::<Target>();
    is_a_value::<IsaVersion>();
    is_a_value::<Modifiers>();
    is_a_value::<Rounding>();
    is_a_value::<Type>();
    is_a_value::<Tier>();
    is_a_value::<Code>();
    is_read_and_written::<Form>();
    is_read_and_written::<Target>();
    is_read_and_written::<IsaVersion>();
    is_read_and_written::<Tier>();
}

/// Errors are errors, owned, and the same to every thread.
#[test]
fn errors_are_of_one_style() {
    is_an_error::<SpellingError>();
    is_an_error::<BulkError>();
    is_an_error::<TierError>();
    is_an_error::<OperandCountError>();
}
