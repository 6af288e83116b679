//! The table against an assembler: every spelling, every version, every operand kind.
//!
//! PTX ISA sections 9.7.9.21 and 9.7.9.22. Three comparisons per target that the assembler knows:
//!
//! - **spellings**: rounding × modifiers × types at the newest version, legal or not;
//! - **versions**: every form that is legal anywhere, at every version of the target;
//! - **operands**: every legal form with every register type and kind of immediate in every place, and with
//!   one operand too many or too few.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ptxcvt::{
    Form, Immediate, IsaVersion, Modifier, Modifiers, Opcode, Operand, RegisterClass, RegisterType, Rounding,
    Target, Type,
};
use serde::Serialize;

use crate::assembler::{Assembler, Depth, Frame, Unusable, Verdict};
use crate::report::Progress;

/// What is compared.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only this target.
    pub target: Option<Target>,
    /// Only this version, in place of all.
    pub isa: Option<IsaVersion>,
    /// Fewer spellings, and one target of those that have the same forms.
    pub quick: bool,
}

/// Which comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// Rounding, modifiers and types.
    Spellings,
    /// The forms, version after version.
    Versions,
    /// Registers and immediates.
    Operands,
}

/// A verdict of the assembler that the table explains otherwise, or not.
#[derive(Clone, Debug, Serialize)]
pub struct Disagreement {
    /// The instruction as it was written.
    pub line: String,
    /// The version of the module.
    pub isa: IsaVersion,
    /// What the table says.
    pub legal: bool,
    /// What the assembler says where it does not accept.
    pub message: Option<String>,
    /// The deviation's name, if it is a documented one.
    pub known: Option<&'static str>,
}

/// One comparison on one target.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// The target.
    pub target: Target,
    /// What was compared.
    pub subject: Subject,
    /// Lines that the assembler judged.
    pub lines: usize,
    /// Lines that it accepted.
    pub accepted: usize,
    /// Where the two differ.
    pub disagreements: Vec<Disagreement>,
}

/// Every comparison with one assembler.
#[derive(Clone, Debug, Serialize)]
pub struct Legality {
    /// The assembler's version.
    pub assembler: String,
    /// The comparisons.
    pub checks: Vec<Check>,
}

