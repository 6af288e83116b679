//! Shared by `run` and `prove`: blocks from files, texts and opcodes, their operands, and traces.

pub mod arrays;
mod compile;
pub mod trace;

use std::path::{Path, PathBuf};

use ptxcvt::literal::{LiteralError, Reader};
use ptxcvt::{Code, Form};
use ptxcvt_exec::read::{self, Interface};
use ptxcvt_exec::{Block, InputCountError, Port, Undefined};
use ptxcvt_files::whole;
use ptxcvt_syntax::Source;

use self::compile::Compiler;
use crate::failure::{self, Failure};
use crate::output::{clip, reason};
use crate::toolkit;
use ptxcvt_report::reading;
use ptxcvt_report::run::read_input;

/// The declaration of a block's operands.
#[derive(clap::Args, Clone, Default)]
pub struct Operands {
    /// Constraint letters in the order of the placeholders: =h,f,f
    #[arg(long, value_name = "LETTERS", conflicts_with_all = ["out", "in_"], allow_hyphen_values = true)]
    constraints: Option<String>,
    /// Outputs, by name, number or order, with types: d:.b16
    #[arg(long, value_name = "NAME:.TYPE,…")]
    out: Option<String>,
    /// Inputs, declared like outputs: a:.f32,b:.f32
    #[arg(long = "in", id = "in_", value_name = "NAME:.TYPE,…")]
    inputs: Option<String>,
    /// The function of a module, as PTX or C++ names it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["constraints", "out", "in_"])]
    function: Option<String>,
    #[arg(
        long,
        value_name = "PATH",
        help = format!("The nvcc that compiles .cu files [default: that in {}]", toolkit::PLACES)
    )]
    nvcc: Option<PathBuf>,
    /// The target for nvcc, such as sm_90 [default: nvcc's own]
    #[arg(long, value_name = "SM")]
    nvcc_target: Option<ptxcvt::Target>,
    /// Compute .approx instructions, whose bits the manual does not define, correctly rounded
    #[arg(long)]
    approximate: bool,
}

impl Operands {
    fn compiler(&self) -> Compiler<'_> {
        Compiler { nvcc: self.nvcc.as_deref(), target: self.nvcc_target, function: self.function.is_some() }
    }

    /// Fails if --function is given and none of the blocks was read from a module.
    pub fn used(&self, blocks: &[&Block]) -> Result<(), Failure> {
        match &self.function {
            Some(name) if !blocks.iter().any(|block| block.is_function()) => {
                let failure = Failure::new(format!("--function {name}: no module with functions is given"));
                Err(failure.with_help("leave it out, or give a .ptx or .cu file"))
            }
            _ => Ok(()),
        }
    }

    fn interface(&self) -> Result<Interface, Failure> {
        let declared = match (&self.constraints, &self.out, &self.inputs) {
            (Some(list), ..) => Interface::constraints(list),
            (None, None, None) => Ok(Interface::default()),
            (None, out, inputs) => {
                Interface::ports(out.as_deref().unwrap_or(""), inputs.as_deref().unwrap_or(""))
            }
        };
        let interface = declared.map_err(|e| Failure::new(&e.message).with_help_if(e.help()))?;
        Ok(Interface { function: self.function.clone(), approximate: self.approximate, ..interface })
    }
}

/// A block and where it was read from.
pub struct Loaded {
    pub block: Block,
    /// The conversion, if an opcode names it.
    pub form: Option<Form>,
    /// The file and its text, or the text of the command line; `None` for an opcode.
    source: Option<(String, Vec<u8>)>,
}

impl Loaded {
    fn new(name: &str, text: Vec<u8>, interface: &Interface) -> Result<Loaded, Failure> {
        let source = Source::new(name, &text);
        // In `prove`, --function may be meant for the other side only.
        let module = [".func", ".entry"].iter().any(|directive| source.text().contains(directive));
        let function = interface.function.clone().filter(|_| module);
        let block = parse(&source, &Interface { function, ..interface.clone() })?;
        Ok(Loaded { block, form: None, source: Some((name.to_owned(), text)) })
    }

