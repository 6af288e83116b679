//! `ptxcvt prove A B`: decides whether two conversions return the same bits.

use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::Style;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use indicatif::{ProgressBar, ProgressStyle};
use ptxcvt::Format;
use ptxcvt_exec::prove::{
    Answer, Difference, Domain, Method, Obstacle, Options, Restriction, Verdict, common_meaning, input_bits,
    prove,
};
use ptxcvt_exec::{Block, Meaning, Port};
use ptxcvt_report::prove::ProveReport;

use crate::args::{Threads, whole};
use crate::blocks::{self, Loaded, Operands, trace};
use crate::failure::{FINDINGS, Failure};
use crate::output::{self, hex};
use crate::page;
use crate::style::{DIM, ERROR, HELP, RESULT, STRONG};

/// Exit status: no difference was found, but equality is not proven.
const NOT_PROVEN: u8 = 3;

#[derive(clap::Args)]
#[command(after_help = "\
A and B are opcodes, files or PTX text, as in `run`. `prove kernel.ptx --function f --against FORM` compares a function \
of compiled PTX; a function that converts one element is compared with one element of a form of pairs.

A byte of A may be in a wider register in B, or the other way round: .s8 is sign-extended there, other bytes are \
zero-extended.

A proof tries every input: all of them if they have at most 32 bits, otherwise all values of parts that are shown to be \
independent. If there are too many, `prove` searches for a difference among inputs that lead to constants of A and B, also \
in several registers at once; these constants with their neighbours, complements and combinations; edges of the formats; \
and random inputs. If the search finds no difference, equality is not proven; the output then says how many bits are too \
many, and which --domain or --fix would make a proof possible.

Examples:
  ptxcvt prove cvt.rn.f16x2.e5m2x2 'cvt.u32.u16 %0, %1; prmt.b32 %0, 0, %0, 0x5140;' --up-to nan
  ptxcvt prove cvt.rn.f16x2.e4m3x2 unpack.ptx --domain finite
  ptxcvt prove kernel.cu --function f --against cvt.rn.satfinite.e4m3x2.f32
  ptxcvt prove 'add.f16 %0, %1, %2;' 'add.f16 %0, %2, %1;' --fix %2=1.0")]
pub struct Args {
    /// A conversion: an opcode, a file, or PTX
    a: String,
    /// Another conversion
    #[arg(required_unless_present = "against")]
    b: Option<String>,
    /// The other conversion, in place of B
    #[arg(long, value_name = "B", conflicts_with = "b")]
    against: Option<String>,
    #[command(flatten)]
    interface: Operands,
    /// Treat all NaNs of an output's format as equal
    #[arg(long, value_name = "WHAT", value_parser = ["nan"])]
    up_to: Option<String>,
    /// Compare on these inputs of floats and of ue8m0 only
    #[arg(long, value_name = "DOMAIN", default_value_t, hide_default_value = true, value_parser = domain_parser())]
    domain: Domain,
    /// Give an input a fixed value, by its name in A or B: --fix %2=1.5
    #[arg(long, value_name = "INPUT=VALUE", allow_hyphen_values = true)]
    fix: Vec<String>,
    /// The number of inputs to try if there are too many to try all of them
    #[arg(long, value_name = "N", default_value_t = 1 << 24, value_parser = whole(1..=u64::MAX))]
    samples: u64,
    /// Stop at the first difference
    #[arg(long)]
    first: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

fn domain_parser() -> impl TypedValueParser<Value = Domain> {
    let values = Domain::ALL.map(|domain| PossibleValue::new(domain.name()).help(contents(domain)));
    PossibleValuesParser::new(values)
        .map(|name| name.parse::<Domain>().expect("clap accepts only these names"))
}

/// What a domain contains.
const fn contents(domain: Domain) -> &'static str {
    match domain {
        Domain::All => "Every code (the default)",
        Domain::Numbers => "Zeros, subnormal and normal numbers, infinities, of both signs; no NaN",
        Domain::Finite => "Zeros, subnormal and normal numbers, of both signs; no infinity, no NaN",
        Domain::Normal => "Zeros and normal numbers, of both signs; no subnormal number, infinity, NaN",
        Domain::Positive => "+0, subnormal and normal numbers above it; no -0, no infinity, no NaN",
    }
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let other = args.against.as_ref().or(args.b.as_ref()).expect("clap requires one of them");
    let [a, b] = [&args.a, other].map(|text| blocks::load(text, &args.interface));
    let (mut a, mut b) = (a?, b?);
    args.interface.used(&[&a.block, &b.block])?;
    let mut notes = notes(&a, &b);
    notes.extend(one_element(&mut a, &b.block, "A"));
    notes.extend(one_element(&mut b, &a.block, "B"));
    let domain = fix(&mut a.block, &mut b.block, args, &mut notes)?;
    notes.extend(two_formats(&a.block, &b.block, domain));
    let options = Options {
        up_to_nan: args.up_to.is_some(),
        domain,
        samples: args.samples,
        first: args.first,
        threads: args.threads.threads,
    };
    let bar = ProgressBar::new(1000);
    let style = ProgressStyle::with_template("{bar:32} {percent} % {elapsed} {eta} left");
    bar.set_style(style.expect("the template is valid"));
    let answer = prove(&a.block, &b.block, &options, &|share| bar.set_position((share * 1000.0) as u64));
    bar.finish_and_clear();
    let answer = answer.map_err(|e| Failure::new(e.to_string()))?;
    let mut out = output::stdout();
    if args.json {
        output::json_to(&mut out, &ProveReport::new([&a.block, &b.block], &answer))?;
    } else {
        print(&mut out, &a.block, &b.block, &options, &answer)?;
        notes.iter().try_for_each(|note| writeln!(out, "{HELP}note{HELP:#}: {note}"))?;
    }
    out.flush()?;
    Ok(match answer.verdict() {
        Verdict::Proven => ExitCode::SUCCESS,
        Verdict::Different => FINDINGS,
        Verdict::NotProven => ExitCode::from(NOT_PROVEN),
    })
}

