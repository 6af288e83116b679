//! The data about a form that a code generator needs: its gates as predicates, the registers that each operand accepts,
//! and its names in LLVM, MLIR and CUDA.

use std::collections::BTreeMap;

use ptxcvt::{Form, IsaVersion, Modifier, Rounding, Target};
use serde::Serialize;

use crate::forms::{FormReport, since};

/// A form with everything that a code generator needs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct GeneratorReport {
    /// The form.
    #[serde(flatten)]
    pub form: FormReport,
    /// A machine accepts the form if one of these predicates holds.
    pub gates: Vec<Gate>,
    /// The operands in PTX order, the destination first.
    pub registers: Vec<OperandReport>,
    /// The intrinsic of LLVM for exactly this conversion, without overloads, if there is one.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Intrinsic>"))]
    pub llvm: Option<String>,
    /// The operation of MLIR's dialect NVVM that lowers to it.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Operation>"))]
    pub mlir: Option<&'static str>,
    /// The call of CUDA's headers that is exactly this instruction on a number or pair `a`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Call>"))]
    pub cuda: Option<&'static str>,
}

/// A predicate on machines: the ISA version is `isa` or newer and has the target, which is one of `only`, or has the
/// number `from` or a higher one, with any suffix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Gate {
    /// The first ISA version.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Isa"))]
    pub isa: IsaVersion,
    /// The lowest number of a target, such as 89; none if only some targets accept the form.
    pub from: Option<u16>,
    /// Other targets that accept the form.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::schema::TargetName>"))]
    pub only: Vec<Target>,
}

/// The registers that an operand accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct OperandReport {
    /// Its type in registers of exactly its width.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Register"))]
    pub register: String,
    /// Every type of registers that it accepts.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::schema::Register>"))]
    pub accepts: Vec<String>,
}

impl GeneratorReport {
    /// Reads the form's row of the table.
    pub fn new(form: &Form) -> Self {
        let llvm = intrinsic(form);
        let registers = form.operands().map(|operand| OperandReport {
            register: operand.register().to_string(),
            accepts: operand.accepted().map(|register| register.to_string()).collect(),
        });
        GeneratorReport {
            form: FormReport::new(form),
            gates: gates(form),
            registers: registers.collect(),
            mlir: llvm.as_ref().and_then(|_| operation(form)),
            llvm,
            cuda: function(form),
        }
    }
}

impl Gate {
    /// True if the predicate holds for a machine.
    pub fn admits(&self, target: Target, isa: IsaVersion) -> bool {
        let named = self.only.contains(&target) || self.from.is_some_and(|from| target.sm() >= from);
        named && isa >= self.isa && target.exists_in(isa)
    }
}

/// The gates of a form, the lowest version first.
fn gates(form: &Form) -> Vec<Gate> {
    let since = since(form);
    // A target that is newer than the form says nothing about the version.
    let mut versions: BTreeMap<IsaVersion, Vec<Target>> = BTreeMap::new();
    let oldest = since.iter().map(|(_, version)| *version).min();
    for (target, version) in &since {
        let free = *version == target.introduced();
        let earlier = versions.keys().next().copied().or(oldest).filter(|isa| free && isa <= version);
        versions.entry(earlier.unwrap_or(*version)).or_default().push(*target);
    }
    let gates = versions.into_iter().map(|(isa, targets)| {
        let lowest = |from: &u16| Target::all().filter(|t| t.sm() >= *from).all(|t| targets.contains(&t));
        let from = targets.iter().map(|target| target.sm()).filter(lowest).min();
        let only = targets.iter().copied().filter(|t| from.is_none_or(|from| t.sm() < from)).collect();
        Gate { isa, from, only }
    });
    gates.collect()
}

/// Forms and the shortest calls of functions of CUDA's headers that nvcc compiles to them, sorted by opcode: CUDA 13.5,
/// for sm_103a. `cargo run -p ptxcvt-conformance -- names DIR` writes the file.
pub(crate) const FUNCTIONS: &str = include_str!("cuda.txt");

/// The call in CUDA C++ that is this form.
fn function(form: &Form) -> Option<&'static str> {
    let opcode = form.to_string();
    let mut lines = FUNCTIONS.lines().filter_map(|line| line.split_once('\t'));
    lines.find(|(known, _)| *known == opcode).map(|(_, call)| call)
}

/// Names of LLVM's intrinsics for conversions, without `llvm.nvvm.`, sorted: those of LLVM 24.0.0, as Triton 3.9.0
/// has it.
const INTRINSICS: &str = include_str!("intrinsics.txt");