    /// The note about a register that may be read before it is written: `k.ptx:3:5: `y` may be read …`.
    pub fn undefined(&self, found: &Undefined) -> String {
        let name = &self.block.declaration(found.register).name;
        let place = self.source.as_ref().zip(found.instruction).map(|((file, text), at)| {
            let place = Source::new(file, text).position(self.block.code()[at].span.start);
            format!("{file}:{}:{}: ", place.line, place.column)
        });
        let what = match found.instruction {
            Some(_) => "may be read before it is written",
            None => "may be returned before it is written",
        };
        format!("{}`{name}` {what}; its value is then undefined, and 0 here", place.unwrap_or_default())
    }
}

/// Loads a block: a file; PTX as text; or one conversion by its opcode.
pub fn load(argument: &str, operands: &Operands) -> Result<Loaded, Failure> {
    let interface = operands.interface()?;
    // A FIFO or `/dev/fd/N` is read like a file.
    if Path::new(argument).metadata().is_ok_and(|found| !found.is_dir()) {
        if let Some(ptx) = compile::to_ptx(argument, &operands.compiler())? {
            return Loaded::new(&format!("{argument} (compiled)"), ptx, &interface);
        }
        let bytes = whole::source_file(Path::new(argument))
            .map_err(|e| Failure::cannot_read(argument, reason(&e)))?;
        return Loaded::new(argument, bytes, &interface);
    }
    if let Some(opcode) = read::opcode_alone(argument) {
        let form = failure::form(opcode)?;
        return Ok(Loaded { block: Block::of_form(form), form: Some(form), source: None });
    }
    // PTX has blanks between an instruction and its operands; file names rarely have any.
    if argument.contains([';', '{']) || argument.trim().contains(char::is_whitespace) {
        return Loaded::new("<block>", argument.as_bytes().to_vec(), &interface);
    }
    Err(Failure::new(format!("`{argument}`: neither a file nor a conversion")).with_help(
        "give a file, PTX such as 'prmt.b32 %0, %1, 0, 0x5140;', or an opcode such as cvt.rn.f16.f32",
    ))
}

/// Reads a block; a failure names the place.
fn parse(source: &Source<'_>, interface: &Interface) -> Result<Block, Failure> {
    read::block(source.text(), interface).map_err(|e| {
        let at = source.position(e.span.start);
        Failure::new(format!("{}:{}:{}: {}", source.name(), at.line, at.column, e.message))
            .with_help_if(e.help())
    })
}

/// The operands as bits, each with a note that quotes it if it was changed when it was read. A failure names the operand.
pub fn read_operands(block: &Block, texts: &[String]) -> Result<Vec<(u64, Option<String>)>, Failure> {
    let readers: Vec<Reader> = block.inputs().iter().map(|port| block.reader(*port)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let texts = reading::separated(&readers, &texts)
        .map_err(|braces| Failure::new(braces.to_string()).with_code(Code::OperandSyntax))?;
    if texts.len() != block.inputs().len() {
        let count = InputCountError::new(block.inputs().len(), texts.len());
        let names: Vec<String> =
            block.inputs().iter().map(|p| format!("{} ({})", name(block, p), block.kind(*p))).collect();
        let failure = Failure::new(count.to_string()).with_code(count.code());
        return Err(if names.is_empty() {
            failure
        } else {
            failure.with_help(format!("give {}", names.join(", ")))
        });
    }
    let read = |(text, port): (&&str, &Port)| {
        let (bits, note) = read_operand(block, port, text)?;
        Ok((bits, note.map(|note| format!("`{}` {note}", clip(text)))))
    };
    texts.iter().zip(block.inputs()).map(read).collect()
}

/// One operand as bits, and how the text was changed when it was read, if it was.
pub fn read_operand(block: &Block, port: &Port, text: &str) -> Result<(u64, Option<String>), Failure> {
    read_input(block, *port, text)
        .map_err(|e| Failure::new(unreadable(block, port, text, &e)).with_code(e.code()))
}

/// The error in the text of an operand.
pub fn unreadable(block: &Block, port: &Port, text: &str, error: &LiteralError) -> String {
    format!("operand {} = `{}`, {}: {error}", name(block, port), clip(text), block.kind(*port))
}

/// The name of a port's register.
pub fn name(block: &Block, port: &Port) -> String {
    block.declaration(port.register).name.clone()
}
