//! `ptxcvt.lower`: PTX that computes a form on a target that lacks it.

use std::hash::{Hash, Hasher};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use ptxcvt::{Form as Inner, IsaVersion, Target};
use ptxcvt_lower::word::{self, Shape};
use ptxcvt_lower::{Lowering as Lowered, lowerings, render};

use crate::error::{Text, error, named, plain};
use crate::form::{Form, read_isa, read_target};
use crate::run::Block;
use crate::scalar::read_form;

/// PTX that computes a form on a target. `run` and `prove` accept it. `str` returns the block for inline assembly; its
/// first line is a comment with the constraints.
#[pyclass(frozen, eq, hash, module = "ptxcvt")]
#[derive(Debug)]
pub struct Lowering {
    inner: Lowered,
    target: Target,
    isa: IsaVersion,
}

impl Lowering {
    /// The arguments that make it again.
    fn arguments(&self) -> (Inner, &str, Target, IsaVersion) {
        (self.inner.form(), self.inner.name(), self.target, self.isa)
    }
}

impl PartialEq for Lowering {
    fn eq(&self, other: &Self) -> bool {
        self.arguments() == other.arguments()
    }
}

impl Hash for Lowering {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.arguments().hash(state);
    }
}

#[pymethods]
impl Lowering {
    /// The form.
    #[getter]
    fn form(&self) -> Form {
        Form(self.inner.form())
    }

    /// The name of the variant.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// The inputs for which the block returns the instruction's bits, such as "every input".
    #[getter]
    fn contract(&self) -> String {
        self.inner.contract().to_string()
    }

    /// The target.
    #[getter]
    fn target(&self) -> String {
        self.target.to_string()
    }

    /// The version of PTX ISA.
    #[getter]
    fn isa(&self) -> String {
        self.isa.to_string()
    }

    /// The block.
    #[getter]
    fn block(&self) -> Block {
        Block(self.inner.block().clone())
    }

    /// The number of PTX instructions.
    fn __len__(&self) -> usize {
        self.inner.block().code().len()
    }

    fn __str__(&self) -> String {
        render::block(&self.inner, self.target, self.isa)
    }

    fn __repr__(&self) -> String {
        let Lowering { inner, target, isa } = self;
        format!("<{} for {target}, PTX ISA {isa}: {}>", inner.form(), inner.name())
    }
}

/// PTX that computes a form in a module for a target and a version, by default the newest: the instruction itself if
/// the target has it, otherwise the best sequence that returns the same bits on every input. `variant` chooses another
/// sequence.
///
/// >>> import ptxcvt
/// >>> lowering = ptxcvt.lower("cvt.rn.f16x2.e5m2x2", target="sm_80", isa="7.0")
/// >>> print(lowering)  # doctest: +ELLIPSIS
/// // =r,h
/// // cvt.rn.f16x2.e5m2x2 for sm_80, PTX ISA 7.0
/// ...
/// >>> bool(ptxcvt.prove(lowering, "cvt.rn.f16x2.e5m2x2"))
/// True
#[pyfunction]
#[pyo3(signature = (form, *, target, isa=None, variant=None))]
pub fn lower(
    form: &Bound<'_, PyAny>,
    target: Text,
    isa: Option<Text>,
    variant: Option<Text>,
) -> PyResult<Lowering> {
    named!(target, isa, variant);
    let (target, isa, variant) = (&*target, isa.as_deref(), variant.as_deref());
    let form: Inner = read_form("form", form)?;
    let target = read_target(target)?;
    let isa = isa.map(read_isa).transpose()?.unwrap_or(target.newest());
    let all = lowerings(form, target, isa).map_err(|e| plain(e.to_string()))?;
    let inner = ptxcvt_lower::variant(all, variant, target).map_err(|unknown| {
        error(None, unknown.to_string(), &unknown.help().map(str::to_owned).into_iter().collect::<Vec<_>>())
    })?;
    Ok(Lowering { inner, target, isa })
}

/// 32-bit words of codes, permuted for words of the form in interleaved order.
#[pyfunction]
#[pyo3(name = "_interleave")]
pub fn interleave<'py>(
    py: Python<'py>,
    form: &Bound<'py, PyAny>,
    codes: PyReadonlyArray1<'py, u32>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let form: Inner = read_form("form", form)?;
    let shape = Shape::register(form).map_err(|e| plain(e.to_string()))?;
    let codes = codes.as_slice().map_err(|_| plain("expected contiguous arrays"))?;
    let permuted: Option<Vec<u32>> = codes.iter().map(|word| word::interleave(shape, *word)).collect();
    // Unsupported forms are also an error for an empty array.
    let permuted = permuted.filter(|_| word::interleave(shape, 0).is_some());
    let permuted = permuted.ok_or_else(|| plain(word::VariantError::Order(form).to_string()))?;
    Ok(PyArray1::from_vec(py, permuted))
}
