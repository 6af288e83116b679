//! Operands and machines as a page hands them over: text.

use ptxcvt::forms::{Operand, Role};
use ptxcvt::targets::Machine;
use ptxcvt::{Form, literal};

/// The machine of a target and a version, either of which may be empty: any.
pub fn machine(target: &str, isa: &str) -> Machine {
    Machine::new(target.parse().ok(), isa.parse().ok())
}

/// An operand's bits, or what is wrong with the text.
pub fn read(form: &Form, operand: &Operand, text: &str) -> Result<u64, String> {
    let text = text.trim();
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if operand.role != Role::ScaleFactor || hexadecimal {
        return literal::parse(form, operand, text).map_err(|e| e.to_string());
    }
    // A scale by its value, one for all elements or one for each.
    let parts: Vec<&str> = text.split(',').collect();
    (0..operand.width as usize / 8).try_fold(0, |bits, at| {
        let part = parts[at.min(parts.len() - 1)].trim();
        let value = part.parse().map_err(|_| format!("`{part}` is not a number"))?;
        Ok(bits << 8 | literal::scale_code(value).map_err(|e| e.to_string())?)
    })
}
