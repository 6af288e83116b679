//! Counts the machine instructions of a block: those of a kernel that loads the operands, runs the block and
//! stores the results, less those of a kernel that only loads and stores the same operands.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use ptxcvt::forms::RegisterClass;
use ptxcvt_exec::{Block, Port};

use super::listing;
use crate::tools::{self, Scratch};

/// A block to be counted: its text without the first line, and its operands, outputs first, each with its
/// bits in memory.
pub struct Counted {
    body: String,
    operands: Vec<Slot>,
}

/// An operand in memory and in a register.
#[derive(Clone, Copy)]
struct Slot {
    output: bool,
    float: bool,
    /// The width of the register.
    width: u32,
    /// The width in memory, which is smaller for a byte in a wider register.
    stored: u32,
}

impl Counted {
    /// A block whose text begins with a comment. Its operands, outputs first, have these bits in memory.
    pub fn new(text: &str, block: &Block, stored: impl IntoIterator<Item = u32>) -> Self {
        let slot = |output, port: &Port| {
            let ty = block.declaration(port.register).ty;
            Slot { output, float: ty.class == RegisterClass::Float, width: ty.width, stored: ty.width }
        };
        let mut operands: Vec<Slot> = block.outputs().iter().map(|port| slot(true, port)).collect();
        operands.extend(block.inputs().iter().map(|port| slot(false, port)));
        for (operand, stored) in operands.iter_mut().zip(stored) {
            operand.stored = stored;
        }
        let body = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        Counted { body: named(&body.collect::<Vec<_>>().join("\n")), operands }
    }

    /// The kernel, without the block if it is the empty one.
    fn kernel(&self, name: &str, empty: bool) -> String {
        let mut text = format!(".visible .entry {name}(.param .u64 memory) {{\n.reg .u64 at;\n");
        for (n, slot) in self.operands.iter().enumerate() {
            text += &format!(".reg .{} o{n};\n", slot.register());
        }
        text += "ld.param.u64 at, [memory];\n";
        for (n, slot) in self.operands.iter().enumerate().filter(|(_, slot)| !slot.output) {
            text += &format!("ld.volatile.global.{} o{n}, [at+{}];\n", slot.memory(), 8 * n);
        }
        if !empty {
            text += &self.body;
            text += "\n";
        }
        for (n, slot) in self.operands.iter().enumerate().filter(|(_, slot)| slot.output) {
            if empty {
                let zero = if slot.float { "0f00000000" } else { "0" };
                text += &format!("mov.{} o{n}, {zero};\n", slot.register());
            }
            text += &format!("st.volatile.global.{} [at+{}], o{n};\n", slot.memory(), 8 * n);
        }
        text + "ret;\n}\n"
    }
}

impl Slot {
    fn register(&self) -> String {
        format!("{}{}", if self.float { 'f' } else { 'b' }, self.width)
    }

    fn memory(&self) -> String {
        match self.stored < self.width {
            true => format!("u{}", self.stored),
            false => self.register(),
        }
    }
}

/// Renames `%3` to `o3`, which can be declared.
fn named(body: &str) -> String {
    let mut text = String::new();
    let mut rest = body.chars().peekable();
    while let Some(c) = rest.next() {
        let placeholder = (c == '%' || c == '$') && rest.peek().is_some_and(char::is_ascii_digit);
        text.push(if placeholder { 'o' } else { c });
    }
    text
}

/// A module with a kernel for each block.
pub(crate) fn module(target: &str, isa: &str, blocks: &[Counted]) -> String {
    let head = format!(".version {isa}\n.target {target}\n.address_size 64\n");
    blocks.iter().enumerate().fold(head, |text, (n, block)| text + &block.kernel(&format!("full{n}"), false))
}

/// The machine instructions of each block on a target, with the newest assembler.
///
/// # Errors
///
/// Fails if a tool is missing or rejects its input.
pub fn count(dir: &Path, target: &str, isa: &str, blocks: &[Counted]) -> Result<Vec<i64>> {
    let (_, ptxas) = tools::assemblers(dir)?.into_iter().next().context("no assembler")?;
    let [source, cubin] = ["cost.ptx", "cost.cubin"].map(|name| Scratch::new(&format!("{target}-{name}")));
    let mut module = format!(".version {isa}\n.target {target}\n.address_size 64\n");
    for (n, block) in blocks.iter().enumerate() {
        module += &block.kernel(&format!("full{n}"), false);
        module += &block.kernel(&format!("empty{n}"), true);
    }
    fs::write(&*source, module)?;
    tools::succeed(Command::new(ptxas).arg(format!("-arch={target}")).arg("-o").arg(&*cubin).arg(&*source))?;
    differences(dir, &cubin, blocks.len())
}

/// The instructions of `full0`, `full1`, … in a file of machine code, less those of `empty0`, `empty1`, … Each kernel must
/// be one straight line, so that every thread runs all of them.
fn differences(dir: &Path, cubin: &Path, blocks: usize) -> Result<Vec<i64>> {
    let functions = listing::functions(&tools::disassemble(&tools::nvdisasm(dir)?, cubin)?);
    let of = |name: String| {
        let function = functions.get(&name).with_context(|| format!("no kernel {name}"))?;
        function.counts(0)?.straight().with_context(|| name)
    };
    (0..blocks).map(|n| Ok(of(format!("full{n}"))? - of(format!("empty{n}"))?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_become_names() {
        assert_eq!(named("prmt.b32 %0, $1, %%r, 0x73;"), "prmt.b32 o0, o1, %%r, 0x73;");
    }
}
