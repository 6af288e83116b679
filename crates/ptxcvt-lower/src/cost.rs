//! Estimates the cost of a block, to choose among several.

use ptxcvt_exec::{Block, Opcode};

/// An estimate of a block's machine instructions: one for each instruction of PTX, none for moving a constant (which
/// becomes an operand), two for 64-bit instructions. docs/generated/costs.md has the counts of ptxas.
pub(crate) fn estimate(block: &Block) -> u32 {
    let wide = |opcode: &Opcode| match opcode {
        Opcode::Convert(form) => form.source().width() == 64 || form.result_width() == 64,
        Opcode::Op(op) => op.types().any(|ty| ty.width() == 64),
    };
    let constant = |i: &ptxcvt_exec::Instruction| {
        matches!(i.opcode, Opcode::Op(op) if op.name() == "mov")
            && matches!(i.operands[1], ptxcvt_exec::Operand::Constant(_))
    };
    let cost = |i: &ptxcvt_exec::Instruction| if constant(i) { 0 } else { 1 + u32::from(wide(&i.opcode)) };
    block.code().iter().map(cost).sum()
}
