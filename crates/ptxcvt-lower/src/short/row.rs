//! What a row of the tables of short sequences says.

use ptxcvt::Form;
use ptxcvt_exec::read;

use super::words;
use crate::contract::Contract;
use crate::lowering::{Kind, Lowering};

/// A sequence and the forms that it computes.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name of the variant, as `--variant` takes it: small letters and hyphens.
    pub name: &'static str,
    /// The forms, as PTX spells them.
    pub serves: &'static [&'static str],
    /// The inputs for which it holds.
    pub contract: Contract,
    /// The body of a block as `ptxcvt run` reads it: `%0` is the destination, `%1`… are the sources in PTX order, of
    /// the types that [`Interface`](crate::Interface) tells. Several instructions stand in braces. Words such as
    /// `$SCALE` are constants of the form's formats, computed from the table of formats.
    pub text: &'static str,
    /// Where the idea is from, and how it works.
    pub source: &'static str,
}

impl Row {
    /// The sequence for one of its forms.
    ///
    /// # Errors
    ///
    /// Fails where the text is no block over the form's operands.
    pub fn lowering(&self, form: Form) -> Result<Lowering, read::Error> {
        let mut words = words::of(form);
        // Long words first, so that none is taken for the beginning of another.
        words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        let replace = |text: String, (word, value): &words::Word| text.replace(&format!("${word}"), value);
        let text = words.iter().fold(self.text.to_owned(), replace);
        Ok(Lowering::read(form, Kind::Short, self.name, self.contract, &text)?.after(self.source))
    }
}
