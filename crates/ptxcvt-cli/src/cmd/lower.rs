//! `ptxcvt lower FORM --target T --isa V`: PTX that computes the form there.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use ptxcvt::{Form, Format, IsaVersion, Target, counted};
use ptxcvt_conform::assembler::Tools;
use ptxcvt_lower::render::AdapterError;
use ptxcvt_lower::word::{self, Shape, Variant, Word, WordError};
use ptxcvt_lower::{LowerError, Lowering, lowerings, render};

use super::lower_cost as cost;
use crate::args::{MachineArgs, NEWEST, isa_default, whole};
use crate::failure::{self, Failure};
use crate::output::{self, clip};
use crate::page;
use crate::style::{DIM, STRONG};
use crate::toolkit;

#[derive(clap::Args)]
#[command(mut_arg("isa", isa_default(NEWEST)))]
#[command(after_help = "\
The first line of a block is a comment with the constraint string of inline assembly: %0 is the destination, and %1, %2, … \
are the sources in PTX order. `ptxcvt run` and `ptxcvt prove` read the block unchanged. It returns the instruction's bits \
on every input; variants that do so only on some inputs are chosen by name. If the target has the instruction, the block \
consists of it.

With --elements N a block converts N elements in memory order: element 0 is in the lowest bits of the first register. \
Packed codes are in 32-bit registers, f16 and bf16 two in each, f32 one in each. Without the options below, a word \
returns what FORM returns for each pair. Their contracts:
  --scale FORMAT        each result is the element times the factor, rounded once to nearest even.
                        The factor times 2^k is zero or a normal number of the result's format;
                        k, which a comment of the block states, is the difference of the biases.
                        Code 0 of ue8m0 is excluded. With `.relu`, a negative product becomes 0.
  --skip-factor         results are 2^-k of the elements, exactly. No code is NaN or infinity.
  --order interleaved   the codes of each register are permuted as
                        `ptxcvt_lower::word::interleave` does.
  --domain numbers      no source is NaN.

Examples:
  ptxcvt lower cvt.rn.satfinite.e4m3x2.f32 --target sm_80 --isa 7.0
  ptxcvt lower cvt.rn.satfinite.e4m3x2.f32 --target sm_80 --variant list
  ptxcvt lower cvt.rn.f16x2.e2m1x2 --elements 8 --target sm_80 --isa 7.4
  ptxcvt lower cvt.rn.f16x2.e2m1x2 --as cuda
  ptxcvt lower --header cvt.rn.f16x2.e2m1x2 > ptxcvt.cuh
  ptxcvt lower --adapter triton cvt.rn.f16x2.e4m3x2 --target sm_80")]
