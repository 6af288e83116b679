//! Do two blocks return the same bits?
//!
//! Over all inputs where they have at most 32 bits in sum; where each output bit depends, as the dependence of bits
//! shows, on at most 32 input bits, over all of those, part by part; where elements meet only after each has become one
//! of few values, over all of each and all combinations of these; else over edges and random inputs, and then the
//! answer is that no difference was found, not that there is none.

mod compare;
mod dependence;
mod domain;
mod kinds;
mod plan;
mod sample;
mod search;
mod values;

use std::fmt;

use crate::block::Block;
pub use compare::Mismatch;
pub use domain::Domain;
pub use kinds::Kinds;
pub use plan::Method;

/// What is asked beside the two blocks.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Two NaN of an output's format count as equal, whatever their bits.
    pub up_to_nan: bool,
    /// Which inputs are asked about.
    pub domain: Domain,
    /// How many inputs are tried where there are too many for all.
    pub samples: u64,
    /// Threads; 0 is as many as the machine has.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { up_to_nan: false, domain: Domain::All, samples: 1 << 24, threads: 0 }
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How the inputs were chosen.
    pub method: Method,
    /// How many were compared; of parts that were swept one by one, in sum.
    pub compared: u64,
    /// How many inputs were outside the domain and left out.
    pub skipped: u64,
    /// What differs; `None` where nothing does.
    pub difference: Option<Difference>,
}

/// The difference of two blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The smallest inputs on which they differ, the first input counting most.
    pub inputs: Vec<u64>,
    /// What the first block returns there.
    pub a: Vec<u64>,
    /// What the second block returns there.
    pub b: Vec<u64>,
    /// On how many of the compared inputs they differ.
    pub count: u64,
    /// The differing inputs by kind.
    pub kinds: Kinds,
}

impl Answer {
    /// True where every input of the domain was compared and none differs.
    pub fn is_proof(&self) -> bool {
        self.difference.is_none() && self.method != Method::Sampled
    }
}

/// Compares two blocks; `progress` is told the share that is done, from 0 to 1.
///
/// # Errors
///
/// Fails where the two do not have inputs and outputs of the same number and width (bytes go with wider registers
/// that are zero above), and where the domain or `up_to_nan` needs a number format that neither block tells.
///
/// ```
/// use ptxcvt_exec::{Block, prove, read};
/// let form = Block::of_form("cvt.f32.bf16".parse()?);
/// let shift = read::block("{ .reg .b16 z; mov.b16 z, 0; mov.b32 %0, {z, %1}; }", &read::Interface::constraints("=r,h")?)?;
/// let answer = prove::prove(&form, &shift, &prove::Options::default(), &|_| {})?;
/// assert!(answer.is_proof());
/// assert_eq!(answer.compared, 65_536);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn prove(
    a: &Block,
    b: &Block,
    options: &Options,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Answer, Mismatch> {
    let question = compare::Question::new(a, b, options)?;
    let plan = plan::Plan::new(&question, options);
    if plan.method != Method::Sampled {
        return Ok(search::run(&question, &plan, options, progress));
    }
    let values::Outcome { values, compared, difference } = match values::run(&question, options, progress) {
        Some(outcome) => outcome,
        None => return Ok(search::run(&question, &plan, options, progress)),
    };
    let answer = Answer { method: Method::ByValues { values }, compared, skipped: 0, difference };
    // Samples show more of a difference than one example does.
    match answer.difference {
        None => Ok(answer),
        Some(_) => {
            let sampled = search::run(&question, &plan, options, progress);
            Ok(if sampled.difference.is_some() { sampled } else { answer })
        }
    }
}

/// How [`prove`] would choose the inputs, before anything is run; where that is `Sampled`, it may still find a place
/// at which the elements have few values ([`Method::ByValues`]).
///
/// # Errors
///
/// As [`prove`].
pub fn method(a: &Block, b: &Block, options: &Options) -> Result<Method, Mismatch> {
    Ok(plan::Plan::new(&compare::Question::new(a, b, options)?, options).method)
}

/// True where every output bit of both blocks provably depends on one input alone: then two sweeps over all values of
/// two inputs can be one, in which both take on the same value.
///
/// # Errors
///
/// Fails where the two do not have inputs and outputs of the same number and width.
///
/// ```
/// use ptxcvt_exec::{Block, prove, read};
/// let pack = Block::of_form("cvt.rn.bf16x2.f32".parse()?);
/// assert!(prove::is_elementwise(&pack, &pack)?);
/// let sum = read::block("add.u32 %0, %1, %2;", &read::Interface::constraints("=r,r,r")?)?;
/// assert!(!prove::is_elementwise(&sum, &sum)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn is_elementwise(a: &Block, b: &Block) -> Result<bool, Mismatch> {
    let question = compare::Question::new(a, b, &Options::default())?;
    // The bits of the last input are numbered first.
    let inputs = question.inputs.iter().rev().enumerate();
    let input_of: Vec<usize> = inputs.flat_map(|(n, pair)| (0..pair.width).map(move |_| n)).collect();
    let [Some(a), Some(b)] = question.blocks.map(|block| dependence::of(block, &question.inputs)) else {
        return Ok(false);
    };
    let union = |(x, y): (&dependence::Bits, &dependence::Bits)| x.or(*y);
    let outputs = a.iter().zip(&b).flat_map(|(x, y)| x.iter().zip(y).map(union));
    Ok(outputs.into_iter().all(|bits| {
        let mut inputs = bits.iter().map(|bit| input_of[bit as usize]);
        let one = inputs.next();
        inputs.all(|other| Some(other) == one)
    }))
}

impl fmt::Display for Answer {
    /// The verdict in a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let among = match self.skipped {
            0 => String::new(),
            skipped => format!(" ({skipped} outside the domain left out)"),
        };
        match (&self.difference, &self.method) {
            (Some(difference), _) => {
                write!(f, "different: on {} of {} inputs{among}", difference.count, self.compared)
            }
            (None, Method::Exhaustive { .. }) => write!(f, "equal on all {} inputs{among}", self.compared),
            (None, Method::ByParts { parts }) => {
                write!(
                    f,
                    "equal: {} independent parts, each on all its inputs, {} in sum{among}",
                    parts.len(),
                    self.compared
                )
            }
            (None, Method::ByValues { values }) => {
                let values: Vec<String> = values.iter().map(u32::to_string).collect();
                write!(
                    f,
                    "equal: every input up to where the elements meet, with {} values, and every combination of these",
                    values.join(" and ")
                )
            }
            (None, Method::Sampled) => {
                write!(f, "no difference found in {} inputs{among}; not all were tried", self.compared)
            }
        }
    }
}
