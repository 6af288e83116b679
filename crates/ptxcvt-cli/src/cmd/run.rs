//! `ptxcvt run BLOCK OPERAND…`: a straight line of PTX over operands, a batch of lines, or arrays.

use std::io::{self, BufRead, BufWriter, Read, Write};
use std::process::ExitCode;

use ptxcvt::Code;
use ptxcvt::literal::{self, Reader};
use ptxcvt_exec::{Block, InputCountError, Port};
use ptxcvt_files::standard;

use crate::args::file_name;
use crate::blocks::{self, Operands};
use crate::failure::{FINDINGS, Failure};
use crate::input_line::{LONGEST, check_braces, too_long, without_comment};
use crate::output::{self, bare_hex, hex};
use crate::style::{DIM, RESULT, STRONG};

#[derive(clap::Args)]
#[command(after_help = "\
The block is a file, or the text itself: instructions with %0 or $0 placeholders, outputs first; a block in braces; a \
.func or .entry of a module (--function NAME); an asm statement of CUDA C++, or a .cu file that nvcc compiles. Its operands \
are declared with --constraints, with --out and --in, with a comment in the first line (// =h,f,f), or by the instructions \
themselves.

Operands are written in the order of the inputs, as in `eval`: 0x3f800000, 1.5, -inf, 42, 1.5,-448 (the upper one first). \
Files that end in .npy are arrays, one for each input; each output then needs -o FILE. In the batch form (`-`), a word \
of hexadecimal digits without a prefix is bits, including 2e3; any other word is read as above. Empty lines and comments \
(# or //) produce an empty line.

Examples:
  ptxcvt run dequant.ptx 0x1234
  ptxcvt run 'lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;' 0x87654321 --trace
  ptxcvt run kernel.ptx --function dequantize 0x1234
  ptxcvt run --constraints =r,f,f pack.ptx weights.npy bias.npy -o out.npy
  echo '3f800000 40000000' | ptxcvt run 'cvt.rn.f16x2.f32 %0, %1, %2;' -")]
pub struct Args {
    /// The block: a file, or PTX
    block: String,
    /// The operands; `-` for the batch form: each line of standard input has the operands of a run, each line of
    /// output the hexadecimal results or an error
    #[arg(allow_hyphen_values = true)]
    operands: Vec<String>,
    #[command(flatten)]
    interface: Operands,
    /// Show the bits after each instruction
    #[arg(long)]
    trace: bool,
    /// An output array, once for each output: a .npy file, or raw elements if the name has no extension
    #[arg(short, long, value_name = "FILE", value_parser = file_name())]
    output: Vec<String>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let loaded = blocks::load(&args.block, &args.interface)?;
    let block = &loaded.block;
    args.interface.used(&[block])?;
    let batch = args.operands == ["-"];
    let arrays = args.operands.iter().any(|o| o.ends_with(".npy"));
    if args.trace && (batch || arrays) {
        return Err(Failure::new("--trace follows one run; give operands"));
    }
    if !args.output.is_empty() && !arrays {
        return Err(Failure::new("-o is for arrays; give a .npy file for each input"));
    }
    for found in block.possibly_undefined() {
        output::note(loaded.undefined(&found));
    }
    if batch {
        return run_lines(block);
    }
    if arrays {
        return blocks::arrays::run(block, &args.operands, &args.output);
    }
    let mut inputs = Vec::new();
    for (bits, note) in blocks::read_operands(block, &args.operands)? {
        inputs.push(bits);
        note.into_iter().for_each(output::note);
    }
    let mut out = output::stdout();
    if args.trace {
        blocks::trace::print(&mut out, block, &inputs)?;
    }
    let results = block.eval(&inputs).map_err(|e| Failure::new(e.to_string()).with_code(e.code()))?;
    for (port, bits) in block.outputs().iter().zip(results) {
        print_result(&mut out, block, *port, bits)?;
    }
    out.flush()?;
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

/// One line in, one line out, in order, never stopping at an invalid line. If the reader leaves, later lines
/// still count for the exit status.
fn run_lines(block: &Block) -> Result<ExitCode, Failure> {
    let mut input = standard::input()?.lock();
    let mut out = BufWriter::with_capacity(1 << 16, output::raw_stdout());
    let mut failed = false;
    let readers: Vec<Reader> = block.inputs().iter().map(|port| block.reader(*port)).collect();
    let mut line = Vec::new();
    while {
        line.clear();
        input.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut line)?
    } > 0
    {
        if line.len() > LONGEST && !line.ends_with(b"\n") {
            input.skip_until(b'\n')?;
            failed = true;
            writeln!(out, "error[{}]: {}", Code::OperandSyntax, too_long())?;
            continue;
        }
        let words = without_comment(&line);
        if words.trim_ascii().is_empty() {
            // Line n of the output answers line n of the input.
            writeln!(out)?;
            continue;
        }
        match read_line(block, &readers, words) {
            Ok(results) => {
                for (at, (port, bits)) in block.outputs().iter().zip(results).enumerate() {
                    let separator = if at == 0 { "" } else { " " };
                    write!(out, "{separator}{}", bare_hex(bits, block.width(*port), &mut [0; 16]))?;
                }
                writeln!(out)?;
            }
            Err(failure) => {
                failed = true;
                writeln!(out, "{failure}")?;
            }
        }
    }
    out.flush()?;
    Ok(if failed { FINDINGS } else { ExitCode::SUCCESS })
}

/// The line for a wrong number of inputs.
fn coded(error: InputCountError) -> String {
    format!("error[{}]: {error}", error.code())
}

/// The results of a line, or the line that says why it has none.
fn read_line(block: &Block, readers: &[Reader], line: &[u8]) -> Result<Vec<u64>, String> {
    check_braces(line).map_err(|braces| format!("error[{}]: {braces}", Code::OperandSyntax))?;
    let mut inputs = vec![0; readers.len()];
    let count = literal::read_line(line, readers, &mut inputs).map_err(|bad| {
        let (port, word) = (&block.inputs()[bad.at], String::from_utf8_lossy(bad.word));
        format!("error[{}]: {}", bad.code(), blocks::unreadable(block, port, &word, &bad.error))
    })?;
    if count != readers.len() {
        return Err(coded(InputCountError::new(readers.len(), count)));
    }
    block.eval(&inputs).map_err(coded)
}
