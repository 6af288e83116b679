//! Whether two blocks return the same bits: shown by a proof, or made likely by a search that found no difference.

use std::collections::BTreeMap;

use ptxcvt_exec::Block;
use ptxcvt_exec::prove::{Answer, Method, Restriction};
use serde::Serialize;

use crate::run::PortReport;

/// The answer of a comparison of the blocks A and B.
///
/// ```
/// use ptxcvt_exec::{Block, prove};
/// use ptxcvt_report::prove::ProveReport;
///
/// let a = Block::of_form("cvt.rn.bf16.f16".parse()?);
/// let b = Block::of_form("cvt.rz.bf16.f16".parse()?);
/// let answer = prove::prove(&a, &b, &prove::Options::default(), &|_| {})?;
/// let report = ProveReport::new([&a, &b], &answer);
/// assert_eq!((report.verdict, report.method), ("different", "exhaustive"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProveReport {
    /// `proven`, `different`, or `not proven` if no difference was found although not every input was tried.
    pub verdict: &'static str,
    /// How the inputs were chosen: `exhaustive`, `by parts` and `by values` try all of them, `search` does not.
    /// `identical` blocks have the same instructions, so that none was tried.
    pub method: &'static str,
    /// The verdict in a sentence.
    pub summary: String,
    /// How many inputs were compared; in a search, how many trials were made, which may repeat inputs.
    pub compared: u64,
    /// How many were left out because they are outside the domain.
    pub skipped: u64,
    /// The difference, if one was found.
    pub difference: Option<DifferenceReport>,
    /// The reason, if nothing is proven.
    pub obstacle: Option<ObstacleReport>,
    /// Registers that may be read before they are written.
    pub undefined: Vec<UndefinedReport>,
    /// An instruction of a block has a result that the manual does not define.
    pub approximate: bool,
}

/// Inputs on which the blocks differ.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DifferenceReport {
    /// The inputs of A. B has the same numbers, a byte extended if its register is wider.
    pub inputs: Vec<PortReport>,
    /// The results of A.
    pub a: Vec<PortReport>,
    /// The results of B.
    pub b: Vec<PortReport>,
    /// On how many of the compared inputs the blocks differ, each counted once; `null` if the search stopped at the
    /// first one, or found more than 1048576, or tried them by parts or by values.
    pub count: Option<u64>,
    /// The differing inputs by kind; trials if `count` is `null`.
    pub kinds: BTreeMap<&'static str, u64>,
}

/// The obstacle to a proof.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ObstacleReport {
    /// The bits of all inputs together.
    pub bits: u32,
    /// On how many of them one output bit, or up to NaN one number of an output, may depend.
    pub together: u32,
    /// How many can be tried completely.
    pub limit: u32,
    /// Restrictions, each of which makes a proof possible.
    pub restrictions: Vec<RestrictionReport>,
}

/// A narrower question that can be decided.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RestrictionReport {
    /// A value of `--domain`.
    Domain(String),
    /// The names of inputs for `--fix`.
    Fix(Vec<String>),
}

/// A register that may be read before it is written.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct UndefinedReport {
    /// `A` or `B`.
    pub block: &'static str,
    /// The register.
    pub register: String,
    /// The instruction that may read it; `null` if the block returns it.
    pub instruction: Option<String>,
    /// The first byte of that instruction in the block's text.
    pub start: Option<u32>,
}

impl ProveReport {
    /// Reports the answer for the blocks A and B.
    pub fn new([a, b]: [&Block; 2], answer: &Answer) -> ProveReport {
        ProveReport {
            verdict: answer.verdict().name(),
            method: match answer.method {
                Method::Exhaustive { .. } => "exhaustive",
                Method::ByParts { .. } => "by parts",
                Method::ByValues { .. } => "by values",
                Method::Identical => "identical",
                Method::Sampled => "search",
            },
            summary: answer.to_string(),
            compared: answer.compared,
            skipped: answer.skipped,
            difference: answer.difference.as_ref().map(|difference| DifferenceReport {
                inputs: ports(a, a.inputs(), &difference.inputs),
                a: ports(a, a.outputs(), &difference.a),
                b: ports(b, b.outputs(), &difference.b),
                count: difference.count.filter(|_| !difference.stopped),
                kinds: difference.kinds.rows().collect(),
            }),
            obstacle: answer.obstacle.as_ref().map(|obstacle| ObstacleReport {
                bits: obstacle.bits,
                together: obstacle.together,
                limit: obstacle.limit,
                restrictions: obstacle.restrictions.iter().map(|r| RestrictionReport::new(a, r)).collect(),
            }),
            undefined: undefined("A", a).chain(undefined("B", b)).collect(),
            approximate: a.is_approximate() || b.is_approximate(),
        }
    }
}

impl RestrictionReport {
    fn new(block: &Block, restriction: &Restriction) -> RestrictionReport {
        let name = |n: &usize| block.declaration(block.inputs()[*n].register).name.clone();
        match restriction {
            Restriction::Domain(domain) => RestrictionReport::Domain(domain.to_string()),
            Restriction::Fixed(inputs) => RestrictionReport::Fix(inputs.iter().map(name).collect()),
        }
    }
}

fn ports(block: &Block, ports: &[ptxcvt_exec::Port], bits: &[u64]) -> Vec<PortReport> {
    ports.iter().zip(bits).map(|(port, bits)| PortReport::new(block, port, *bits)).collect()
}

/// The registers of a block that may be read before they are written.
fn undefined<'b>(name: &'static str, block: &'b Block) -> impl Iterator<Item = UndefinedReport> + 'b {
    block.possibly_undefined().into_iter().map(move |found| {
        let instruction = found.instruction.map(|at| &block.code()[at]);
        UndefinedReport {
            block: name,
            register: block.declaration(found.register).name.clone(),
            instruction: instruction.map(|i| block.instruction_text(i)),
            start: instruction.map(|i| i.span.start),
        }
    })
}
