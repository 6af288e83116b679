//! The names of forms in CUDA's headers: compiles every conversion function that they declare, and reads its
//! instruction from the result.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use ptxcvt::Form;

use super::Toolkit;
use crate::tools::{self, Scratch};

/// The headers that declare conversions. Kernels include them, except those that nvcc includes itself.
const HEADERS: [&str; 8] = [
    "cuda_fp16.h",
    "cuda_bf16.h",
    "cuda_fp8.h",
    "cuda_fp6.h",
    "cuda_fp4.h",
    "crt/device_functions.h",
    "crt/device_double_functions.h",
    "crt/math_functions.h",
];

/// A target that has nearly every instruction.
const ARCH: &str = "sm_103a";

/// The types of parameters after the first, with their values; if two calls are the same instruction, the first one counts.
const OPTIONS: [(&str, &[&str]); 5] = [
    ("__nv_saturation_t", &["__NV_SATFINITE", "__NV_NOSAT"]),
    ("__nv_fp8_interpretation_t", &["__NV_E4M3", "__NV_E5M2"]),
    ("__nv_fp6_interpretation_t", &["__NV_E2M3", "__NV_E3M2"]),
    ("__nv_fp4_interpretation_t", &["__NV_E2M1"]),
    ("cudaRoundMode", &["cudaRoundNearest", "cudaRoundZero", "cudaRoundPosInf", "cudaRoundMinInf"]),
];

/// A call of a function with one number or pair `a`.
struct Call {
    source: String,
    name: String,
    options: Vec<&'static str>,
}

impl Call {
    fn of(&self, argument: &str) -> String {
        let arguments: Vec<&str> = std::iter::once(argument).chain(self.options.iter().copied()).collect();
        format!("{}({})", self.name, arguments.join(", "))
    }

    /// True if the argument is a pair.
    fn is_of_pair(&self) -> bool {
        self.source == "float2"
            || ["2_raw", "x2_storage_t", "half2", "bfloat162"].iter().any(|end| self.source.ends_with(end))
    }
}

/// A header without comments and directives.
fn declarations(text: &str) -> String {
    let mut pieces = text.split("/*");
    let first = pieces.next().unwrap_or(text).to_owned();
    let rest = pieces.filter_map(|piece| piece.split_once("*/").map(|(_, code)| code));
    let text = rest.fold(first, |text, code| text + " " + code);
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    lines.filter(|line| !line.trim_start().starts_with('#')).flat_map(|line| [line, "\n"]).collect()
}

/// The functions that round to an integer of the same type, or saturate.
const TO_SAME_TYPE: [&str; 13] = [
    "ceil",
    "ceilf",
    "floor",
    "floorf",
    "hceil",
    "hfloor",
    "hrint",
    "htrunc",
    "rint",
    "rintf",
    "trunc",
    "truncf",
    "__saturatef",
];

/// True if a function is named as conversions are, such as `__float2half_rn` and `__nv_cvt_float_to_fp8`, and not as a type.
fn is_conversion(name: &str) -> bool {
    let leads_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
    let between = name.starts_with("__") && (name.contains("_to_") || name.split('2').skip(1).any(leads_on));
    between || TO_SAME_TYPE.contains(&name)
}

/// The type of a parameter with or without a name.
fn parameter_type(parameter: &str) -> Option<String> {
    const TYPES: [&str; 7] = ["float", "double", "int", "long", "short", "char", "unsigned"];
    let words = parameter.split_whitespace().filter(|word| !["const", "enum"].contains(word));
    let words: Vec<&str> = words.collect();
    let (last, before) = words.split_last()?;
    // Headers declare `__float2int_ru(float)`; a single word of another kind is an argument in a body.
    Some(if TYPES.contains(last) { words.join(" ") } else { before.join(" ") })
}

/// The calls of the function that a declaration declares, or none if it is not a function of one number with options.
fn calls(declaration: &str) -> Vec<Call> {
    let parts = declaration.split_once('(').and_then(|(head, rest)| Some((head, rest.split_once(')')?.0)));
    let Some((head, parameters)) = parts else { return Vec::new() };
    let Some(name) = head.split_whitespace().last().filter(|name| is_conversion(name)) else {
        return Vec::new();
    };
    let Some(types) = parameters.split(',').map(parameter_type).collect::<Option<Vec<String>>>() else {
        return Vec::new();
    };
    let values = |ty: &String| OPTIONS.iter().find(|(known, _)| known == ty).map(|(_, values)| *values);
    let Some((source, options)) = types.split_first() else { return Vec::new() };
    let Some(options) = options.iter().map(values).collect::<Option<Vec<_>>>() else { return Vec::new() };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ' ';
    if source.is_empty() || !source.chars().all(is_word) || values(source).is_some() {
        return Vec::new();
    }
    let mut choices: Vec<Vec<&'static str>> = vec![Vec::new()];
    for values in options {
        let longer = |choice: &Vec<_>| -> Vec<Vec<_>> {
            values.iter().map(|value| [choice.as_slice(), &[*value]].concat()).collect()
        };
        choices = choices.iter().flat_map(longer).collect();
    }
    let call = |options| Call { source: source.clone(), name: name.to_owned(), options };
    choices.into_iter().map(call).collect()
}

