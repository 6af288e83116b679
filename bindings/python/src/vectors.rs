//! `ptxcvt.vectors`: test vectors of a conversion.

use numpy::PyArray1;
use pyo3::prelude::*;

use ptxcvt::{Conversion, Overflow, Rounding};
use ptxcvt_conform::judge::Judge;
use ptxcvt_conform::suite::{self, Suite};

use crate::error::{Text, error, named, plain, refused};

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
    let conversion = conversion(what, rounding, overflow)?;
    let suite = Suite::new(conversion, random, seed);
    let suite = match signed_nan {
        true if !what.contains("->") => {
            let message =
                format!("signed_nan is for two formats, such as f32->e4m3; `{what}` has its own NaN");
            return Err(plain(message));
        }
        true => suite.signed_nan().map_err(|e| plain(e.to_string()))?,
        false => suite,
    };
    let column = |of: fn(&suite::Vector) -> u64| PyArray1::from_iter(py, suite.vectors().iter().map(of));
    let columns = (column(|vector| vector.input), column(|vector| vector.result));
    Ok((conversion.source().name(), conversion.destination().name(), columns))
}

fn conversion(what: &str, rounding: &str, overflow: &str) -> PyResult<Conversion> {
    if !what.contains("->") {
        // A form has a rounding and an overflow of its own.
        for (name, given, default) in [("rounding", rounding, "rn"), ("overflow", overflow, "saturate")] {
            if given != default {
                return Err(plain(format!(
                    "{name} is for two formats, such as f32->e4m3; `{what}` has its own"
                )));
            }
        }
        let form = what.parse().map_err(|refusal| refused(&refusal))?;
        Judge::form(&form).map_err(|e| plain(e.to_string()))?;
        return Ok(form.conversion());
    }
    let (source, destination) = Judge::parse(what).map_err(|e| plain(e.to_string()))?.formats();
    let known = Rounding::from_name(rounding.trim_start_matches('.'));
    let known = known.filter(|known| !known.is_integer() && *known != Rounding::Rs).ok_or_else(|| {
        error(None, format!("no rounding `{rounding}`"), &["roundings are rn rna rz rm rp".to_owned()])
    })?;
    let overflow = match overflow {
        "saturate" => Overflow::Saturate,
        "ieee" => Overflow::Ieee,
        "nan" => Overflow::InfinityOrNan,
        _ => {
            let help = "give saturate, ieee or nan".to_owned();
            return Err(error(None, format!("invalid overflow `{overflow}`"), &[help]));
        }
    };
    suite::conversion(source, destination, known, overflow).map_err(|e| plain(e.to_string()))
}