/// Compares the table with an assembler.
///
/// # Errors
///
/// Fails where the assembler cannot be run.
pub fn run(
    assembler: &Assembler,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Legality, Unusable> {
    let targets = targets(assembler, options);
    let spellings = spellings(options.quick);
    let mut legality = Legality { assembler: assembler.version.clone(), checks: Vec::new() };
    let total = (targets.len() * 3) as u64;
    for target in targets {
        let versions: Vec<IsaVersion> =
            assembler.versions(target).filter(|v| options.isa.is_none_or(|isa| isa == *v)).collect();
        let Some(newest) = versions.last().copied() else { continue };
        for subject in [Subject::Spellings, Subject::Versions, Subject::Operands] {
            let mut check = Check { target, subject, lines: 0, accepted: 0, disagreements: Vec::new() };
            match subject {
                Subject::Spellings => ask(assembler, &mut check, newest, &spellings)?,
                Subject::Versions => {
                    let forms: Vec<Line> = Form::all().map(Line::of).collect();
                    versions.iter().try_for_each(|isa| ask(assembler, &mut check, *isa, &forms))?;
                }
                Subject::Operands => {
                    let legal = Form::all().filter(|form| form.is_legal(target, newest));
                    let lines: Vec<Line> =
                        legal.flat_map(|form| operand_lines(&form, target, newest)).collect();
                    ask(assembler, &mut check, newest, &lines)?;
                }
            }
            legality.checks.push(check);
            progress(Progress { done: legality.checks.len() as u64, total });
        }
    }
    Ok(legality)
}

/// The targets to compare.
fn targets(assembler: &Assembler, options: &Options) -> Vec<Target> {
    let wanted = |t: &Target| {
        options.target.is_none_or(|target| target == *t)
            && options.isa.is_none_or(|isa| assembler.versions(*t).any(|v| v == isa))
    };
    let mut seen = BTreeSet::new();
    let mut is_new = |target: &Target| {
        let isa = assembler.versions(*target).last().unwrap_or(assembler.newest);
        seen.insert(Form::all().map(|form| form.is_legal(*target, isa)).collect::<Vec<_>>())
    };
    let wanted = assembler.targets.iter().copied().filter(wanted);
    wanted.filter(|target| !options.quick || options.target.is_some() || is_new(target)).collect()
}

/// A line and what it is about.
struct Line {
    text: String,
    /// The form, where the spelling is one.
    form: Option<Form>,
    /// The operands are right, too.
    operands: bool,
    depth: Depth,
}

impl Line {
    /// The form with the registers that fit exactly.
    fn of(form: Form) -> Line {
        let registers: Vec<String> = form.operands().map(|o| register(o.register())).collect();
        let text = write(&form, &registers);
        Line { text, form: Some(form), operands: true, depth: Depth::Check }
    }
}

/// One register of each type.
fn register(ty: RegisterType) -> String {
    format!("%{}", ty.name())
}

/// An instruction with these operands, the elements of `{a, b, e, f}` in braces.
fn write(form: &Form, operands: &[String]) -> String {
    let vector: Vec<bool> = form.operands().map(|o| o.in_vector).collect();
    let mut text = format!("{form} ");
    for (at, operand) in operands.iter().enumerate() {
        let inside = |at: usize| vector.get(at).copied().unwrap_or(false);
        let open = if inside(at) && !inside(at.wrapping_sub(1)) { "{" } else { "" };
        let close = if inside(at) && (!inside(at + 1) || at + 1 == operands.len()) { "}" } else { "" };
        let comma = if at == 0 { "" } else { ", " };
        text.push_str(&format!("{comma}{open}{operand}{close}"));
    }
    text.push(';');
    text
}

/// Every spelling of `cvt` and `cvt.pack`, with operands of the shape that its types have.
fn spellings(quick: bool) -> Vec<Line> {
    let types: Vec<Type> = Type::ALL.iter().copied().filter(|t| t.width() >= 8).collect();
    let roundings: Vec<Option<Rounding>> =
        std::iter::once(None).chain(Rounding::ALL.into_iter().map(Some)).collect();
    let pairs: BTreeSet<(Type, Type)> = Form::all().map(|f| (f.destination(), f.source())).collect();
    let sets: Vec<Modifiers> = (0..1_u32 << Modifier::ALL.len())
        .map(|bits| (0..).zip(Modifier::ALL).filter(|(i, _)| bits >> i & 1 != 0).map(|(_, m)| m).collect())
        .filter(|set: &Modifiers| !(set.has(Modifier::ScaledN1) && set.has(Modifier::ScaledN2)))
        .filter(|set: &Modifiers| !quick || set.len() <= 2)
        .collect();
    let mut lines = Vec::new();
    for destination in &types {
        for source in &types {
            if quick && !pairs.contains(&(*destination, *source)) {
                continue;
            }
            for rounding in &roundings {
                for modifiers in &sets {
                    lines.push(spelling(*rounding, *modifiers, *destination, *source));
                }
            }
        }
    }
    for destination in Type::ALL {
        for source in Type::ALL {
            for sat in ["", ".sat"] {
                for rest in ["", ".b32"] {
                    let opcode = format!("cvt.pack{sat}.{destination}.{source}{rest}");
                    let c = if rest.is_empty() { "" } else { ", %b32" };
                    let form = opcode.parse().ok();
                    let text = format!("{opcode} %b32, %b32, %b32{c};");
                    lines.push(Line { text, form, operands: true, depth: Depth::Check });
                }
            }
        }
    }
    lines
}

/// One spelling of `cvt`.
fn spelling(rounding: Option<Rounding>, modifiers: Modifiers, destination: Type, source: Type) -> Line {
    let bits = |width: u32| format!("%b{}", width.max(8));
    let (d, a) = (bits(destination.width()), bits(source.width()));
    let mut text = "cvt".to_owned();
    rounding.iter().for_each(|r| text.push_str(&format!(".{}", r.name())));
    modifiers.iter().for_each(|m| text.push_str(&format!(".{}", m.name())));
    text.push_str(&format!(".{destination}.{source} {d}, "));
    text.push_str(&match (destination.lanes(), source.lanes()) {
        (4, 1) => format!("{{{a}, {a}, {a}, {a}}}"),
        (2, 1) => format!("{a}, {a}"),
        _ => a,
    });
    if rounding == Some(Rounding::Rs) {
        text.push_str(", %b32");
    }
    for (scale, register) in [(Modifier::ScaledN1, ", %b8"), (Modifier::ScaledN2, ", %b16")] {
        text.push_str(if modifiers.has(scale) { register } else { "" });
    }
    text.push(';');
    let form = Form::new(Opcode::Cvt, rounding, modifiers, destination, source);
    Line { text, form, operands: true, depth: Depth::Check }
}

/// A legal form with every register type and immediate in every place, and with a wrong number of operands.
fn operand_lines(form: &Form, target: Target, isa: IsaVersion) -> Vec<Line> {
    let operands: Vec<Operand> = form.operands().collect();
    let exact: Vec<String> = operands.iter().map(|o| register(o.register())).collect();
    let mut lines = Vec::new();
    let mut push = |operands: &[String], legal: bool| {
        let text = write(form, operands);
        lines.push(Line { text, form: Some(*form), operands: legal, depth: Depth::Code });
    };
    for (at, operand) in operands.iter().enumerate() {
        let mut with = |text: String, legal: bool| {
            let mut operands = exact.clone();
            operands[at] = text;
            push(&operands, legal);
        };
        for ty in registers(target, isa) {
            with(register(ty), operand.accepts(ty));
        }
        for (literal, kinds) in IMMEDIATES {
            with((*literal).to_owned(), kinds.contains(&operand.immediate()));
        }
    }
    push(&exact[..exact.len() - 1], false);
    push(&[&exact[..], &[exact[exact.len() - 1].clone()]].concat(), false);
    lines
}

/// Literals, and the operands that take them.
const IMMEDIATES: &[(&str, &[Immediate])] = {
    use Immediate::{Float, FloatBits, Integer};
    &[
        ("1", &[Integer]),
        ("-1", &[Integer]),
        ("0x1F", &[Integer]),
        ("017", &[Integer]),
        ("0b101", &[Integer]),
        ("1U", &[Integer]),
        ("1.5", &[Float]),
        ("0f3F800000", &[Float, FloatBits]),
        ("0d3FF0000000000000", &[Float]),
    ]
};

/// The register types that such a module can declare: `.b128` and `.f16x2` are recent.
fn registers(target: Target, isa: IsaVersion) -> impl Iterator<Item = RegisterType> {
    let recent = |ty: &RegisterType| ty.width > 64 || ty.class == RegisterClass::F16x2;
    let has_recent = target.sm() >= 70 && isa >= IsaVersion::new(8, 3);
    RegisterType::all().filter(move |ty| has_recent || !recent(ty))
}

/// Asks the assembler about the lines and notes where it differs from the table.
fn ask(assembler: &Assembler, check: &mut Check, isa: IsaVersion, lines: &[Line]) -> Result<(), Unusable> {
    let Some(depth) = lines.first().map(|line| line.depth) else { return Ok(()) };
    let target = check.target;
    let registers = registers(target, isa).map(|ty| format!(".reg {ty} %{};", ty.name()));
    let frame = Frame { target, isa, registers: registers.collect::<Vec<_>>().join(" ") };
    let texts: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
    let verdicts = assembler.verdicts(&frame, depth, &texts)?;
    for (line, verdict) in lines.iter().zip(verdicts) {
        let legal = line.operands && line.form.is_some_and(|form| form.is_legal(target, isa));
        let accepted = verdict == Verdict::Accepted;
        check.lines += 1;
        check.accepted += usize::from(accepted);
        if legal != accepted {
            let message = match verdict {
                Verdict::Accepted => None,
                Verdict::Rejected(message) | Verdict::Crashed(message) => Some(message),
            };
            let known = known(&line.text, target, &assembler.version, accepted);
            check.disagreements.push(Disagreement { line: line.text.clone(), isa, legal, message, known });
        }
    }
    Ok(())
}

/// The name of a documented deviation of an assembler of this version (docs/conform.md).
fn known(line: &str, target: Target, version: &str, accepted: bool) -> Option<&'static str> {
    let (opcode, operands) = line.split_once(' ')?;
    let has = |operand: &str| operands.trim_end_matches(';').split(", ").any(|o| o == operand);
    let directed = ["cvt.rm.pzo.f16.f32", "cvt.rp.pzo.f16.f32", "cvt.rm.pzo.bf16.f32", "cvt.rp.pzo.bf16.f32"];
    let unchecked = match version.split('.').next() {
        Some("12") => opcode.ends_with(".ue8m0x2.bf16x2") || opcode.ends_with(".bf16x2.ue8m0x2"),
        _ => {
            opcode.ends_with(".e2m1x2.bf16x2")
                || opcode.contains(".scaled::n1::") && opcode.ends_with(".bf16x2")
        }
    };
    let any_32_bits = ["%u32", "%s32", "%f32", "%f16x2", "%pred", "0f3F800000"];
    if !accepted {
        let wide = opcode.contains(".ftz.") && opcode.contains("64") && (has("%b64") || has("%b128"));
        return wide.then_some("it replaces the form by several instructions, which take no wider registers");
    }
    match opcode {
        _ if directed.contains(&opcode) => {
            Some("its front end reads the spelling, but its code generator fails on it")
        }
        _ if unchecked && any_32_bits.into_iter().any(has) => {
            Some("it does not check the packed operand: any 32 bits pass, even a predicate")
        }
        _ if opcode.starts_with("cvt.pack.") && has("0f3F800000") => {
            Some("it takes the 32 bits of a literal 0f… for c")
        }
        "cvt.rn.bf16x2.ue8m0x2" if version.starts_with("13.1.") => {
            Some("it takes a scale-factor too, without `.scaled`")
        }
        _ if opcode.ends_with(".ftz.f32.bf16")
            && version.starts_with("12.")
            && (80..90).contains(&target.sm()) =>
        {
            Some("CUDA 12.9 accepts it before sm_90; later assemblers do not")
        }
        _ => None,
    }
}

