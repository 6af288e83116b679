//! `ptxcvt format NAME VALUE`: one number of a format, its code, its value and its neighbours.

use std::io::Write;

use ptxcvt::literal::Reader;
use ptxcvt::{Format, Value, decimal};
use ptxcvt_report::CodeValue;
use ptxcvt_report::number::Number;

use crate::failure::Failure;
use crate::output::{self, clip};
use crate::page;
use crate::style::{DIM, RESULT};

/// Reads a code (`0x3c`), or a number, which is rounded to the nearest value.
pub fn read(format: Format, text: &str) -> Result<Number, Failure> {
    match Reader::number(format).read(text) {
        Err(error) => Err(Failure::new(format!("`{}`: {error}", clip(text))).with_code(error.code())),
        Ok(read) => Ok(Number::new(format, text, &read)),
    }
}

/// A note on how the text was changed: the number that was rounded, or another change.
pub fn remark(number: &Number) -> Option<String> {
    let text = clip(&number.input);
    let note = number.note.as_ref().map(|note| format!("{text} {note}"));
    let rounded = number.outcome.is_none() && !number.exact && !number.sign_dropped;
    // A decimal means the nearest f64 nearly everywhere, unless nothing is left of it.
    let is_usual =
        number.format == Format::F64 && matches!(number.number.value, Value::Finite(x) if !x.is_zero());
    let rounded = rounded && !is_usual;
    let notes: Vec<String> = rounded.then(|| format!("nearest to {text}")).into_iter().chain(note).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Prints a number with its neighbours.
pub fn print(number: &Number) -> std::io::Result<()> {
    let mut out = output::stdout();
    let format = number.format;
    let CodeValue { code, value } = number.number;
    write!(out, "{format} {RESULT}{code}{RESULT:#} = {value}")?;
    let columns = format!("{format} {code} = {value}").len();
    match remark(number) {
        None => writeln!(out)?,
        Some(remark) if columns + 2 + remark.chars().count() <= page::width() => {
            writeln!(out, "  {DIM}{remark}{DIM:#}")?;
        }
        Some(remark) => {
            writeln!(out)?;
            page::write_paragraph(&mut out, &remark)?;
        }
    }
    for (name, neighbour) in [("below", number.below), ("above", number.above)] {
        match neighbour {
            Some(CodeValue { code, value }) => writeln!(out, "  {name}    {code} = {value}")?,
            None => writeln!(out, "  {name}    nothing")?,
        }
    }
    number.spacing.iter().try_for_each(|spacing| writeln!(out, "  spacing  {}", decimal(*spacing)))
}

#[cfg(all(test, feature = "eval", feature = "run"))]
mod tests {
    use ptxcvt::{Form, literal};

    use super::*;
    use crate::operand;

    /// Texts of every kind, valid and invalid.
    #[rustfmt::skip]
    const CORPUS: &[&str] = &[
        "0", "1", "7", "10", "010", "017", "08", "0x10", "0X3c", "0x", "0b101", "0B11", "0b2", "42U", "42u", "+5",
        "-5", "-0", "-010", "1.5", "-1.5", ".5", "1.", "2e3", "1e3", "1E-3", "1e999", "-1e-999", "0x1.8p3",
        "1.5f", "-2.f", "1e5F", "2e3f", "0x1.8p3f", "1.5ff", "0b1f", "1f", "inff",
        "-0x.8p-1", "0x1p-2", "0x1.8", "inf", "-inf", "infinity", "nan", "-nan", "0f3F800000", "0f3fc00000",
        "0F7F800000", "0d3FF8000000000000", "200", "-128.5", "300", "65536", "1000", "4294967296",
        "18446744073709551616", "", " ", "xyz", "1/3", "1,5", "--1", "0x1ffffffffffffffff",
        "1.00390625000000000000000000001", "0.1", "1e39",
    ];

    /// `eval`, `eval -`, `format` and blocks read a text as the same bits, or reject it.
    #[test]
    fn every_command_reads_the_same_bits() {
        let mut legal = 0;
        for form in [
            "cvt.rn.f16.f32",
            "cvt.f32.f16",
            "cvt.rn.f32.f64",
            "cvt.f32.bf16",
            "cvt.rn.f32.u8",
            "cvt.rn.f32.s8",
        ]
        .into_iter()
        .chain(["cvt.rn.f32.u32", "cvt.rn.f32.s64", "cvt.rn.f64.u64", "cvt.u16.s16"])
        {
            let form: Form = form.parse().unwrap();
            let source = form.operands().nth(1).unwrap();
            let ty = source.ty.unwrap();
            let format = ty.format();
            for text in CORPUS {
                let eval = operand::parse(&form, &source, text, false).ok().map(|read| read.bits);
                let number = read(format, text).ok().map(|number| number.number.code.bits);
                let block = ptxcvt_exec::Meaning::from(ty).read(text).ok();
                assert_eq!(eval, number, "{format} {text:?}");
                assert_eq!(eval, block, "{format} {text:?}");
                let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
                // Integers have no literals that begin with 0f or 0d.
                let literal = format.is_float() && text.len() >= 10 && text.starts_with(['0']);
                if !digits || literal {
                    let mut bits = [0];
                    let line =
                        literal::read_line(text.as_bytes(), &[Reader::operand(&form, &source)], &mut bits);
                    let batch = line.ok().filter(|count| *count == 1).map(|_| bits[0]);
                    // A line separates words at spaces and commas.
                    let apart = text.contains([' ', ',']);
                    assert!(eval == batch || apart, "{format} {text:?}");
                }
                legal += usize::from(eval.is_some());
            }
        }
        assert!(legal > 300, "{legal}");
    }

    #[test]
    fn a_leading_zero_is_octal_everywhere() {
        let code = |format: Format, text: &str| read(format, text).unwrap().number.code.bits;
        assert_eq!(code(Format::U8, "010"), 8);
        assert_eq!(code(Format::F32, "010"), u64::from(8_f32.to_bits()));
        assert!(read(Format::E4m3, "0777").unwrap().octal, "saturated, too");
        assert!(read(Format::F32, "09").is_err());
        assert_eq!(code(Format::F32, "09.5"), u64::from(9.5_f32.to_bits()));
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        let read = |format, text: &str| {
            let number = super::read(format, text).unwrap();
            (number.number.value.to_string(), number.outcome)
        };
        assert_eq!(read(Format::E4m3, "1000"), ("448".into(), Some("saturated")));
        assert_eq!(read(Format::F16, "-1e6"), ("-inf".into(), Some("overflowed")));
        assert_eq!(read(Format::S8, "200"), ("-56".into(), Some("wrapped")));
        assert_eq!(read(Format::U8, "-1"), ("255".into(), Some("wrapped")));
        assert!(super::read(Format::U8, "256").is_err() && super::read(Format::S8, "-129").is_err());
        assert_eq!(read(Format::E2m1, "nan"), ("6".into(), Some("nan")));
        assert_eq!(read(Format::E4m3, "1.5"), ("1.5".into(), None));
        assert_eq!(read(Format::Ue8m0, "-inf").1, Some("saturated"));
    }

    /// A conversion to an unsigned format drops the sign, and a number that is read there says so.
    #[test]
    fn negative_numbers_of_unsigned_formats() {
        for format in Format::ALL.iter().copied().filter(|format| !format.is_signed() && !format.is_integer())
        {
            let [positive, negative] = ["2", "-2"].map(|text| super::read(format, text).unwrap());
            assert_eq!(negative.number.code.bits, positive.number.code.bits, "{format}");
            assert!(negative.sign_dropped && !negative.exact && !positive.sign_dropped, "{format}");
            assert!(!super::read(format, "-0").unwrap().sign_dropped, "{format}");
            assert!(!super::read(format, "-nan").unwrap().sign_dropped, "{format}");
        }
    }
}
