//! `ptxcvt run BLOCK OPERAND…`: a straight line of PTX over operands, a batch of lines, or arrays.

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use ptxcvt_exec::{Block, Port};

use crate::blocks::{self, Operands};
use crate::failure::{FINDINGS, Failure};
use crate::output::{bare_hex, hex};
use crate::style::{DIM, RESULT, STRONG};

#[derive(clap::Args)]
#[command(after_help = "\
The block is a file, or the text itself: instructions with %0 or $0 placeholders, outputs first; a block in
braces; a .func with register parameters; an asm statement of CUDA C++. What its operands are is told by
--constraints, by --out and --in, by a first comment line (// =h,f,f), or by the instructions themselves.

Operands, in the order of the inputs, as `eval` takes them: 0x3f800000, 1.5, -inf, 42, 1.5,-448 (upper first).
Files that end in .npy are arrays, one for each input; each output then needs -o FILE.npy.

Examples:
  ptxcvt run dequant.ptx 0x1234
  ptxcvt run 'lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;' 0x87654321 --trace
  ptxcvt run --constraints =r,f,f pack.ptx weights.npy bias.npy -o out.npy
  echo '3f800000 40000000' | ptxcvt run 'cvt.rn.f16x2.f32 %0, %1, %2;' -

Exit status: 0 run, 1 with `-` some lines failed, 2 a wrong block, operand or command line.")]
pub struct Args {
    /// The block: a file, or PTX
    block: String,
    /// The operands; `-` for the batch form: each line of standard input has hexadecimal operands, each line of
    /// output the hexadecimal results or an error
    #[arg(allow_hyphen_values = true)]
    operands: Vec<String>,
    #[command(flatten)]
    interface: Operands,
    /// Show the bits after each instruction
    #[arg(long)]
    trace: bool,
    /// An output array, once for each output
    #[arg(short, long, value_name = "FILE.npy")]
    output: Vec<String>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let block = blocks::load(&args.block, &args.interface)?;
    let batch = args.operands == ["-"];
    let arrays = args.operands.iter().any(|o| o.ends_with(".npy"));
    if args.trace && (batch || arrays) {
        return Err(Failure::new("--trace follows one run; give operands"));
    }
    if !args.output.is_empty() && !arrays {
        return Err(Failure::new("-o is for arrays; give a .npy file for each input"));
    }
    if batch {
        return run_lines(&block);
    }
    if arrays {
        return blocks::arrays::run(&block, &args.operands, &args.output);
    }
    let inputs = blocks::read_operands(&block, &args.operands)?;
    let mut out = anstream::stdout().lock();
    if args.trace {
        blocks::trace::print(&mut out, &block, &inputs)?;
    }
    let results = block.eval(&inputs).map_err(|e| Failure::new(e.to_string()))?;
    for (port, bits) in block.outputs().iter().zip(results) {
        print_result(&mut out, &block, *port, bits)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `%0 = 0x3c00 (15360)  .f16 1`
fn print_result(out: &mut impl Write, block: &Block, port: Port, bits: u64) -> io::Result<()> {
    let name = &block.declaration(port.register).name;
    let value = port.meaning.map_or(String::new(), |m| format!("  {DIM}{m}{DIM:#} {}", m.show(bits)));
    let width = block.width(port);
    let note = if block.is_approximate() { "  (inexact: --approximate)" } else { "" };
    writeln!(
        out,
        "{STRONG}{name}{STRONG:#} = {RESULT}{}{RESULT:#} {DIM}({bits}){DIM:#}{value}{note}",
        hex(bits, width)
    )
}

/// One line in, one line out, in order, never stopping at a bad line.
fn run_lines(block: &Block) -> Result<ExitCode, Failure> {
    let mut input = io::stdin().lock();
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut failed = false;
    let mut line = Vec::new();
    while {
        line.clear();
        input.read_until(b'\n', &mut line)?
    } > 0
    {
        match read_line(block, &String::from_utf8_lossy(&line)) {
            Ok(results) => {
                for (at, (port, bits)) in block.outputs().iter().zip(results).enumerate() {
                    let separator = if at == 0 { "" } else { " " };
                    write!(out, "{separator}{}", bare_hex(bits, block.width(*port), &mut [0; 16]))?;
                }
                writeln!(out)?;
            }
            Err(message) => {
                failed = true;
                writeln!(out, "error: {message}")?;
            }
        }
    }
    out.flush()?;
    Ok(if failed { FINDINGS } else { ExitCode::SUCCESS })
}

fn read_line(block: &Block, line: &str) -> Result<Vec<u64>, String> {
    let words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
    let mut inputs = Vec::new();
    for (at, word) in words.enumerate() {
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
        let hexadecimal = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let bits = u64::from_str_radix(digits, 16).ok().filter(|_| hexadecimal);
        let port = block.inputs().get(at);
        let name = port.map_or("", |p| &block.declaration(p.register).name);
        let width = port.map_or(64, |p| block.width(*p));
        match bits {
            _ if !hexadecimal => return Err(format!("operand {name} = `{word}`: not hexadecimal")),
            Some(bits) if width == 64 || bits >> width == 0 => inputs.push(bits),
            _ => return Err(format!("operand {name} = `{word}`: does not fit in {width} bits")),
        }
    }
    block.eval(&inputs).map_err(|e| e.to_string())
}
