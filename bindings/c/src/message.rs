//! Error messages, written to memory of the caller.

use std::ffi::{CStr, c_char};
use std::fmt::Display;
use std::str::FromStr;

use ptxcvt::Code;
use ptxcvt::forms::Refusal;
use ptxcvt::targets::{IsaVersionError, MachineError, TargetError};
use ptxcvt_bulk::TierVariableError;

use crate::call::PtxcvtStatus;

/// An error: its code, a sentence, and what to do. Texts end with a zero byte, and are cut if they do not fit.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxcvtMessage {
    /// A code such as CVT006; empty if there is none.
    pub code: [c_char; 8],
    /// The problem.
    pub text: [c_char; 504],
    /// How to correct it; empty if unknown.
    pub help: [c_char; 512],
}

/// Fills `message` unless it is null.
///
/// # Safety
///
/// `message` is null or points to a message.
pub unsafe fn report(message: *mut PtxcvtMessage, code: Option<Code>, text: &str, help: &str) {
    // SAFETY: the caller's promise.
    let Some(message) = (unsafe { message.as_mut() }) else { return };
    write(&mut message.code, code.map_or("", Code::as_str));
    write(&mut message.text, text);
    write(&mut message.help, help);
}

/// An error of the library as a message has it: with a code and advice.
pub trait Explained: Display {
    /// The code of its page.
    fn code(&self) -> Code;
    /// How to correct it, if known.
    fn help(&self) -> Option<&str>;
}

macro_rules! explained {
    ($($error:ty),*) => {$(
        impl Explained for $error {
            fn code(&self) -> Code {
                <$error>::code(self)
            }

            fn help(&self) -> Option<&str> {
                <$error>::help(self)
            }
        }
    )*};
}

explained!(Refusal, TargetError, IsaVersionError, MachineError, TierVariableError);

/// Like [`report`], for an error of the library. Returns `status`, the function's.
///
/// # Safety
///
/// `message` is null or points to a message.
pub unsafe fn refuse(
    message: *mut PtxcvtMessage,
    error: &impl Explained,
    status: PtxcvtStatus,
) -> PtxcvtStatus {
    // SAFETY: the caller's promise.
    unsafe { report(message, Some(error.code()), &error.to_string(), error.help().unwrap_or_default()) };
    status
}

/// Reads the name of a target or a version. Fills `message` if it is unknown.
///
/// # Safety
///
/// As [`read`] and [`report`].
pub unsafe fn read_name<T: FromStr<Err: Explained>>(
    text: *const c_char,
    message: *mut PtxcvtMessage,
) -> Result<T, PtxcvtStatus> {
    // SAFETY: the caller's promise.
    let text = unsafe { read(text) }.ok_or(PtxcvtStatus::BadArgument)?;
    // SAFETY: the caller's promise.
    text.parse().map_err(|error| unsafe { refuse(message, &error, PtxcvtStatus::BadArgument) })
}

/// Writes a text and a zero byte, cut at a character if it is too long; returns its length in bytes.
pub fn write(to: &mut [c_char], text: &str) -> usize {
    let Some(room) = to.len().checked_sub(1) else { return 0 };
    let end = ptxcvt::floor_char_boundary(text, room);
    for (place, byte) in to.iter_mut().zip(text.bytes().take(end).chain([0])) {
        *place = byte as c_char;
    }
    end
}

/// A C string as text; `None` if it is null or not UTF-8.
///
/// # Safety
///
/// `text` is null or a string that ends with a zero byte and outlives the result.
pub unsafe fn read<'a>(text: *const c_char) -> Option<&'a str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}
