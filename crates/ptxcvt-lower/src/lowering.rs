//! A lowering: PTX that computes a form, its origin, and the inputs for which it holds.

use ptxcvt::Form;
use ptxcvt_exec::read;

use crate::contract::Contract;
use crate::interface::Interface;
use crate::sequence::{Kind, Sequence, accessors};
use crate::unmoved::Unmoved;

/// PTX that computes a form.
#[derive(Clone, Debug)]
pub struct Lowering {
    form: Form,
    contract: Contract,
    idea: &'static str,
    unmoved: Option<Unmoved>,
    sequence: Sequence,
}

impl Lowering {
    /// Reads the body of a block, whose placeholders are those of the form's [`Interface`].
    ///
    /// # Errors
    ///
    /// Fails if the text is not a block over these operands.
    pub(crate) fn read(
        form: Form,
        kind: Kind,
        name: impl Into<String>,
        contract: Contract,
        body: &str,
    ) -> Result<Self, read::Error> {
        let sequence = Sequence::read((kind, name.into()), Interface::new(form), body)?;
        Ok(Lowering { form, contract, idea: "", unmoved: None, sequence })
    }

    /// Adds how the sequence works, and the sequence without its last moves.
    pub(crate) fn with_idea(self, idea: &'static str, unmoved: Option<Unmoved>) -> Self {
        Lowering { idea, unmoved, ..self }
    }

    /// How a short sequence works and, if the idea is public, its origin: whole sentences. Empty for other lowerings.
    pub fn idea(&self) -> &'static str {
        self.idea
    }

    /// The sequence without its last moves, if there are any.
    pub(crate) fn unmoved(&self) -> Option<&Unmoved> {
        self.unmoved.as_ref()
    }

    /// The form that is computed.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The origin of the lowering.
    pub fn kind(&self) -> Kind {
        self.sequence.kind
    }

    /// The name of the variant.
    pub fn name(&self) -> &str {
        &self.sequence.name
    }

    /// The inputs for which it returns the instruction's bits.
    pub fn contract(&self) -> Contract {
        self.contract
    }
}

accessors!(Lowering);
