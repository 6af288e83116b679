//! Where `rbits` or the scale of a conversion come from: a file, one value, a seed.

use ptxcvt::Form;
use ptxcvt::forms::{Operand, Role};

use super::array::{Container, Input};
use super::feed::Feed;
use super::source::Source;
use super::stage::ExtraOperand;
use super::{array::FileType, npy};
use crate::failure::Failure;
use crate::{operand, output::clip};

/// What the user gives for an operand beside the data.
pub struct Given<'a> {
    /// `--rbits`.
    pub rbits: Option<&'a str>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--scale`.
    pub scale: Option<&'a str>,
}

/// A file that is open, or a number.
pub enum ExtraSource {
    None,
    File(Input, u32),
    Value(u64),
    Seed(u64),
}

impl ExtraSource {
    /// For one conversion; `c` of `cvt.pack` is an array like the others.
    pub fn new(given: &Given<'_>, form: &Form) -> Result<Self, Failure> {
        let wanted = form.extra().filter(|operand| operand.role != Role::Rest);
        let Some(wanted) = wanted else { return Ok(ExtraSource::None) };
        let random = wanted.role == Role::RandomBits;
        let (option, text) = if random { ("--rbits", given.rbits) } else { ("--scale", given.scale) };
        match (text, given.seed) {
            (None, Some(seed)) if random => Ok(ExtraSource::Seed(seed)),
            (None, _) => {
                let help =
                    if random { "give --seed N or --rbits FILE|BITS" } else { "give --scale FILE|SCALE" };
                Err(Failure::new(format!("`{form}` needs {}", wanted.role.name())).help(help))
            }
            (Some(text), _) if is_number(text) && !std::path::Path::new(text).exists() => {
                operand::parse(form, &wanted, text, false).map(|read| ExtraSource::Value(read.bits)).map_err(
                    |e| {
                        let failure = Failure::new(format!("{option} `{}`: {}", clip(text), e.message));
                        failure.code(e.code)
                    },
                )
            }
            (Some(path), _) => {
                let source = Source::open(path)?;
                let container = Container::of(path).unwrap_or(Container::Raw);
                Ok(ExtraSource::File(open(source, container, &wanted)?, wanted.width))
            }
        }
    }

    /// The operand, borrowed.
    pub fn operand(&self) -> ExtraOperand<'_> {
        match self {
            ExtraSource::None => ExtraOperand::None,
            ExtraSource::Value(value) => ExtraOperand::Value(*value),
            ExtraSource::Seed(seed) => ExtraOperand::Seed(*seed),
            ExtraSource::File(input, width) => {
                let array = &input.arrays[0];
                ExtraOperand::Each(Feed {
                    source: &input.source,
                    name: input.source.name.clone(),
                    start: array.start,
                    bits: *width,
                    units: array.len.map(|len| len * 8 / u64::from(*width)),
                    big_endian: array.big_endian,
                    spread: false,
                    rows: None,
                })
            }
        }
    }
}

fn open(source: Source, container: Container, wanted: &Operand) -> Result<Input, Failure> {
    let name = source.name.clone();
    let array = match container {
        Container::Npy => npy::read(&source)?,
        Container::Raw => super::raw::read(&source, ptxcvt::Format::U8, false),
        Container::Safetensors => {
            return Err(Failure::new(format!("{name}: give random bits or scales as .npy or raw")));
        }
    };
    let width = wanted.width;
    let fits = match &array.dtype {
        FileType::Raw(_) => array.len.is_none_or(|len| len * 8 % u64::from(width) == 0),
        dtype => dtype.width() == Some(width),
    };
    if !fits {
        let message = format!("{name}: {} takes {width} bits for each instruction", wanted.role.name());
        return Err(Failure::new(message));
    }
    Ok(Input { source, container, arrays: vec![array], metadata: None })
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}
