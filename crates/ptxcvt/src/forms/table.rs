//! The whole table: the rows that assemblers take, then those that are announced.

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

/// The place of the first announced row.
pub(super) const FIRST_ANNOUNCED: usize = ROWS.len();
