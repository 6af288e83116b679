//! The answer: whether two blocks return the same bits.

use std::fmt;

use super::compare::Question;
use super::kinds::Kinds;
use super::obstacle::Obstacle;
use super::plan::Method;
use super::results::Results;

/// The result of [`prove`](super::prove()).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How the inputs were chosen.
    pub method: Method,
    /// The number of inputs that were compared. If the outputs were split into parts, this is the sum over the parts.
    /// For a search ([`Method::Sampled`]), it is the number of trials, which may repeat an input.
    pub compared: u64,
    /// The number of inputs that were skipped because they are outside the domain.
    pub skipped: u64,
    /// A difference. `None` if none was found.
    pub difference: Option<Difference>,
    /// Why the answer is not proven. `None` if it is proven.
    pub obstacle: Option<Obstacle>,
}

/// The three possible conclusions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The blocks are equal on every input of the domain.
    Proven,
    /// The blocks differ on at least one input.
    Different,
    /// No difference was found, but not every input was tried.
    NotProven,
}

impl Verdict {
    /// The name of the conclusion.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Proven => "proven",
            Verdict::Different => "different",
            Verdict::NotProven => "not proven",
        }
    }
}

/// The difference of two blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The smallest of the compared inputs on which the blocks differ, ordered by the first operand, then the second,
    /// and so on. With [`first`](super::Options::first), the inputs that were found first.
    pub inputs: Vec<u64>,
    /// These inputs as the second block has them: a byte may be extended into a wider register ([`input_bits`]).
    ///
    /// [`input_bits`]: super::input_bits
    pub inputs_of_b: Vec<u64>,
    /// The results of the first block.
    pub a: Vec<u64>,
    /// The results of the second block.
    pub b: Vec<u64>,
    /// The number of compared inputs on which the blocks differ, without duplicates. `None` if it is unknown: a search
    /// found more than [`MOST_COUNTED`](Self::MOST_COUNTED), or the inputs were tried by parts or by values.
    pub count: Option<u64>,
    /// The number of trials in which the blocks differ. A search may try an input several times.
    pub trials: u64,
    /// The differing inputs by kind, or the trials if `count` is unknown.
    pub kinds: Kinds,
    /// True if the search stopped at the first difference. Then `count`, `trials` and `kinds` do not cover other
    /// inputs.
    pub stopped: bool,
}

impl Difference {
    /// Limit on the differing inputs that a search counts without duplicates.
    pub const MOST_COUNTED: u64 = 1 << 20;

    /// This difference without the others that were found with it. `None` if the whole results are equal, up to NaN if
    /// the question says so.
    pub(super) fn alone(self, question: &Question<'_>) -> Option<Difference> {
        let mut results = self.a.iter().zip(&self.b).enumerate();
        if results.all(|(at, (a, b))| question.agree(at, *a, *b, u64::MAX)) {
            return None;
        }
        let whole = vec![u64::MAX; self.a.len()];
        let kinds = Kinds::of(question, &self.inputs, &Results::new(question, &self.a, &self.b, &whole));
        Some(Difference { count: None, trials: 1, kinds, stopped: true, ..self })
    }
}

impl Answer {
    /// The conclusion.
    pub fn verdict(&self) -> Verdict {
        match (&self.difference, &self.method) {
            (Some(_), _) => Verdict::Different,
            (None, Method::Sampled) => Verdict::NotProven,
            (None, _) => Verdict::Proven,
        }
    }

    /// True if the blocks are equal on every input of the domain.
    pub fn is_proof(&self) -> bool {
        self.verdict() == Verdict::Proven
    }
}

impl fmt::Display for Answer {
    /// The verdict in a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let among = match self.skipped {
            0 => String::new(),
            skipped => format!(" ({skipped} outside the domain left out)"),
        };
        match (&self.difference, &self.method) {
            (Some(Difference { stopped: true, .. }), _) => {
                f.write_str("different: stopped at the first difference")
            }
            (Some(Difference { count, trials, .. }), Method::Sampled) => {
                let inputs = match count {
                    Some(count) => ptxcvt::counted(*count, "input").to_string(),
                    None => format!("more than {}", ptxcvt::counted(Difference::MOST_COUNTED, "input")),
                };
                let compared = ptxcvt::counted(self.compared, "trial");
                write!(f, "different: on {inputs}, found in {trials} of {compared}{among}")
            }
            (Some(Difference { trials, .. }), Method::ByParts { parts }) => {
                let compared = ptxcvt::counted(self.compared, "trial");
                let parts = ptxcvt::counted(parts.len() as u64, "independent part");
                write!(f, "different: in {trials} of {compared} of {parts}{among}")
            }
            (Some(Difference { count: Some(count), .. }), _) => {
                let compared = ptxcvt::counted(self.compared, "input");
                write!(f, "different: on {count} of {compared}{among}")
            }
            (Some(Difference { trials, .. }), _) => {
                let combinations = ptxcvt::counted(*trials, "combination");
                write!(f, "different: for {combinations} of intermediate element values")
            }
            (None, Method::Identical) => {
                f.write_str("equal instruction by instruction, with the same operands; no input was tried")
            }
            (None, Method::Exhaustive { .. }) if self.compared == 1 => {
                write!(f, "equal on the only input{among}")
            }
            (None, Method::Exhaustive { .. }) => {
                write!(f, "equal on all {}{among}", ptxcvt::counted(self.compared, "input"))
            }
            (None, Method::ByParts { parts }) => {
                write!(
                    f,
                    "equal: {}, each on all its inputs, {} in total{among}",
                    ptxcvt::counted(parts.len() as u64, "independent part"),
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
                let compared = ptxcvt::counted(self.compared, "trial");
                write!(f, "no difference found in {compared}{among}; not all inputs were tried")
            }
        }
    }
}