/// Reduces a form of pairs to one element if the other side is a function of one element; returns a note.
fn one_element(loaded: &mut Loaded, other: &Block, name: &str) -> Option<String> {
    let form = loaded.form?;
    loaded.block = Block::of_element_like(form, other)?;
    let result = loaded.block.outputs()[0].meaning.map(|meaning| meaning.format);
    let wider = match result {
        Some(Format::F32) if form.destination().format() != Format::F32 => {
            ", widened to the f32 that it returns"
        }
        _ => "",
    };
    Some(format!("{name}: one element of `{form}`, as the function converts one{wider}"))
}

/// The registers of both blocks that may be read before they are written.
fn notes(a: &Loaded, b: &Loaded) -> Vec<String> {
    let of = |name: &'static str, loaded: &Loaded| -> Vec<String> {
        let found = loaded.block.possibly_undefined();
        found.iter().map(|found| format!("{name}: {}", loaded.undefined(found))).collect()
    };
    [of("A", a), of("B", b)].concat()
}

/// The inputs whose number formats differ, so that a domain is for one of the two formats.
fn two_formats(a: &Block, b: &Block, domain: Domain) -> Vec<String> {
    let pairs = a.inputs().iter().zip(b.inputs()).filter(|_| domain != Domain::All);
    let note = |(x, y): (&Port, &Port)| {
        let (of_a, of_b) = (x.meaning?, y.meaning?);
        let compared = common_meaning([x.meaning, y.meaning], of_a.width())?;
        let (side, other, unused) = if compared == of_a { ("A", "B", of_b) } else { ("B", "A", of_a) };
        let is_ambiguous =
            of_a.format != of_b.format && [of_a, of_b].iter().all(|m| Domain::restricts(m.format));
        is_ambiguous.then(|| {
            let name = blocks::name(a, x);
            format!("--domain {domain} is about {name} as {compared}, its format in {side}; in {other} it is {unused}")
        })
    };
    pairs.filter_map(note).collect()
}

