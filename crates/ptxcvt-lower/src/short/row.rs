//! What a row of the table of short sequences says.

use ptxcvt_exec::read;

use crate::contract::Contract;
use crate::lowering::{Kind, Lowering};

/// A sequence and the forms that it computes.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name of the variant, as `--variant` takes it: small letters and hyphens.
    pub name: &'static str,
    /// The forms, each with what the words `$WORD` of the text stand for.
    pub serves: &'static [Served],
    /// The inputs for which it holds.
    pub contract: Contract,
    /// The body of a block as `ptxcvt run` reads it: `%0` is the destination, `%1`… are the sources in PTX order, of
    /// the types that [`Interface`](crate::Interface) tells. Several instructions stand in braces.
    pub text: &'static str,
    /// Where the idea is from.
    pub source: &'static str,
}

/// A form that a row serves.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// The form as PTX spells it.
    pub opcode: &'static str,
    /// What each `$WORD` of the text stands for: the word without the `$`.
    pub words: &'static [(&'static str, &'static str)],
}

impl Served {
    /// A form for which the text stands as it is.
    pub const fn plain(opcode: &'static str) -> Self {
        Served { opcode, words: &[] }
    }
}

impl Row {
    /// The sequence for one of its forms.
    ///
    /// # Errors
    ///
    /// Fails where the text is no block over the form's operands, or the opcode no form.
    pub fn lowering(&self, served: &Served) -> Result<Lowering, read::Error> {
        let form = served.opcode.parse().map_err(|e: ptxcvt::forms::SpellingError| read::Error {
            span: Default::default(),
            message: format!("`{}`: {e}", served.opcode),
            help: None,
        })?;
        // Long words first, so that no word is taken for the beginning of another.
        let mut words = served.words.to_vec();
        words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        let text = words
            .iter()
            .fold(self.text.to_owned(), |text, (word, value)| text.replace(&format!("${word}"), value));
        Lowering::read(form, Kind::Short, self.name, self.contract, &text)
    }
}
