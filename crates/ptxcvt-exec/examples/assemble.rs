//! A module with every instruction of the table, a line each, marked `// legal` or `// illegal` as the table says, for
//! an assembler to judge: `cargo run -p ptxcvt-exec --example assemble -- sm_80 7.0 > all.ptx`. The lines of the errors
//! that ptxas prints must be those marked illegal.

use std::fmt::Write as _;

use ptxcvt::{IsaVersion, Target};
use ptxcvt_exec::{Block, Op};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("give a target and an ISA version: sm_80 7.0");
    let (target, isa): (Target, IsaVersion) = (next()?.parse()?, next()?.parse()?);
    println!(".version {isa}\n.target {target}\n.address_size 64\n.entry k() {{");
    for op in Op::all() {
        let block = Block::of_op(op, 0xe8);
        let text = block.instruction_text(&block.code()[0]);
        let (opcode, mut operands) =
            text.split_once(' ').map_or((&*text, String::new()), |(o, r)| (o, r.to_owned()));
        let mut declarations = String::new();
        for (n, register) in block.registers().iter().enumerate() {
            write!(declarations, ".reg {} v{n}; ", register.ty)?;
            operands = operands.replacen(&register.name, &format!("v{n}"), 1);
        }
        let legal = op.since(target).is_some_and(|since| since <= isa);
        println!("{{ {declarations}{opcode} {operands}; }} // {}", if legal { "legal" } else { "illegal" });
    }
    println!("ret;\n}}");
    Ok(())
}
