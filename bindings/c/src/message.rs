//! Error messages, written to memory of the caller.

use std::ffi::{CStr, c_char};

use ptxcvt::Code;
use ptxcvt::forms::Refusal;

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

/// Like [`report`], for a text that is not a form; returns the status of the function.
///
/// # Safety
///
/// `message` is null or points to a message.
pub unsafe fn refuse(message: *mut PtxcvtMessage, refusal: &Refusal) -> PtxcvtStatus {
    let help = refusal.help().unwrap_or_default();
    // SAFETY: the caller's promise.
    unsafe { report(message, Some(refusal.code()), &refusal.to_string(), help) };
    PtxcvtStatus::Illegal
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
