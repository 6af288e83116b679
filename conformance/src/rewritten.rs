//! Checks that `ptxas` accepts the modules that `ptxcvt check --lower` rewrites for other targets.
//!
//! The modules are random. Together they have every form that an assembler builds for, with random operands,
//! declarations, scopes, guards and line ends. Each is assembled unchanged, to show that it is valid, and
//! after it is rewritten for some of the targets. The record has a line for each target: the assembler, the
//! number of modules and of replaced conversions, and a digest of the rewritten texts, by which a test
//! notices that it is outdated.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ptxcvt::forms::{Operand, RegisterClass, RegisterType, Role};
use ptxcvt::inputs::SplitMix64;
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_conform::assembler::Assembler;
use ptxcvt_lower::{RewriteError, rewrite};

use crate::record::{self, Digest};
use crate::tools;

/// The record's name.
pub const RECORD: &str = "rewritten.tsv";

/// Conversions per module.
const CONVERSIONS: usize = 10;
/// Each target gets one module in this many.
const STEP: usize = 12;
/// The version of the modules: the newest that an assembler supports.
pub const ISA: IsaVersion = IsaVersion::new(9, 4);
/// The targets of the modules: together these have every form that an assembler supports.
const SOURCES: [&str; 6] = ["sm_90", "sm_100a", "sm_120a", "sm_103f", "sm_107a", "sm_110a"];

/// A module before it is rewritten.
#[derive(Clone, Debug)]
pub struct Module {
    /// The target.
    pub target: Target,
    /// Its text.
    pub text: String,
}

/// Every module.
///
/// # Errors
///
/// Fails if a target of the list is unknown.
pub fn modules() -> Result<Vec<Module>> {
    let mut random = SplitMix64::new(12);
    let mut left: Vec<Form> = Form::all().collect();
    let mut modules = Vec::new();
    for name in SOURCES {
        let target: Target = name.parse().map_err(|e| anyhow!("{name}: {e}"))?;
        let (mut own, rest) = left.into_iter().partition::<Vec<Form>, _>(|form| form.is_legal(target, ISA));
        left = rest;
        // Forms of all kinds in each module.
        for at in (1..own.len()).rev() {
            own.swap(at, random.below(at + 1));
        }
        for forms in own.chunks(CONVERSIONS) {
            let text = Writer::new(&mut random).module(target, forms);
            modules.push(Module { target, text });
        }
    }
    Ok(modules)
}

/// Writes a random module.
struct Writer<'r> {
    random: &'r mut SplitMix64,
    /// The names in use.
    names: usize,
    /// The initialised registers of this kernel: their names and types.
    loaded: Vec<(String, RegisterType)>,
}

impl<'r> Writer<'r> {
    fn new(random: &'r mut SplitMix64) -> Self {
        Writer { random, names: 0, loaded: Vec::new() }
    }

    fn once_in(&mut self, n: usize) -> bool {
        self.random.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.random.below(of.len())]
    }

    fn module(mut self, target: Target, forms: &[Form]) -> String {
        let comment = self.pick(&["", "// a module\n", "/* .target sm_20 */\n", "\n\n"]);
        let mut text = format!("{comment}.version {ISA}\n.target {target}\n.address_size 64\n");
        for (n, forms) in forms.chunks(4).enumerate() {
            text += &self.kernel(n, forms);
        }
        if self.once_in(4) { text.replace('\n', "\r\n") } else { text }
    }

    fn kernel(&mut self, number: usize, forms: &[Form]) -> String {
        self.loaded.clear();
        let head = self.pick(&[".visible .entry", ".entry", ".weak .entry"]);
        let mut text = format!(
            "\n{head} k{number} (.param .u64 memory)\n{{\n\t.reg .b64 at;\n\t.reg .pred p, %q;\n\t.reg .b32 %low;\n\
             \tld.param.u64 at, [memory];\n\tld.volatile.global.b32 %low, [at];\n\tsetp.lt.s32 p|%q, %low, 7;\n"
        );
        for form in forms {
            let scope = self.once_in(3);
            let known = self.loaded.len();
            text += if scope { "{\n" } else { "" };
            text += &self.conversion(*form);
            text += if scope { "}\n" } else { "" };
            if scope {
                // The end of the kernel ends the scope of its names.
                self.loaded.truncate(known);
            }
        }
        text + "\tret;\n}\n"
    }

    /// Declarations and loads, the conversion, a store of its result.
    fn conversion(&mut self, form: Form) -> String {
        let (mut single, mut vector) = (Vec::new(), Vec::new());
        let (mut before, mut after) = (String::new(), String::new());
        for operand in form.operands() {
            let name = self.operand(&operand, &mut before);
            if operand.role == Role::Destination {
                let width = self.loaded.last().map_or(32, |(_, ty)| ty.width);
                after = format!("\tst.volatile.global.b{width} [at+16], {name};\n");
            }
            if operand.in_vector { vector.push(name) } else { single.push(name) }
        }
        if !vector.is_empty() {
            single.insert(1, format!("{{{}}}", vector.join(self.pick(&[", ", ","]))));
        }
        let guard = self.pick(&["\t", "\t", "@p\t", "@!p ", "@%q\t"]);
        let end = self.pick(&[";\n", " ;\n", "; // a comment; with a semicolon\n", ";\t"]);
        format!("{before}{guard}{form} {}{end}{after}", single.join(self.pick(&[", ", ",", " , "])))
    }

    /// A register that is valid there, or a constant.
    fn operand(&mut self, operand: &Operand, before: &mut String) -> String {
        let is_source = operand.role != Role::Destination;
        let float = operand.register().class == RegisterClass::Float && operand.width == 32;
        if is_source && float && !operand.in_vector && self.once_in(8) {
            return self.pick(&["0f3FC00000", "1.5", "-0f7F800000"]).trim_start_matches('-').to_owned();
        }
        if is_source && self.once_in(3) {
            // A register that was loaded or converted before, even the destination.
            let fits: Vec<&String> =
                self.loaded.iter().filter(|(_, ty)| operand.accepts(*ty)).map(|(name, _)| name).collect();
            if let Some(name) = fits.get(self.random.below(fits.len().max(1))) {
                return (*name).clone();
            }
        }
        let types: Vec<RegisterType> = operand.accepted().filter(|ty| ty.width <= 64).collect();
        let ty = self.pick(&types);
        let name = self.declared(ty, before);
        *before +=
            &format!("\tld.volatile.global.b{} {name}, [at+{}];\n", ty.width, 8 * self.random.below(4));
        self.loaded.push((name.clone(), ty));
        name
    }

    /// A declaration, and a name that it declares.
    fn declared(&mut self, ty: RegisterType, text: &mut String) -> String {
        self.names += 1;
        let name =
            format!("{}{}x", self.pick(&["%f", "r", "$x", "_y", "%low", "%low_", "low0_"]), self.names);
        let ty = ty.name();
        let (declaration, name) = match self.random.below(4) {
            0 => (format!("\t.reg .{ty} {name}<3>;\n"), format!("{name}{}", self.random.below(3))),
            1 => (format!("\t.reg .{ty} {name}a, {name};\n"), name),
            2 => (format!("\t.reg.{ty}\t{name} ;"), name),
            _ => (format!("\t.reg .{ty} {name};\n"), name),
        };
        *text += &declaration;
        name
    }
}

