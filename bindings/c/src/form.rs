//! Handles of forms: indexes in a table that is made once.

use std::ffi::c_char;
use std::sync::OnceLock;

use ptxcvt::Form;
use ptxcvt_bulk::{Plan, Tier};

use crate::call::{PtxcvtStatus, guarded};
use crate::message::{PtxcvtMessage, read, refuse, write};

/// A legal form of cvt or cvt.pack. Handles are numbers: they need no release, may be copied, and are the same in
/// every thread of a process. 0 is not a form.
pub type PtxcvtForm = u32;

/// Every form, and its kernels for arrays on this machine.
static FORMS: OnceLock<Box<[(Form, Plan)]>> = OnceLock::new();

/// The form of a handle.
#[inline]
pub fn look_up(handle: PtxcvtForm) -> Result<&'static (Form, Plan), PtxcvtStatus> {
    // A handle exists only after the table does.
    let forms = FORMS.get().ok_or(PtxcvtStatus::BadForm)?;
    forms.get((handle as usize).wrapping_sub(1)).ok_or(PtxcvtStatus::BadForm)
}

/// Reads an opcode such as "cvt.rn.satfinite.e4m3x2.f32" and writes its handle to form; 0 if it is not a form.
/// message may be null; it says what is wrong with the opcode, or with the environment variable PTXCVT_TIER, which
/// selects the kernels of all forms at the first call.
///
/// # Safety
///
/// opcode is a string, form points to a handle, message is null or points to a message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxcvt_form(
    opcode: *const c_char,
    form: *mut PtxcvtForm,
    message: *mut PtxcvtMessage,
) -> PtxcvtStatus {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (text, handle) = unsafe { (read(opcode), form.as_mut()) };
        let (Some(text), Some(handle)) = (text, handle) else { return Err(PtxcvtStatus::BadArgument) };
        *handle = 0;
        let found = text.parse::<Form>().map_err(|refusal| {
            // SAFETY: the caller's promise.
            unsafe { refuse(message, &refusal, PtxcvtStatus::Illegal) }
        })?;
        if FORMS.get().is_none() {
            Tier::from_env().map_err(|error| {
                // SAFETY: the caller's promise.
                unsafe { refuse(message, &error, PtxcvtStatus::BadArgument) }
            })?;
        }
        let forms = FORMS.get_or_init(|| Form::all().map(|form| (form, Plan::new(form))).collect());
        let place = forms.iter().position(|(form, _)| *form == found).ok_or(PtxcvtStatus::Internal)?;
        *handle = place as u32 + 1;
        Ok(())
    })
}

/// Writes the canonical spelling, truncated if size bytes are too few; returns its full length, 0 if form is
/// not a handle.
///
/// # Safety
///
/// name points to size bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxcvt_name(form: PtxcvtForm, name: *mut c_char, size: usize) -> usize {
    let mut length = 0;
    guarded(|| {
        let (form, _) = look_up(form)?;
        if !name.is_null() && size > 0 {
            // SAFETY: the caller's promise.
            let name = unsafe { std::slice::from_raw_parts_mut(name, size) };
            write(name, &form.to_string());
        }
        length = form.to_string().len();
        Ok(())
    });
    length
}

/// The number of the form's source operands: the sources in PTX order with vectors flattened, then c, rbits
/// or scale-factor; 0 if form is not a handle.
#[unsafe(no_mangle)]
pub extern "C" fn ptxcvt_operand_count(form: PtxcvtForm) -> u32 {
    look_up(form).map_or(0, |(form, _)| form.source_count() as u32)
}

/// The width of source operand n, counted from 0, in bits: 8, 16, 32 or 64; 0 if there is no such operand.
#[unsafe(no_mangle)]
pub extern "C" fn ptxcvt_operand_width(form: PtxcvtForm, n: u32) -> u32 {
    look_up(form).ok().and_then(|(form, _)| form.operands().nth(n as usize + 1)).map_or(0, |o| o.width)
}

/// The width of the form's result in bits, without the extension into a wider register; 0 if form is not a
/// handle.
#[unsafe(no_mangle)]
pub extern "C" fn ptxcvt_result_width(form: PtxcvtForm) -> u32 {
    look_up(form).map_or(0, |(form, _)| form.result_width())
}

/// How many elements an instruction converts: 1, 2 or 4; 0 if form is not a handle.
#[unsafe(no_mangle)]
pub extern "C" fn ptxcvt_lanes(form: PtxcvtForm) -> u32 {
    look_up(form).map_or(0, |(form, _)| form.lanes())
}
