//! The legal forms, and where they are legal.

use std::collections::BTreeMap;

use pyo3::prelude::*;

use ptxcvt::targets::Machine;
use ptxcvt::{Form as Inner, IsaVersion, Modifier, Spelling, Target};
use ptxcvt_report::forms::Filter;
use ptxcvt_report::place::Where as Report;

use crate::error::{Text, named, unknown_name};
use crate::form::{Form, read_isa, read_machine, read_target};

/// The legal forms that match all arguments: target and ISA version, destination and source type, rounding (`"none"`
/// for forms without one), required and excluded modifiers, instruction.
///
/// >>> import ptxcvt
/// >>> [str(form) for form in ptxcvt.forms(target="sm_120a", isa="9.1", dst="e2m1x2", src="f32")]
/// ['cvt.rn.satfinite.e2m1x2.f32', 'cvt.rn.satfinite.relu.e2m1x2.f32']
#[pyfunction]
#[pyo3(signature = (*, target=None, isa=None, dst=None, src=None, rounding=None, having=Vec::new(), without=Vec::new(), instruction=None))]
#[allow(clippy::too_many_arguments)] // Optional keyword arguments in Python.
pub fn forms(
    target: Option<Text>,
    isa: Option<Text>,
    dst: Option<Text>,
    src: Option<Text>,
    rounding: Option<Text>,
    having: Vec<String>,
    without: Vec<String>,
    instruction: Option<Text>,
) -> PyResult<Vec<Form>> {
    named!(target, isa, dst, src, rounding, instruction);
    let modifiers =
        |names: &[String]| names.iter().map(|name| name.parse::<Modifier>()).collect::<Result<_, _>>();
    let filter = Filter {
        machine: read_machine(target.as_deref(), isa.as_deref())?,
        dst: dst.as_deref().map(str::parse).transpose().map_err(unknown_name)?,
        src: src.as_deref().map(str::parse).transpose().map_err(unknown_name)?,
        rounding: rounding.as_deref().map(Filter::read_rounding).transpose().map_err(unknown_name)?,
        with: modifiers(&having).map_err(unknown_name)?,
        without: modifiers(&without).map_err(unknown_name)?,
        instruction: instruction.as_deref().map(str::parse).transpose().map_err(unknown_name)?,
        ..Filter::default()
    };
    Ok(Inner::all().filter(|form| filter.admits(form)).map(Form).collect())
}

/// Every target, in the order of the table.
#[pyfunction]
pub fn targets() -> Vec<String> {
    Target::all().map(|target| target.to_string()).collect()
}

/// Every known version of PTX ISA.
#[pyfunction]
pub fn versions() -> Vec<String> {
    IsaVersion::all().map(|version| version.to_string()).collect()
}

/// The targets and versions that accept an opcode, or the problems of the opcode.
#[pyclass(frozen, module = "ptxcvt")]
#[derive(Debug)]
pub struct Where(Report);

#[pymethods]
impl Where {
    /// The canonical spelling of the form, or the text as given if it is not a form.
    #[getter]
    fn opcode(&self) -> &str {
        &self.0.opcode
    }

    /// The form, or None if the opcode is not one.
    #[getter]
    fn form(&self) -> Option<Form> {
        self.0.form.map(Form)
    }

    /// True if the form is legal on the given target and version, or on any if none is given.
    #[getter]
    fn legal(&self) -> bool {
        self.0.legal
    }

    /// The targets that accept the form, each with the first version.
    #[getter]
    fn since(&self) -> BTreeMap<String, String> {
        let groups = self.0.since.iter();
        groups.flat_map(|s| s.targets.iter().map(|t| (t.to_string(), s.isa.to_string()))).collect()
    }

    /// Everything that is wrong: (code, message, help or None).
    #[getter]
    fn problems(&self) -> Vec<(&'static str, String, Option<String>)> {
        self.0.problems.iter().map(|p| (p.code.as_str(), p.message.clone(), self.0.help.clone())).collect()
    }

    /// The nearest forms that are legal on the given target and version.
    #[getter]
    fn nearest(&self) -> Vec<Form> {
        self.0.nearest.iter().copied().map(Form).collect()
    }

    fn __bool__(&self) -> bool {
        self.0.legal
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<{}: {}>", self.0.opcode, if self.0.legal { "legal" } else { "not legal" })
    }
}

/// The targets and versions that accept an opcode, or the problems of the opcode.
///
/// >>> import ptxcvt
/// >>> ptxcvt.where("cvt.rn.satfinite.e4m3x2.f32").since["sm_89"]
/// '8.1'
/// >>> w = ptxcvt.where("cvt.rn.e4m3x2.f32")
/// >>> w.legal, w.problems[0][0], w.nearest[0]
/// (False, 'CVT008', Form('cvt.rn.satfinite.e4m3x2.f32'))
#[pyfunction]
#[pyo3(name = "where", signature = (opcode, /, *, target=None, isa=None))]
pub fn where_(opcode: Text, target: Option<Text>, isa: Option<Text>) -> PyResult<Where> {
    named!(opcode, target, isa);
    let (opcode, target, isa) = (&*opcode, target.as_deref(), isa.as_deref());
    let machine = Machine::new(target.map(read_target).transpose()?, isa.map(read_isa).transpose()?);
    Ok(Where(Report::new(&Spelling::new(opcode), machine)))
}
