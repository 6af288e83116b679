//! One source operand from a Python number or a NumPy scalar, as bits.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt};

use ptxcvt::forms::{Operand, Role};
use ptxcvt::{Code, Form, Format, literal};

use crate::error::error;

/// NumPy's scalar type, and its unsigned integers of 8 to 64 bits.
static TYPES: PyOnceLock<[Py<PyAny>; 5]> = PyOnceLock::new();

/// Sets NumPy's types; the package calls it once.
#[pyfunction]
#[pyo3(name = "_set_types")]
pub fn set_types(py: Python<'_>, generic: Py<PyAny>, unsigned: [Py<PyAny>; 4]) {
    let [a, b, c, d] = unsigned;
    let _ = TYPES.set(py, [generic, a, b, c, d]);
}

/// NumPy's unsigned integer of `width` bits (8 to 64); `None` until the package has set the types.
pub fn unsigned(py: Python<'_>, width: u32) -> Option<&Bound<'_, PyAny>> {
    let types = TYPES.get(py)?;
    Some(types[width.trailing_zeros() as usize - 2].bind(py))
}

/// The bits of an operand, or `None` for an array and any other object.
///
/// A float is a number. An int is a number if the operand is one floating-point element, and bits otherwise. A NumPy scalar
/// has the format of its type.
pub fn one(
    py: Python<'_>,
    form: &Form,
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
            // An int may have more digits than an f64: it is read as its text, and rounded once.
            Some(_) => {
                // Python limits the digits of such a text.
                let digits = |_| at(form, operand, Code::OperandRange, "the int has too many digits");
                let text = given.str().map_err(digits)?;
                let read = literal::Reader::operand(form, operand).read(text.to_str()?);
                read.map(|read| Some(read.bits)).map_err(|e| at(form, operand, e.code(), &e.to_string()))
            }
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

/// Whether an operand accepts numbers of a format unchanged: its own elements, or unsigned integers of its width as bits.
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

/// Whether a format is the unsigned integer of a width, which holds any bits of that width.
fn bits_of(format: Format, width: u32) -> bool {
    format.is_integer() && !format.is_signed() && format.storage() == width
}

fn of_float(form: &Form, operand: &Operand, value: f64) -> PyResult<u64> {
    match (operand.role, operand.ty) {
        (Role::ScaleFactor, _) => {
            let read = literal::Reader::operand(form, operand).read_f64(value);
            read.map(|read| read.bits).map_err(|e| at(form, operand, e.code(), &e.to_string()))
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

fn of_int(form: &Form, operand: &Operand, given: &Bound<'_, PyAny>) -> PyResult<u64> {
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

fn at(form: &Form, operand: &Operand, code: Code, message: &str) -> PyErr {
    error(Some(code), format!("operand {} of `{form}`: {message}", operand.role.name()), &[])
}

/// The error for an operand of the wrong type.
pub fn wrong(form: &Form, operand: &Operand, given: &str) -> PyErr {
    let (name, width) = (operand.role.name(), operand.width);
    let wanted = match operand.ty {
        Some(ty) if ty.lanes() == 1 && ty.format().is_integer() => format!("{ty} numbers"),
        Some(ty) if ty.lanes() == 1 => format!("{ty} numbers, or their bits as uint{width}"),
        Some(ty) => format!("{ty} registers as uint{width}"),
        None => format!("uint{width}"),
    };
    let message = format!("operand {name} of `{form}` accepts {wanted}, not {given}");
    error(
        Some(Code::OperandSyntax),
        message,
        &["x.astype(...) converts numbers, x.view(...) keeps their bits".into()],
    )
}
