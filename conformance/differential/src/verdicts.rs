//! What the assembler and the checker say of lines. A crash of the assembler is neither acceptance nor refusal.

use std::collections::BTreeMap;

use ptxcvt_conform::assembler::{Ptxas, Surroundings, Unusable, Verdict};
use ptxcvt_syntax::{CheckOptions, Severity, Source, check};

/// Lines per module.
pub const MODULE: usize = 2_500;

/// The assembler's verdicts on lines, each with its first message. The other lines are accepted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answers {
    pub refused: BTreeMap<usize, String>,
    /// The lines on which the assembler itself fails: there is nothing to compare.
    pub crashed: BTreeMap<usize, String>,
}

impl Answers {
    /// Asks the assembler.
    pub fn ask(ptxas: &Ptxas, arch: &str, head: &str, body: &[String]) -> Result<Answers, Unusable> {
        let lines: Vec<&str> = body.iter().map(String::as_str).collect();
        Ok(Answers::sort(ptxas.sift(Surroundings { head, arch }, &lines, MODULE)?))
    }

    fn sort(verdicts: Vec<Verdict>) -> Answers {
        let mut answers = Answers::default();
        for (at, verdict) in verdicts.into_iter().enumerate() {
            match verdict {
                Verdict::Accepted => None,
                Verdict::Rejected(message) => answers.refused.insert(at, message),
                Verdict::Crashed(message) => answers.crashed.insert(at, message),
            };
        }
        answers
    }

    /// How many of `count` lines are accepted.
    pub fn accepted(&self, count: usize) -> usize {
        count - self.refused.len() - self.crashed.len()
    }
}

/// The lines of `body` in which the checker finds an error, each with its last message. An error in the head, such as a
/// brace that a line leaves open, counts as one in the first line.
pub fn rejected(head: &str, body: &[String]) -> BTreeMap<usize, String> {
    let text = module(head, body);
    let source = Source::new("random.ptx", text.as_bytes());
    let before = head.lines().count();
    let report = check(&source, &CheckOptions::default());
    let errors = report.diagnostics.iter().filter(|d| d.severity() == Severity::Error);
    errors
        .map(|d| {
            (
                (source.position(d.span().start).line - 1).saturating_sub(before),
                format!("{} {}", d.code(), d.message()),
            )
        })
        .collect()
}

/// A module with this head and these lines.
pub fn module(head: &str, body: &[String]) -> String {
    Surroundings { head, arch: "" }.module(body.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_neither_acceptance_nor_refusal() {
        let crash = "ptxas fatal   : (C7907) Internal compiler error".to_owned();
        let verdicts =
            vec![Verdict::Accepted, Verdict::Crashed(crash.clone()), Verdict::Rejected("odd".into())];
        let answers = Answers::sort(verdicts);
        assert_eq!(answers.accepted(3), 1);
        assert_eq!(answers.refused, BTreeMap::from([(2, "odd".to_owned())]));
        assert_eq!(answers.crashed, BTreeMap::from([(1, crash)]));
    }
}
