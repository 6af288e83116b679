//! Short sequences for the conversions that kernels live on: [`ROWS`] holds them as data.
//!
//! A sequence is tried wherever the table of instructions says that the target has every one of its instructions;
//! `tests/short.rs` proves each for its contract.

mod row;
mod rows;

use ptxcvt::Form;

pub use row::{Row, Served};
pub use rows::ROWS;

use crate::lowering::Lowering;

/// The short sequences for a form, for whatever target.
pub fn of(form: Form) -> impl Iterator<Item = Lowering> {
    let opcode = form.to_string();
    let rows = ROWS.iter().flat_map(|row| row.serves.iter().map(move |served| (row, served)));
    // What cannot be read is found by the tests, which read every row.
    rows.filter(move |(_, served)| served.opcode == opcode)
        .filter_map(|(row, served)| row.lowering(served).ok())
}
