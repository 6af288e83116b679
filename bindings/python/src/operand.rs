//! One source operand from a Python number or a NumPy scalar, as bits.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList};

use ptxcvt::forms::{Operand, Role};
use ptxcvt::literal::Reader;
use ptxcvt::{Code, Form, Format, clip, little_endian};
use ptxcvt_report::reading;

use crate::error::error;

/// NumPy's scalar type, and its unsigned integers of 8 to 64 bits.
static TYPES: PyOnceLock<[Py<PyAny>; 5]> = PyOnceLock::new();

/// Sets NumPy's types. The package calls this once.
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
/// A float is a number. An int is a number if the operand is one element, and bits otherwise. Both are read like
/// operands of the command, and a number out of range causes a warning. A NumPy scalar has the format of its type.
pub fn one(
    py: Python<'_>,
    form: &Form,
    operand: &Operand,
    given: &Bound<'_, PyAny>,
) -> PyResult<Option<u64>> {
    if given.is_instance_of::<PyBool>() {
        return Err(wrong(form, operand, "a bool"));
    }
    let is_number = operand.ty.is_some_and(|ty| ty.lanes() == 1);
    let is_float = given.is_exact_instance_of::<PyFloat>();
    if is_float || given.is_exact_instance_of::<PyInt>() {
        if is_float && !is_number && operand.role != Role::ScaleFactor {
            return Err(wrong(form, operand, "a float"));
        }
        let reader = match is_number || is_float {
            true => Reader::operand(form, operand),
            false => Reader::bits(operand.width),
        };
        let name = operand.role.name();
        let place = (format!("operand {name}"), format!(" of `{form}`"));
        let ty = operand.ty.map(|ty| (ty.format(), format!(".{ty}")));
        return plain(&reader, given, (&place.0, &place.1), ty).map(Some);
    }
    let Some([generic, ..]) = TYPES.get(py) else { return Ok(None) };
    if !given.is_instance(generic.bind(py))? {
        return Ok(None);
    }
    let name = given.get_type().name()?;
    let bytes = given.call_method0("tobytes")?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    let format = Format::from_name(&name.to_cow()?);
    if fits(operand, format) {
        Ok(Some(little_endian(bytes)))
    } else {
        Err(wrong(form, operand, &name.to_cow()?))
    }
}

/// Whether an operand accepts numbers of a format unchanged: its own elements, or unsigned integers of its width as
/// bits.
pub fn fits(operand: &Operand, format: Option<Format>) -> bool {
    let Some(format) = format else { return false };
    let element = operand.numbers().filter(|(_, lanes)| *lanes == 1);
    match element.map(|(format, _)| format) {
        Some(own) if own.is_integer() => format == own,
        Some(own) => {
            format == own || format == Format::F32 && own == Format::Tf32 || bits_of(format, operand.width)
        }
        None if operand.role == Role::Rest => format == Format::S32 || bits_of(format, operand.width),
        None => bits_of(format, operand.width),
    }
}

/// True if a format is the unsigned integer with this width, which accepts all bits.
fn bits_of(format: Format, width: u32) -> bool {
    format.is_integer() && !format.is_signed() && format.storage() == width
}

/// Reads a Python float or int like a number in the command's arguments. `place` has the text before and after the
/// number in messages.
fn plain(
    reader: &Reader,
    given: &Bound<'_, PyAny>,
    place: (&str, &str),
    ty: Option<(Format, String)>,
) -> PyResult<u64> {
    let quoted = |text: &str| format!("{} = `{}`{}", place.0, clip(text), place.1);
    // An int may have more digits than an f64, so it is read from its text and rounded once.
    let (read, text) = match given.is_instance_of::<PyFloat>() {
        true => (reader.read_f64(given.extract()?), None),
        false => {
            // Python limits the digits of an int's text.
            let many = |_| {
                error(
                    Some(Code::OperandRange),
                    format!("{}{}: the int has too many digits", place.0, place.1),
                    &[],
                )
            };
            let text = given.str().map_err(many)?.to_string();
            (reader.read(&text), Some(text))
        }
    };
    let text = || text.clone().map_or_else(|| given.str().map(|text| text.to_string()), Ok);
    let read = match read {
        Ok(read) => read,
        Err(e) => return Err(error(Some(e.code()), format!("{}: {e}", quoted(&text()?)), &[])),
    };
    if read.is_out_of_range() {
        let text = text()?;
        if let Some(note) = reading::note(ty, &text, &read) {
            let message = format!("{} {note}", quoted(&text));
            given.py().import("ptxcvt._warn")?.call_method1("warn", (message,))?;
        }
    }
    Ok(read.bits)
}

/// Converts Python's floats and ints to the bytes of elements, like the command. `name` is the argument's name for
/// messages.
#[pyfunction]
#[pyo3(name = "_numbers", signature = (name, format, numbers, /))]
pub fn numbers<'py>(
    py: Python<'py>,
    name: &str,
    format: &Bound<'py, crate::format::Format>,
    numbers: &Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyBytes>> {
    let format = format.get().0;
    let (reader, width) = (Reader::number(format), format.storage().max(8) as usize / 8);
    let mut bytes = Vec::with_capacity(numbers.len() * width);
    for number in numbers {
        let ty = Some((format, format!(".{format}")));
        let bits = plain(&reader, &number, (name, ""), ty)?;
        bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
    }
    Ok(PyBytes::new(py, &bytes))
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