/// LLVM's intrinsic for exactly this conversion, without overloads.
pub fn intrinsic(form: &Form) -> Option<String> {
    let name = candidate(form)?;
    INTRINSICS.lines().any(|known| known == name).then(|| format!("llvm.nvvm.{name}"))
}

/// The name that LLVM's rules would give.
fn candidate(form: &Form) -> Option<String> {
    let (destination, source) = (form.destination().name(), form.source().name());
    if let Some(name) = to_same_type(form) {
        return Some(name);
    }
    if [Modifier::Sat, Modifier::Pzo, Modifier::ScaledN1].iter().any(|modifier| form.has(*modifier)) {
        return None;
    }
    let letter = |name: &str| {
        let letters =
            [("f32", "f"), ("f64", "d"), ("s32", "i"), ("u32", "ui"), ("s64", "ll"), ("u64", "ull")];
        letters.iter().find(|(known, _)| *known == name).map(|(_, letter)| *letter)
    };
    let head = match (source, destination) {
        ("f32", "f16x2" | "bf16x2") => format!("ff2{destination}"),
        ("f32", "f16") if form.has(Modifier::Ftz) => "f2h".to_owned(),
        ("f32", "f16" | "bf16" | "tf32") => format!("f2{destination}"),
        ("f32", packed) if packed.ends_with("x4") => format!("f32x4.to.{packed}"),
        ("f32", packed) if packed.ends_with("x2") => format!("ff.to.{packed}"),
        (a, b) if a.ends_with("x2") && b.ends_with("x2") => format!("{a}.to.{b}"),
        (a, b) => format!("{}2{}", letter(a)?, letter(b)?),
    };
    let rounding = match form.rounding() {
        Some(rounding) => rounding.name(),
        None => return None,
    };
    // To integers LLVM writes `rn` for `.rni`.
    let integral = form.rounding().is_some_and(Rounding::is_integer);
    let rounding = if integral { rounding.trim_end_matches('i') } else { rounding };
    // The only rounding of ue8m0 to bf16 is not named, nor is the only treatment of overflow of FP8.
    let exact = head == "ue8m0x2.to.bf16x2";
    let fp8 = matches!(destination, "e4m3x2" | "e5m2x2") && !source.starts_with('b');
    let mut name = head;
    let mut add = |part: &str, is_written: bool| {
        if is_written {
            name.push('.');
            name.push_str(part);
        }
    };
    add(rounding, !exact);
    add("ftz", form.has(Modifier::Ftz));
    add("relu", form.has(Modifier::Relu));
    add("satfinite", form.has(Modifier::Satfinite) && !fp8);
    add("scale.n2.ue8m0", form.has(Modifier::ScaledN2));
    Some(name)
}

/// The name of a conversion of f32 or f64 to itself: to an integer, or to what is between 0 and 1.
fn to_same_type(form: &Form) -> Option<String> {
    let ty = match (form.source().name(), form.destination().name()) {
        ("f32", "f32") => "f",
        ("f64", "f64") => "d",
        _ => return None,
    };
    let operation = match (form.rounding(), form.has(Modifier::Sat)) {
        (Some(Rounding::Rni), false) => "round",
        (Some(Rounding::Rzi), false) => "trunc",
        (Some(Rounding::Rmi), false) => "floor",
        (Some(Rounding::Rpi), false) => "ceil",
        (None, true) => "saturate",
        _ => return None,
    };
    let ftz = if form.has(Modifier::Ftz) { "ftz." } else { "" };
    Some(format!("{operation}.{ftz}{ty}"))
}

