//! A form as a CUDA function: the instruction if the architecture has it, otherwise a sequence.
//!
//! Follows "Inline PTX Assembly in CUDA".

use std::fmt::Write as _;

use ptxcvt::Form;
use ptxcvt::forms::Operand;

use super::branches::{Branches, by_target};
use super::condition::{condition, prelude};
use super::text::order;
use super::types::{c_type, parameter_types, register_type};
use crate::choice::{LowerError, lower};
use crate::interface::Interface;
use crate::lowering::Lowering;
use crate::sequence::Kind;

/// The device function of a form. `otherwise` computes the form on architectures that lack it. Without it, every
/// architecture from sm_50 on has the sequence that is best for it.
///
/// # Errors
///
/// Fails if the form cannot be lowered.
pub fn function(form: Form, otherwise: Option<&Lowering>) -> Result<String, LowerError> {
    let branches = match otherwise {
        Some(lowering) => given(form, lowering)?,
        None => sequences(form)?,
    };
    let head = about(form, otherwise) + "__device__ __forceinline__ " + &signature(form);
    Ok(format!("{}\n{head}\n{{\n{}}}\n", prelude(), device(form, &branches)))
}

/// The device function of a lowering, for the architecture that it was made for: no conditions choose between several.
///
/// ```
/// use ptxcvt_lower::{lower, render};
/// let lowering = lower("cvt.rn.f16.f32".parse()?, "sm_90".parse()?, "8.7".parse()?)?;
/// let text = render::cuda_for(&lowering);
/// assert!(text.contains("cvt_rn_f16_f32(float a)\n{\n    unsigned short d;\n    asm(") && !text.contains('#'));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn function_for(lowering: &Lowering) -> String {
    let form = lowering.form();
    let head = about(form, Some(lowering)) + "__device__ __forceinline__ " + &signature(form);
    format!("{head}\n{{\n{}}}\n", device(form, &vec![(None, lowering.body().to_owned())]))
}

/// The function of the header, which also runs on the host.
pub(super) fn definition(form: Form) -> Result<String, LowerError> {
    let (head, device) = (signature(form), device(form, &sequences(form)?));
    let (about, host) = (about(form, None), super::host::body(form));
    Ok(format!(
        "{about}PTXCVT_FUNCTION {head}\n{{\n#if PTXCVT_TARGET == 0\n{host}#else\n{device}#endif\n}}\n"
    ))
}

/// The result, name and parameters.
fn signature(form: Form) -> String {
    let types = parameter_types(form);
    let parameters = form.operands().skip(1).zip(&types[1..]);
    let parameters: Vec<String> = parameters.map(|(o, ty)| format!("{ty} {}", o.role.identifier())).collect();
    format!("{} {}({})", types[0], form.identifier(), parameters.join(", "))
}

/// The body on the device.
fn device(form: Form, branches: &Branches) -> String {
    let operands: Vec<Operand> = form.operands().collect();
    let names: Vec<&str> = operands.iter().map(|operand| operand.role.identifier()).collect();
    let passed = |(operand, name): (&Operand, &&str)| {
        let letter = Interface::letter(operand);
        match operand.width {
            8 => format!("\"{letter}\"(({}){name})", register_type(operand)),
            _ => format!("\"{letter}\"({name})"),
        }
    };
    let inputs: Vec<String> = operands.iter().zip(&names).skip(1).map(passed).collect();
    let constraints = format!("\"={}\"(d) : {}", Interface::letter(&operands[0]), inputs.join(", "));
    let (register, result) = (register_type(&operands[0]), c_type(&operands[0]));
    let returned = if register == result { "d".into() } else { format!("({result})d") };
    format!("    {register} d;\n{}    return {returned};\n", conditional(branches, &constraints))
}

/// The statements of several branches, each under its condition.
pub(super) fn conditional(branches: &Branches, constraints: &str) -> String {
    let mut text = String::new();
    if let [(None, body)] = &branches[..] {
        return statement(body, constraints);
    }
    for (at, (condition, body)) in branches.iter().enumerate() {
        match condition {
            Some(condition) => {
                let _ = writeln!(text, "#{} {condition}", if at == 0 { "if" } else { "elif" });
            }
            None => text += "#else\n",
        }
        text += &statement(body, constraints);
    }
    if branches.last().is_none_or(|(condition, _)| condition.is_some()) {
        text += "#else\n#error \"ptxcvt: this architecture lacks the instructions of this conversion\"\n";
    }
    text + "#endif\n"
}

/// The instruction, and a given sequence for all other architectures.
fn given(form: Form, lowering: &Lowering) -> Result<Branches, LowerError> {
    let instruction = crate::instruction::lowering(form).map_err(|e| LowerError::Internal(form, e))?;
    let mut branches = Vec::new();
    if lowering.kind() != Kind::Instruction {
        let own = condition(|target| form.since(target), |_| false);
        branches.push((own, instruction.body().to_owned()));
    }
    branches.push((None, lowering.body().to_owned()));
    Ok(branches)
}

/// The instruction, then the sequences of the targets that lack it.
fn sequences(form: Form) -> Result<Branches, LowerError> {
    let instruction = crate::instruction::lowering(form).map_err(|e| LowerError::Internal(form, e))?;
    by_target(
        instruction.body(),
        |target| form.since(target),
        |target, isa| lower(form, target, isa).map(Some),
    )
}

/// The comment above the function.
fn about(form: Form, otherwise: Option<&Lowering>) -> String {
    let mut text = format!("// {form}{}.\n", order(form));
    let contract = otherwise.map(Lowering::contract).filter(|contract| !contract.is_every());
    if let Some(contract) = contract {
        let _ = writeln!(text, "// Where the architecture lacks it, only for {contract}.");
    }
    text
}

/// The `asm` statement.
fn statement(body: &str, constraints: &str) -> String {
    let lines: Vec<&str> = body.lines().map(str::trim).collect();
    let mut text = String::new();
    let last = lines.len() - 1;
    for (at, line) in lines.iter().enumerate() {
        let before = if at == 0 { "    asm(" } else { "        " };
        match line.starts_with("//") {
            true => {
                let _ = writeln!(text, "        {line}");
            }
            false => {
                let end = if at == last { "" } else { "\\n\\t" };
                let _ = write!(text, "{before}\"{line}{end}\"");
                text += if at == last { "" } else { "\n" };
            }
        }
    }
    text + &format!("\n        : {constraints});\n")
}