impl Legality {
    /// Disagreements that are not documented.
    pub fn differences(&self) -> usize {
        self.checks.iter().flat_map(|c| &c.disagreements).filter(|d| d.known.is_none()).count()
    }
}

impl fmt::Display for Legality {
    /// A row per comparison, the disagreements, and a summary line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "ptxas {}\n", self.assembler)?;
        writeln!(
            f,
            "{:<8}  {:<9}  {:>8}  {:>8}  {:>13}",
            "target", "subject", "lines", "accepted", "disagreements"
        )?;
        for check in &self.checks {
            let (target, subject) = (check.target.to_string(), format!("{:?}", check.subject).to_lowercase());
            let count = check.disagreements.iter().filter(|d| d.known.is_none()).count();
            writeln!(f, "{target:<8}  {subject:<9}  {:>8}  {:>8}  {count:>13}", check.lines, check.accepted)?;
        }
        let all = || self.checks.iter().flat_map(|c| c.disagreements.iter().map(move |d| (c.target, d)));
        for (target, d) in all().filter(|(_, d)| d.known.is_none()) {
            let verdict = match &d.message {
                None => "accepted, but the table does not have it".to_owned(),
                Some(message) => format!("the table has it, but: {message}"),
            };
            write!(f, "\n{target} at ISA {}: {}\n    {verdict}\n", d.isa, d.line)?;
        }
        let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (_, d) in all() {
            if let (Some(opcode), Some(why)) = (d.line.split(' ').next(), d.known) {
                known.entry(why).or_default().insert(opcode);
            }
        }
        if !known.is_empty() {
            writeln!(f, "\nDeviations that are documented, not counted as disagreements:")?;
        }
        for (why, opcodes) in &known {
            writeln!(f, "    {why}:")?;
            opcodes.iter().take(4).try_for_each(|opcode| writeln!(f, "        {opcode}"))?;
            if opcodes.len() > 4 {
                writeln!(f, "        and {} more", opcodes.len() - 4)?;
            }
        }
        let lines: usize = self.checks.iter().map(|c| c.lines).sum();
        let (differences, known) = (self.differences(), known.values().map(BTreeSet::len).sum::<usize>());
        write!(f, "\n{lines} verdicts: {differences} disagreements, {known} spellings deviate")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_documented_deviations_are_known() {
        let sm_80: Target = "sm_80".parse().unwrap();
        let known = |line, version, accepted| known(line, sm_80, version, accepted).is_some();
        assert!(known("cvt.rm.pzo.f16.f32 %b16, %b32;", "13.5.37", true));
        assert!(!known("cvt.rm.pzo.f16.f32 %b16, %b32;", "13.5.37", false));
        assert!(known("cvt.rn.satfinite.e2m1x2.bf16x2 %b8, %pred;", "13.5.37", true));
        assert!(!known("cvt.rn.satfinite.e2m1x2.bf16x2 %b8, %b64;", "13.5.37", true));
        assert!(!known("cvt.rn.satfinite.e4m3x2.bf16x2 %b16, %pred;", "13.5.37", true));
        assert!(!known("cvt.rz.ue8m0x2.bf16x2 %b16, %pred;", "13.5.37", true));
        assert!(known("cvt.rz.ue8m0x2.bf16x2 %b16, %pred;", "12.9.86", true));
        assert!(known("cvt.rn.bf16x2.ue8m0x2 %pred, %b16;", "12.9.86", true));
        assert!(known("cvt.rz.ftz.f32.f64 %b64, %f64;", "13.5.37", false));
        assert!(!known("cvt.rz.f32.f64 %b64, %f64;", "13.5.37", false));
        assert!(known("cvt.ftz.f32.bf16 %f32, %b16;", "12.9.86", true));
        assert!(!known("cvt.ftz.f32.bf16 %f32, %b16;", "13.5.37", true));
        assert!(known("cvt.pack.sat.u8.s32.b32 %u32, %s32, %s32, 0f3F800000;", "13.5.37", true));
        assert!(!known("cvt.pack.sat.u8.s32.b32 %u32, %s32, %s32, 1.5;", "13.5.37", true));
    }

    #[test]
    fn every_form_is_among_the_spellings() {
        for (quick, least) in [(true, 60_000), (false, 827_904)] {
            let lines = spellings(quick);
            assert!(lines.len() > least);
            let forms: BTreeSet<Form> = lines.iter().filter_map(|line| line.form).collect();
            let missing = Form::all().filter(|f| !forms.contains(f) && (!quick || f.modifiers().len() <= 2));
            assert_eq!(missing.count(), 0);
        }
    }
}
