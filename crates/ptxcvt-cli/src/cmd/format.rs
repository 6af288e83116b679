//! `ptxcvt format NAME`: a number format's parameters, every value of a small one, and its number line.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ptxcvt::formats::Kind;
use ptxcvt::{Format, Type, Value};
use serde::Serialize;

use crate::document;
use crate::failure::Failure;
use crate::number::Number;
use crate::output::{self, clip, hex};
use crate::style::{DIM, STRONG};

#[derive(clap::Args)]
#[command(after_help = "\
A number is read to the nearest value; 0x… is a code. Names are taken without regard to case, and as libraries have \
them: float8_e4m3fn, half, fp4.

Examples:
  ptxcvt format e2m1
  ptxcvt format e4m3 1.55
  ptxcvt format bf16 0x3f81
  ptxcvt format e4m3 --svg e4m3.svg

Exit status: 0 shown, 2 no such format, or not a number or code of it.")]
pub struct Args {
    /// The format, such as e4m3; a packed type such as e4m3x2 shows its elements; without it, all are listed
    name: Option<String>,
    /// A number, or a code such as 0x3c: shown with its neighbours
    #[arg(value_name = "VALUE|CODE", allow_hyphen_values = true)]
    value: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw its numbers into this file; `-` is standard output
    #[arg(long, value_name = "FILE", requires = "name", conflicts_with_all = ["value", "json"])]
    svg: Option<PathBuf>,
}

