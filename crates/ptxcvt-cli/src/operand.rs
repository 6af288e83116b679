//! Operands on the command line: the library's parser, and notes about numbers that were changed.
//!
//! PTX ISA section 4.5 (constants).

use ptxcvt::forms::Operand;
use ptxcvt::literal::{LiteralError, Reader};
use ptxcvt::{Code, Form};

use ptxcvt_report::reading;

/// The result of reading a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    pub bits: u64,
    /// The end of a sentence about the text, if the bits differ from its apparent value.
    pub note: Option<String>,
}

/// Why a text is not a valid operand.
#[derive(Clone, Debug)]
pub struct Unreadable {
    pub code: Code,
    pub message: String,
}

/// Reads one source operand; with `wide`, bits may be wider than the type, as a register may.
pub fn parse(form: &Form, operand: &Operand, text: &str, wide: bool) -> Result<Read, Unreadable> {
    let reader = Reader::operand(form, operand).wide(wide);
    let parsed = reader.read(text).map_err(|error| unreadable(&error, operand))?;
    Ok(Read { bits: parsed.bits, note: reading::operand_note(operand, text, &parsed) })
}

/// The error in the text of an operand.
pub fn unreadable(error: &LiteralError, operand: &Operand) -> Unreadable {
    let message = match (error, operand.ty) {
        (LiteralError::Wider { given, width }, ty) => {
            let ty = ty.map_or("the operand".to_owned(), |ty| format!("`.{ty}`"));
            format!(
                "has {given} bits, {ty} has {width}; --wide reads the low ones, as PTX reads a wider register"
            )
        }
        _ => error.to_string(),
    };
    Unreadable { code: error.code(), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(opcode: &str, number: usize, text: &str) -> Result<Read, String> {
        let form: Form = opcode.parse().unwrap();
        let operand = form.operands().nth(number).unwrap();
        parse(&form, &operand, text, false).map_err(|e| e.message)
    }

    #[test]
    fn bits_must_fit_the_type() {
        let message = read("cvt.rn.f16.f32", 1, "0x3ff0000000000000").unwrap_err();
        assert_eq!(
            message,
            "has 62 bits, `.f32` has 32; --wide reads the low ones, as PTX reads a wider register"
        );
        assert_eq!(read("cvt.rn.f16.f32", 1, "0x000000003f800000").unwrap().bits, 0x3f80_0000);
        assert!(read("cvt.u32.u8", 1, "0x1ff").unwrap_err().starts_with("has 9 bits"));
        let form: Form = "cvt.u32.u8".parse().unwrap();
        let operand = form.operands().nth(1).unwrap();
        assert_eq!(parse(&form, &operand, "0x1ff", true).unwrap().bits, 0xff);
    }

    #[test]
    fn a_number_that_was_changed_has_a_note() {
        let f32 = |text| read("cvt.rn.f16.f32", 1, text).unwrap();
        assert!(f32("1e39").note.unwrap().contains("became infinity"));
        assert!(f32("1e-46").note.unwrap().contains("was rounded"));
        assert!(read("cvt.rn.f16x2.e4m3x2", 1, "1.5,1.55").unwrap().note.unwrap().contains("was rounded"));
        assert!(read("cvt.rn.f16x2.e4m3x2", 1, "1.5,1000").unwrap().note.unwrap().contains("was saturated"));
        assert!(read("cvt.rn.f32.s8", 1, "200").unwrap().note.unwrap().ends_with("-56"));
        assert!(read("cvt.rn.f32.s8", 1, "010").unwrap().note.unwrap().starts_with("is octal"));
        let both = read("cvt.rn.f32.u8", 1, "-010").unwrap().note.unwrap();
        assert!(both.starts_with("is octal") && both.ends_with("its low bits were read: 248"), "{both}");
        for text in ["0.1", "inf", "-0", "0e5", "nan", "1e-45", "0f7F800000", "07"] {
            assert_eq!(f32(text).note, None, "{text}");
        }
        assert_eq!(read("cvt.rn.f16x2.e4m3x2", 1, "1.5,-448").unwrap().note, None);
    }
}
