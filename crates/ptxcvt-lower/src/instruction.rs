//! The instruction itself as a lowering. Operands of 8 bits are in 16-bit registers, since inline assembly has no smaller
//! ones.
//!
//! PTX ISA section 9.7.9.21.

use ptxcvt::Form;
use ptxcvt_exec::read;

use crate::contract::Contract;
use crate::lowering::Lowering;
use crate::sequence::Kind;

/// The form on a target that has it.
///
/// # Errors
///
/// Fails if the text is not a valid block, which the tests exclude.
pub(crate) fn lowering(form: Form) -> Result<Lowering, read::Error> {
    Lowering::read(form, Kind::Instruction, "instruction", Contract::EVERY, &body(form))
}

fn body(form: Form) -> String {
    let signed = form.destination().format().is_signed() && form.destination().format().is_integer();
    let (mut before, mut after, mut bytes) = (String::new(), String::new(), Vec::new());
    let (mut single, mut vector) = (Vec::new(), Vec::new());
    for (at, operand) in form.operands().enumerate() {
        let mut name = format!("%{at}");
        if operand.width < 16 && !operand.accepts(register("b16")) {
            let byte = format!("byte{at}");
            match at {
                0 => {
                    let extended = if signed { "cvt.s16.s8" } else { "cvt.u16.u8" };
                    after = format!("  {extended} {name}, {byte};\n");
                }
                _ => before += &format!("  cvt.u8.u16 {byte}, {name};\n"),
            }
            bytes.push(byte.clone());
            name = byte;
        }
        if operand.in_vector { vector.push(name) } else { single.push(name) }
    }
    if !vector.is_empty() {
        single.insert(1, format!("{{{}}}", vector.join(", ")));
    }
    let instruction = format!("{form} {};", single.join(", "));
    match bytes.is_empty() {
        true => instruction,
        false => format!("{{\n  .reg .b8 {};\n{before}  {instruction}\n{after}}}", bytes.join(", ")),
    }
}

fn register(name: &str) -> ptxcvt::forms::RegisterType {
    ptxcvt::forms::RegisterType::from_name(name).expect("a register type")
}
