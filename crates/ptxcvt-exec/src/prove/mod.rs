//! Decides whether two blocks return the same bits.
//!
//! A proof tries all inputs in one of three ways:
//!
//! - completely, if all inputs together have at most 32 bits;
//! - by parts, if each output bit depends on at most 32 input bits: all values of these bits for each part;
//! - by values, if each element is reduced to one of a few values before elements are combined: all values of each
//!   element up to that point, and all combinations of the reduced values after it.
//!
//! Blocks with more input bits are equal if they have the same instructions with the same operands, apart from the
//! names of registers. Otherwise `prove` searches among inputs that lead to constants of the blocks, edges of the
//! formats and random inputs. If the search finds no difference, the blocks are not proven equal
//! ([`Verdict::NotProven`]), and [`Obstacle`] says why.

mod answer;
mod backward;
mod columns;
mod compare;
mod complete;
mod conditions;
mod constants;
mod dependence;
mod distinct;
mod domain;
mod extend;
mod kinds;
mod meet;
mod obstacle;
mod options;
mod plan;
mod restrict;
mod results;
mod sample;
mod search;
mod several;
mod undo;
mod values;
mod watch;
mod worker;

use std::ops::ControlFlow;

use crate::block::Block;
pub use answer::{Answer, Difference, Verdict};
use compare::Question;
pub use compare::{Mismatch, common_meaning};
pub use domain::{Domain, UnknownDomain};
pub use extend::input_bits;
pub use kinds::Kinds;
pub use obstacle::{Obstacle, Restriction};
pub use options::Options;
pub use plan::Method;
use plan::Plan;
use watch::Watch;

/// Compares two blocks. Calls `progress` with the completed share, from 0 to 1.
///
/// # Errors
///
/// Fails if the blocks' inputs or outputs differ in number or width. A byte may be in a wider register, in which the sign
/// of `.s8` is extended and other bytes have zeros above ([`input_bits`]). Also fails if the domain or `up_to_nan` needs
/// a number format and neither block defines one.
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
    let progress = |share| {
        progress(share);
        ControlFlow::Continue(())
    };
    Ok(prove_until(a, b, options, &progress)?.expect("nothing breaks it off"))
}

/// Compares two blocks like [`prove()`], until `progress` breaks it off. Then it returns `None`.
///
/// # Errors
///
/// Fails for the same reasons as [`prove()`].
///
/// ```
/// use std::ops::ControlFlow::Break;
/// use ptxcvt_exec::{Block, prove};
/// let form = Block::of_form("cvt.rn.bf16.f32".parse()?);
/// let other = Block::of_form("cvt.rz.bf16.f32".parse()?);
/// assert!(prove::prove_until(&form, &other, &prove::Options::default(), &|_| Break(()))?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn prove_until(
    a: &Block,
    b: &Block,
    options: &Options,
    progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
) -> Result<Option<Answer>, Mismatch> {
    let [extended_a, extended_b] = extend::with_signs(a, b);
    let question = Question::new(&extended_a, &extended_b, options)?;
    let watch = Watch::new(progress);
    let mut answer = decide(&question, options, &watch)?;
    if watch.is_stopped() {
        return Ok(None);
    }
    if let Some(difference) = &mut answer.difference {
        // The inputs and results of the original blocks; the comparison used modified ones.
        let inputs = difference.inputs.iter().enumerate();
        let inputs = inputs.map(|(n, bits)| input_bits([a, b], n, *bits)).map(<(u64, u64)>::from).unzip();
        (difference.inputs, difference.inputs_of_b) = inputs;
        difference.a = a.eval(&difference.inputs).expect("one value for each input");
        difference.b = b.eval(&difference.inputs_of_b).expect("one value for each input");
    }
    Ok(Some(answer))
}

/// Chooses the best possible method, and runs it.
fn decide(question: &Question<'_>, options: &Options, watch: &Watch<'_>) -> Result<Answer, Mismatch> {
    let Incomplete { plan, mut different } = match completely(question, options, watch) {
        ControlFlow::Break(answer) => return Ok(answer),
        ControlFlow::Continue(incomplete) => incomplete,
    };
    let [a, b] = question.blocks;
    if a.has_the_code_of(b) {
        return Ok(Answer {
            method: Method::Identical,
            compared: 0,
            skipped: 0,
            difference: None,
            obstacle: None,
        });
    }
    if let Some([a, b]) = restrict::to_domain(question) {
        match completely(&Question::new(&a, &b, options)?, options, watch) {
            ControlFlow::Break(answer) => return Ok(answer),
            ControlFlow::Continue(narrow) => different = different.or(narrow.different),
        }
    }
    let by_values = values::run(question, options, watch).map(|outcome| {
        let values::Outcome { values, compared, difference } = outcome;
        Answer { method: Method::ByValues { values }, compared, skipped: 0, difference, obstacle: None }
    });
    match by_values {
        Some(answer) if answer.difference.is_none() || options.first => return Ok(answer),
        _ => {}
    }
    // Samples describe a difference in more detail than one example.
    let mut sampled = search::run(question, &plan, options, watch);
    match by_values.or(different) {
        Some(answer) if sampled.difference.is_none() => Ok(answer),
        _ => {
            if sampled.difference.is_none() {
                sampled.obstacle = Some(Obstacle::new(question, &plan, options));
            }
            Ok(sampled)
        }
    }
}

/// The result of plans of which none decides.
struct Incomplete {
    /// The last plan, which samples.
    plan: Plan,
    /// A difference that was found by chance.
    different: Option<Answer>,
}

/// Runs the plans for all inputs until one decides.
fn completely(
    question: &Question<'_>,
    options: &Options,
    watch: &Watch<'_>,
) -> ControlFlow<Answer, Incomplete> {
    let mut plans = Plan::all(question, options);
    let plan = plans.pop().expect("the last plan decides");
    let mut different = None;
    for stricter in plans {
        let mut answer = search::run(question, &stricter, &Options { first: true, ..*options }, watch);
        match answer.difference.take().map(|difference| difference.alone(question)) {
            None => return ControlFlow::Break(answer),
            // Only two NaNs differ.
            Some(None) => {}
            Some(found) if options.first => {
                return ControlFlow::Break(Answer { difference: found, ..answer });
            }
            Some(found) => different = Some(Answer { difference: found, ..answer }),
        }
    }
    match plan.is_complete() {
        true => ControlFlow::Break(search::run(question, &plan, options, watch)),
        false => ControlFlow::Continue(Incomplete { plan, different }),
    }
}

/// The method by which [`prove()`] would choose the inputs, without running it. Instead of [`Method::Sampled`], `prove`
/// may still use [`Method::ByValues`], and up to NaN [`Method::ByParts`].
///
/// # Errors
///
/// Fails for the same reasons as [`prove()`].
pub fn method(a: &Block, b: &Block, options: &Options) -> Result<Method, Mismatch> {
    let [a, b] = extend::with_signs(a, b);
    Ok(Plan::new(&Question::new(&a, &b, options)?, options).method)
}

/// True if every output bit of both blocks provably depends on only one input. Then one sweep, in which two inputs have
/// the same value, replaces sweeps over all values of each.
///
/// # Errors
///
/// Fails if the blocks' inputs or outputs differ in number or width.
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
    let [a, b] = extend::with_signs(a, b);
    let question = Question::new(&a, &b, &Options::default())?;
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
