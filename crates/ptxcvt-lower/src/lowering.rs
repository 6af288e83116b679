//! The ways to compute a form on a target, and the choice among them.

use std::fmt;

use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_exec::{Block, read};

use crate::contract::Contract;
use crate::interface::Interface;
use crate::{cost, general, instruction, short};

/// Where a lowering comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The instruction itself: the target has it.
    Instruction,
    /// A sequence of [`short`].
    Short,
    /// Systematic: decoded, rounded, encoded.
    General,
}

/// PTX that computes a form.
#[derive(Clone, Debug)]
pub struct Lowering {
    form: Form,
    kind: Kind,
    name: String,
    contract: Contract,
    source: &'static str,
    text: String,
    block: Block,
}

impl Lowering {
    /// Reads the body of a block, whose placeholders are those of the form's [`Interface`].
    ///
    /// # Errors
    ///
    /// Fails where the text is no block over these operands.
    pub(crate) fn read(
        form: Form,
        kind: Kind,
        name: impl Into<String>,
        contract: Contract,
        body: &str,
    ) -> Result<Self, read::Error> {
        let text = format!("// {}\n{body}\n", Interface::new(form));
        let block = read::block(&text, &read::Interface::default())?;
        Ok(Lowering { form, kind, name: name.into(), contract, source: "", text, block })
    }

    /// The same, and where the idea is from.
    pub(crate) fn after(self, source: &'static str) -> Self {
        Lowering { source, ..self }
    }

    /// Where the idea of a short sequence is from; empty for others.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// The form that is computed.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Where the lowering comes from.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The name of the variant.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// For which inputs it returns the instruction's bits.
    pub fn contract(&self) -> Contract {
        self.contract
    }

    /// The block, to be run and proven.
    pub fn block(&self) -> &Block {
        &self.block
    }

    /// The block's text without the line of constraints.
    pub fn body(&self) -> &str {
        self.text.split_once('\n').map_or("", |(_, body)| body.trim_end())
    }

    /// The first ISA version at which `target` takes every instruction of it.
    pub fn since(&self, target: Target) -> Option<IsaVersion> {
        self.block.since(target)
    }

    /// True where a module of that target and version may hold it.
    pub fn is_legal(&self, target: Target, isa: IsaVersion) -> bool {
        target.exists_in(isa) && self.since(target).is_some_and(|since| since <= isa)
    }

    /// About how many machine instructions it becomes; only good for comparing two lowerings.
    pub fn estimate(&self) -> u32 {
        cost::estimate(&self.block)
    }
}

impl fmt::Display for Lowering {
    /// The block as text. Its first line is a comment with the constraint string.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Why there is no lowering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LowerError {
    /// No module of that version may name the target.
    NoSuchMachine(Target, IsaVersion),
    /// The target is older than sm_50.
    TooOld(Target),
    /// A sequence of this crate does not read: a mistake in it.
    Internal(Form, read::Error),
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::NoSuchMachine(target, isa) => match target.withdrawn().filter(|w| w <= isa) {
                Some(withdrawn) => write!(f, "{target} was withdrawn at ISA {withdrawn}"),
                None => write!(f, "{target} exists from ISA {} on, not at {isa}", target.introduced()),
            },
            LowerError::TooOld(target) => {
                write!(f, "{target} is too old: lowerings are written for sm_50 and later")
            }
            LowerError::Internal(form, error) => write!(f, "the sequence for `{form}` is broken: {error}"),
        }
    }
}

impl std::error::Error for LowerError {}

/// Every way to compute `form` in a module of that target and version, the best first: the instruction itself, then
/// what holds for every input by expected cost, then what asks something of the inputs.
///
/// # Errors
///
/// Fails if no module of version `isa` may name `target`, or if it is older than sm_50.
pub fn lowerings(form: Form, target: Target, isa: IsaVersion) -> Result<Vec<Lowering>, LowerError> {
    if target.sm() < 50 {
        return Err(LowerError::TooOld(target));
    }
    if !target.exists_in(isa) {
        return Err(LowerError::NoSuchMachine(target, isa));
    }
    let internal = |e| LowerError::Internal(form, e);
    let mut all: Vec<Lowering> = short::of(form).collect();
    all.push(match form.is_legal(target, isa) {
        true => instruction::lowering(form).map_err(internal)?,
        false => general::lowering(form, target, isa).map_err(internal)?,
    });
    all.retain(|l| l.is_legal(target, isa));
    all.sort_by_key(|l| (!l.contract.is_every(), l.kind != Kind::Instruction, l.estimate()));
    Ok(all)
}

/// The best way to compute `form` for every input in a module of that target and version.
///
/// ```
/// use ptxcvt::{Form, Target};
/// let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
/// let lowering = ptxcvt_lower::lower(form, "sm_80".parse()?, "7.0".parse()?)?;
/// let [a, b] = [1.5_f32, -999.0].map(|x| u64::from(x.to_bits()));
/// assert_eq!(lowering.block().eval(&[a, b])?, [0x3cfe]);
/// assert!(lowering.to_string().starts_with("// =h,f,f\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if no module of version `isa` may name `target`, or if it is older than sm_50.
pub fn lower(form: Form, target: Target, isa: IsaVersion) -> Result<Lowering, LowerError> {
    let best = lowerings(form, target, isa)?.into_iter().find(|l| l.contract.is_every());
    best.ok_or(LowerError::NoSuchMachine(target, isa))
}
