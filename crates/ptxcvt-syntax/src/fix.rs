//! Applies fixes to a text. Edits that do not overlap are made in one round; rounds are repeated until there are no
//! more fixes.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::check::Findings;
use crate::code::Code;
use crate::source::{Source, Span};

pub use crate::edit::{Applicability, Edit, Fix};

/// A text after its fixes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fixed {
    /// The text.
    pub text: String,
    /// The number of fixed findings by code.
    pub fixed: BTreeMap<Code, usize>,
    /// The findings in the new text.
    pub left: Findings,
}

impl Fixed {
    /// The number of fixed findings.
    pub fn count(&self) -> usize {
        self.fixed.values().sum()
    }
}

/// The most rounds, as a guard against fixes that undo each other.
const MAX_ROUNDS: usize = 100;

/// Applies all fixes up to `limit`, round by round, because an edit can uncover another finding. A check of the result
/// has no findings that could be fixed.
///
/// ```
/// use ptxcvt_syntax::fix::{Applicability, fix};
/// use ptxcvt_syntax::{CheckOptions, Source, check};
/// let source = Source::new("k.ptx", b"cvt.rn.e4m3x2.f32 %0, %1, %2;");
/// let options = CheckOptions::default().snippet(true);
/// let fixed = fix(&source, Applicability::Safe, |source| check(source, &options));
/// assert_eq!(fixed.text, "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;");
/// assert_eq!((fixed.count(), fixed.left.errors()), (1, 0));
/// ```
pub fn fix(source: &Source<'_>, limit: Applicability, check: impl Fn(&Source<'_>) -> Findings) -> Fixed {
    let mut left = check(source);
    let mut fixed = BTreeMap::new();
    let mut text = source.text().to_owned();
    for _ in 0..MAX_ROUNDS {
        let (next, codes) = round(&text, &left, limit);
        if codes.is_empty() {
            break;
        }
        codes.into_iter().for_each(|code| *fixed.entry(code).or_insert(0) += 1);
        text = next;
        left = check(&Source::new(source.name(), text.as_bytes()));
    }
    Fixed { text, fixed, left }
}

/// One round. Of overlapping fixes the first one is made. Returns the new text and the codes of the fixed findings.
fn round(text: &str, found: &Findings, limit: Applicability) -> (String, Vec<Code>) {
    let mut taken: BTreeMap<(u32, u32), &Arc<str>> = BTreeMap::new();
    let mut codes = Vec::new();
    let free = |taken: &BTreeMap<(u32, u32), &Arc<str>>, edit: &Edit| {
        let Span { start, end } = edit.span;
        // Earlier edits must end at its beginning or before, later ones begin at its end or after.
        let before = taken.range(..(start, 0)).next_back().is_none_or(|((_, last), _)| *last <= start);
        let within = taken.range((start, 0)..(end.max(start + 1), 0)).next();
        before && within.is_none_or(|((from, to), _)| *from >= end && start != end && from != to)
    };
    for diagnostic in &found.diagnostics {
        let Some(fix) = diagnostic.fix().filter(|fix| fix.applicability() <= limit) else { continue };
        let same =
            |edit: &Edit| taken.get(&(edit.span.start, edit.span.end)).is_some_and(|t| **t == edit.text);
        let fits = fix.edits().iter().all(|edit| {
            let there = text.get(edit.span.range());
            there.is_some_and(|there| *there != *edit.text) && (same(edit) || free(&taken, edit))
        });
        if fits {
            taken.extend(fix.edits().iter().map(|edit| ((edit.span.start, edit.span.end), &edit.text)));
            codes.push(diagnostic.code());
        }
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for ((start, end), new) in taken {
        out.push_str(&text[at..start as usize]);
        out.push_str(new);
        at = end as usize;
    }
    out.push_str(&text[at..]);
    (out, codes)
}

/// The different fixes among `fixes`: an editor offers a fix of several findings once.
pub fn distinct<'d>(fixes: impl Iterator<Item = &'d Fix>) -> Vec<&'d Fix> {
    let mut seen = HashSet::new();
    fixes.filter(|fix| seen.insert(fix.edits())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Diagnostic, PtxCode};

    fn after(text: &str, edits: &[(u32, u32, &str)]) -> (String, usize) {
        let mut found = Findings::default();
        for (start, end, new) in edits {
            let span = Span::new(*start, *end);
            let fix = Fix::new(Applicability::Safe, "", span, *new);
            found.diagnostics.push(Diagnostic::new(PtxCode::Syntax, span, "").with_fix(fix));
        }
        let (text, codes) = round(text, &found, Applicability::Unsafe);
        (text, codes.len())
    }

    #[test]
    fn edits_that_overlap_wait() {
        assert_eq!(after("abcdef", &[(1, 3, "X"), (2, 4, "Y"), (3, 4, "Z")]), ("aXZef".into(), 2));
        // An edit that two findings share is made once and counts twice.
        assert_eq!(after("abcdef", &[(1, 3, "X"), (1, 3, "X"), (1, 3, "Y")]), ("aXdef".into(), 2));
        assert_eq!(after("abcdef", &[(2, 2, ";"), (2, 2, ";"), (2, 2, ",")]), ("ab;cdef".into(), 2));
        assert_eq!(after("abcdef", &[(4, 6, "X"), (0, 5, "Y"), (0, 4, "Z")]), ("ZX".into(), 2));
        // An edit without an effect is not made.
        assert_eq!(after("abcdef", &[(0, 2, "ab")]), ("abcdef".into(), 0));
    }
}
