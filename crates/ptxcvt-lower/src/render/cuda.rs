//! A form as a CUDA function: the instruction if the architecture has it, otherwise a sequence.
//!
//! Follows "Inline PTX Assembly in CUDA".

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ptxcvt::forms::{Operand, RegisterClass};
use ptxcvt::{Form, IsaVersion, Target};

use super::condition::{condition, prelude};
use super::text::{name, operand_name, order};
use crate::choice::{LowerError, lower};
use crate::interface::Interface;
use crate::lowering::{Kind, Lowering};

/// The complete function of a form. `otherwise` computes the form on architectures that lack it. Without it, every
/// architecture from sm_50 on has the sequence that is best for it.
///
/// # Errors
///
/// Fails if the form cannot be lowered.
pub fn function(form: Form, otherwise: Option<&Lowering>) -> Result<String, LowerError> {
    Ok(format!("{}\n{}", prelude(), definition(form, otherwise)?))
}

/// The function without the macros of its conditions.
pub(super) fn definition(form: Form, otherwise: Option<&Lowering>) -> Result<String, LowerError> {
    let branches = match otherwise {
        Some(lowering) => given(form, lowering)?,
        None => by_target(form)?,
    };
    let operands: Vec<Operand> = form.operands().collect();
    let types = parameter_types(form);
    let names: Vec<String> = operands.iter().map(operand_name).collect();
    let parameters: Vec<String> = types.iter().zip(&names).skip(1).map(|(t, n)| format!("{t} {n}")).collect();
    let mut text = about(form, otherwise);
    let _ = writeln!(
        text,
        "__device__ __forceinline__ {} {}({})\n{{\n    {} d;",
        types[0],
        name(form),
        parameters.join(", "),
        register_type(&operands[0])
    );
    let one = branches.len() == 1;
    for (at, (condition, lowering)) in branches.iter().enumerate() {
        match condition {
            _ if one => {}
            Some(condition) => {
                let _ = writeln!(text, "#{} {condition}", if at == 0 { "if" } else { "elif" });
            }
            None => text += "#else\n",
        }
        text += &statement(lowering, &operands, &names);
    }
    if !one {
        text += "#endif\n";
    }
    let result =
        if types[0] == register_type(&operands[0]) { "d".into() } else { format!("({})d", types[0]) };
    let _ = writeln!(text, "    return {result};\n}}");
    Ok(text)
}

type Branches = Vec<(Option<String>, Lowering)>;

/// The instruction, and a given sequence for all other architectures.
fn given(form: Form, lowering: &Lowering) -> Result<Branches, LowerError> {
    let instruction = crate::instruction::lowering(form).map_err(|e| LowerError::Internal(form, e))?;
    let mut branches = Vec::new();
    if lowering.kind() != Kind::Instruction {
        branches.push((condition(|target| form.since(target), |_| false), instruction));
    }
    branches.push((None, lowering.clone()));
    Ok(branches)
}

/// The instruction, then each sequence with the targets for which it is best, then one that every target accepts.
fn by_target(form: Form) -> Result<Branches, LowerError> {
    let instruction = crate::instruction::lowering(form).map_err(|e| LowerError::Internal(form, e))?;
    let Some(own) = condition(|target| form.since(target), |_| false) else {
        return Ok(vec![(None, instruction)]);
    };
    // The best sequence at the newest version of each target, with the version that it needs; then the best one for
    // every compiler that has the target.
    let mut sequences: Vec<(Lowering, BTreeMap<Target, IsaVersion>)> = Vec::new();
    for version in [Target::newest, Target::introduced] {
        let targets: Vec<Target> = Target::all().filter(|t| t.sm() >= 50).collect();
        for target in targets.into_iter().rev() {
            let lowering = lower(form, target, version(target))?;
            if lowering.kind() == Kind::Instruction {
                continue;
            }
            let since = lowering.since(target).unwrap_or(target.introduced());
            match sequences.iter_mut().find(|(known, _)| known.body() == lowering.body()) {
                Some((_, targets)) => drop(targets.insert(target, since)),
                None => sequences.push((lowering, BTreeMap::from([(target, since)]))),
            }
        }
    }
    // The sequence of the oldest target is last: every target accepts it.
    let oldest = sequences.iter().position(|(_, targets)| targets.keys().any(|t| t.sm() == 50));
    let last = oldest.map(|at| sequences.remove(at));
    let has_instruction = |target: Target| form.since(target) == Some(target.introduced());
    let mut branches = vec![(Some(own), instruction)];
    for (lowering, targets) in sequences {
        branches.push((condition(|target| targets.get(&target).copied(), has_instruction), lowering));
    }
    branches.extend(last.map(|(lowering, _)| (None, lowering)));
    Ok(branches)
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
fn statement(lowering: &Lowering, operands: &[Operand], names: &[String]) -> String {
    let lines: Vec<&str> = lowering.body().lines().map(str::trim).collect();
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
    let passed = |(operand, name): (&Operand, &String)| {
        let letter = Interface::letter(operand);
        match operand.width {
            8 => format!("\"{letter}\"(({}){name})", register_type(operand)),
            _ => format!("\"{letter}\"({name})"),
        }
    };
    let inputs: Vec<String> = operands.iter().zip(names).skip(1).map(passed).collect();
    let _ =
        writeln!(text, "\n        : \"={}\"(d) : {});", Interface::letter(&operands[0]), inputs.join(", "));
    text
}

/// The C types of the result and of the parameters of a form's function.
///
/// ```
/// let form = "cvt.rn.satfinite.e2m1x2.f32".parse().unwrap();
/// assert_eq!(ptxcvt_lower::render::parameter_types(form), ["unsigned char", "float", "float"]);
/// ```
pub fn parameter_types(form: Form) -> Vec<&'static str> {
    form.operands().map(|operand| c_type(&operand)).collect()
}

/// The type of a parameter.
fn c_type(operand: &Operand) -> &'static str {
    let signed = operand.register().class == RegisterClass::Signed;
    match (operand.width, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        _ => register_type(operand),
    }
}

/// The type of a variable that is an operand of inline assembly.
fn register_type(operand: &Operand) -> &'static str {
    let signed = operand.register().class == RegisterClass::Signed;
    match (Interface::letter(operand), signed) {
        ('f', _) => "float",
        ('d', _) => "double",
        ('l', true) => "long long",
        ('l', false) => "unsigned long long",
        ('r', true) => "int",
        ('r', false) => "unsigned int",
        (_, true) => "short",
        (_, false) => "unsigned short",
    }
}
