//! One conversion on numbers: the quick way, without arrays.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString, PyTuple};

use ptxcvt::forms::{Operand, Role};
use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt::{Code, Form as Inner, Format, OperandCountError, literal};

use crate::error::{error, refused};
use crate::form::Form;

/// NumPy's scalar type, and its unsigned integers of 8 to 64 bits.
static TYPES: PyOnceLock<[Py<PyAny>; 5]> = PyOnceLock::new();

/// Says what NumPy's types are; called once by the package.
#[pyfunction]
#[pyo3(name = "_set_types")]
pub fn set_types(py: Python<'_>, generic: Py<PyAny>, unsigned: [Py<PyAny>; 4]) {
    let [a, b, c, d] = unsigned;
    let _ = TYPES.set(py, [generic, a, b, c, d]);
}

/// Opcodes that were read: most programs use a few, over and over.
static READ: Mutex<Option<HashMap<String, Inner>>> = Mutex::new(None);
/// More than this many different opcodes are not kept.
const KEPT: usize = 4096;

/// The form of an opcode or of a `Form`.
pub fn read_form(opcode: &Bound<'_, PyAny>) -> PyResult<Inner> {
    let Ok(text) = opcode.cast::<PyString>() else {
        return opcode.extract::<Form>().map(|form| form.0).map_err(Into::into);
    };
    let text = text.to_cow()?;
    let known = || READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(form) = known().as_ref().and_then(|read| read.get(&*text)) {
        return Ok(*form);
    }
    let form = Inner::read(&text).map_err(|refusal| refused(&refusal))?;
    let mut read = known();
    let read = read.get_or_insert_default();
    if read.len() < KEPT {
        read.insert(text.into_owned(), form);
    }
    Ok(form)
}

/// Evaluates one conversion on numbers; None where an operand is an array.
#[pyfunction]
#[pyo3(name = "_scalar", signature = (opcode, operands, /))]
pub fn scalar<'py>(
    py: Python<'py>,
    opcode: &Bound<'py, PyAny>,
    operands: &Bound<'py, PyTuple>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let form = read_form(opcode)?;
    let Some((bits, count)) = read_operands(py, &form, operands)? else { return Ok(None) };
    let result = form.eval(&bits[..count]).map_err(|e| error(Some(e.code()), e.to_string(), &[]))?;
    let Some(types) = TYPES.get(py) else { return Ok(None) };
    let width = form.result_width().trailing_zeros() as usize - 3;
    types[1 + width].bind(py).call1((result,)).map(Some)
}

/// The operands' bits and how many there are.
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

/// Fails where the number of operands is not the form's.
pub fn check_count(form: &Inner, given: usize) -> PyResult<()> {
    if given == form.source_count() {
        return Ok(());
    }
    let names: Vec<_> = form.operands().skip(1).map(|o| o.role.name()).collect();
    let count = OperandCountError::new(form.source_count(), given);
    Err(error(Some(count.code()), format!("`{form}`: {count}"), &[format!("give {}", names.join(", "))]))
}

/// An operand: a float is a number, an int is one where the operand is one element and bits elsewhere, a NumPy scalar
/// is what its type says. None for anything else.
pub fn one(
    py: Python<'_>,
    form: &Inner,
    operand: &Operand,
    given: &Bound<'_, PyAny>,
) -> PyResult<Option<u64>> {
    let element = operand.ty.filter(|ty| ty.lanes() == 1).map(|ty| ty.format());
    if given.is_exact_instance_of::<PyFloat>() {
        return of_float(form, operand, given.extract()?).map(Some);
    }
    if given.is_instance_of::<PyBool>() {
        return Err(wrong(form, operand, "a bool"));
    }
    if given.is_exact_instance_of::<PyInt>() {
        return match element.filter(|format| !format.is_integer()) {
            Some(_) => of_float(form, operand, given.extract()?).map(Some),
            None => of_int(form, operand, given).map(Some),
        };
    }
    let Some([generic, ..]) = TYPES.get(py) else { return Ok(None) };
    if !given.is_instance(generic.bind(py))? {
        return Ok(None);
    }
    let name = given.get_type().name()?;
    let bytes = given.call_method0("tobytes")?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    let bits = bytes.iter().rev().fold(0_u64, |n, byte| n << 8 | u64::from(*byte));
    let format = Format::from_name(&name.to_cow()?);
    if fits(operand, format) { Ok(Some(bits)) } else { Err(wrong(form, operand, &name.to_cow()?)) }
}

