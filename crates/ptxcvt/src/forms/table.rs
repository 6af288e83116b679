//! The whole table: the rows that assemblers accept, then those that are announced.
//!
//! PTX ISA sections 9.7.9.21 and 9.7.9.22.

use super::announced::ANNOUNCED;
use super::row::Row;
use super::rows::ROWS;

/// Every row; those from [`FIRST_ANNOUNCED`] on are known from the manual only.
pub(super) static TABLE: [Row; ROWS.len() + ANNOUNCED.len()] = {
    let mut table = [ROWS[0]; ROWS.len() + ANNOUNCED.len()];
    let mut at = 0;
    while at < table.len() {
        table[at] = if at < FIRST_ANNOUNCED { ROWS[at] } else { ANNOUNCED[at - FIRST_ANNOUNCED] };
        at += 1;
    }
    table
};

/// [`Form`](super::Form) stores the index of its row in a byte.
const _: () = assert!(TABLE.len() <= 1 + u8::MAX as usize, "the table fits its index type");

/// Rows whose types do not fit their operands do not compile.
const _: () = {
    let mut at = 0;
    while at < TABLE.len() {
        TABLE[at].check();
        at += 1;
    }
};

/// The place of the first announced row.
pub(super) const FIRST_ANNOUNCED: usize = ROWS.len();
