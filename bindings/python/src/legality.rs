//! Which forms there are, and where.

use std::collections::BTreeMap;

use pyo3::prelude::*;

use ptxcvt::targets::Machine;
use ptxcvt::{Form as Inner, IsaVersion, Modifier, Opcode, Spelling, Target, Type};

use crate::error::plain;
use crate::form::{Form, read_isa, read_target};

/// The legal forms, filtered: by target and ISA version, by destination and source type, by rounding (`"none"` for
/// forms without), by modifiers that they must or must not have, by instruction.
///
/// >>> import ptxcvt
/// >>> [str(form) for form in ptxcvt.forms(target="sm_120a", isa="9.1", dst="e2m1x2", src="f32")]
/// ['cvt.rn.satfinite.e2m1x2.f32', 'cvt.rn.satfinite.relu.e2m1x2.f32']
#[pyfunction]
#[pyo3(signature = (*, target=None, isa=None, dst=None, src=None, rounding=None, having=Vec::new(), without=Vec::new(), instruction=None))]
#[allow(clippy::too_many_arguments)] // Keywords of Python, all optional.
pub fn forms(
    target: Option<&str>,
    isa: Option<&str>,
    dst: Option<&str>,
    src: Option<&str>,
    rounding: Option<&str>,
    having: Vec<String>,
    without: Vec<String>,
    instruction: Option<&str>,
) -> PyResult<Vec<Form>> {
    let (target, isa) = (target.map(read_target).transpose()?, isa.map(read_isa).transpose()?);
    let (dst, src) = (dst.map(ty).transpose()?, src.map(ty).transpose()?);
    let modifiers = |names: &[String]| names.iter().map(|name| modifier(name)).collect::<PyResult<Vec<_>>>();
    let (having, without) = (modifiers(&having)?, modifiers(&without)?);
    let rounding = rounding.map(|name| name.trim_start_matches('.'));
    let instructions = [Opcode::Cvt, Opcode::CvtPack];
    if let Some(name) = instruction.filter(|name| instructions.iter().all(|o| o.name() != *name)) {
        return Err(plain(format!("no instruction `{name}`; they are cvt and cvt.pack")));
    }
    let legal = |form: &Inner| match (target, isa) {
        (None, None) => true,
        (Some(target), isa) => form.is_legal(target, isa.unwrap_or_else(|| target.newest())),
        (None, Some(isa)) => Target::all().any(|target| form.is_legal(target, isa)),
    };
    let admitted = Inner::all().filter(|form| {
        legal(form)
            && dst.is_none_or(|ty| form.destination() == ty)
            && src.is_none_or(|ty| form.source() == ty)
            && rounding.is_none_or(|name| form.rounding().map_or("none", |r| r.name()) == name)
            && having.iter().all(|m| form.has(*m))
            && !without.iter().any(|m| form.has(*m))
            && instruction.is_none_or(|name| form.opcode().name() == name)
    });
    Ok(admitted.map(Form).collect())
}

fn ty(name: &str) -> PyResult<Type> {
    Type::from_name(name.trim_start_matches('.')).ok_or_else(|| {
        let all: Vec<_> = Type::ALL.iter().map(|ty| ty.name()).collect();
        plain(format!("no type `{name}`; types are {}", all.join(" ")))
    })
}

fn modifier(name: &str) -> PyResult<Modifier> {
    Modifier::from_name(name.trim_start_matches('.')).ok_or_else(|| {
        let all: Vec<_> = Modifier::ALL.iter().map(|m| m.name()).collect();
        plain(format!("no modifier `{name}`; modifiers are {}", all.join(" ")))
    })
}

/// Every target, in the order of the table.
#[pyfunction]
pub fn targets() -> Vec<String> {
    Target::all().map(|target| target.to_string()).collect()
}

/// Every version of PTX ISA that is known.
#[pyfunction]
pub fn versions() -> Vec<String> {
    IsaVersion::all().map(|version| version.to_string()).collect()
}

