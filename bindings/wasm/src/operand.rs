//! Operands and machines from the text of the page.

use std::str::FromStr;

use ptxcvt::forms::Operand;
use ptxcvt::literal::Reader;
use ptxcvt::targets::Machine;
use ptxcvt::{Form, Format, IsaVersion};

/// The machine of a target and a version, either of which may be empty.
///
/// # Errors
///
/// Names the target or version that does not exist. Links contain what people type.
pub fn machine(target: &str, isa: &str) -> Result<Machine, String> {
    let target = known(target, "target, such as sm_90 or sm_100a", |_| true)?;
    Ok(Machine::new(target, known(isa, "PTX ISA version, such as 8.7", |isa: &IsaVersion| isa.exists())?))
}

/// Reads the name of something that exists; `None` if it is empty.
fn known<T: FromStr>(name: &str, what: &str, exists: impl Fn(&T) -> bool) -> Result<Option<T>, String> {
    if name.is_empty() {
        return Ok(None);
    }
    let read = name.parse().ok().filter(exists);
    read.map(Some).ok_or_else(|| format!("`{}` is not a {what}", clip(name)))
}

/// The first characters of a text, for messages.
pub fn clip(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Reads an operand as bits.
///
/// # Errors
///
/// Returns what is wrong with the text.
pub fn read(form: &Form, operand: &Operand, text: &str) -> Result<u64, String> {
    Reader::operand(form, operand).read(text).map(|read| read.bits).map_err(|e| e.to_string())
}

/// The format of an operand's numbers, and how many there are; `None` for plain bits.
pub fn numbers(operand: &Operand) -> Option<(Format, u32)> {
    use ptxcvt::forms::Role;
    match (operand.role, operand.ty) {
        (_, Some(ty)) => Some((ty.format(), ty.lanes())),
        (Role::ScaleFactor, _) => Some((Format::Ue8m0, operand.width / 8)),
        _ => None,
    }
}
