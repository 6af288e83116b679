//! `ptxcvt.prove`: whether two pieces of PTX return the same bits.

use pyo3::prelude::*;

use ptxcvt_exec::prove::{Domain, Options, UnknownDomain, prove};
use ptxcvt_report::prove::ProveReport;

use crate::error::{error, plain};
use crate::run::Block;

/// Compares two blocks. Returns the command's report as JSON.
#[pyfunction]
#[pyo3(name = "_prove")]
#[allow(clippy::too_many_arguments)] // One caller, in Python.
pub fn proof(
    py: Python<'_>,
    a: &Block,
    b: &Block,
    domain: &str,
    up_to_nan: bool,
    samples: u64,
    first: bool,
    threads: usize,
) -> PyResult<String> {
    let domain: Domain = domain
        .parse()
        .map_err(|known: UnknownDomain| error(None, format!("no domain `{domain}`"), &[known.to_string()]))?;
    let options = Options { up_to_nan, domain, samples, first, threads };
    let answer = py.detach(|| prove(&a.0, &b.0, &options, &|_| {})).map_err(|e| plain(e.to_string()))?;
    serde_json::to_string(&ProveReport::new([&a.0, &b.0], &answer)).map_err(|e| plain(e.to_string()))
}
