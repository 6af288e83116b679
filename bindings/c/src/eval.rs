//! Evaluates a conversion once, or once for each thread of a warp.

use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt::little_endian;
use ptxcvt_bulk::{Column, ColumnMut};

use crate::call::{PtxcvtStatus, guarded};
use crate::form::{PtxcvtForm, look_up};

/// Evaluates one conversion: reads count operands as bits in PTX order, and writes the result to result. Bits
/// above an operand's width are ignored, as PTX ignores those of a wider register.
///
/// # Safety
///
/// operands points to count numbers, result to 1 number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxcvt_eval(
    form: PtxcvtForm,
    operands: *const u64,
    count: usize,
    result: *mut u64,
) -> PtxcvtStatus {
    guarded(|| {
        let (form, _) = look_up(form)?;
        if operands.is_null() || result.is_null() {
            return Err(PtxcvtStatus::BadArgument);
        }
        if count != form.source_count() {
            return Err(PtxcvtStatus::OperandCount);
        }
        // SAFETY: the caller's promise; the count is small.
        let operands = unsafe { std::slice::from_raw_parts(operands, count) };
        let bits = form.eval(operands).map_err(|_| PtxcvtStatus::OperandCount)?;
        // SAFETY: the caller's promise.
        unsafe { result.write(bits) };
        Ok(())
    })
}

/// Threads of a warp.
const WARP: usize = 32;

/// Evaluates a conversion for every thread of a warp whose bit is set in active: operand k of thread t is
/// operands[32 * k + t], and its result is written to result[t]. Results of other threads are left unchanged.
///
/// # Safety
///
/// operands points to 32 * count numbers, result to 32 numbers. The arrays may overlap if result is operands + 32 * k
/// for some k.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxcvt_warp(
    form: PtxcvtForm,
    operands: *const u64,
    count: usize,
    active: u32,
    result: *mut u64,
) -> PtxcvtStatus {
    guarded(|| {
        let (form, plan) = look_up(form)?;
        if operands.is_null() || result.is_null() {
            return Err(PtxcvtStatus::BadArgument);
        }
        if count != form.source_count() {
            return Err(PtxcvtStatus::OperandCount);
        }
        let mut columns = [[0_u8; 8 * WARP]; MAX_OPERANDS];
        let mut given = [Column::Value(0); MAX_OPERANDS];
        for (k, ((column, operand), bytes)) in
            given.iter_mut().zip(form.operands().skip(1)).zip(&mut columns).enumerate()
        {
            let width = operand.width as usize / 8;
            for (thread, place) in bytes.chunks_exact_mut(width).take(WARP).enumerate() {
                // SAFETY: the caller's promise: k is below count, and thread below 32.
                let bits = unsafe { operands.add(WARP * k + thread).read() };
                place.copy_from_slice(&bits.to_le_bytes()[..width]);
            }
            *column = Column::Bytes(&bytes[..width * WARP]);
        }
        let width = plan.result_bytes();
        let mut made = [0_u8; 8 * WARP];
        let into = &mut made[..width * WARP];
        plan.run(&given[..count], ColumnMut::Bytes(into)).map_err(|_| PtxcvtStatus::Internal)?;
        for (thread, bytes) in made.chunks_exact(width).take(WARP).enumerate() {
            if active >> thread & 1 == 1 {
                // SAFETY: the caller's promise.
                unsafe { result.add(thread).write(little_endian(bytes)) };
            }
        }
        Ok(())
    })
}
