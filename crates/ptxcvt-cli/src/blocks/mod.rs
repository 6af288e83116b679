//! What `run` and `prove` share: blocks from files, texts and opcodes, their operands, and traces.

pub mod arrays;
pub mod trace;

use std::path::Path;

use ptxcvt_exec::Block;
use ptxcvt_exec::read::{self, Interface};
use ptxcvt_syntax::Source;

use crate::failure::{self, Failure};

/// What the operands of a block are.
#[derive(clap::Args, Clone, Default)]
pub struct Operands {
    /// Constraint letters in the order of the placeholders: =h,f,f
    #[arg(long, value_name = "LETTERS", conflicts_with_all = ["out", "in_"], allow_hyphen_values = true)]
    constraints: Option<String>,
    /// Outputs, by name, number or order, with types: d:.b16
    #[arg(long, value_name = "NAME:.TYPE,…")]
    out: Option<String>,
    /// Inputs likewise: a:.f32,b:.f32
    #[arg(long = "in", id = "in_", value_name = "NAME:.TYPE,…")]
    inputs: Option<String>,
    /// Compute .approx instructions, whose bits the manual does not fix, correctly rounded
    #[arg(long)]
    approximate: bool,
}

impl Operands {
    fn interface(&self) -> Result<Interface, Failure> {
        let told = match (&self.constraints, &self.out, &self.inputs) {
            (Some(list), ..) => Interface::constraints(list),
            (None, None, None) => Ok(Interface::default()),
            (None, out, inputs) => {
                Interface::ports(out.as_deref().unwrap_or(""), inputs.as_deref().unwrap_or(""))
            }
        };
        let interface = told.map_err(|e| with_help(Failure::new(e.message), e.help))?;
        Ok(Interface { approximate: self.approximate, ..interface })
    }
}

fn with_help(failure: Failure, help: Option<String>) -> Failure {
    match help {
        Some(help) => failure.help(help),
        None => failure,
    }
}

/// Loads a block: a file; PTX as text; or one conversion by its opcode.
pub fn load(argument: &str, operands: &Operands) -> Result<Block, Failure> {
    let interface = operands.interface()?;
    if Path::new(argument).is_file() {
        let bytes = std::fs::read(argument).map_err(|e| Failure::new(format!("{argument}: {e}")))?;
        return parse(&Source::new(argument, &bytes), &interface);
    }
    // A text has blanks between an instruction and its operands; an opcode and a file's name seldom.
    if argument.contains([';', '{']) || argument.trim().contains(char::is_whitespace) {
        return parse(&Source::new("<block>", argument.as_bytes()), &interface);
    }
    if argument.starts_with("cvt.") {
        return failure::form(argument).map(Block::of_form);
    }
    Err(Failure::new(format!("`{argument}`: no such file, and no conversion"))
        .help("give a file, PTX such as 'prmt.b32 %0, %1, 0, 0x5140;', or an opcode such as cvt.rn.f16.f32"))
}

/// Reads a block; the failure names the place.
fn parse(source: &Source<'_>, interface: &Interface) -> Result<Block, Failure> {
    read::block(source.text(), interface).map_err(|e| {
        let at = source.position(e.span.start);
        let failure = Failure::new(format!("{}:{}:{}: {}", source.name(), at.line, at.column, e.message));
        with_help(failure, e.help)
    })
}

/// The operands as bits; a failure names the operand.
pub fn read_operands(block: &Block, texts: &[String]) -> Result<Vec<u64>, Failure> {
    let name = |p: &ptxcvt_exec::Port| block.declaration(p.register).name.clone();
    if texts.len() != block.inputs().len() {
        let count = ptxcvt_exec::InputCountError { expected: block.inputs().len(), given: texts.len() };
        let names: Vec<String> =
            block.inputs().iter().map(|p| format!("{} ({})", name(p), kind(block, p))).collect();
        let failure = Failure::new(count.to_string());
        return Err(if names.is_empty() {
            failure
        } else {
            failure.help(format!("give {}", names.join(", ")))
        });
    }
    let read = |(text, port): (&String, &ptxcvt_exec::Port)| {
        let bits = match port.meaning {
            Some(meaning) => meaning.read(text),
            None => ptxcvt::literal::integer_of_width(text, block.width(*port)),
        };
        bits.map_err(|e| {
            Failure::new(format!("operand {} = `{text}`, {}: {e}", name(port), kind(block, port)))
                .code(e.code())
        })
    };
    texts.iter().zip(block.inputs()).map(read).collect()
}

/// What a port holds, for messages: `.f16x2`, `.b32`.
pub fn kind(block: &Block, port: &ptxcvt_exec::Port) -> String {
    port.meaning.map_or_else(|| block.declaration(port.register).ty.to_string(), |m| m.to_string())
}
