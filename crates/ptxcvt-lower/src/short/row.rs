//! A row of the tables of short sequences, and how its template becomes a block.

use ptxcvt::Form;
use ptxcvt_exec::read;

use super::words;
use crate::contract::Contract;
use crate::lowering::Lowering;
use crate::sequence::Kind;
use crate::unmoved::{Place, Unmoved};

/// A sequence and the forms that it computes.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name of the variant, as `--variant` accepts it: small letters and hyphens.
    pub name: &'static str,
    /// The forms, as PTX spells them.
    pub serves: &'static [&'static str],
    /// The inputs for which the sequence returns the instruction's bits.
    pub contract: Contract,
    /// A template for the body of a block as `ptxcvt run` reads it: `%0` is the destination, `%1`… are the sources in
    /// PTX order, with the types of the form's [`Interface`](crate::Interface). Several instructions are in braces.
    ///
    /// Words such as `$SCALE` are constants of the form's formats, computed from the table of formats. A line that
    /// begins with `//` explains the template and is not part of the block. After the line `//= top of r` the codes are
    /// only moved from their place in `r` to the destination.
    pub text: &'static str,
    /// How the sequence works and, if the idea is public, its origin: whole sentences.
    pub idea: &'static str,
}

impl Row {
    /// The sequence for one of its forms.
    ///
    /// # Errors
    ///
    /// Fails if the template does not become a block over the form's operands.
    pub fn lowering(&self, form: Form) -> Result<Lowering, read::Error> {
        Ok(Lowering::read(form, Kind::Short, self.name, self.contract, &words::fill(form, self.text))?
            .with_idea(self.idea, self.unmoved(form)))
    }

    /// The template up to its mark, if it has one.
    fn unmoved(&self, form: Form) -> Option<Unmoved> {
        const MARK: &str = "//= ";
        // The moves alone use it.
        const MOVED: &str = "  .reg .b16 t;\n";
        let (before, after) = self.text.split_once(MARK)?;
        let mark = after.lines().next().unwrap_or_default().trim();
        let (place, register) = mark.split_once(" of ").expect("a mark is written `//= PLACE of REGISTER`");
        let place = Place::from_name(place).expect("the place in a mark has a name");
        assert!(
            before.contains(MOVED),
            "{}: the line of the moves' register is spelled otherwise",
            self.name
        );
        let text = words::fill(form, &before.replace(MOVED, ""));
        Some(Unmoved { text, place, register: register.to_owned() })
    }
}
