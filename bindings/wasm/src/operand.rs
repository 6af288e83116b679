//! Operands and machines from the text of the page.

use std::str::FromStr;

use ptxcvt::forms::Operand;
use ptxcvt::literal::Reader;
use ptxcvt::targets::Machine;
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_report::reading;

/// The machine of a target and a version, either of which may be empty.
///
/// # Errors
///
/// Names the target or version that does not exist, or the version that lacks the target. Links contain what people type.
pub fn machine(target: &str, isa: &str) -> Result<Machine, String> {
    let (target, isa) = (known::<Target>(target)?, known::<IsaVersion>(isa)?);
    Machine::new(target, isa).map_err(|error| error.to_string())
}

/// Reads the name of something that exists; `None` if it is empty.
fn known<T: FromStr<Err: ToString>>(name: &str) -> Result<Option<T>, String> {
    if name.is_empty() {
        return Ok(None);
    }
    name.parse().map(Some).map_err(|error: T::Err| error.to_string())
}

/// An operand that was read.
pub struct Read {
    pub bits: u64,
    /// How the number was changed, such as rounded: the end of a sentence about the text.
    pub note: Option<String>,
}

/// Reads an operand, with or without braces around it as in the command.
///
/// # Errors
///
/// Returns what is wrong with the text.
pub fn read(form: &Form, operand: &Operand, text: &str) -> Result<Read, String> {
    let reader = Reader::operand(form, operand);
    let text = reading::single(&reader, text);
    let read = reader.read(text).map_err(|e| e.to_string())?;
    Ok(Read { bits: read.bits, note: reading::operand_note(operand, text, &read) })
}

/// The texts of the operands of a call: a JSON array, with `null` where the page has none.
pub fn texts(json: &str) -> Vec<Option<String>> {
    serde_json::from_str(json).expect("library.ts passes an array of texts and nulls")
}

/// The bits of all operands of a form; `None` unless there is a readable text for each.
pub fn all(form: &Form, texts: &[Option<String>]) -> Option<Vec<u64>> {
    let read = |(wanted, text): (Operand, &Option<String>)| {
        read(form, &wanted, text.as_deref()?).ok().map(|read| read.bits)
    };
    form.operands().skip(1).zip(texts).map(read).collect()
}
