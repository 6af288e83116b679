//! How a call ends: a status, never a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtxcvtStatus {
    /// Done.
    Ok = 0,
    /// The handle is none that ptxcvt_form gave.
    BadForm = 1,
    /// The number of operands is not the form's.
    OperandCount = 2,
    /// A pointer is null, or a name or a version is not known.
    BadArgument = 3,
    /// Arrays do not fit the form or each other; or it is cvt.pack, which takes columns only.
    ArrayShape = 4,
    /// Not legal: the opcode is no form, or the target or the version does not have it.
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
