//! Handles of forms: places in a table that is made once.

use std::ffi::c_char;
use std::sync::OnceLock;

use ptxcvt::Form;
use ptxcvt::bulk::Plan;

use crate::call::{PtxcvtStatus, guarded};
use crate::message::{PtxcvtMessage, read, tell, write};

/// A legal form of cvt or cvt.pack. Handles are numbers: they need no release, may be copied, and are the same in
/// every thread of a process. 0 is no form.
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

/// Reads an opcode such as "cvt.rn.satfinite.e4m3x2.f32", and writes its handle to form; 0 where it is none.
/// message may be null; where the opcode is wrong it says why.
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
        let found = Form::read(text).map_err(|refusal| {
            // SAFETY: the caller's promise.
            unsafe { tell(message, refusal.code(), &refusal.to_string(), &refusal.help().join("; ")) };
            PtxcvtStatus::Illegal
        })?;
        let forms = FORMS.get_or_init(|| Form::all().map(|form| (form, Plan::new(form))).collect());
        let place = forms.iter().position(|(form, _)| *form == found).ok_or(PtxcvtStatus::Internal)?;
        *handle = place as u32 + 1;
        Ok(())
    })
}

/// The canonical spelling, cut where size bytes are too few; returns its length, 0 for no form.
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

/// How many source operands the form takes: the sources in PTX order, vectors flattened, then c, rbits or
/// scale-factor; 0 for no form.
#[unsafe(no_mangle)]
pub extern "C" fn ptxcvt_operand_count(form: PtxcvtForm) -> u32 {
    look_up(form).map_or(0, |(form, _)| form.source_count() as u32)
}

/// The bits that the form reads of source operand n, from 0 on: 8, 16, 32 or 64; 0 where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn ptxcvt_operand_width(form: PtxcvtForm, n: u32) -> u32 {
    look_up(form).ok().and_then(|(form, _)| form.operands().nth(n as usize + 1)).map_or(0, |o| o.width)
}

/// The bits of the form's result, without the extension into a wider register; 0 for no form.
#[unsafe(no_mangle)]
pub extern "C" fn ptxcvt_result_width(form: PtxcvtForm) -> u32 {
    look_up(form).map_or(0, |(form, _)| form.result_width())
}

/// How many elements an instruction converts: 1, 2 or 4; 0 for no form.
#[unsafe(no_mangle)]
pub extern "C" fn ptxcvt_lanes(form: PtxcvtForm) -> u32 {
    look_up(form).map_or(0, |(form, _)| form.lanes())
}
