//! Reads a [`Block`] from text: inline-assembly bodies, blocks in braces, functions of modules, and whole `asm`
//! statements of CUDA C++.
//!
//! PTX ISA chapters 4 (syntax) and 5.4 (declarations), and "Inline PTX Assembly in CUDA" for operands and
//! constraint letters.

mod asm;
mod constant;
pub(crate) mod error;
mod function;
mod interface;
mod module;
pub(crate) mod names;
mod parser;
mod reader;

use ptxcvt_syntax::Span;

use crate::block::Block;
pub use error::Error;
pub use interface::{Constraint, Interface};

/// Reads a block.
///
/// The text is one of these:
///
/// - instructions, with or without braces, whose operands are `%0`, `$0` placeholders or undeclared names; outputs are
///   numbered first, as in inline assembly;
/// - a module with a `.func` or `.entry`; [`Interface::function`] names one of several;
/// - one complete `asm` statement of CUDA C++.
///
/// `interface` declares the operands. If it is empty, the constraint string of an `asm` statement or of a first comment
/// line (`// =h,f,f`) declares them. Otherwise the instructions do: an operand is an output if nothing reads it before
/// it is written, and it has the type that its first instruction needs.
///
/// # Errors
///
/// Fails at the first thing that cannot be run exactly: an instruction outside the table, an operand that does not fit,
/// a register that is read but never written, an operand of unknown type.
pub fn block(text: &str, interface: &Interface) -> Result<Block, Error> {
    within(text, statement(text, interface))
}

/// Reads a block like [`block()`], but only from PTX: in a text known to have no `asm` statement there is nothing to
/// search, and a program that calls only this contains no reader of C++.
///
/// # Errors
///
/// Fails like [`block()`], and at an `asm` statement.
pub fn ptx(text: &str, interface: &Interface) -> Result<Block, Error> {
    within(text, plain(text, interface))
}

/// Places an error at the end of the text before it, not after its last byte.
fn within(text: &str, read: Result<Block, Error>) -> Result<Block, Error> {
    let last = text.len() as u32;
    let inside = |span: Span| Span::new(span.start.min(last), span.end.min(last));
    read.map_err(|e| Error { span: inside(e.span), ..e })
}

fn plain(text: &str, interface: &Interface) -> Result<Block, Error> {
    let commented = if interface.is_empty() { interface::of_comment(text) } else { None };
    let constraints = commented.map(|list| Interface { approximate: interface.approximate, ..list });
    parser::parse(text, constraints.as_ref().unwrap_or(interface), true)
}

fn statement(text: &str, interface: &Interface) -> Result<Block, Error> {
    let Some(statement) = asm::extract(text)? else { return plain(text, interface) };
    let own = Interface { constraints: statement.constraints.clone(), ..interface.clone() };
    let interface = if interface.is_empty() { &own } else { interface };
    // The compiler adds no semicolon, so what follows the statement would become part of its last instruction.
    let mut block = parser::parse(statement.text(), interface, false)
        .map_err(|e| Error { span: statement.locate(e.span), ..e })?;
    for instruction in &mut block.code {
        instruction.span = statement.locate(instruction.span);
    }
    Ok(block)
}

/// Returns the opcode if a text is the opcode of a conversion and not PTX: an instruction has a blank before its operands,
/// and a semicolon after them. Blanks around the opcode are left out.
///
/// ```
/// use ptxcvt_exec::read::opcode_alone;
/// assert_eq!(opcode_alone("cvt.rn.f16.f32\n"), Some("cvt.rn.f16.f32"));
/// assert_eq!(opcode_alone("cvt.rn.f16.f32 %0, %1;"), None);
/// ```
pub fn opcode_alone(text: &str) -> Option<&str> {
    let text = text.trim_ascii();
    let is_opcode =
        text.starts_with("cvt.") && !text.contains([';', '{']) && !text.contains(char::is_whitespace);
    is_opcode.then_some(text)
}