/// A kernel for each call: `k0_` and so on.
fn source(calls: &[Call]) -> String {
    let included = HEADERS.iter().filter(|header| !header.starts_with("crt/"));
    let mut text: String = included.map(|header| format!("#include <{header}>\n")).collect();
    for (number, call) in calls.iter().enumerate() {
        let ty = &call.source;
        let result = call.of(&format!("static_cast<{ty}>(*static_cast<{ty}*>(nullptr))"));
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void k{number}_(decltype({result})* d, const {ty}* a) {{ *d = {}; }}",
            call.of("*a")
        );
    }
    text
}

/// The form that a kernel consists of, if that is all it does.
fn form(ptx: &str, number: usize) -> Option<Form> {
    let (_, body) = ptx.split_once(&format!(".entry k{number}_("))?;
    let (body, _) = body.split_once("\n}")?;
    let opcodes = body.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches('{').trim();
        let opcode = line.split_whitespace().next()?.trim_end_matches(';');
        let moves = ["ld", "st", "mov", "cvta", "ret"].contains(&opcode.split('.').next()?);
        (line.starts_with(|c: char| c.is_ascii_lowercase()) && !moves).then_some(opcode)
    });
    let opcodes: Vec<&str> = opcodes.collect();
    let [opcode] = opcodes[..] else { return None };
    opcode.parse().ok()
}

/// The file of names, part of the library.
fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../crates/ptxcvt-report/src/cuda.txt")
}

/// The forms of the file, each with the call of its function.
///
/// # Errors
///
/// Fails if the file cannot be read, or if a line is not a form and a call.
pub fn known() -> Result<Vec<(Form, String)>> {
    let text = fs::read_to_string(path()).with_context(|| path().display().to_string())?;
    let line = |line: &str| {
        let (opcode, call) = line.split_once('\t').with_context(|| format!("{line}: no tab"))?;
        Ok((opcode.parse().map_err(|e| anyhow!("{opcode}: {e}"))?, call.to_owned()))
    };
    text.lines().map(line).collect()
}

/// Compiles the functions of the headers and writes which form each of them is. Of several functions the shortest call
/// counts. Returns false if the file changed.
///
/// # Errors
///
/// Returns an error if the toolkit is incomplete or a function does not compile.
pub fn run(dir: &Path) -> Result<bool> {
    let toolkit = Toolkit::open(dir)?;
    let include = tools::toolkit(dir)?.join("include");
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for header in HEADERS {
        let text = fs::read_to_string(include.join(header)).with_context(|| header.to_owned())?;
        let text = declarations(&text);
        let called = text.split(';').flat_map(calls).filter(|call| seen.insert(call.of(&call.source)));
        found.extend(called);
    }
    ensure!(found.len() > 300, "only {} conversions are declared", found.len());
    let (input, output) = (Scratch::new("names.cu"), Scratch::new("names.ptx"));
    fs::write(&*input, source(&found))?;
    toolkit.compile(&input, &["-ptx"], ARCH, &output)?;
    let ptx = fs::read_to_string(&*output)?;
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (number, call) in found.iter().enumerate() {
        // A packed form on a single number wastes half of it.
        let Some(form) = form(&ptx, number).filter(|form| (form.lanes() > 1) == call.is_of_pair()) else {
            continue;
        };
        let (opcode, name) = (form.to_string(), call.of("a"));
        match names.get(&opcode) {
            Some(known) if known.len() <= name.len() => {}
            _ => drop(names.insert(opcode, name)),
        }
    }
    let text: String = names.iter().map(|(opcode, name)| format!("{opcode}\t{name}\n")).collect();
    println!("nvcc {}: {} calls, {} forms have a name", toolkit.version, found.len(), names.len());
    let unchanged = fs::read_to_string(path()).is_ok_and(|before| before == text);
    fs::write(path(), text)?;
    Ok(unchanged)
}