pub struct Args {
    /// The conversion, such as cvt.rn.satfinite.e4m3x2.f32; several with --header
    #[arg(value_name = "FORM", required_unless_present = "header")]
    forms: Vec<String>,
    #[command(flatten)]
    machine: MachineArgs,
    /// What to print
    #[arg(long = "as", value_enum, default_value_t, value_name = "WHAT")]
    style: Style,
    /// Which of several ways to compute the form; `list` lists them
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    #[arg(
        long,
        conflicts_with = "header",
        help = format!("Count the machine instructions of the result with ptxas and nvdisasm, from {}", toolkit::PLACES)
    )]
    cost: bool,
    /// Convert this many elements in memory order: a multiple of 4 for FP8 and FP6, of 8 for FP4
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX), conflicts_with_all = ["variant", "style"])]
    elements: Option<u32>,
    /// Multiply by a factor (ue8m0, e4m3, f16 or bf16), the last operand
    #[arg(long, value_name = "FORMAT", requires = "elements")]
    scale: Option<String>,
    /// Leave out the last multiplication, by a power of two
    #[arg(long, requires = "elements")]
    skip_factor: bool,
    /// The order of the codes in their registers
    #[arg(long, value_enum, default_value_t, value_name = "ORDER", requires = "elements")]
    order: Order,
    /// The sources for which the block is needed
    #[arg(long, value_enum, default_value_t, value_name = "DOMAIN", requires = "elements")]
    domain: Domain,
    /// Print a C++ header with functions for each FORM, or, without FORM, for the common conversions
    #[arg(long, conflicts_with_all = ["style", "variant", "target", "isa"])]
    header: bool,
    /// Print the functions of each FORM as another project expects them
    #[arg(long, value_enum, value_name = "PROJECT", conflicts_with_all = ["style", "variant", "header", "cost"])]
    adapter: Option<Adapter>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Style {
    /// A block for inline assembly
    #[default]
    Block,
    /// A PTX module with one function
    Func,
    /// A CUDA function that uses the instruction if the architecture has it, and otherwise the best sequence (or, with
    /// --target, the sequence for that target)
    Cuda,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Adapter {
    /// A header with specialisations of CUTLASS's NumericArrayConverter
    Cutlass,
    /// Python for Triton's inline_asm_elementwise, for one --target
    Triton,
    /// A header with the function names of cuda_fp8.h, cuda_fp6.h and cuda_fp4.h
    Cuda,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Element 0 in the lowest bits
    #[default]
    Memory,
    /// Permuted beforehand, which saves instructions
    Interleaved,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Domain {
    /// Every source
    #[default]
    All,
    /// No NaN
    Numbers,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    args.words_have_elements()?;
    if args.header {
        let named = named(args)?;
        if let Some(elements) = args.elements {
            return write(args, &variant_header(args, &named, elements)?);
        }
        let forms = if named.is_empty() { render::default_forms().collect() } else { named };
        return write(args, &render::header(&forms).map_err(|e| Failure::new(e.to_string()))?);
    }
    type Write = fn(&[Form]) -> Result<String, AdapterError>;
    let header: Option<Write> = match args.adapter {
        Some(Adapter::Cutlass) => Some(render::cutlass),
        Some(Adapter::Cuda) => Some(render::cuda_adapter),
        Some(Adapter::Triton) | None => None,
    };
    if let Some(header) = header {
        if args.elements.is_some() || args.machine.target.is_some() || args.machine.isa.is_some() {
            return Err(Failure::new(
                "--adapter cutlass and cuda are for every target and number of elements",
            )
            .with_help("leave out --target, --isa and --elements"));
        }
        let text = header(&named(args)?).map_err(|e| Failure::new(e.to_string()))?;
        return write(args, &text);
    }
    let [opcode] = &args.forms[..] else {
        return Err(Failure::new("more than one form")
            .with_help("only --header, --adapter cutlass and --adapter cuda take several"));
    };
    let form = failure::form(opcode)?;
    if args.style == Style::Cuda && args.machine.target.is_none() {
        if let Some(name) = &args.variant {
            return Err(Failure::new(format!("variant `{}`: --target is missing", clip(name)))
                .with_help("give --target; other architectures then use the instruction"));
        }
        if args.cost || args.machine.isa.is_some() {
            let option = if args.cost { "--cost" } else { "--isa" };
            return Err(Failure::new(format!("{option}: --target is missing"))
                .with_help("give --target, such as --target sm_80"));
        }
        return write(args, &render::cuda(form, None).map_err(failed)?);
    }
    let (target, isa) = machine(args)?;
    if args.adapter == Some(Adapter::Triton) {
        let variant = options(args)?;
        let shape =
            args.elements.map_or_else(|| Shape::register(form), |elements| Shape::new(form, elements));
        let text = render::triton(form, args.elements, variant, target, isa).map_err(|e| match (e, shape) {
            (AdapterError::Word(error), Ok(shape)) => refused(&error, shape, variant),
            (error, _) => Failure::new(error.to_string()),
        });
        return write(args, &text?);
    }
    if let Some(elements) = args.elements {
        let word = word(args, form, elements, target, isa)?;
        let cost = cost::comment(args.cost, || render::word_kernels(&word, target, isa), target)?;
        return write(args, &(render::word(&word, target, isa) + &cost));
    }
    let all = lowerings(form, target, isa).map_err(failed)?;
    if args.variant.as_deref() == Some("list") {
        let tools = if args.cost { Some(cost::tools()?) } else { None };
        return list(args, &all, target, isa, tools.as_ref());
    }
    let chosen = &ptxcvt_lower::variant(all, args.variant.as_deref(), target)
        .map_err(|unknown| Failure::new(unknown.to_string()).with_help_if(unknown.help()))?;
    let text = match args.style {
        Style::Block => render::block(chosen, target, isa),
        Style::Func => render::func(chosen, target, isa),
        Style::Cuda => render::cuda(form, Some(chosen)).map_err(failed)?,
    };
    let cost = cost::comment(args.cost, || cost::kernels(chosen, target, isa), target)?;
    write(args, &(text + &cost))
}

/// The forms of the arguments.
fn named(args: &Args) -> Result<Vec<Form>, Failure> {
    args.forms.iter().map(|opcode| failure::form(opcode)).collect()
}

impl Args {
    /// Checks that options for words come with `--elements`. `requires` alone does not: clap waives it where `--elements`
    /// conflicts with another option that is given.
    fn words_have_elements(&self) -> Result<(), Failure> {
        let given = [
            ("--scale", self.scale.is_some()),
            ("--skip-factor", self.skip_factor),
            ("--order", self.order != Order::default()),
            ("--domain", self.domain != Domain::default()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) if self.elements.is_none() => {
                let help = "give --elements, without --as and --variant";
                Err(Failure::new(format!("{option} is for words: --elements is missing")).with_help(help))
            }
            _ => Ok(()),
        }
    }
}

/// The options for words.
fn options(args: &Args) -> Result<Variant, Failure> {
    let scale = args.scale.as_deref().map(|name| {
        name.parse::<Format>().map_err(|_| {
            let names = Variant::SCALES.map(Format::name).join(", ");
            Failure::new(format!("invalid --scale {}: expected {names}", clip(name)))
        })
    });
    Ok(Variant {
        scale: scale.transpose()?,
        skip_factor: args.skip_factor,
        order: match args.order {
            Order::Memory => word::Order::Memory,
            Order::Interleaved => word::Order::Interleaved,
        },
        numbers: args.domain == Domain::Numbers,
    })
}

/// The header for `--elements`, with the function that the options describe.
fn variant_header(args: &Args, forms: &[Form], elements: u32) -> Result<String, Failure> {
    let [form] = forms else {
        return Err(Failure::new("--header --elements needs one form"));
    };
    let word = 32 / form.source().format().storage().min(form.destination().format().storage());
    let text = render::variant_header(*form, options(args)?).filter(|_| elements == word);
    let text = text.ok_or_else(|| {
        let elements = counted(elements, "element");
        Failure::new(format!("the header has no function of `{form}` for {elements} with options")).with_help(
            "these functions convert a register of codes: 4 elements of FP8 and FP6, 8 of FP4; the header's others \
             need no --elements",
        )
    })?;
    text.map_err(|e| Failure::new(e.to_string()))
}

/// The word for `--elements`.
fn word(args: &Args, form: Form, elements: u32, target: Target, isa: IsaVersion) -> Result<Word, Failure> {
    let variant = options(args)?;
    let shape = Shape::new(form, elements).map_err(|e| Failure::new(e.to_string()))?;
    word::word(shape, variant, target, isa).map_err(|error| refused(&error, shape, variant))
}

/// A word that cannot be written, with the machine that has it if it is the target's fault.
fn refused(error: &WordError, shape: Shape, variant: Variant) -> Failure {
    let failure = Failure::new(error.to_string());
    let WordError::Target(target, _) = error else { return failure };
    let since = |target: Target| Some((target, word::since(shape, variant, target)?));
    match since(*target).or_else(|| Target::all().find_map(since)) {
        Some((target, isa)) => failure.with_help(format!("{target} has them from ISA {isa} on")),
        None => failure.with_help("no target has them"),
    }
}

fn failed(error: LowerError) -> Failure {
    match error {
        LowerError::NoSuchMachine(error) => error.into(),
        error => Failure::new(error.to_string()),
    }
}

/// The target, and the version, by default its newest.
fn machine(args: &Args) -> Result<(Target, IsaVersion), Failure> {
    let target = args.machine.target.ok_or_else(|| {
        Failure::new("--target is missing")
            .with_help("give --target, such as --target sm_80; --as cuda, --header and --adapter cutlass or cuda work without")
    })?;
    Ok((target, args.machine.isa.unwrap_or(target.newest())))
}

/// The fewest columns in which a list has the ideas next to the contracts.
const NARROWEST: usize = 30;

fn list(
    args: &Args,
    all: &[Lowering],
    target: Target,
    isa: IsaVersion,
    tools: Option<&Tools>,
) -> Result<ExitCode, Failure> {
    let mut out = Vec::new();
    let widest = |width: fn(&Lowering) -> usize| {
        all.iter().map(width).max().expect("a form that can be lowered has a variant")
    };
    let width = widest(|lowering| lowering.name().len());
    let contracts = widest(|lowering| lowering.contract().to_string().len());
    for lowering in all {
        let cost = match tools {
            Some(tools) => {
                format!(
                    "{:>4} machine",
                    cost::machine_instructions(tools, cost::kernels(lowering, target, isa), target)?
                )
            }
            None => format!("{:>4} PTX", lowering.block().code().len()),
        };
        let (name, contract, idea) = (lowering.name(), lowering.contract().to_string(), lowering.idea());
        write!(out, "{STRONG}{name:width$}{STRONG:#} {cost} instructions  ")?;
        let before = width + 1 + cost.len() + " instructions  ".len();
        // If columns for the ideas would be too narrow, each idea is below the contract.
        let ideas = before + contracts + 2;
        if idea.is_empty() {
            page::write_after(&mut out, before, anstyle::Style::new(), contract.split(' '))?;
        } else if ideas + NARROWEST <= page::width() {
            write!(out, "{contract:contracts$}  ")?;
            page::write_after(&mut out, ideas, DIM, idea.split(' '))?;
        } else {
            page::write_after(&mut out, before, anstyle::Style::new(), contract.split(' '))?;
            write!(out, "{:before$}", "")?;
            page::write_after(&mut out, before, DIM, idea.split(' '))?;
        }
    }
    let out = String::from_utf8(out).expect("texts were written");
    match args.output {
        Some(_) => write(args, &anstream::adapter::strip_str(&out).to_string()),
        None => {
            output::stdout().write_all(out.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn write(args: &Args, text: &str) -> Result<ExitCode, Failure> {
    match &args.output {
        Some(path) => output::file(path, text.as_bytes())?,
        None => output::raw_stdout().write_all(text.as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}
