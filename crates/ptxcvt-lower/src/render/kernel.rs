//! A kernel around a lowering, for an assembler.
//!
//! PTX ISA sections 7.1 (kernel declarations), 9.7.9.8 `ld` and 9.7.9.11 `st`.

use std::fmt::Write as _;

use ptxcvt::{Form, IsaVersion, Target};

use super::text::with_names;
use crate::interface::Interface;
use crate::lowering::Lowering;

/// A module with a kernel that loads the operands, runs the block and stores the result.
pub fn kernel(lowering: &Lowering, target: Target, isa: IsaVersion) -> String {
    kernels([lowering], target, isa)
}

/// A module with a kernel for each lowering: `kernel0`, `kernel1` and so on.
pub fn kernels<'l>(
    lowerings: impl IntoIterator<Item = &'l Lowering>,
    target: Target,
    isa: IsaVersion,
) -> String {
    let kernels = lowerings.into_iter().enumerate();
    kernels.fold(head(target, isa), |text, (n, l)| text + &entry(n, l.form(), Some(l.body())))
}

/// A kernel that loads the operands and stores a result, without a conversion.
pub fn empty_kernel(form: Form, target: Target, isa: IsaVersion) -> String {
    head(target, isa) + &entry(0, form, None)
}

fn head(target: Target, isa: IsaVersion) -> String {
    format!(".version {isa}\n.target {target}\n.address_size 64\n")
}

fn entry(number: usize, form: Form, body: Option<&str>) -> String {
    let mut text = format!("\n.visible .entry kernel{number}(.param .u64 at)\n{{\n  .reg .b64 %at;\n");
    let names: Vec<String> = (0..form.operands().count()).map(|n| format!("%o{n}")).collect();
    for (operand, name) in form.operands().zip(&names) {
        let _ = writeln!(text, "  .reg .{} {name};", Interface::register(&operand));
    }
    text += "  ld.param.u64 %at, [at];\n";
    for (n, operand) in form.operands().enumerate().skip(1) {
        let _ = writeln!(text, "  ld.volatile.global.b{} {}, [%at+{}];", width(&operand), names[n], 8 * n);
    }
    let destination = form.operands().next().expect("every form has a destination");
    let result = width(&destination);
    match body {
        Some(body) => text.extend(with_names(body, &names).lines().map(|line| format!("  {line}\n"))),
        None => {
            let ty = Interface::register(&destination);
            let zero = match ty {
                "f32" => "0f00000000",
                "f64" => "0d0000000000000000",
                _ => "0",
            };
            let _ = writeln!(text, "  mov.{ty} {}, {zero};", names[0]);
        }
    }
    let _ = writeln!(text, "  st.volatile.global.b{result} [%at], {};\n  ret;\n}}", names[0]);
    text
}

/// The width of an operand's register.
fn width(operand: &ptxcvt::forms::Operand) -> u32 {
    operand.width.max(16)
}
