//! The status of a call, which never panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtxcvtStatus {
    /// Done.
    Ok = 0,
    /// Not a handle returned by ptxcvt_form.
    BadForm = 1,
    /// The form has a different number of operands.
    OperandCount = 2,
    /// A pointer is null, or a name, a version or the tier in PTXCVT_TIER is unknown.
    BadArgument = 3,
    /// Arrays do not fit the form or each other; or the form is cvt.pack, which accepts columns only.
    ArrayShape = 4,
    /// Not legal: the opcode is not a form, or the target or the version lacks it.
    Illegal = 5,
    /// A defect of the library; please report it.
    Internal = 6,
}

/// Runs a call; a panic becomes a status.
pub fn guarded(call: impl FnOnce() -> Result<(), PtxcvtStatus>) -> PtxcvtStatus {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => PtxcvtStatus::Ok,
        Ok(Err(status)) => status,
        Err(_) => PtxcvtStatus::Internal,
    }
}
