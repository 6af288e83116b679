//! Forms (legal conversions) and chains of them.

use pyo3::prelude::*;

use ptxcvt::forms::{Operand, chain_with, is_path};
use ptxcvt::targets::{IsaVersionError, Machine, TargetError};
use ptxcvt::{Code, Form as Inner, IsaVersion, Modifier, Rounding, Target};

use crate::error::{Text, error, named, plain, refused};
use crate::operand::{fits, one, wrong};

/// A legal form of `cvt` or `cvt.pack`.
///
/// >>> from ptxcvt import Form
/// >>> form = Form("cvt.satfinite.e4m3x2.f32.rn")
/// >>> str(form), form.source, form.destination, form.lanes
/// ('cvt.rn.satfinite.e4m3x2.f32', 'f32', 'e4m3x2', 2)
/// >>> form.since("sm_89")
/// '8.1'
#[pyclass(frozen, eq, hash, ord, from_py_object, module = "ptxcvt")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Form(pub Inner);

#[pymethods]
impl Form {
    #[new]
    fn new(opcode: Text) -> PyResult<Self> {
        named!(opcode);
        opcode.parse().map(Form).map_err(|refusal| refused(&refusal))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Form('{}')", self.0)
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.0.to_string(),)
    }

    /// `cvt` or `cvt.pack`.
    #[getter]
    fn instruction(&self) -> &'static str {
        self.0.opcode().name()
    }

    /// The rounding modifier without its dot, or None.
    #[getter]
    fn rounding(&self) -> Option<&'static str> {
        self.0.rounding().map(Rounding::name)
    }

    /// The other modifiers.
    #[getter]
    fn modifiers(&self) -> Vec<&'static str> {
        self.0.modifiers().iter().map(Modifier::name).collect()
    }

    /// The destination type, such as "e4m3x2".
    #[getter]
    fn destination(&self) -> &'static str {
        self.0.destination().name()
    }

    /// The source type, such as "f32".
    #[getter]
    fn source(&self) -> &'static str {
        self.0.source().name()
    }

    /// The format of one destination element, such as "e4m3".
    #[getter]
    fn destination_format(&self) -> &'static str {
        self.0.destination().format().name()
    }

    /// The format of one source element.
    #[getter]
    fn source_format(&self) -> &'static str {
        self.0.source().format().name()
    }

    /// The number of elements that one instruction converts.
    #[getter]
    fn lanes(&self) -> u32 {
        self.0.lanes()
    }

    /// The width of the result in bits.
    #[getter]
    fn result_width(&self) -> u32 {
        self.0.result_width()
    }

    /// The source operands in PTX order: (name, register type, width in bits), vectors flattened.
    #[getter]
    fn operands(&self) -> Vec<(&'static str, String, u32)> {
        let sources = self.0.operands().skip(1);
        sources.map(|o| (o.role.name(), o.register().to_string(), o.width)).collect()
    }

    /// The operand after the elements: "rbits", "scale-factor" or "c"; or None.
    #[getter]
    fn extra(&self) -> Option<&'static str> {
        self.0.extra().map(|operand| operand.role.name())
    }

    /// True if infinity becomes a finite number: with `.sat` and `.satfinite`, and from floating point to integers.
    #[getter]
    fn limits_infinity(&self) -> bool {
        self.0.limits_infinity()
    }

    /// The operands in PTX syntax: "d, {a, b, e, f}, rbits".
    #[getter]
    fn syntax(&self) -> String {
        self.0.syntax().to_string()
    }

    /// True if the manual describes the form but no assembler accepts it yet.
    #[getter]
    fn announced(&self) -> bool {
        self.0.is_announced()
    }

    /// The targets that accept the form, each with the first ISA version that does.
    #[getter]
    fn targets(&self) -> std::collections::BTreeMap<String, String> {
        let since = |t: Target| Some((t.to_string(), self.0.since(t)?.to_string()));
        Target::all().filter_map(since).collect()
    }

    /// The first ISA version at which `target` accepts the form, or None.
    fn since(&self, target: Text) -> PyResult<Option<String>> {
        named!(target);
        Ok(self.0.since(read_target(&target)?).map(|version| version.to_string()))
    }

    /// The bits of a number as source operand `n`, as `cvt` reads it.
    fn _operand(&self, py: Python<'_>, n: usize, value: &Bound<'_, PyAny>) -> PyResult<u64> {
        let operand = self.operand(n)?;
        let read = one(py, &self.0, &operand, value)?;
        read.ok_or_else(|| wrong(&self.0, &operand, "that"))
    }

    /// Fails if source operand `n` does not accept arrays of this dtype.
    fn _fits(&self, n: usize, dtype: &str) -> PyResult<()> {
        let operand = self.operand(n)?;
        if fits(&operand, ptxcvt::Format::from_name(dtype)) {
            return Ok(());
        }
        Err(wrong(&self.0, &operand, dtype))
    }

    /// The format of source operand `n` if it is one element.
    fn _element(&self, n: usize) -> PyResult<Option<&'static str>> {
        let ty = self.operand(n)?.ty;
        Ok(ty.filter(|ty| ty.lanes() == 1).map(|ty| ty.format().name()))
    }

    /// True if a module of that target and version may use the form.
    fn is_legal(&self, target: Text, isa: Text) -> PyResult<bool> {
        named!(target, isa);
        Ok(self.0.is_legal(read_target(&target)?, read_isa(&isa)?))
    }
}

