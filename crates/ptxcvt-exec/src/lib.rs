//! # ptxcvt-exec: straight-line PTX, run exactly and proven equal
//!
//! Conversions in real kernels are sequences: `prmt`, `lop3`, shifts, half-precision arithmetic. This crate runs
//! such a block of PTX over operands, bit for bit, and decides whether two conversions return the same bits. It
//! needs no GPU.
//!
//! ```
//! use ptxcvt_exec::read::{self, Interface};
//!
//! // Four bits to f16 by the number 1024 + x, as dequantizing kernels do.
//! let text = r#"asm("{ lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;\n"
//!                  "  sub.f16x2 %0, %0, %2; }" : "=r"(h) : "r"(q), "r"(bias));"#;
//! let block = read::block(text, &Interface::default())?;
//! assert_eq!(block.eval(&[0x0003_0005, 0x6400_6400])?, [0x4200_4500]); // 3.0, 5.0
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The instructions and their operands, modifiers, types, and targets are one table; `cvt` and `cvt.pack` are
//! [`ptxcvt::Form`]s.

mod block;
mod check;
mod element;
mod eval;
mod flow;
pub mod lanes;
mod meaning;
mod modifier;
mod operand;
pub mod prove;
pub mod read;
mod semantics;
mod table;
mod ty;
mod undefined;

pub use block::{Block, Guard, Instruction, Port};
pub use eval::{InputCountError, Step};
pub use meaning::{Meaning, PortType};
pub use modifier::{Modifier, Modifiers};
pub use operand::{CARRY, Operand, Reg, Register};
pub use table::{Candidate, Op, OpError, Opcode};
pub use ty::{Class, Ty};
pub use undefined::Undefined;
