//! A lowering as a PTX module with one function whose parameters are registers.
//!
//! PTX ISA sections 7.1 (function declarations) and 11.1 (module directives).

use ptxcvt::{IsaVersion, Target};

use super::text::{order, with_names};
use crate::interface::Interface;
use crate::lowering::Lowering;

/// A module for a target and version that defines the form's function.
///
/// ```
/// use ptxcvt_lower::{lower, render};
/// let (target, isa) = ("sm_75".parse()?, "6.3".parse()?);
/// let lowering = lower("cvt.rz.bf16.f32".parse()?, target, isa)?;
/// let module = render::func(&lowering, target, isa);
/// assert!(module.contains(".visible .func (.reg .b16 %d) cvt_rz_bf16_f32(.reg .f32 %a)"));
/// let block = ptxcvt_exec::read::block(&module, &Default::default())?;
/// assert_eq!(block.eval(&[0x3f80_ffff])?, [0x3f80]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn module(lowering: &Lowering, target: Target, isa: IsaVersion) -> String {
    let form = lowering.form();
    // No block declares names of a percent sign and an operand's letter.
    let names: Vec<String> =
        form.operands().map(|operand| format!("%{}", operand.role.identifier())).collect();
    let parameter = |at: usize, operand: &ptxcvt::forms::Operand| {
        format!(".reg .{} {}", Interface::register(operand), names[at])
    };
    let parameters: Vec<String> = form.operands().enumerate().map(|(at, o)| parameter(at, &o)).collect();
    let body = with_names(lowering.body(), &names);
    let body: String = body.lines().map(|line| format!("  {line}\n")).collect();
    let mut about = format!("// {form}{}.", order(form));
    if !lowering.contract().is_every() {
        about += &format!("\n// Only for {}.", lowering.contract());
    }
    format!(
        ".version {isa}\n.target {target}\n.address_size 64\n\n{about}\n.visible .func ({}) {}({})\n{{\n{body}  ret;\n}}\n",
        parameters[0],
        form.identifier(),
        parameters[1..].join(", ")
    )
}
