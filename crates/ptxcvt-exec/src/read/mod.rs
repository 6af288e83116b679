//! Text to [`Block`]: inline-assembly bodies, blocks in braces, functions with register parameters, and whole `asm`
//! statements of CUDA C++.
//!
//! PTX ISA chapters 4 (syntax) and 5.4 (declarations), and "Inline PTX Assembly in CUDA" for operands and
//! constraint letters.

mod asm;
mod constant;
mod interface;
mod names;
mod parser;

use std::fmt;

use ptxcvt_syntax::Span;

use crate::block::Block;
pub use interface::{Constraint, Interface};

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The place, in bytes of the text.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

impl Error {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Error { span, message: message.into(), help: None }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Error { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Reads a block.
///
/// The text is one of
/// - instructions, perhaps in braces, whose operands are `%0`, `$0` placeholders or names that nothing declares;
///   outputs are numbered first, as inline assembly numbers them;
/// - a `.func` whose parameters are registers;
/// - one `asm` statement of CUDA C++, strings, operands and all.
///
/// `interface` says what the operands are. Where it is silent, the constraint string of an `asm` statement or of a
/// first comment line (`// =h,f,f`) says it, and else the instructions themselves: an operand is an output where
/// nothing reads it before it is written, and has the type that its first instruction asks for.
///
/// # Errors
///
/// Fails at the first thing that cannot be run exactly: an instruction outside the table, an operand that does not
/// fit, a register that is read but never written, an operand whose type nothing tells.
pub fn block(text: &str, interface: &Interface) -> Result<Block, Error> {
    // What is missing at the end of a text is missing behind its last byte.
    let last = text.len() as u32;
    let inside = |span: Span| Span::new(span.start.min(last), span.end.min(last));
    statement(text, interface).map_err(|e| Error { span: inside(e.span), ..e })
}

fn statement(text: &str, interface: &Interface) -> Result<Block, Error> {
    let (pasted, lines) = asm::extract(text)?;
    let Some(pasted) = pasted else {
        let commented = if interface.is_empty() { interface::of_comment(text) } else { None };
        let constraints = commented.map(|list| Interface { approximate: interface.approximate, ..list });
        return parser::parse(text, constraints.as_ref().unwrap_or(interface));
    };
    let own = Interface { constraints: pasted.constraints, ..interface.clone() };
    let interface = if interface.is_empty() { &own } else { interface };
    parser::parse(&pasted.text, interface).map_err(|e| Error { span: lines.locate(e.span), ..e })
}