/// Applies every `--fix INPUT=VALUE` to both blocks; returns the domain of the inputs that are left. Numbers that were
/// changed when they were read are noted.
fn fix(a: &mut Block, b: &mut Block, args: &Args, notes: &mut Vec<String>) -> Result<Domain, Failure> {
    if a.inputs().len() != b.inputs().len() {
        // The comparison will report the error.
        return Ok(args.domain);
    }
    let has_domain = |meaning: Meaning| Domain::restricts(meaning.format);
    let can_restrict = |block: &Block| block.inputs().iter().any(|port| port.meaning.is_some_and(has_domain));
    let restricted = can_restrict(a) || can_restrict(b);
    let mut fixed: Vec<(usize, u64)> = Vec::new();
    for text in &args.fix {
        let (n, bits, note) = read_fix(a, b, text, args.domain)?;
        if fixed.iter().any(|(other, _)| *other == n) {
            return Err(Failure::new(format!("--fix {text}: this input is fixed twice")));
        }
        notes.extend(note.map(|note| format!("--fix {text}: the value {note}")));
        fixed.push((n, bits));
    }
    // Fixing an input renumbers those after it.
    fixed.sort_unstable_by_key(|(n, _)| std::cmp::Reverse(*n));
    for (n, bits) in fixed {
        let [of_a, of_b] = input_bits([a, b], n, bits);
        a.fix(n, of_a);
        b.fix(n, of_b);
    }
    // A domain whose inputs are all fixed restricts nothing.
    Ok(if restricted && !can_restrict(a) && !can_restrict(b) { Domain::All } else { args.domain })
}

/// The index of the input that `INPUT=VALUE` names in A or B, the value's bits, and how it was changed, if it was.
fn read_fix(
    a: &Block,
    b: &Block,
    text: &str,
    domain: Domain,
) -> Result<(usize, u64, Option<String>), Failure> {
    let fail = |what: String| Failure::new(format!("--fix {text}: {what}"));
    let (name, value) =
        text.split_once('=').ok_or_else(|| fail("no value".into()).with_help("write --fix INPUT=VALUE"))?;
    let of = |block: &Block| {
        let named = block.inputs().iter().position(|port| blocks::name(block, port) == name);
        // A placeholder, for blocks that name their inputs otherwise; outputs are counted first.
        named.or_else(|| {
            let number: usize = name.strip_prefix(['%', '$'])?.parse().ok()?;
            number.checked_sub(block.outputs().len()).filter(|n| *n < block.inputs().len())
        })
    };
    let n = match (of(a), of(b)) {
        (Some(n), Some(m)) if n != m => {
            return Err(fail(format!("`{name}` is input {} of A and input {} of B", n + 1, m + 1)));
        }
        (Some(n), _) | (None, Some(n)) => n,
        (None, None) => {
            let names: Vec<String> = a.inputs().iter().map(|port| blocks::name(a, port)).collect();
            let known = match names.as_slice() {
                [] => "A has no inputs".to_owned(),
                names => format!("the inputs of A are {}", names.join(", ")),
            };
            return Err(fail(format!("no input is named `{name}`")).with_help(known));
        }
    };
    // The block that has a number format for the input determines how the value is read; the one with the narrower
    // register if both have one.
    let known = [a, b].into_iter().filter(|block| block.inputs()[n].meaning.is_some());
    let block = known.min_by_key(|block| block.width(block.inputs()[n])).unwrap_or(b);
    let (bits, note) = blocks::read_operand(block, &block.inputs()[n], value)?;
    if !input_bits([a, b], n, bits).contains(&bits) {
        return Err(fail("the value does not fit into the narrower register of the other block".into()));
    }
    let mut meanings = [a, b].into_iter().filter_map(|block| block.inputs()[n].meaning);
    if meanings.any(|m| !m.elements(bits).all(|code| domain.holds(m.format, code))) {
        return Err(fail(format!("the value is outside the domain `{domain}`")));
    }
    Ok((n, bits, note))
}

fn print(out: &mut impl Write, a: &Block, b: &Block, options: &Options, answer: &Answer) -> io::Result<()> {
    let inexact = if a.is_approximate() || b.is_approximate() { "  (inexact: --approximate)" } else { "" };
    match (&answer.difference, &answer.obstacle) {
        (Some(difference), _) => {
            writeln!(out, "{ERROR}{answer}{ERROR:#}{inexact}")?;
            let kinds = difference.kinds.rows().map(|(name, count)| match difference.stopped {
                true => name.to_owned(),
                false => format!("{name} {count}"),
            });
            writeln!(out, "  {}", kinds.collect::<Vec<String>>().join(", "))?;
            let found =
                if answer.method == Method::Sampled { "the smallest found:" } else { "the smallest:" };
            writeln!(out, "{}", if difference.stopped { "for example:" } else { found })?;
            print_example(out, a, b, difference)
        }
        (None, Some(obstacle)) => {
            writeln!(out, "{STRONG}not proven{STRONG:#}: {answer}{inexact}")?;
            print_obstacle(out, a, options, obstacle)
        }
        (None, None) => writeln!(out, "{RESULT}proven{RESULT:#}: {answer}{inexact}"),
    }
}

