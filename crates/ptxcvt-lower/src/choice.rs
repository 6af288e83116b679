//! The ways to compute a form on a target, and the choice among them.

use std::fmt;

use ptxcvt::targets::{Machine, MachineError};
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_exec::read;

use crate::lowering::Lowering;
use crate::sequence::Kind;
use crate::{general, instruction, short};

/// The reason why no lowering exists.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LowerError {
    /// The ISA version does not have the target.
    NoSuchMachine(MachineError),
    /// The target is older than sm_50.
    TooOld(Target),
    /// No sequence computes the form's combination of formats, rounding and modifiers.
    Unsupported(Form),
    /// A sequence of this crate is not a valid block, which is a mistake in the crate.
    Internal(Form, read::Error),
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::NoSuchMachine(error) => error.fmt(f),
            LowerError::TooOld(target) => {
                write!(f, "{target} is too old: lowerings are written for sm_50 and later")
            }
            LowerError::Unsupported(form) => write!(
                f,
                "`{form}` has no lowering: no sequence for these types, this rounding and these modifiers is known"
            ),
            LowerError::Internal(form, error) => write!(f, "the sequence for `{form}` is broken: {error}"),
        }
    }
}

impl std::error::Error for LowerError {}

/// Every way to compute `form` in a module of that target and version, the best first: the instruction
/// itself, then the lowerings that hold for every input, by expected cost, then those that hold for fewer
/// inputs.
///
/// # Errors
///
/// Fails if version `isa` does not have `target`, if the target is older than sm_50, or if nothing computes the form
/// for every input.
pub fn lowerings(form: Form, target: Target, isa: IsaVersion) -> Result<Vec<Lowering>, LowerError> {
    if target.sm() < 50 {
        return Err(LowerError::TooOld(target));
    }
    if let Err(error) = Machine::new(Some(target), Some(isa)) {
        return Err(LowerError::NoSuchMachine(error));
    }
    let internal = |e| LowerError::Internal(form, e);
    let mut all: Vec<Lowering> = short::of(form).collect();
    all.extend(match form.is_legal(target, isa) {
        true => Some(instruction::lowering(form).map_err(internal)?),
        false => general::lowering(form, target, isa).map_err(internal)?,
    });
    all.retain(|l| l.is_legal(target, isa));
    if !all.iter().any(|l| l.contract().is_every()) {
        return Err(LowerError::Unsupported(form));
    }
    ptxcvt::order_by(&mut all, |l| {
        let [part, several] = [!l.contract().is_every(), l.kind() != Kind::Instruction].map(u64::from);
        part << 33 | several << 32 | u64::from(l.estimate())
    });
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
/// Fails as [`lowerings`] does.
pub fn lower(form: Form, target: Target, isa: IsaVersion) -> Result<Lowering, LowerError> {
    let mut all = lowerings(form, target, isa)?;
    Ok(all.swap_remove(best(&all)))
}

/// The index of the best lowering for every input.
fn best(all: &[Lowering]) -> usize {
    all.iter().position(|l| l.contract().is_every()).expect("one of them holds for every input")
}

/// The variant with this name among the [`lowerings`] for a target; without a name, the best one for every input.
///
/// # Errors
///
/// Fails if no variant has the name.
pub fn variant(all: Vec<Lowering>, name: Option<&str>, target: Target) -> Result<Lowering, UnknownVariant> {
    let mut all = all;
    let at = match name {
        None => Some(best(&all)),
        Some(name) => all.iter().position(|l| l.name() == name),
    };
    match at {
        Some(at) => Ok(all.swap_remove(at)),
        None => {
            let known: Vec<&str> = all.iter().map(Lowering::name).collect();
            Err(UnknownVariant {
                name: ptxcvt::clip(name.unwrap_or_default()),
                target,
                help: format!("variants are {}", known.join(" ")),
            })
        }
    }
}

/// No variant on the target has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownVariant {
    name: String,
    target: Target,
    help: String,
}

impl UnknownVariant {
    /// How to correct it: the names of the variants.
    pub fn help(&self) -> Option<&str> {
        Some(&self.help)
    }
}

impl fmt::Display for UnknownVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no variant `{}` on {}", self.name, self.target)
    }
}

impl std::error::Error for UnknownVariant {}
