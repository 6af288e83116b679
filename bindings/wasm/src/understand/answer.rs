//! The meaning of the text in the input box.

use ptxcvt::{Form, OperandCountError, Spelling};
use serde::Serialize;

/// The opcode and the operands in a text.
#[derive(Debug, Default, Serialize)]
pub struct Answer {
    /// The opcode, which may be incomplete or wrong.
    pub opcode: String,
    /// The byte at which the opcode is in the text; `None` if the text only describes it.
    pub at: Option<usize>,
    /// The source operands that the text gives; `None` for registers.
    pub operands: Vec<Option<String>>,
    /// The meaning of the text, if it is not an opcode: `f32 to e4m3`.
    pub meaning: Option<String>,
    /// Why the text is not one conversion.
    pub problem: Option<String>,
    /// The conversions that the text takes, if one is not enough.
    pub steps: Vec<String>,
    /// The recipes that the text names; the view of blocks shows them.
    pub recipes: Vec<String>,
    /// The numbers that a recipe is to quantise, with blanks between.
    pub numbers: String,
    /// The language of the text, if it is another one and this build has no readers of other languages: a build that has
    /// them answers instead.
    pub unread: Option<&'static str>,
}

impl Answer {
    /// Reads an opcode in capitals as one in small letters.
    pub fn in_small_letters(self) -> Answer {
        let small = self.opcode.to_ascii_lowercase();
        if small == self.opcode || Spelling::new(&small).form().is_none() {
            return self;
        }
        Answer { opcode: small, at: None, meaning: Some("PTX in small letters".to_owned()), ..self }
    }

    /// Adds operands; too many for the form are an error.
    pub fn with(self, form: Option<Form>, operands: Vec<Option<String>>) -> Answer {
        let wanted = form.map_or(operands.len(), |form| form.source_count());
        let problem =
            (operands.len() > wanted).then(|| OperandCountError::new(wanted, operands.len()).to_string());
        Answer { operands, problem, ..self }
    }
}
