//! Numbers to codes and codes to numbers, through the bulk engine or tables.

use ptxcvt::{Form, Format};
use ptxcvt_bulk::{Column, ColumnMut, Plan};

use super::kernels;
use crate::recipe::{Op, ZeroSign};

/// An operation that converts numbers to codes.
#[derive(Debug)]
pub(super) enum Coder {
    /// A conversion by `cvt`.
    Convert(Box<Plan>),
    /// The nearest value of FP4, by the midpoints between its magnitudes, and the sign of zero.
    Nearest([f32; 7], ZeroSign),
    /// The number is an integer, and the code its low byte.
    Integer,
}

impl Coder {
    /// The coder of an operation, or `None` if its result is not a code.
    pub fn new(op: Op) -> Option<Coder> {
        Some(match op {
            Op::Convert(form) => Coder::Convert(Box::new(Plan::new(form))),
            Op::Nearest(format, sign) => Coder::Nearest(midpoints(format), sign),
            Op::FromCode(_) => Coder::Integer,
            _ => return None,
        })
    }

    /// Writes a code for each number: packed as in memory if a conversion makes them, otherwise one byte
    /// each. `random` is for conversions under `.rs`.
    pub fn codes(&self, numbers: &[f32], random: Option<Column<'_>>, codes: &mut [u8]) {
        match self {
            Coder::Convert(plan) => convert(plan, numbers.into(), random, codes),
            Coder::Nearest(midpoints, sign) => kernels::nearest(midpoints, *sign, numbers, codes),
            Coder::Integer => kernels::codes_of_numbers(numbers, codes),
        }
    }
}

/// Converts a column of any length to bytes. A wrong length is a bug of the caller and panics.
pub(super) fn convert(plan: &Plan, from: Column<'_>, random: Option<Column<'_>>, to: &mut [u8]) {
    plan.run_padded(from, random, ColumnMut::Bytes(to))
        .unwrap_or_else(|e| unreachable!("{}: {e}", plan.form()));
}

/// The numbers of all codes of a format of at most 8 bits.
pub(super) fn table(format: Format) -> Box<[f32; 256]> {
    Box::new(core::array::from_fn(|code| format.decode(code as u64).to_f64() as f32))
}

/// The midpoints between the neighbouring magnitudes of an FP4 format.
fn midpoints(format: Format) -> [f32; 7] {
    let value = |code: usize| format.decode(code as u64).to_f64() as f32;
    core::array::from_fn(|i| (value(i) + value(i + 1)) / 2.0)
}

/// Converts codes, one per byte, to f32 numbers.
#[derive(Debug)]
pub(super) enum Numbers {
    /// Codes of ue8m0.
    Powers,
    Table(Box<[f32; 256]>),
}

impl Numbers {
    pub fn new(format: Format) -> Numbers {
        match format {
            Format::Ue8m0 => Numbers::Powers,
            other => Numbers::Table(table(other)),
        }
    }

    pub fn decode(&self, codes: &[u8], to: &mut [f32]) {
        match self {
            Numbers::Powers => kernels::powers(codes, to),
            Numbers::Table(table) => {
                let codes = &codes[..to.len()];
                codes.iter().zip(to).for_each(|(code, to)| *to = table[usize::from(*code)]);
            }
        }
    }
}

/// Converts packed codes to bf16 numbers, which represent every number of a format of at most 8 bits.
#[derive(Debug)]
pub(super) enum Words {
    /// Uses the form that decodes the format.
    Form(Box<Plan>),
    /// Uses a table, because no form decodes the format; and the bits of a code in memory.
    Table(Box<[u16; 256]>, u32),
}

impl Words {
    pub fn new(format: Format) -> Words {
        let form = format!("cvt.rn.bf16x2.{format}x2").parse::<Form>();
        match form {
            Ok(form) => Words::Form(Box::new(Plan::new(form))),
            Err(_) => Words::Table(Box::new(table(format).map(word)), format.storage()),
        }
    }

    /// Decodes into little-endian words.
    pub fn decode(&self, codes: &[u8], words: &mut [u8]) {
        match self {
            Words::Form(plan) => convert(plan, Column::Bytes(codes), None, words),
            Words::Table(table, storage) => {
                let per_byte = 8 / *storage as usize;
                assert!(words.len().div_ceil(2 * per_byte) == codes.len(), "a word for each code");
                for (i, word) in words.chunks_exact_mut(2).enumerate() {
                    let byte = codes[i / per_byte];
                    let code = if *storage == 4 { byte >> (4 * (i % 2)) & 15 } else { byte };
                    word.copy_from_slice(&table[usize::from(code)].to_le_bytes());
                }
            }
        }
    }
}

/// A number as bf16, with the NaN that conversions return.
pub(super) fn word(number: f32) -> u16 {
    if number.is_nan() { 0x7fff } else { (number.to_bits() >> 16) as u16 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table agrees with the form for every format that has one.
    #[test]
    fn tables_agree_with_forms() {
        let formats = Format::ALL.iter().copied().filter(|f| f.storage() <= 8 && f.storage() >= 4);
        let mut compared = 0;
        for format in formats {
            let Words::Form(plan) = Words::new(format) else { continue };
            let codes: Vec<u8> = match format.storage() {
                4 => (0..=255).collect(),
                _ => (0..1_u32 << format.bits()).map(|code| code as u8).collect(),
            };
            let table = Words::Table(Box::new(table(format).map(word)), format.storage());
            let mut by_form = vec![0; codes.len() * 16 / format.storage() as usize];
            let mut by_table = by_form.clone();
            Words::Form(plan).decode(&codes, &mut by_form);
            table.decode(&codes, &mut by_table);
            assert_eq!(by_form, by_table, "{format}");
            compared += 1;
        }
        assert!(compared >= 6, "{compared}");
    }
}
