//! The source of `rbits` or of the scale of a conversion: a file, one value, a seed.

use ptxcvt::forms::Operand;

use super::feed::Feed;
use super::stage::ExtraOperand;
use crate::array::{Container, FileType, Input};
use crate::error::FileError;
use crate::open::{Declared, Purpose, open};

/// The source of `rbits` or of a scale.
#[derive(Debug)]
pub enum ExtraSource {
    /// The conversion has no such operand.
    None,
    /// A file of values with this many bits.
    File(Input, u32),
    /// One value for all instructions.
    Value(u64),
    /// Random bits from this seed.
    Seed(u64),
}

impl ExtraSource {
    /// Opens the file of `operand`: `.npy`, or raw.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or does not have values of the operand's width.
    pub fn open(path: &str, operand: &Operand) -> Result<Self, FileError> {
        let input = open(path, Declared::nothing(Purpose::Operand))?;
        if input.container == Container::Safetensors {
            return Err(FileError::new(format!("{path}: give random bits or scales as .npy or raw")));
        }
        let array = &input.arrays[0];
        let width = operand.width;
        let fits = match &array.dtype {
            FileType::Raw(_) => array.len.is_none_or(|len| len * 8 % u64::from(width) == 0),
            dtype => dtype.width() == Some(width),
        };
        if !fits {
            let message = format!("{path}: {} takes {width} bits for each instruction", operand.role.name());
            return Err(FileError::new(message));
        }
        Ok(ExtraSource::File(input, width))
    }

    /// The operand of a stage.
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
