//! TableGen, LLVM's language of records, as far as a backend's instructions need it.
//!
//! Values that depend on files which were not read are unknown, each with a reason; statements that cannot be read
//! are listed. Nothing else is left out.

mod classes;
mod evaluator;
mod expressions;
mod lex;
mod operators;
mod parse;
mod parser;
mod records;
mod recover;
mod statements;
mod tree;
mod value;
mod values;

pub use evaluator::{Evaluator, Unread};
pub use value::{Dag, Value};
