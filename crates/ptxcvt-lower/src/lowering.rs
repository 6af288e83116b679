//! A lowering: PTX that computes a form, its origin, and the inputs for which it holds.

use std::fmt;

use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_exec::{Block, read};

use crate::contract::Contract;
use crate::cost;
use crate::interface::Interface;
use crate::unmoved::Unmoved;

/// The origin of a lowering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The instruction itself, which the target has.
    Instruction,
    /// A sequence of [`short`](crate::short).
    Short,
    /// The systematic lowering: decode, round, encode.
    General,
}

/// PTX that computes a form.
#[derive(Clone, Debug)]
pub struct Lowering {
    form: Form,
    kind: Kind,
    name: String,
    contract: Contract,
    idea: &'static str,
    unmoved: Option<Unmoved>,
    text: String,
    block: Block,
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
        let text = format!("// {}\n{body}\n", Interface::new(form));
        let block = read::block(&text, &read::Interface::default())?;
        Ok(Lowering { form, kind, name: name.into(), contract, idea: "", unmoved: None, text, block })
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
        self.kind
    }

    /// The name of the variant.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The inputs for which it returns the instruction's bits.
    pub fn contract(&self) -> Contract {
        self.contract
    }

    /// The block, to run it or prove something about it.
    pub fn block(&self) -> &Block {
        &self.block
    }

    /// The constraint string.
    pub fn constraints(&self) -> &str {
        parts(&self.text).0
    }

    /// The block's text without the line of constraints.
    pub fn body(&self) -> &str {
        parts(&self.text).1
    }

    /// The first ISA version at which `target` accepts all of its instructions.
    pub fn since(&self, target: Target) -> Option<IsaVersion> {
        self.block.since(target)
    }

    /// True if a module of that target and version may contain it.
    pub fn is_legal(&self, target: Target, isa: IsaVersion) -> bool {
        target.exists_in(isa) && self.since(target).is_some_and(|since| since <= isa)
    }

    /// An estimate of its number of machine instructions, good only for comparing two lowerings.
    pub fn estimate(&self) -> u32 {
        cost::estimate(&self.block)
    }
}

/// The constraint string and the body of a block's text.
pub(crate) fn parts(text: &str) -> (&str, &str) {
    let parts = text.strip_prefix("// ").and_then(|text| text.split_once('\n'));
    let (constraints, body) =
        parts.expect("the first line of a block is a comment with the constraint string");
    (constraints, body.trim_end())
}

impl fmt::Display for Lowering {
    /// The block as text. Its first line is a comment with the constraint string.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
