//! `ptxcvt format [NAME [VALUE]]`: a list of all formats; or one format's parameters, number line (`--svg` draws it)
//! and values if there are few; or a value with its neighbours.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use ptxcvt::formats::Kind;
use ptxcvt::{Format, Type};
use ptxcvt_report::CodeValue;
use ptxcvt_report::format::{Description, shown};

use crate::failure::Failure;
use crate::number;
use crate::output::{self, hex};
use crate::page;
use crate::style::{DIM, STRONG};

#[derive(clap::Args)]
#[command(after_help = "\
A number is rounded to the nearest value of the format; 0x… is a code, unless it has a sign: +0x10 is 16. The case of a name does not matter, and the names \
of libraries are accepted, too: float8_e4m3fn, half, fp4.

Examples:
  ptxcvt format e2m1
  ptxcvt format e4m3 1.55
  ptxcvt format bf16 0x3f81
  ptxcvt format e4m3 --svg e4m3.svg")]
pub struct Args {
    /// The format, such as e4m3, or a packed type such as e4m3x2, which shows its elements; omit it to list all formats
    name: Option<String>,
    /// A number, or a code such as 0x3c; the output shows it with its neighbours
    #[arg(value_name = "VALUE|CODE", allow_hyphen_values = true)]
    value: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the number line into this file; `-` is standard output
    #[arg(long, value_name = "FILE", requires = "name", conflicts_with = "json")]
    svg: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Some(name) = &args.name else {
        if args.json {
            let all: Vec<_> = Format::ALL.iter().map(|format| Description::new(*format)).collect();
            output::json(&all)?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut out = output::stdout();
        for format in Format::ALL {
            writeln!(out, "{STRONG}{:<6}{STRONG:#} {}", format.name(), format.parameters().about)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let (packed, format) = (name.parse::<Type>().ok(), Type::read_format(name)?);
    if let Some(path) = &args.svg {
        let chosen = args.value.as_deref().map(|text| number::read(format, text)).transpose()?;
        if let Some((chosen, note)) = chosen.as_ref().and_then(|chosen| Some((chosen, chosen.note.as_ref()?)))
        {
            output::note(format_args!("`{}` {note}", output::clip(&chosen.input)));
        }
        let remark = chosen.as_ref().and_then(number::remark).unwrap_or_default();
        let chosen = chosen.map(|chosen| (chosen.number.code.bits, remark.as_str()));
        let drawn = ptxcvt_picture::format_svg_with(format, chosen);
        output::file(path, format!("{drawn}\n").as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(text) = &args.value {
        let number = number::read(format, text)?;
        if args.json {
            output::json(&number)?;
        } else {
            number::print(&number)?;
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

fn print(format: Format, packed: Option<Type>, description: &Description) -> Result<(), Failure> {
    let mut out = output::stdout();
    writeln!(out, "{STRONG}{}{STRONG:#}: {}", description.name, description.about)?;
    writeln!(out, "  layout     {}", layout(format))?;
    let optional = |n: Option<i32>| n.map_or("-".into(), |n| n.to_string());
    writeln!(out, "  bias       {}", optional(description.bias))?;
    writeln!(
        out,
        "  largest    {} = {}",
        hex(format.max_finite(), description.storage),
        shown(description.max_finite)
    )?;
    writeln!(out, "  least > 0  {}", shown(description.min_positive))?;
    writeln!(out, "  infinity   {}", if description.infinity { "yes" } else { "no" })?;
    let types: Vec<_> = description.types.iter().map(|t| format!(".{t} ({} bits)", t.width())).collect();
    writeln!(out, "  types      {}", types.join(", "))?;
    if let Some(ty) = packed.filter(|t| t.lanes() > 1) {
        let (lanes, storage) = (ty.lanes(), description.storage);
        writeln!(
            out,
            "  .{ty} packs {lanes} elements of {storage} bits; the first operand is the uppermost one"
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

/// The format's number line: linear and from zero if the range is small, otherwise logarithmic and from the smallest
/// positive number.
fn number_line(format: Format) -> String {
    // The longest remark after the line has 20 columns.
    let width = page::width().saturating_sub(24).clamp(20, 72);
    let numbers = (0..1_u64 << format.bits()).filter_map(|code| format.decode(code).finite());
    let mut values: Vec<f64> = numbers.map(|x| x.to_f64()).filter(|v| *v >= 0.0).collect();
    values.sort_by(f64::total_cmp);
    let least = values.iter().copied().find(|v| *v > 0.0).expect("a format has a positive number");
    let largest = values[values.len() - 1];
    let linear = largest / least <= 128.0;
    let place = |v: f64| {
        let at = if linear { v / largest } else { (v / least).log2() / (largest / least).log2() };
        (at * (width - 1) as f64).round() as usize
    };
    let mut line = vec!['-'; width];
    for v in values.iter().filter(|v| linear || **v > 0.0) {
        line[place(*v)] = '|';
    }
    let least = shown(format.decode(format.min_positive()));
    let (start, scale) = if linear { ("0".to_owned(), "linear") } else { (least, "by powers of two") };
    let end = shown(format.decode(format.max_finite()));
    let ends = format!("{start}{end:>width$}", width = width - start.len());
    format!("  {}\n  {ends}  ({scale})", line.into_iter().collect::<String>())
}

/// Prints every code with its value, in columns that are read downwards and fit the page's width.
fn print_codes(out: &mut impl Write, description: &Description) -> io::Result<()> {
    let cell = |CodeValue { code, value }: &CodeValue| (code.to_string(), shown(*value));
    let codes: Vec<(String, String)> = description.codes.iter().map(cell).collect();
    let lengths = codes.iter().map(|(code, value)| code.len() + 1 + value.chars().count());
    let widest = lengths.max().expect("a format has codes");
    let most = if codes.len() > 16 { 4 } else { 2 };
    let columns = (page::width() / (2 + widest)).clamp(1, most);
    let rows = codes.len().div_ceil(columns);
    for row in 0..rows {
        let mut padding = 0;
        for (code, value) in codes[row..].iter().step_by(rows) {
            write!(out, "{:padding$}  {DIM}{code}{DIM:#} {value}", "")?;
            padding = widest - code.len() - 1 - value.chars().count();
        }
        writeln!(out)?;
    }
    Ok(())
}
