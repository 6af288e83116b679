//! A block of inline assembly.

use ptxcvt::{IsaVersion, Target, counted};

use crate::lowering::Lowering;
use crate::word::Word;

/// The lowering as a block whose first line is a comment with the constraint string. The second one names the form, the
/// target and, if there is one, the restriction of the inputs.
///
/// ```
/// use ptxcvt_lower::{lower, render};
/// let (target, isa) = ("sm_80".parse()?, "7.0".parse()?);
/// let lowering = lower("cvt.rn.f16x2.e5m2x2".parse()?, target, isa)?;
/// let text = render::block(&lowering, target, isa);
/// assert_eq!(text.lines().nth(1), Some("// cvt.rn.f16x2.e5m2x2 for sm_80, PTX ISA 7.0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn block(lowering: &Lowering, target: Target, isa: IsaVersion) -> String {
    let contract = match lowering.contract() {
        every if every.is_every() => String::new(),
        narrower => format!(", only for {narrower}"),
    };
    let (constraints, body) = (lowering.constraints(), lowering.body());
    format!("// {constraints}\n// {} for {target}, PTX ISA {isa}{contract}\n{body}\n", lowering.form())
}

/// The word as a block whose first line is a comment with the constraint string. The second one names the form, the
/// number of elements and the target; a line follows for each part of the contract.
pub fn word(word: &Word, target: Target, isa: IsaVersion) -> String {
    let (constraints, body) = (word.constraints(), word.body());
    let contract: String = word.contract().iter().map(|line| format!("// {line}\n")).collect();
    let (form, elements) = (word.shape().form(), counted(word.shape().elements(), "element"));
    format!("// {constraints}\n// {form} for {elements}, {target}, PTX ISA {isa}\n{contract}{body}\n")
}
