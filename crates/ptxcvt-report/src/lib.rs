//! # ptxcvt-report: answers as data
//!
//! Each module holds the answer to one question: what an evaluation returned, where an opcode is legal, what a format
//! contains. The command prints these types with `--json`, the explorer reads them, and the Python package wraps them,
//! so a question has the same answer everywhere. The names of the JSON fields are part of the command's contract.
//!
//! | module | answers | in the command |
//! |---|---|---|
//! | [`eval`] | what one conversion returns, element by element | `ptxcvt eval --json` |
//! | [`place`] | which targets and ISA versions accept an opcode | `ptxcvt where --json` |
//! | [`forms`] | a form, its operands and its targets; the filter of a list of forms | |
//! | [`generator`] | a form with its predicates, registers and names in compilers | `ptxcvt forms --json` |
//! | [`mod@format`] | a number format and its values | `ptxcvt format NAME --json` |
//! | [`menus`] | the choices from which a form is composed, and the form that each leads to | |
//! | [`names`] | the forms that LLVM or CUDA has under a name | |
//! | [`proof`] | how far a sequence of `ptxcvt lower` is proven | |
//! | [`reading`] | what the texts of operands are, and how reading changed them | |
//! | [`names`] | the forms that LLVM or CUDA has under a name | |
//! | [`npy`] | the header of a `.npy` file, by which the command and the explorer read arrays | |
//! | [`number`] | one number of a format and its neighbours | `ptxcvt format NAME VALUE --json` |
//! | `safetensors` (feature `safetensors`) | the header of a `.safetensors` file, by which the command and the explorer read tensors | |
//! | [`search`] | the forms whose opcodes contain some words, and the nearest ones | |
//! | [`step`] | an operand stepped to its next number, or doubled or halved | |
//! | `data` (feature `blocks`) | all tables at once, as `ptxcvt.json` | |
//! | `recipes` (feature `blocks`) | a recipe of block quantisation | `ptxcvt recipes --json` |
//! | `quantize` (feature `blocks`) | what quantisation did to a tensor; how two recipes differ | `ptxcvt quantize --report --json`, `--compare` |
//! | `prove` (feature `exec`) | whether two blocks are equal, by proof or by search | `ptxcvt prove --json` |
//! | `run` (feature `exec`) | the operands, results and steps of a block | |
//!
//! Reports of findings are in the crates that find them: for `check` in `ptxcvt_syntax::report`, for `audit` in
//! `ptxcvt_audit::report`, and for `conform` in `ptxcvt_conform`. The reports of `diff` and `check --would-need` are in
//! the command, because only the command has them.
//!
//! ```
//! use ptxcvt::{Spelling, targets::Machine};
//! use ptxcvt_report::place::Where;
//!
//! let answer = Where::new(&Spelling::new("cvt.rn.e4m3x2.f32"), Ok(Machine::ANY));
//! assert!(!answer.legal);
//! assert_eq!(serde_json::to_value(&answer)?["nearest"][0], "cvt.rn.satfinite.e4m3x2.f32");
//! # Ok::<(), serde_json::Error>(())
//! ```

#![forbid(unsafe_code)]

mod bits;
#[cfg(feature = "blocks")]
pub mod data;
pub mod eval;
mod filter;
pub mod format;
pub mod forms;
pub mod generator;
pub mod menus;
pub mod names;
pub mod npy;
pub mod number;
pub mod place;
pub mod proof;
#[cfg(feature = "exec")]
pub mod prove;
#[cfg(feature = "blocks")]
pub mod quantize;
pub mod reading;
#[cfg(feature = "blocks")]
pub mod recipes;
#[cfg(feature = "exec")]
pub mod run;
#[cfg(feature = "safetensors")]
pub mod safetensors;
#[cfg(feature = "schema")]
mod schema;
pub mod search;
pub mod step;

pub use bits::{Bits, CodeValue};
