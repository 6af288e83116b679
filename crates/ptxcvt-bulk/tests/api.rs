//! The parts of the Rust API guidelines that a compiler can check for this crate's types: threads, printing,
//! comparing, errors.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use ptxcvt_bulk::{BulkError, Column, ColumnMut, Plan, Tier, TierError};

fn crosses_threads<T: Send + Sync + Debug>() {}
fn is_a_value<T: Copy + Eq + Hash + Debug>() {}
fn is_read_and_written<T: FromStr<Err: std::error::Error> + Display>() {}
fn is_an_error<T: std::error::Error + Clone + PartialEq + Send + Sync + 'static>() {}

#[test]
fn types_keep_the_guidelines() {
    crosses_threads::<Plan>();
    crosses_threads::<Column<'_>>();
    crosses_threads::<ColumnMut<'_>>();
    is_a_value::<Tier>();
    is_read_and_written::<Tier>();
    is_an_error::<BulkError>();
    is_an_error::<TierError>();
}