/// A module rewritten for a target, the number of replaced conversions, and its version.
fn rewritten(module: &Module, target: Target) -> Result<(String, usize, IsaVersion)> {
    let fail = |e: &RewriteError| match e {
        RewriteError::Findings(found) => format!("{:?}\n{}", found[0].message(), module.text),
        other => other.to_string(),
    };
    // The newest assembler that builds for targets older than sm_75 supports no later version.
    let isa = (target.sm() < 75).then_some(IsaVersion::new(8, 8));
    let rewritten = rewrite(module.text.as_bytes(), target, isa).map_err(|e| anyhow!("{}", fail(&e)))?;
    Ok((String::from_utf8(rewritten.text)?, rewritten.replaced.len(), rewritten.isa))
}

/// The modules for a target.
fn share(modules: &[Module], target: Target) -> impl Iterator<Item = &Module> {
    let at = Target::all().position(|other| other == target).expect("`all` has every target");
    modules.iter().skip(at % STEP).step_by(STEP)
}

/// The line that the record should have for a target: modules, replaced conversions, digest.
///
/// # Errors
///
/// Fails if a module cannot be rewritten.
pub fn line(modules: &[Module], target: Target) -> Result<String> {
    let (mut count, mut replaced, mut digest) = (0, 0, Digest::default());
    for module in share(modules, target) {
        let (text, conversions, _) = rewritten(module, target)?;
        count += 1;
        replaced += conversions;
        text.bytes().for_each(|byte| digest.push(byte.into()));
    }
    Ok(format!("{count}\t{replaced}\t{digest}"))
}

/// Assembles all modules, rewrites them, assembles the results, and writes the record. Returns true if all
/// are accepted.
///
/// # Errors
///
/// Fails if a tool is missing or cannot be run.
pub fn run(dir: &Path) -> Result<bool> {
    let mut assemblers = Vec::new();
    for (_, path) in tools::assemblers(dir)? {
        assemblers.push(Assembler::open(&path)?);
    }
    let modules = modules()?;
    let newest = assemblers.first().context("no assembler")?;
    for module in &modules {
        if let Err(message) = newest.module(&module.text, module.target)? {
            bail!("an invalid module: {message}\n{}", module.text);
        }
    }
    let (mut lines, mut agrees) = (Vec::new(), true);
    for target in Target::all().filter(|t| t.sm() >= 50) {
        let mut versions = Vec::new();
        let mut refused = 0;
        for module in share(&modules, target) {
            let (text, _, isa) = rewritten(module, target)?;
            let able = |a: &&Assembler| a.targets.contains(&target) && a.newest >= isa;
            let Some(assembler) = assemblers.iter().find(able) else { continue };
            versions.push(assembler.version.clone());
            if let Err(message) = assembler.module(&text, target)? {
                println!("{target}: {message}\n{text}");
                refused += 1;
            }
        }
        versions.dedup();
        println!(
            "{target}: {} by {versions:?}, {refused} refused",
            line(&modules, target)?.replace('\t', " ")
        );
        agrees &= refused == 0;
        if refused == 0 && !versions.is_empty() {
            lines.push(format!("{target}\t{}\t{}", versions.join(" "), line(&modules, target)?));
        }
    }
    let provenance = [
        "ptxas: random modules, rewritten by `ptxcvt check --lower`. A line for each target whose modules are all".into(),
        "accepted: target, assembler, modules, conversions replaced, digest of the texts.".into(),
    ];
    record::write(RECORD, &provenance, lines)?;
    Ok(agrees)
}
