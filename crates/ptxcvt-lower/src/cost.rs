//! What a block is expected to cost, to choose among several.

use ptxcvt_exec::{Block, Opcode};

/// About how many machine instructions a block becomes: one for each instruction of PTX, none for a constant that is
/// moved (it becomes an operand), two for what works on 64 bits. docs/lowering.md has what ptxas really makes.
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
