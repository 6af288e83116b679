//! Short sequences for the conversions that kernels use most: one table of rows for each kind of conversion.
//!
//! A row names a template, a text of PTX in the folder of its table. A sequence is a candidate for every target that has
//! all of its instructions, according to the table of instructions. `tests/short.rs` compares each with the
//! instruction on the inputs of its contract; docs/generated/short-sequences.md says what each costs.

mod fixed;
mod halves;
mod narrow;
mod packed;
mod pairs;
mod powers;
mod random;
mod row;
mod widen;
pub(crate) mod words;

use ptxcvt::Form;

pub use row::Row;

use crate::lowering::Lowering;

/// Every short sequence.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let tables =
        [narrow::ROWS, packed::ROWS, fixed::ROWS, random::ROWS, widen::ROWS, powers::ROWS, halves::ROWS];
    tables.into_iter().flatten()
}

/// The short sequences for a form, whatever the target.
pub fn of(form: Form) -> impl Iterator<Item = Lowering> {
    let opcode = form.to_string();
    rows()
        .filter(move |row| row.serves.contains(&opcode.as_str()))
        .map(move |row| row.lowering(form).expect("the text of a row is a block for its forms"))
}
