//! One conversion of numbers, without arrays.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt::{Form as Inner, OperandCountError};

use crate::error::{error, kind, refused};
use crate::form::Form;
use crate::operand::{one, unsigned};

/// A cache of parsed opcodes, because most programs repeat a few of them.
static READ: Mutex<Option<HashMap<String, Inner>>> = Mutex::new(None);
/// The maximum number of cached opcodes.
const KEPT: usize = 4096;

/// The form for the argument `name`, which is an opcode or a `Form`.
pub fn read_form(name: &str, opcode: &Bound<'_, PyAny>) -> PyResult<Inner> {
    let Ok(text) = opcode.cast::<PyString>() else {
        let form = opcode.extract::<Form>().map(|form| form.0);
        return form.map_err(|_| kind(name, "an opcode or a form", opcode.as_borrowed()));
    };
    let text = text.to_cow()?;
    let known = || READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(form) = known().as_ref().and_then(|read| read.get(&*text)) {
        return Ok(*form);
    }
    let form: Inner = text.parse().map_err(|refusal| refused(&refusal))?;
    let mut read = known();
    let read = read.get_or_insert_default();
    if read.len() < KEPT {
        read.insert(text.into_owned(), form);
    }
    Ok(form)
}

/// Evaluates one conversion on numbers. Returns None if an operand is an array.
#[pyfunction]
#[pyo3(name = "_scalar", signature = (opcode, operands, /))]
pub fn scalar<'py>(
    py: Python<'py>,
    opcode: &Bound<'py, PyAny>,
    operands: &Bound<'py, PyTuple>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let form = read_form("opcode", opcode)?;
    let Some((bits, count)) = read_operands(py, &form, operands)? else { return Ok(None) };
    let result = form.eval(&bits[..count]).map_err(|e| error(Some(e.code()), e.to_string(), &[]))?;
    unsigned(py, form.result_width()).map(|unsigned| unsigned.call1((result,))).transpose()
}

/// The bits of the operands, and their number.
pub fn read_operands(
    py: Python<'_>,
    form: &Inner,
    operands: &Bound<'_, PyTuple>,
) -> PyResult<Option<([u64; MAX_OPERANDS], usize)>> {
    check_count(form, operands.len())?;
    let mut bits = [0; MAX_OPERANDS];
    for ((place, operand), given) in bits.iter_mut().zip(form.operands().skip(1)).zip(operands.iter()) {
        match one(py, form, &operand, &given)? {
            Some(read) => *place = read,
            None => return Ok(None),
        }
    }
    Ok(Some((bits, operands.len())))
}

/// Fails if the form has a different number of operands.
pub fn check_count(form: &Inner, given: usize) -> PyResult<()> {
    if given == form.source_count() {
        return Ok(());
    }
    let names: Vec<_> = form.operands().skip(1).map(|o| o.role.name()).collect();
    let count = OperandCountError::new(form.source_count(), given);
    Err(error(Some(count.code()), format!("`{form}`: {count}"), &[format!("give {}", names.join(", "))]))
}
