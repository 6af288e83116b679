//! Short sequences for the conversions that kernels live on: tables of rows, one file a kind of conversion.
//!
//! A sequence is tried wherever the table of instructions says that the target has every one of its instructions;
//! `tests/short.rs` proves each for its contract, docs/lowering.md has what each costs.

mod halves;
mod narrow;
mod packed;
mod powers;
mod random;
mod row;
mod widen;
mod words;

use ptxcvt::Form;

pub use row::Row;

use crate::lowering::Lowering;

/// Every short sequence.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let tables = [narrow::ROWS, packed::ROWS, random::ROWS, widen::ROWS, powers::ROWS, halves::ROWS];
    tables.into_iter().flatten()
}

/// The short sequences for a form, for whatever target.
pub fn of(form: Form) -> impl Iterator<Item = Lowering> {
    let opcode = form.to_string();
    // What cannot be read is found by the tests, which read every row.
    rows()
        .filter(move |row| row.serves.contains(&opcode.as_str()))
        .filter_map(move |row| row.lowering(form).ok())
}
