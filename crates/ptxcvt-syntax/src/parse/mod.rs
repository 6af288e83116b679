//! The parser: tokens, statements, declarations, operands.
//!
//! PTX ISA chapter 4 (syntax), 5.4 (variables), 6.4 (operands), 11 (directives). The parser knows the syntax of PTX
//! and no instruction: an instruction is an opcode with operands. So it also reads modules with instructions of later
//! versions.
//!
//! There are two interfaces. [`Tree`] keeps everything, which suits snippets and blocks. [`parse_with`] calls a
//! [`Visitor`] for each piece, which suits modules of any size. Both give places as byte ranges of the text
//! ([`Span`](crate::Span)); use them to read what a node lacks, such as comments or a directive's arguments.
//!
//! ```
//! use ptxcvt_syntax::parse::{OperandKind, Placeholder, Tail, Tree, Constant};
//!
//! let text = "ld.global.v2.f32 {%0, %1}, [%2+16];";
//! let tree = Tree::of_snippet(text);
//! let load = tree.instructions().next().unwrap();
//! assert_eq!(load.opcode.name(), "ld");
//! assert_eq!(load.opcode.parts().map(|part| part.text).collect::<Vec<_>>(), ["ld", ".global", ".v2", ".f32"]);
//! assert_eq!(&text[load.operands[1].span.range()], "[%2+16]");
//! let OperandKind::Address(address) = &load.operands[1].kind else { panic!() };
//! let OperandKind::Placeholder(base) = &address[0].kind else { panic!() };
//! assert_eq!(Placeholder::from_text(base.name.text), Some(Placeholder::Number(2)));
//! assert_eq!(base.tail, Some(Tail::Offset(Ok(Constant::signed(16)))));
//! ```

mod constant;
mod declaration;
mod declare;
mod directive;
mod expression;
mod function;
mod instruction;
mod lex;
mod module;
mod number;
mod operand;
mod parser;
mod placeholder;
mod plain;
mod statement;
mod token;
mod tree;
mod visitor;

pub use crate::cpp::Integer;
pub use constant::{Constant, Fault};
pub use declaration::{Declaration, Entity, Member};
pub use instruction::{Instruction, OpcodeText, Operand, OperandKind, Reference, Sign, Tail};
pub use lex::Lexer;
pub(crate) use module::MAX_SYNTAX_ERRORS;
pub use module::{is_module, parse_with, resume};
pub use placeholder::Placeholder;
pub use token::{Token, TokenKind};
pub use tree::{Node, Tree};
pub use visitor::{Place, Visitor};
