//! # ptxcvt for C and C++
//!
//! A thin layer over the Rust library, for emulators: an opcode is read once to a handle, then evaluated for one thread,
//! for a warp, or for arrays. cbindgen makes `include/ptxcvt.h` from this crate, and a test compares them.
//!
//! Pointers come from C, so this crate has `unsafe` code: every function checks for null and says in `# Safety` what it
//! cannot check. A panic stops at the boundary and becomes `PTXCVT_INTERNAL`.
#![allow(unsafe_code)]

mod arrays;
mod call;
mod eval;
mod form;
mod judge;
mod message;

pub use arrays::{PtxcvtColumn, ptxcvt_columns, ptxcvt_elements};
pub use call::PtxcvtStatus;
pub use eval::{ptxcvt_eval, ptxcvt_warp};
pub use form::{
    PtxcvtForm, ptxcvt_form, ptxcvt_lanes, ptxcvt_name, ptxcvt_operand_count, ptxcvt_operand_width,
    ptxcvt_result_width,
};
pub use judge::{PtxcvtVersion, ptxcvt_judge, ptxcvt_since};
pub use message::PtxcvtMessage;