impl Form {
    fn operand(&self, n: usize) -> PyResult<Operand> {
        self.0.operands().nth(n + 1).ok_or_else(|| plain(format!("`{}` has no operand {n}", self.0)))
    }
}

/// A target by its name.
pub fn read_target(text: &str) -> PyResult<Target> {
    text.parse().map_err(|e: TargetError| library(e.code(), &e, e.help()))
}

/// A version of PTX ISA that exists.
pub fn read_isa(text: &str) -> PyResult<IsaVersion> {
    text.parse().map_err(|e: IsaVersionError| library(e.code(), &e, e.help()))
}

/// A machine by its names.
pub fn read_machine(target: Option<&str>, isa: Option<&str>) -> PyResult<Machine> {
    Machine::new(target.map(read_target).transpose()?, isa.map(read_isa).transpose()?)
        .map_err(|e| library(e.code(), &e, e.help()))
}

/// The exception for an error of the library.
fn library(code: Code, why: &dyn std::error::Error, help: Option<&str>) -> PyErr {
    error(Some(code), why.to_string(), &help.map(str::to_owned).into_iter().collect::<Vec<_>>())
}

/// The forms of a conversion: one opcode, opcodes joined by ` then `, or formats as in "f32->e4m3".
///
/// >>> import ptxcvt
/// >>> ptxcvt.chain("f32->e4m3", rounding="rz")
/// [Form('cvt.rz.satfinite.e4m3x2.f32')]
/// >>> ptxcvt.chain("float8_e4m3fn->float32")
/// [Form('cvt.rn.f16x2.e4m3x2'), Form('cvt.f32.f16')]
#[pyfunction]
#[pyo3(signature = (conversion, /, *, rounding=None, saturate=false, relu=false))]
pub fn chain(conversion: Text, rounding: Option<Text>, saturate: bool, relu: bool) -> PyResult<Vec<Form>> {
    named!(conversion, rounding);
    let (conversion, rounding) = (&*conversion, rounding.as_deref());
    let rounding =
        rounding.map(str::parse::<Rounding>).transpose().map_err(|unknown| plain(unknown.to_string()))?;
    if !is_path(conversion) && (rounding.is_some() || saturate || relu) {
        let help = ["use formats, as in \"f32->e4m3\", or write the modifiers in the opcode".to_owned()];
        return Err(error(None, format!("`{conversion}` is an opcode, which names its own rounding"), &help));
    }
    let forms = chain_with(conversion, |mut wanted| {
        if let Some(rounding) = rounding {
            wanted = wanted.rounding(rounding);
        }
        if saturate {
            wanted = wanted.saturate();
        }
        if relu {
            wanted = wanted.relu();
        }
        wanted
    });
    forms.map(|forms| forms.into_iter().map(Form).collect()).map_err(|refusal| refused(&refusal))
}
