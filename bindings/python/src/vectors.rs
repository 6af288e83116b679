//! `ptxcvt.vectors`: test vectors of a conversion.

use numpy::PyArray1;
use pyo3::prelude::*;

use ptxcvt::{Conversion, Overflow, Rounding};
use ptxcvt_conform::judge::{Judge, Unjudged};
use ptxcvt_conform::suite::{self, Choices, Request, RequestError, Suite};

use crate::error::{Text, named, plain, refused, unknown_name};

/// Inputs and results, as codes.
type Columns<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

/// The names of the formats, the inputs and the results as codes.
#[pyfunction]
#[pyo3(name = "_vectors")]
pub fn vectors<'py>(
    py: Python<'py>,
    what: Text,
    rounding: Text,
    overflow: Text,
    signed_nan: bool,
    random: usize,
    seed: u64,
) -> PyResult<(&'static str, &'static str, Columns<'py>)> {
    named!(what, rounding, overflow);
    let (what, rounding, overflow) = (&*what, &*rounding, &*overflow);
    let conversion = conversion(what, rounding, overflow, signed_nan)?;
    let suite = Suite::new(conversion, random, seed);
    let suite = match signed_nan {
        true => suite.signed_nan().map_err(|e| plain(e.to_string()))?,
        false => suite,
    };
    let column = |of: fn(&suite::Vector) -> u64| PyArray1::from_iter(py, suite.vectors().iter().map(of));
    let columns = (column(|vector| vector.input), column(|vector| vector.result));
    Ok((conversion.source().name(), conversion.destination().name(), columns))
}

fn conversion(what: &str, rounding: &str, overflow: &str, signed_nan: bool) -> PyResult<Conversion> {
    let failed = |error: Unjudged| plain(error.to_string());
    // Python's defaults count as not given, so that they are also accepted with an opcode.
    let rounding =
        Some(Choices::read_rounding(rounding).map_err(unknown_name)?).filter(|r| *r != Rounding::Rn);
    let overflow =
        Some(Choices::read_overflow(overflow).map_err(unknown_name)?).filter(|o| *o != Overflow::Saturate);
    match Request::read(what, &Choices { rounding, overflow, signed_nan }) {
        Ok(Request::Elements(conversion)) => Ok(conversion),
        Ok(Request::Registers(form)) => {
            Err(failed(Judge::form(&form).expect_err("the form takes another operand")))
        }
        Err(RequestError::Form(refusal)) => Err(refused(&refusal)),
        Err(error) => Err(plain(error.to_string())),
    }
}