/// Prints how many bits prevent a proof, and which options would help.
fn print_obstacle(
    out: &mut impl Write,
    block: &Block,
    options: &Options,
    obstacle: &Obstacle,
) -> io::Result<()> {
    // Whether a number is NaN depends on all of its bits.
    let what = if options.up_to_nan { "number of an output" } else { "output bit" };
    let Obstacle { bits, together, limit, restrictions } = obstacle;
    let why = format!(
        "the inputs have {bits} bits, and one {what} may depend on {together} of them; a proof tries up to {limit}, so {} \
         bits are in the way",
        together.saturating_sub(*limit)
    );
    write!(out, "  ")?;
    page::write_after(out, 2, Style::new(), why.split(' '))?;
    let name = |n: &usize| blocks::name(block, &block.inputs()[*n]);
    let options = restrictions.iter().map(|restriction| match restriction {
        Restriction::Domain(domain) => format!("--domain {domain}"),
        Restriction::Fixed(inputs) => {
            inputs.iter().map(|n| format!("--fix {}=VALUE", name(n))).collect::<Vec<_>>().join(" ")
        }
    });
    let options: Vec<String> = options.collect();
    match options.is_empty() {
        true => writeln!(out, "  no --domain and no --fix makes a proof possible"),
        false => {
            let help = format!("a proof is possible with {}", options.join(", or with "));
            write!(out, "{HELP}help{HELP:#}: ")?;
            page::write_after(out, 6, Style::new(), help.split(' '))
        }
    }
}

/// The inputs, and both traces next to each other.
fn print_example(out: &mut impl Write, a: &Block, b: &Block, difference: &Difference) -> io::Result<()> {
    let of_b = b.inputs().iter().zip(&difference.inputs_of_b);
    for ((port, bits), (other, extended)) in a.inputs().iter().zip(&difference.inputs).zip(of_b) {
        let value = port.meaning.map_or(String::new(), |m| format!("  {DIM}{m}{DIM:#} {}", m.show(*bits)));
        let of_b = match bits == extended {
            true => String::new(),
            false => format!("  {DIM}in B{DIM:#} {}", hex(*extended, b.width(*other))),
        };
        writeln!(out, "  {} = {}{value}{of_b}", blocks::name(a, port), hex(*bits, a.width(*port)))?;
    }
    let left = column(a, &difference.inputs, &difference.a);
    let right = column(b, &difference.inputs_of_b, &difference.b);
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
    let steps = trace::lines(block, inputs).expect("one value for each input");
    let width = steps.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0);
    let mut lines: Vec<String> =
        steps.into_iter().map(|(text, bits)| format!("{text:<width$} → {bits}")).collect();
    for (port, bits) in block.outputs().iter().zip(results) {
        let value = port.meaning.map_or(String::new(), |m| format!("  {}", m.show(*bits)));
        lines.push(format!("{} = {}{value}", blocks::name(block, port), hex(*bits, block.width(*port))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The descriptions of domains name what they contain and, after a semicolon, what they exclude; docs/run.md has the
    /// same ones.
    #[test]
    fn domains_are_described() {
        let docs = include_str!("../../../../docs/run.md");
        for domain in Domain::ALL {
            let text = contents(domain);
            assert!(docs.contains(&format!("| `{domain}` | {text} |")), "{domain}");
            let holds = |code: u64| domain.holds(Format::F16, code);
            let text = text.to_lowercase();
            let (within, without) = text.split_once("; ").unwrap_or((&text, ""));
            let every = domain == Domain::All;
            for (codes, word) in [
                ([0x0001, 0x03ff], "subnormal"),
                ([0x0400, 0x7bff], "normal numbers"),
                ([0x7c00, 0x7c00], "infinit"),
                ([0x7c01, 0x7fff], "nan"),
            ] {
                let held = codes.map(holds);
                assert_eq!(held, [every || within.contains(word); 2], "{domain}: {word}");
                assert!(every || held[0] != without.contains(word), "{domain}: {word}");
            }
            assert!(holds(0) && (every || within.contains("zeros") || within.contains("+0")), "{domain}");
            let signs = every || within.contains("both signs");
            assert_eq!([0x8000, 0xbc00].map(holds), [signs; 2], "{domain}");
            assert_eq!(signs, !without.contains("-0"), "{domain}");
        }
    }
}
