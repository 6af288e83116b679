//! Why no proof was possible, and restrictions of the question that would make a proof possible.

use super::compare::Question;
use super::domain::Domain;
use super::options::Options;
use super::plan::{Plan, SWEPT_BITS};
use super::restrict;
use crate::block::Block;

/// Why not all inputs could be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The bits of all inputs together.
    pub bits: u32,
    /// The maximum number of input bits on which an output bit may depend, according to the analysis. Up to NaN, it is
    /// the number for all bits of an output element.
    pub together: u32,
    /// The maximum number of input bits that can be tried completely.
    pub limit: u32,
    /// Restrictions, each of which would make a proof possible.
    pub restrictions: Vec<Restriction>,
}

/// A narrower question that can be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restriction {
    /// Only the inputs of this domain.
    Domain(Domain),
    /// Constants for these inputs, by number.
    Fixed(Vec<usize>),
}

impl Obstacle {
    /// The obstacle for a question that [`Plan`] can answer only by samples.
    pub(super) fn new(question: &Question<'_>, plan: &Plan, options: &Options) -> Obstacle {
        let mut restrictions = Vec::new();
        let includes_positive = matches!(options.domain, Domain::All | Domain::Numbers | Domain::Finite);
        let has_floats = question.inputs.iter().any(|pair| pair.meaning.is_some_and(|m| m.is_float()));
        if includes_positive && has_floats && is_decidable(question, Domain::Positive, &[]) {
            restrictions.push(Restriction::Domain(Domain::Positive));
        }
        let count = question.inputs.len();
        let alone = (0..count).filter(|n| count > 1 && is_decidable(question, options.domain, &[*n]));
        restrictions.extend(alone.map(|n| Restriction::Fixed(vec![n])));
        if !restrictions.iter().any(|r| matches!(r, Restriction::Fixed(_))) {
            restrictions.extend(several(question, options.domain).map(Restriction::Fixed));
        }
        Obstacle { bits: question.input_bits(), together: plan.together, limit: SWEPT_BITS, restrictions }
    }
}

/// The smallest set of widest inputs that must be fixed. `None` if no input would be left.
fn several(question: &Question<'_>, domain: Domain) -> Option<Vec<usize>> {
    let mut widest: Vec<usize> = (0..question.inputs.len()).collect();
    // Among inputs of equal width, the last ones are fixed, because the first operand is usually the interesting one.
    widest.reverse();
    ptxcvt::order_by(&mut widest, |n| u64::MAX - u64::from(question.inputs[*n].width));
    let mut some = (2..widest.len()).map(|count| {
        let mut fixed = widest[..count].to_vec();
        fixed.sort_unstable();
        fixed
    });
    some.find(|fixed| is_decidable(question, domain, fixed))
}

/// True if a proof is possible in the domain with these inputs fixed, for any values of them.
fn is_decidable(question: &Question<'_>, domain: Domain, fixed: &[usize]) -> bool {
    let options = Options { domain, samples: 1, ..Options::default() };
    let narrow = narrowed(question, question.blocks, domain, fixed);
    if Plan::new(&narrow, &options).is_complete() {
        return true;
    }
    let Some([a, b]) = restrict::to_domain(&narrow) else { return false };
    Plan::new(&narrowed(question, [&a, &b], domain, fixed), &options).is_complete()
}

/// The question for `blocks`, restricted to a domain and with some inputs fixed.
fn narrowed<'b>(
    question: &Question<'_>,
    blocks: [&'b Block; 2],
    domain: Domain,
    fixed: &[usize],
) -> Question<'b> {
    let (mut inputs, outputs) = (question.inputs.clone(), question.outputs.clone());
    for n in fixed {
        inputs[*n].fixed = true;
    }
    Question { blocks, inputs, outputs, up_to_nan: question.up_to_nan, domain }
}