/// True where an operand takes numbers of that format as they are: its own elements, or integers of its width as bits.
pub fn fits(operand: &Operand, format: Option<Format>) -> bool {
    let Some(format) = format else { return false };
    let element = operand.ty.filter(|ty| ty.lanes() == 1).map(|ty| ty.format());
    match element {
        Some(own) if own.is_integer() => format == own,
        Some(own) => {
            format == own || format == Format::F32 && own == Format::Tf32 || bits_of(format, operand.width)
        }
        None if operand.role == Role::ScaleFactor && operand.width == 8 && format == Format::Ue8m0 => true,
        None if operand.role == Role::Rest => format == Format::S32 || bits_of(format, operand.width),
        None => bits_of(format, operand.width),
    }
}

/// Unsigned integers that are as wide as an operand are its bits.
fn bits_of(format: Format, width: u32) -> bool {
    format.is_integer() && !format.is_signed() && format.storage() == width
}

fn of_float(form: &Inner, operand: &Operand, value: f64) -> PyResult<u64> {
    match (operand.role, operand.ty) {
        (Role::ScaleFactor, _) => {
            let code = literal::scale_code(value).map_err(|e| at(form, operand, e.code(), &e.to_string()))?;
            Ok(if operand.width == 16 { code << 8 | code } else { code })
        }
        (_, Some(ty)) if ty.lanes() == 1 && ty.format() == Format::F32 => {
            Ok(u64::from((value as f32).to_bits()))
        }
        (_, Some(ty)) if ty.lanes() == 1 && !ty.format().is_integer() => {
            Ok(literal::nearest(ty.format(), value))
        }
        _ => Err(wrong(form, operand, "a float")),
    }
}

fn of_int(form: &Inner, operand: &Operand, given: &Bound<'_, PyAny>) -> PyResult<u64> {
    let wide = given.extract::<i128>().ok();
    let mask = u64::MAX >> (64 - operand.width);
    let signed = operand.ty.is_some_and(|ty| ty.format().is_signed());
    let fits = |n: &i128| match signed && operand.ty.is_some_and(|ty| ty.lanes() == 1) {
        true => (-(i128::from(mask >> 1) + 1)..=i128::from(mask >> 1)).contains(n),
        false => (0..=i128::from(mask)).contains(n),
    };
    match wide.filter(fits) {
        Some(n) => Ok(n as u64 & mask),
        None => {
            let ty = operand.ty.map_or(format!("{} bits", operand.width), |ty| format!("`.{ty}`"));
            Err(at(form, operand, Code::OperandRange, &format!("{given} does not fit in {ty}")))
        }
    }
}

fn at(form: &Inner, operand: &Operand, code: Code, message: &str) -> PyErr {
    error(Some(code), format!("operand {} of `{form}`: {message}", operand.role.name()), &[])
}

/// An operand of a type that does not belong there.
pub fn wrong(form: &Inner, operand: &Operand, given: &str) -> PyErr {
    let (name, width) = (operand.role.name(), operand.width);
    let wanted = match operand.ty {
        Some(ty) if ty.lanes() == 1 && ty.format().is_integer() => format!("{ty} numbers"),
        Some(ty) if ty.lanes() == 1 => format!("{ty} numbers, or their bits as uint{width}"),
        Some(ty) => format!("{ty} registers as uint{width}"),
        None => format!("uint{width}"),
    };
    let message = format!("operand {name} of `{form}` takes {wanted}, not {given}");
    error(
        Some(Code::OperandSyntax),
        message,
        &["x.astype(...) converts numbers, x.view(...) keeps their bits".into()],
    )
}
