//! Arrays, through the bulk engine.

use std::ffi::c_void;

use ptxcvt::Form;
use ptxcvt::forms::{Operand, Role};
use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt_bulk::{Array, Column, ColumnMut};

use crate::call::{PtxcvtStatus, guarded};
use crate::form::{PtxcvtForm, look_up};

/// One operand of many instructions. Elements are as wide as the operand (ptxcvt_operand_width) and little-endian, with
/// any alignment.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxcvtColumn {
    /// One element for each instruction; null if all instructions use value.
    pub data: *const c_void,
    /// The operand of all instructions; the seed if random is set.
    pub value: u64,
    /// Nonzero only for rbits: instruction i uses word i of the Philox4x32-10 stream of the seed, as with
    /// curand_init(seed, 0, 0, &state).
    pub random: u32,
}

impl PtxcvtColumn {
    /// # Safety
    ///
    /// `data` is null or points to `count` elements.
    unsafe fn column<'a>(&self, operand: &Operand, count: usize) -> Result<Column<'a>, PtxcvtStatus> {
        match (self.random != 0, self.data.is_null()) {
            (true, _) if operand.role == Role::RandomBits => {
                Ok(Column::Random { seed: self.value, first: 0 })
            }
            (true, _) => Err(PtxcvtStatus::BadArgument),
            (false, true) => Ok(Column::Value(self.value)),
            (false, false) => {
                let length = bytes(count, operand.width)?;
                // SAFETY: the caller's promise.
                Ok(Column::Bytes(unsafe { std::slice::from_raw_parts(self.data.cast(), length) }))
            }
        }
    }
}

/// The size in bytes of `count` numbers of a width in bits; fails if they end within a byte or exceed the memory.
fn bytes(count: usize, width: u32) -> Result<usize, PtxcvtStatus> {
    let bits = count.checked_mul(width as usize).filter(|bits| bits % 8 == 0);
    bits.map(|bits| bits / 8).filter(|n| *n <= isize::MAX as usize).ok_or(PtxcvtStatus::ArrayShape)
}

/// Runs count instructions: instruction i reads element i of each of the operand_count columns, in PTX order, and
/// writes element i of result, which has elements of ptxcvt_result_width bits.
///
/// # Safety
///
/// columns points to operand_count columns of count elements each; result to count elements that overlap
/// none of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxcvt_columns(
    form: PtxcvtForm,
    columns: *const PtxcvtColumn,
    operand_count: usize,
    count: usize,
    result: *mut c_void,
) -> PtxcvtStatus {
    guarded(|| {
        let (form, plan) = look_up(form)?;
        if columns.is_null() || result.is_null() {
            return Err(PtxcvtStatus::BadArgument);
        }
        if operand_count != form.source_count() {
            return Err(PtxcvtStatus::OperandCount);
        }
        // SAFETY: the caller's promise.
        let given = unsafe { std::slice::from_raw_parts(columns, operand_count) };
        let mut columns = [Column::Value(0); MAX_OPERANDS];
        for ((column, given), operand) in columns.iter_mut().zip(given).zip(form.operands().skip(1)) {
            // SAFETY: the caller's promise.
            *column = unsafe { given.column(&operand, count) }?;
        }
        let length = bytes(count, form.result_width())?;
        // SAFETY: the caller's promise.
        let result = unsafe { std::slice::from_raw_parts_mut(result.cast(), length) };
        let outcome = plan.run(&columns[..operand_count], ColumnMut::Bytes(result));
        outcome.map_err(|_| PtxcvtStatus::ArrayShape)
    })
}

/// Converts count elements in memory order: in a packed pair, element 2i is the lower operand and 2i + 1 the
/// upper one. An FP6 element takes a byte. FP4 elements take half a byte each, the low half first, so their
/// count must be even. Other counts need not be: incomplete instructions are padded with zeros. extra is
/// rbits or the scale of each instruction, null for forms without one.
///
/// # Safety
///
/// elements points to count elements, result to as many results that do not overlap them; extra is null or
/// points to a column with an element for each instruction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxcvt_elements(
    form: PtxcvtForm,
    elements: *const c_void,
    count: usize,
    extra: *const PtxcvtColumn,
    result: *mut c_void,
) -> PtxcvtStatus {
    guarded(|| {
        let (form, plan) = look_up(form)?;
        if elements.is_null() || result.is_null() {
            return Err(PtxcvtStatus::BadArgument);
        }
        let storage = |form: &Form| (form.source().format().storage(), form.destination().format().storage());
        let (from, to) = storage(form);
        let lengths = (bytes(count, from)?, bytes(count, to)?);
        // SAFETY: the caller's promise.
        let extra = match (unsafe { extra.as_ref() }, form.extra()) {
            (None, _) => None,
            (Some(_), None) => return Err(PtxcvtStatus::OperandCount),
            (Some(column), Some(operand)) => {
                let instructions = count.div_ceil(plan.elements_per_instruction());
                // SAFETY: the caller's promise.
                Some(unsafe { column.column(&operand, instructions) }?)
            }
        };
        // SAFETY: the caller's promise.
        let (elements, result) = unsafe {
            let result = std::slice::from_raw_parts_mut(result.cast(), lengths.1);
            (std::slice::from_raw_parts(elements.cast(), lengths.0), result)
        };
        let array = Array { elements, extra, result, spread: false, first: 0 };
        plan.run_array(array).map_err(|error| match error.code() {
            ptxcvt::Code::OperandCount => PtxcvtStatus::OperandCount,
            _ => PtxcvtStatus::ArrayShape,
        })
    })
}
