//! `ptxcvt vectors`: writes test vectors of a conversion for other implementations.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ptxcvt::{Overflow, Rounding};
use ptxcvt_conform::judge::MOST_RANDOM;
use ptxcvt_conform::suite::{self, Choices, Layout, Request, RequestError, Suite, Table, digest};

use crate::args::whole;
use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
#[command(after_help = "\
Vectors are special values, every number of a destination of up to 16 bits, every tie with its two neighbours, the ends of \
the range, and random numbers. Packed forms have the vectors of their elements. For forms with `rbits`, a scale-factor or \
`c`, the vectors have whole registers instead: the sources and `d`. Layouts:
  tsv   input and result in hexadecimal, one pair per line
  hex   one word per line for Verilog's $readmemh, the result in the lowest bits
  json  an object with a list of pairs
  c     a header with an array of structures
  npy   an array of structures with the fields `input` and `result`

Examples:
  ptxcvt vectors cvt.rn.satfinite.e4m3x2.f32 -o e4m3.hex --as hex
  ptxcvt vectors 'f32->e4m3' --rounding rna --overflow nan -o e4m3.tsv
  ptxcvt vectors cvt.rs.satfinite.e4m3x4.f32 -o rs.tsv
  ptxcvt vectors 'bf16->e5m2' --digest")]
pub struct Args {
    /// Two formats, such as 'f32->e4m3', or an opcode
    #[arg(value_name = "CONVERSION|OPCODE")]
    what: String,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", required_unless_present = "digest")]
    output: Option<PathBuf>,
    /// The layout: tsv, hex, json, c or npy [default: from the file's extension, otherwise tsv]
    #[arg(long = "as", value_name = "LAYOUT", value_parser = layout)]
    layout: Option<Layout>,
    /// Between two formats: the rounding, which is rn, rna, rz, rm or rp [default: rn, even where PTX has no such rounding,
    /// as for ue8m0]
    #[arg(long, value_name = "MODIFIER", value_parser = Choices::read_rounding)]
    rounding: Option<Rounding>,
    /// Between two formats: what numbers beyond the destination's range become. saturate: the largest number; ieee: that or
    /// infinity, depending on the rounding; nan: infinity or NaN [default: saturate]
    #[arg(long, value_name = "WHAT", value_parser = Choices::read_overflow)]
    overflow: Option<Overflow>,
    /// Between two formats: give NaN results the sign of their source
    #[arg(long)]
    signed_nan: bool,
    /// The number of random inputs to add
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole::<usize>(0..=MOST_RANDOM))]
    random: usize,
    /// The seed of the random inputs
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Print the SHA-256 of the correct results for every input instead
    #[arg(long, conflicts_with_all = ["output", "layout", "signed_nan"])]
    digest: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let request = Request::read(&args.what, &args.choices()).map_err(|error| match error {
        RequestError::Form(refusal) => crate::failure::refused(refusal),
        other => Failure::new(other.message(|field| format!("--{}", field.replace('_', "-")))),
    })?;
    let Some(path) = &args.output else {
        let digest = match request {
            Request::Elements(conversion) => digest::all(&conversion).ok_or_else(|| {
                Failure::new(format!("{} has more than 2^32 codes: there is no digest", conversion.source()))
            })?,
            Request::Registers(form) => {
                let message = format!("--digest is for elements alone; `{form}` takes another operand");
                return Err(Failure::new(message));
            }
        };
        writeln!(output::stdout(), "{digest}")?;
        return Ok(ExitCode::SUCCESS);
    };
    // From here on an interrupt removes the temporary file and says that the old one is unchanged.
    let mut writer = ptxcvt_files::Writer::create(path)?;
    let ending = path.extension().and_then(|ending| ending.to_str());
    let named = ending.and_then(|ending| layout(if ending == "h" { "c" } else { ending }).ok());
    writer.write(&args.table(&request)?.write(args.layout.or(named).unwrap_or(Layout::Tsv)))?;
    writer.finish()?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn table(&self, request: &Request) -> Result<Table, Failure> {
        Ok(match request {
            Request::Registers(form) => suite::registers(form, self.random, self.seed),
            Request::Elements(conversion) => {
                let suite = Suite::new(*conversion, self.random, self.seed);
                match self.signed_nan {
                    true => suite.signed_nan().map_err(|e| Failure::new(e.to_string()))?.table(),
                    false => suite.table(),
                }
            }
        })
    }

    fn choices(&self) -> Choices {
        Choices { rounding: self.rounding, overflow: self.overflow, signed_nan: self.signed_nan }
    }
}

fn layout(text: &str) -> Result<Layout, String> {
    Ok(match text {
        "tsv" => Layout::Tsv,
        "hex" => Layout::Hex,
        "json" => Layout::Json,
        "c" => Layout::C,
        "npy" => Layout::Npy,
        _ => return Err("layouts are tsv, hex, json, c and npy".to_owned()),
    })
}
