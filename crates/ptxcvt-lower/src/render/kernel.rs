//! A kernel around a lowering, for an assembler.
//!
//! PTX ISA sections 7.1 (kernel declarations), 9.7.9.8 `ld` and 9.7.9.11 `st`.

use std::fmt::Write as _;

use ptxcvt::forms::RegisterClass;
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_exec::Port;

use super::text::with_names;
use crate::interface::Interface;
use crate::lowering::Lowering;
use crate::word::Word;

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
    kernels.fold(head(target, isa), |text, (n, l)| text + &entry(n, &of_form(l.form()), 1, Some(l.body())))
}

/// A kernel that loads the operands and stores a result, without a conversion.
pub fn empty_kernel(form: Form, target: Target, isa: IsaVersion) -> String {
    head(target, isa) + &entry(0, &of_form(form), 1, None)
}

/// [`kernel`] and [`empty_kernel`] for a word.
pub fn word_kernels(word: &Word, target: Target, isa: IsaVersion) -> [String; 2] {
    let block = word.block();
    let register = |port: &Port| {
        let ty = block.declaration(port.register).ty;
        let letter = if ty.class == RegisterClass::Float { 'f' } else { 'b' };
        Register { ty: format!("{letter}{}", ty.width), width: ty.width }
    };
    let registers: Vec<Register> = block.outputs().iter().chain(block.inputs()).map(register).collect();
    [Some(word.body()), None]
        .map(|body| head(target, isa) + &entry(0, &registers, block.outputs().len(), body))
}

fn head(target: Target, isa: IsaVersion) -> String {
    format!(".version {isa}\n.target {target}\n.address_size 64\n")
}

/// A register that the kernel loads or stores.
struct Register {
    /// Its type without the dot.
    ty: String,
    /// Its bits in memory.
    width: u32,
}

/// The registers of a form's operands, the destination first.
fn of_form(form: Form) -> Vec<Register> {
    let register = |operand: ptxcvt::forms::Operand| Register {
        ty: Interface::register(&operand).to_owned(),
        width: operand.width.max(16),
    };
    form.operands().map(register).collect()
}

/// A kernel around a block for these registers. It stores the first `results` of them and loads the others.
fn entry(number: usize, registers: &[Register], results: usize, body: Option<&str>) -> String {
    let mut text = format!("\n.visible .entry kernel{number}(.param .u64 at)\n{{\n  .reg .b64 %at;\n");
    let names: Vec<String> = (0..registers.len()).map(|n| format!("%o{n}")).collect();
    for (Register { ty, .. }, name) in registers.iter().zip(&names) {
        let _ = writeln!(text, "  .reg .{ty} {name};");
    }
    text += "  ld.param.u64 %at, [at];\n";
    for (n, Register { width, .. }) in registers.iter().enumerate().skip(results) {
        let _ = writeln!(text, "  ld.volatile.global.b{width} {}, [%at+{}];", names[n], 8 * n);
    }
    match body {
        Some(body) => text.extend(with_names(body, &names).lines().map(|line| format!("  {line}\n"))),
        None => {
            for (Register { ty, .. }, name) in registers.iter().zip(&names).take(results) {
                let zero = match &**ty {
                    "f32" => "0f00000000",
                    "f64" => "0d0000000000000000",
                    _ => "0",
                };
                let _ = writeln!(text, "  mov.{ty} {name}, {zero};");
            }
        }
    }
    for (n, Register { width, .. }) in registers.iter().enumerate().take(results) {
        let at = if n == 0 { String::new() } else { format!("+{}", 8 * n) };
        let _ = writeln!(text, "  st.volatile.global.b{width} [%at{at}], {};", names[n]);
    }
    text + "  ret;\n}\n"
}
