//! Legality of an opcode on a target at a version of PTX ISA.

use std::ffi::c_char;
use std::str::FromStr;

use ptxcvt::forms::Help;
use ptxcvt::targets::Machine;
use ptxcvt::{Form, IsaVersion, Spelling, Target};

use crate::call::{PtxcvtStatus, guarded};
use crate::form::{PtxcvtForm, look_up};
use crate::message::{Explained, PtxcvtMessage, read, read_name, refuse, report};

/// A version of PTX ISA; 0.0 means no version.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PtxcvtVersion {
    /// 9 of 9.1.
    pub major: u8,
    /// 1 of 9.1.
    pub minor: u8,
}

/// Writes the first version at which a target such as "sm_90" accepts the form to version: 0.0 if it never does. An
/// unknown target is PTXCVT_STATUS_BAD_ARGUMENT, with the reason in message, which may be null.
///
/// # Safety
///
/// target is a string, version points to a version, message is null or points to a message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxcvt_since(
    form: PtxcvtForm,
    target: *const c_char,
    version: *mut PtxcvtVersion,
    message: *mut PtxcvtMessage,
) -> PtxcvtStatus {
    guarded(|| {
        let (form, _) = look_up(form)?;
        // SAFETY: the caller's promise.
        let since = form.since(unsafe { read_name(target, message) }?);
        let since = since.map_or_else(Default::default, |v| PtxcvtVersion { major: v.major, minor: v.minor });
        // SAFETY: the caller promises that it is null or points to a version.
        *unsafe { version.as_mut() }.ok_or(PtxcvtStatus::BadArgument)? = since;
        Ok(())
    })
}

/// Judges an opcode as the assembler would: PTXCVT_STATUS_OK if it is legal on the target at the version, otherwise
/// PTXCVT_STATUS_ILLEGAL, with the reason in message, which may be null. target and isa may be null, which means any. An
/// unknown target or version is PTXCVT_STATUS_BAD_ARGUMENT, with the reason in message, too. At a version that does not have
/// the target, every opcode is illegal.
///
/// # Safety
///
/// opcode is a string, target and isa are null or strings, message is null or points to a message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxcvt_judge(
    opcode: *const c_char,
    target: *const c_char,
    isa: *const c_char,
    message: *mut PtxcvtMessage,
) -> PtxcvtStatus {
    guarded(|| {
        // SAFETY: the caller's promise.
        let text = unsafe { read(opcode) }.ok_or(PtxcvtStatus::BadArgument)?;
        // SAFETY: the caller's promise.
        let (target, isa) =
            unsafe { (known::<Target>(target, message)?, known::<IsaVersion>(isa, message)?) };
        if let Err(refusal) = text.parse::<Form>() {
            // SAFETY: the caller's promise.
            return Err(unsafe { refuse(message, &refusal, PtxcvtStatus::Illegal) });
        }
        let machine = Machine::new(target, isa).map_err(|error| {
            // SAFETY: the caller's promise.
            unsafe { refuse(message, &error, PtxcvtStatus::Illegal) }
        })?;
        let spelling = Spelling::new(text);
        match spelling.problems(machine).first() {
            None => Ok(()),
            Some(problem) => {
                let help = spelling.help(machine);
                let help = help.as_ref().map_or("", Help::text);
                // SAFETY: the caller's promise.
                unsafe { report(message, Some(problem.code()), problem.message(), help) };
                Err(PtxcvtStatus::Illegal)
            }
        }
    })
}

/// Like [`read_name`], for a name that may be null.
///
/// # Safety
///
/// As [`read_name`].
unsafe fn known<T: FromStr<Err: Explained>>(
    text: *const c_char,
    message: *mut PtxcvtMessage,
) -> Result<Option<T>, PtxcvtStatus> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe { read_name(text, message) }.map(Some)
}