/// The operation of MLIR's dialect NVVM for the types of a form.
fn operation(form: &Form) -> Option<&'static str> {
    let group = |name: &str| match name {
        "e4m3x2" | "e5m2x2" | "ue8m0x2" => "f8x2",
        "e2m3x2" | "e3m2x2" => "f6x2",
        "e2m1x2" => "f4x2",
        "e4m3x4" | "e5m2x4" => "f8x4",
        "e2m3x4" | "e3m2x4" => "f6x4",
        "e2m1x4" => "f4x4",
        "s2f6x2" => "s2f6x2",
        "f16x2" => "f16x2",
        "bf16x2" => "bf16x2",
        "tf32" => "tf32",
        "f32" => "f32",
        _ => "",
    };
    const OPERATIONS: [(&str, &str, &str); 24] = [
        ("f32", "tf32", "nvvm.convert.float.to.tf32"),
        ("f32", "f16x2", "nvvm.convert.f32x2.to.f16x2"),
        ("f32", "bf16x2", "nvvm.convert.f32x2.to.bf16x2"),
        ("f32", "f8x2", "nvvm.convert.f32x2.to.f8x2"),
        ("f32", "f6x2", "nvvm.convert.f32x2.to.f6x2"),
        ("f32", "f4x2", "nvvm.convert.f32x2.to.f4x2"),
        ("f32", "s2f6x2", "nvvm.convert.f32x2.to.s2f6x2"),
        ("f32", "f8x4", "nvvm.convert.f32x4.to.f8x4"),
        ("f32", "f6x4", "nvvm.convert.f32x4.to.f6x4"),
        ("f32", "f4x4", "nvvm.convert.f32x4.to.f4x4"),
        ("f16x2", "f8x2", "nvvm.convert.f16x2.to.f8x2"),
        ("f16x2", "f6x2", "nvvm.convert.f16x2.to.f6x2"),
        ("f16x2", "f4x2", "nvvm.convert.f16x2.to.f4x2"),
        ("bf16x2", "f8x2", "nvvm.convert.bf16x2.to.f8x2"),
        ("bf16x2", "f6x2", "nvvm.convert.bf16x2.to.f6x2"),
        ("bf16x2", "f4x2", "nvvm.convert.bf16x2.to.f4x2"),
        ("bf16x2", "s2f6x2", "nvvm.convert.bf16x2.to.s2f6x2"),
        ("f8x2", "f16x2", "nvvm.convert.f8x2.to.f16x2"),
        ("f8x2", "bf16x2", "nvvm.convert.f8x2.to.bf16x2"),
        ("f6x2", "f16x2", "nvvm.convert.f6x2.to.f16x2"),
        ("f6x2", "bf16x2", "nvvm.convert.f6x2.to.bf16x2"),
        ("f4x2", "f16x2", "nvvm.convert.f4x2.to.f16x2"),
        ("f4x2", "bf16x2", "nvvm.convert.f4x2.to.bf16x2"),
        ("s2f6x2", "bf16x2", "nvvm.convert.s2f6x2.to.bf16x2"),
    ];
    let (source, destination) = (group(form.source().name()), group(form.destination().name()));
    OPERATIONS.iter().find(|(a, b, _)| *a == source && *b == destination).map(|(.., name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The predicates agree with the table on every machine.
    #[test]
    fn gates_are_the_table() {
        for form in Form::all() {
            let gates = gates(&form);
            for target in Target::all() {
                for isa in IsaVersion::all() {
                    let admitted = gates.iter().any(|gate| gate.admits(target, isa));
                    assert_eq!(admitted, form.is_legal(target, isa), "{form} {target} {isa}: {gates:?}");
                }
            }
        }
    }

    /// Each function that is listed belongs to a form, and rounding is what its name says.
    #[test]
    fn every_function_is_of_a_form() {
        // A function whose parameter has no name in the header, and functions that are not named as conversions.
        let called = |opcode: &str| function(&opcode.parse().unwrap());
        assert_eq!(called("cvt.rpi.s32.f32"), Some("__float2int_ru(a)"));
        assert_eq!(called("cvt.sat.f32.f32"), Some("__saturatef(a)"));
        assert_eq!(called("cvt.rni.f64.f64"), Some("rint(a)"));
        let opcodes = FUNCTIONS.lines().map(|line| line.split_once('\t').expect("an opcode and a call").0);
        assert!(opcodes.clone().is_sorted_by(|a, b| a < b));
        for opcode in opcodes {
            let form: Form = opcode.parse().unwrap();
            let call = function(&form).unwrap();
            let endings = [("_rn(", "rn"), ("_rz(", "rz"), ("_rd(", "rm"), ("_ru(", "rp")];
            if let Some((_, name)) = endings.iter().find(|(ending, _)| call.contains(ending)) {
                assert_eq!(form.rounding().unwrap().name().trim_end_matches('i'), *name, "{call}");
            }
        }
    }

    /// Each intrinsic that is listed belongs to exactly one form.
    #[test]
    fn every_intrinsic_is_a_form() {
        let mut forms: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for form in Form::all() {
            if let Some(name) = intrinsic(&form) {
                forms.entry(name).or_default().push(form.to_string());
            }
        }
        let missing: Vec<&str> = INTRINSICS
            .lines()
            .filter(|name| !forms.contains_key(&format!("llvm.nvvm.{name}")))
            // LLVM's older name for `cvt.rn.f16.f32`, which has a newer one.
            .filter(|name| *name != "f2h.rn")
            .collect();
        assert_eq!(missing, [""; 0]);
        assert!(forms.values().all(|forms| forms.len() == 1), "{forms:?}");
    }
}
