//! Operands and machines from the text of the page.

use std::str::FromStr;

use ptxcvt::Form;
use ptxcvt::forms::Operand;
use ptxcvt::literal::Reader;
use ptxcvt::targets::Machine;

/// The machine of a target and a version, either of which may be empty.
pub fn machine(target: &str, isa: &str) -> Machine {
    Machine::new(known(target), known(isa))
}

/// Reads a name from one of the page's menus; `None` if it is empty.
fn known<T: FromStr>(name: &str) -> Option<T> {
    let parse =
        || name.parse().unwrap_or_else(|_| panic!("the page passes names of its menus, not `{name}`"));
    (!name.is_empty()).then(parse)
}

/// Reads an operand as bits.
///
/// # Errors
///
/// Returns what is wrong with the text.
pub fn read(form: &Form, operand: &Operand, text: &str) -> Result<u64, String> {
    Reader::operand(form, operand).read(text).map(|read| read.bits).map_err(|e| e.to_string())
}