/// Formats up to this width show every code.
const SHOW_ALL_BITS: u32 = 8;

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Some(name) = &args.name else {
        if args.json {
            let all: Vec<_> =
                Format::ALL.iter().map(|format| Description::new(*format).without_codes()).collect();
            output::json(&all)?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut out = anstream::stdout().lock();
        for format in Format::ALL {
            writeln!(out, "{STRONG}{:<6}{STRONG:#} {}", format.name(), format.parameters().about)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let name = name.trim_start_matches('.');
    let packed = Type::from_name(&name.to_ascii_lowercase());
    let format = Format::from_name(name).or(packed.map(Type::format)).ok_or_else(|| {
        let names: Vec<_> = Format::ALL.iter().map(|f| f.name()).collect();
        Failure::new(format!("no format `{}`", clip(name))).help(format!("formats are {}", names.join(" ")))
    })?;
    if let Some(path) = &args.svg {
        return document::write(path, &ptxcvt_picture::format_svg(format));
    }
    if let Some(text) = &args.value {
        let number = Number::read(format, text)?;
        if args.json {
            output::json(&number)?;
        } else {
            number.print()?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let description = Description::new(format);
    if args.json {
        output::json(&description)?;
    } else {
        print(format, packed, &description)?;
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Description {
    name: &'static str,
    about: &'static str,
    bits: u32,
    storage: u32,
    signed: bool,
    exponent_bits: Option<u32>,
    fraction_bits: Option<u32>,
    bias: Option<i32>,
    max_finite: String,
    min_positive: String,
    infinity: bool,
    types: Vec<Type>,
    codes: Vec<CodeValue>,
}

#[derive(Serialize)]
struct CodeValue {
    code: String,
    value: String,
}

impl Description {
    /// For the list of all.
    fn without_codes(self) -> Self {
        Description { codes: Vec::new(), ..self }
    }

    fn new(format: Format) -> Self {
        let parameters = format.parameters();
        let (exponent_bits, fraction_bits, bias) = match parameters.kind {
            Kind::Float { exponent, fraction, bias, .. } => (Some(exponent), Some(fraction), Some(bias)),
            Kind::PowerOfTwo { bias } => (Some(parameters.bits), Some(0), Some(bias)),
            Kind::Fixed { fraction } => (None, Some(fraction), None),
            _ => (None, None, None),
        };
        let codes = (0..1_u64 << parameters.bits.min(SHOW_ALL_BITS + 1))
            .filter(|_| parameters.bits <= SHOW_ALL_BITS)
            .map(|c| CodeValue { code: hex(c, parameters.bits), value: format.decode(c).to_string() });
        Description {
            name: parameters.name,
            about: parameters.about,
            bits: parameters.bits,
            storage: parameters.storage,
            signed: format.is_signed(),
            exponent_bits,
            fraction_bits,
            bias,
            max_finite: format.decode(format.max_finite()).to_string(),
            min_positive: format.decode(format.min_positive()).to_string(),
            infinity: format.infinity().is_some(),
            types: Type::ALL.iter().copied().filter(|t| t.format() == format).collect(),
            codes: codes.collect(),
        }
    }
}

fn print(format: Format, packed: Option<Type>, description: &Description) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{STRONG}{}{STRONG:#}: {}", description.name, description.about)?;
    writeln!(out, "  layout     {}", layout(format))?;
    let optional = |n: Option<i32>| n.map_or("-".into(), |n| n.to_string());
    writeln!(out, "  bias       {}", optional(description.bias))?;
    writeln!(
        out,
        "  largest    {} = {}",
        hex(format.max_finite(), description.storage),
        description.max_finite
    )?;
    writeln!(out, "  least > 0  {}", description.min_positive)?;
    writeln!(out, "  infinity   {}", if description.infinity { "yes" } else { "no" })?;
    let types: Vec<_> = description.types.iter().map(|t| format!(".{t} ({} bits)", t.width())).collect();
    writeln!(out, "  types      {}", types.join(", "))?;
    if let Some(ty) = packed.filter(|t| t.lanes() > 1) {
        writeln!(
            out,
            "  .{ty} holds {} elements of {} bits, the first operand's uppermost",
            ty.lanes(),
            description.storage
        )?;
    }
    if !description.codes.is_empty() {
        writeln!(out, "\n{}\n", number_line(format))?;
        print_codes(&mut out, description)?;
    }
    Ok(())
}

/// The fields of a code, from the top bit down: `s eeee fff`.
fn layout(format: Format) -> String {
    let fields = |fields: &[(char, u32)]| {
        let parts: Vec<String> =
            fields.iter().filter(|(_, n)| *n > 0).map(|(c, n)| c.to_string().repeat(*n as usize)).collect();
        parts.join(" ")
    };
    match format.parameters().kind {
        Kind::Float { signed, exponent, fraction, .. } => {
            let sign = u32::from(signed);
            fields(&[('s', sign), ('e', exponent), ('f', fraction), ('0', format.low_padding())])
        }
        Kind::PowerOfTwo { .. } => fields(&[('e', format.bits())]),
        Kind::Fixed { fraction } => fields(&[('i', format.bits() - fraction), ('f', fraction)]),
        _ => format!(
            "{}-bit {}",
            format.bits(),
            if format.is_signed() { "two's complement" } else { "unsigned" }
        ),
    }
}

/// The positive numbers on a line: linear where the range is small, by powers of two where it is not.
fn number_line(format: Format) -> String {
    const WIDTH: usize = 72;
    let mut values: Vec<f64> = (0..1_u64 << format.bits())
        .map(|c| format.decode(c))
        .filter_map(|v| if let Value::Finite(x) = v { Some(x.to_f64()) } else { None })
        .filter(|v| *v >= 0.0)
        .collect();
    values.sort_by(f64::total_cmp);
    let (least, largest) =
        (values.iter().copied().find(|v| *v > 0.0).unwrap_or(1.0), values[values.len() - 1]);
    let linear = largest / least <= 128.0;
    let place = |v: f64| {
        let at = if linear { v / largest } else { (v / least).log2() / (largest / least).log2() };
        (at * (WIDTH - 1) as f64).round() as usize
    };
    let mut line = vec!['-'; WIDTH];
    for v in values.iter().filter(|v| linear || **v > 0.0) {
        line[place(*v)] = '|';
    }
    let text =
        |v: f64| if (1e-5..1e7).contains(&v) || v == 0.0 { format!("{v}") } else { format!("{v:.3e}") };
    let (start, scale) = if linear { (text(0.0), "linear") } else { (text(least), "by powers of two") };
    let ends = format!("{start}{:>width$}", text(largest), width = WIDTH - start.len());
    format!("  {}\n  {ends}  ({scale})", line.into_iter().collect::<String>())
}

/// Every code with its value, in columns read downwards.
fn print_codes(out: &mut impl Write, description: &Description) -> Result<(), Failure> {
    let columns = if description.codes.len() > 16 { 4 } else { 2 };
    let rows = description.codes.len().div_ceil(columns);
    let width = description.codes.iter().map(|c| c.value.len()).max().unwrap_or(0);
    for row in 0..rows {
        for at in (row..description.codes.len()).step_by(rows) {
            let CodeValue { code, value } = &description.codes[at];
            write!(out, "  {DIM}{code}{DIM:#} {value:<width$}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