/// Where an opcode is legal, or what is wrong with it.
#[pyclass(frozen, module = "ptxcvt")]
#[derive(Debug)]
pub struct Where {
    /// What was asked for.
    #[pyo3(get)]
    opcode: String,
    /// The form, if it is one.
    #[pyo3(get)]
    form: Option<Form>,
    /// Legal on the target and version asked for, or on any.
    #[pyo3(get)]
    legal: bool,
    /// The targets that take it, each with the first version.
    #[pyo3(get)]
    since: BTreeMap<String, String>,
    /// What is wrong: (code, message, help or None).
    #[pyo3(get)]
    problems: Vec<(&'static str, String, Option<String>)>,
    /// The nearest forms that are legal there.
    #[pyo3(get)]
    nearest: Vec<Form>,
}

#[pymethods]
impl Where {
    fn __bool__(&self) -> bool {
        self.legal
    }

    fn __str__(&self) -> String {
        let mut lines = vec![self.opcode.clone()];
        lines.extend(self.problems.iter().map(|(code, message, _)| format!("illegal[{code}]: {message}")));
        let mut help: Vec<_> = self.problems.iter().filter_map(|(.., help)| help.clone()).collect();
        help.dedup();
        lines.extend(help.into_iter().map(|help| format!("help: {help}")));
        lines.extend(self.nearest.iter().map(|form| format!("near: {}", form.0)));
        let mut versions: BTreeMap<IsaVersion, Vec<Target>> = BTreeMap::new();
        for target in self.form.iter().flat_map(|_| Target::all()) {
            if let Some(version) = self.form.and_then(|form| form.0.since(target)) {
                versions.entry(version).or_default().push(target);
            }
        }
        for (version, targets) in versions {
            let targets: Vec<String> = targets.iter().map(Target::to_string).collect();
            lines.push(format!("  from ISA {version:<4} {}", targets.join(" ")));
        }
        lines.join("\n")
    }

    fn __repr__(&self) -> String {
        format!("<{}: {}>", self.opcode, if self.legal { "legal" } else { "not legal" })
    }
}

/// Which targets and versions accept an opcode, or why none does.
///
/// >>> import ptxcvt
/// >>> ptxcvt.where("cvt.rn.satfinite.e4m3x2.f32").since["sm_89"]
/// '8.1'
/// >>> w = ptxcvt.where("cvt.rn.e4m3x2.f32")
/// >>> w.legal, w.problems[0][0], w.nearest[0]
/// (False, 'CVT008', Form('cvt.rn.satfinite.e4m3x2.f32'))
#[pyfunction]
#[pyo3(name = "where", signature = (opcode, /, *, target=None, isa=None))]
pub fn where_(opcode: &str, target: Option<&str>, isa: Option<&str>) -> PyResult<Where> {
    let machine = Machine::new(target.map(read_target).transpose()?, isa.map(read_isa).transpose()?);
    let spelling = Spelling::new(opcode);
    let form = spelling.form();
    let mut problems: Vec<_> = spelling
        .advice(machine)
        .iter()
        .map(|a| (a.code().as_str(), a.message().to_owned(), a.help().map(str::to_owned)))
        .collect();
    if let (Some(target), Some(isa)) = (machine.target(), machine.isa()) {
        if !target.exists_in(isa) {
            let message = format!("PTX ISA {isa} does not know the target {target}");
            problems.push((ptxcvt::Code::Version.as_str(), message, None));
        }
    }
    let legal = problems.is_empty();
    let nearest = if legal { Vec::new() } else { spelling.nearest_few::<3>(|f| machine.takes(f)).collect() };
    let since =
        form.map(|f| Target::all().filter_map(|t| Some((t.to_string(), f.since(t)?.to_string()))).collect());
    Ok(Where {
        opcode: form.map_or_else(|| opcode.to_owned(), |f| f.to_string()),
        form: form.map(Form),
        legal,
        since: since.unwrap_or_default(),
        problems,
        nearest: nearest.into_iter().map(Form).collect(),
    })
}
