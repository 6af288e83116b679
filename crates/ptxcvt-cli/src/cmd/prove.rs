//! `ptxcvt prove A B`: do two conversions return the same bits?

use std::io::{self, Write};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use ptxcvt_exec::Block;
use ptxcvt_exec::prove::{Difference, Domain, Options, prove};

use crate::blocks::{self, Operands, trace};
use crate::failure::{FINDINGS, Failure};
use crate::output::hex;
use crate::style::{DIM, ERROR, RESULT, STRONG};

#[derive(clap::Args)]
#[command(after_help = "\
A and B are opcodes, files or texts of PTX, as `run` takes them. Up to 32 bits of input are tried completely, and
so are packed elements that are shown to be independent; otherwise edges and random inputs are, and the answer
says that no difference was found.

Exit status: 0 no difference, 1 different, 2 bad input.

Examples:
  ptxcvt prove cvt.rn.f16x2.e5m2x2 'prmt.b32 %0, 0, %1, 0x5140;' --in a:.b16 …
  ptxcvt prove cvt.rn.bf16x2.f32 pack.ptx --domain finite")]
pub struct Args {
    /// A conversion: an opcode, a file, or PTX
    a: String,
    /// Another
    b: String,
    #[command(flatten)]
    interface: Operands,
    /// Let every NaN of an output's format be the same
    #[arg(long, value_name = "WHAT", value_parser = ["nan"])]
    up_to: Option<String>,
    /// Ask about these floating-point inputs only: all, numbers (no NaN), finite, normal (and zeros), positive
    #[arg(long, default_value_t, hide_default_value = true)]
    domain: Domain,
    /// How many inputs to try where there are too many for all
    #[arg(long, default_value_t = 1 << 24)]
    samples: u64,
    /// How many threads to use [default: all]
    #[arg(long)]
    threads: Option<std::num::NonZeroUsize>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let [a, b] = [&args.a, &args.b].map(|text| blocks::load(text, &args.interface));
    let (a, b) = (a?, b?);
    let options = Options {
        up_to_nan: args.up_to.is_some(),
        domain: args.domain,
        samples: args.samples,
        threads: args.threads.map_or(0, usize::from),
    };
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {percent} % {elapsed} {eta} left") {
        bar.set_style(style);
    }
    let answer = prove(&a, &b, &options, &|share| bar.set_position((share * 1000.0) as u64));
    bar.finish_and_clear();
    let answer = answer.map_err(|e| Failure::new(e.to_string()))?;
    let mut out = anstream::stdout().lock();
    let inexact = if a.is_approximate() || b.is_approximate() { "  (inexact: --approximate)" } else { "" };
    let Some(difference) = &answer.difference else {
        writeln!(out, "{RESULT}{answer}{RESULT:#}{inexact}")?;
        return Ok(ExitCode::SUCCESS);
    };
    writeln!(out, "{ERROR}{answer}{ERROR:#}{inexact}")?;
    let kinds: Vec<String> = difference.kinds.rows().map(|(name, n)| format!("{name} {n}")).collect();
    writeln!(out, "  {}", kinds.join(", "))?;
    print_example(&mut out, &a, &b, difference)?;
    Ok(FINDINGS)
}

/// The smallest input, and both traces beside each other.
fn print_example(out: &mut impl Write, a: &Block, b: &Block, difference: &Difference) -> io::Result<()> {
    writeln!(out, "the smallest:")?;
    for (port, bits) in a.inputs().iter().zip(&difference.inputs) {
        let name = &a.declaration(port.register).name;
        let value = port.meaning.map_or(String::new(), |m| format!("  {DIM}{m}{DIM:#} {}", m.show(*bits)));
        writeln!(out, "  {name} = {}{value}", hex(*bits, a.width(*port)))?;
    }
    let columns = [(a, &difference.a), (b, &difference.b)]
        .map(|(block, results)| column(block, &difference.inputs, results));
    let [left, right] = columns;
    let width = left.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    writeln!(out, "  {STRONG}{:<width$}{STRONG:#}   {STRONG}B{STRONG:#}", "A")?;
    for at in 0..left.len().max(right.len()) {
        let of = |column: &[String]| column.get(at).cloned().unwrap_or_default();
        writeln!(out, "{}", format!("  {:<width$}   {}", of(&left), of(&right)).trim_end())?;
    }
    Ok(())
}

/// The trace of a block and its results.
fn column(block: &Block, inputs: &[u64], results: &[u64]) -> Vec<String> {
    let steps = trace::lines(block, inputs).unwrap_or_default();
    let width = steps.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0);
    let mut lines: Vec<String> =
        steps.into_iter().map(|(text, bits)| format!("{text:<width$} → {bits}")).collect();
    for (port, bits) in block.outputs().iter().zip(results) {
        let name = &block.declaration(port.register).name;
        let value = port.meaning.map_or(String::new(), |m| format!("  {}", m.show(*bits)));
        lines.push(format!("{name} = {}{value}", hex(*bits, block.width(*port))));
    }
    lines
}
