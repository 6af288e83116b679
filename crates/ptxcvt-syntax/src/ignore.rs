//! Comments that suppress findings, and the beginnings of codes that they and options name.

use std::fmt;
use std::str::FromStr;

use crate::code::{Code, PtxCode};
use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};

/// A code, or the beginning of several.
///
/// ```
/// use ptxcvt_syntax::{Code, CodePrefix};
/// let warnings: CodePrefix = "cvt3".parse()?;
/// assert!(warnings.matches("CVT302".parse()?) && !warnings.matches("CVT006".parse()?));
/// assert!("CVT999".parse::<CodePrefix>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodePrefix(String);

/// The error for a text with which no code begins.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CodePrefixError(String);

impl CodePrefix {
    /// True if the code is this one or begins with it.
    pub fn matches(&self, code: Code) -> bool {
        code.as_str().starts_with(&self.0)
    }

    /// The text, in capitals.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CodePrefix {
    type Err = CodePrefixError;

    /// Reads at least the three letters, in upper or lower case.
    fn from_str(text: &str) -> Result<Self, CodePrefixError> {
        let code = CodePrefix(text.trim().to_ascii_uppercase());
        match code.0.len() >= 3 && Code::all().any(|known| code.matches(known)) {
            true => Ok(code),
            false => Err(CodePrefixError(code.0)),
        }
    }
}

impl fmt::Display for CodePrefixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no code begins with `{}`: expected a code such as CVT302, or a prefix such as CVT3",
            self.0
        )
    }
}

impl std::error::Error for CodePrefixError {}

/// The beginning of a comment that suppresses findings on its line and on the next one.
const MARK: &str = "ptxcvt: ignore";

/// A comment that suppresses findings.
struct Ignore {
    /// Its line.
    line: usize,
    /// The codes that the comment suppresses. `None` for all codes.
    codes: Option<Vec<CodePrefix>>,
}

/// Removes the findings that comments of the source suppress, such as `ptxcvt: ignore[CVT302]`. A comment whose codes
/// are invalid becomes a finding.
///
/// ```
/// use ptxcvt_syntax::{CheckOptions, Source, check, suppress};
/// let source = Source::new("snippet", b"cvt.f16.f32 %0, %1; // ptxcvt: ignore[CVT006]");
/// let mut found = check(&source, &CheckOptions::default().snippet(true)).diagnostics;
/// assert_eq!(found.len(), 1);
/// suppress(&source, &mut found);
/// assert!(found.is_empty());
/// ```
pub fn suppress(source: &Source<'_>, found: &mut Vec<Diagnostic>) {
    let (ignores, invalid) = ignores(source);
    if !ignores.is_empty() {
        found.retain(|one| {
            let line = source.position(one.span().start).line;
            let near = |ignore: &&Ignore| ignore.line == line || ignore.line + 1 == line;
            !ignores.iter().filter(near).any(|ignore| ignore.suppresses(one.code()))
        });
    }
    for one in invalid {
        let at = found.partition_point(|other| other.span().start <= one.span().start);
        found.insert(at, one);
    }
}

impl Ignore {
    fn suppresses(&self, code: Code) -> bool {
        self.codes.as_ref().is_none_or(|codes| codes.iter().any(|prefix| prefix.matches(code)))
    }
}

/// The comments that suppress findings, and the findings in such comments.
fn ignores(source: &Source<'_>) -> (Vec<Ignore>, Vec<Diagnostic>) {
    let (text, mut all, mut invalid) = (source.text(), Vec::new(), Vec::new());
    for (start, _) in text.match_indices(MARK) {
        let at = start + MARK.len();
        let rest = text[at..].split(['\n', '\r']).next().unwrap_or_default();
        let mut report = |from: usize, length: usize, message: String| {
            let span = Span::new(from as u32, (from + length) as u32);
            invalid.push(Diagnostic::new(PtxCode::Ignore, span, message));
        };
        let codes = match rest.trim_start() {
            list if list.starts_with('[') => {
                let open = at + rest.len() - list.len() + 1;
                let Some((list, _)) = list[1..].split_once(']') else {
                    report(start, MARK.len(), "`]` is missing after `ptxcvt: ignore[`".to_owned());
                    continue;
                };
                let mut codes = Vec::new();
                let mut from = open;
                for part in list.split(',') {
                    match part.parse() {
                        Ok(code) => codes.push(code),
                        Err(error) => {
                            let blank = part.len() - part.trim_start().len();
                            let length = part.trim().len().max(1);
                            report(from + blank, length, CodePrefixError::to_string(&error));
                        }
                    }
                    from += part.len() + 1;
                }
                Some(codes)
            }
            // The codes lack their brackets.
            word if word.get(..3).is_some_and(|letters| letters.eq_ignore_ascii_case("CVT")) => {
                report(
                    start,
                    MARK.len(),
                    "codes are written in brackets: `ptxcvt: ignore[CVT302]`".to_owned(),
                );
                continue;
            }
            // `ptxcvt: ignored`
            _ if rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-')) => continue,
            _ => None,
        };
        all.push(Ignore { line: source.position(start as u32).line, codes });
    }
    (all, invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes that remain of CVT006, CVT101 and CVT302 in the line after a comment, and those in the comment.
    fn left(comment: &str) -> Vec<String> {
        let text = format!("// {comment}\nx\n");
        let source = Source::new("k.cu", text.as_bytes());
        let at = text.len() as u32 - 2;
        let codes = ["CVT006", "CVT101", "CVT302"].map(|code| code.parse::<Code>().expect("a code"));
        let found = codes.map(|code| Diagnostic::new(code, Span::new(at, at + 1), ""));
        let mut found = found.to_vec();
        suppress(&source, &mut found);
        found.iter().map(|one| one.code().to_string()[3..].to_owned()).collect()
    }

    #[test]
    fn a_comment_hides_what_it_names() {
        for (comment, expected) in [
            ("ptxcvt: ignore", &[][..]),
            ("ptxcvt: ignore, because", &[]),
            ("ptxcvt: ignore */", &[]),
            ("ptxcvt: ignore[CVT]", &[]),
            ("ptxcvt: ignore[CVT0, CVT101]", &["302"]),
            ("ptxcvt: ignore[cvt006]", &["101", "302"]),
            ("ptxcvt: ignore [CVT101]", &["006", "302"]),
            ("ptxcvt: ignore[CVT006] ptxcvt: ignore[CVT302]", &["101"]),
            // Invalid comments hide no more than they say.
            ("ptxcvt: ignored", &["006", "101", "302"]),
            ("ptxcvt: ignore-all", &["006", "101", "302"]),
            ("ptxcvt: ignore[C]", &["307", "006", "101", "302"]),
            ("ptxcvt: ignore[CVT999]", &["307", "006", "101", "302"]),
            ("ptxcvt: ignore[CVT999, CVT006]", &["307", "101", "302"]),
            ("ptxcvt: ignore[]", &["307", "006", "101", "302"]),
            ("ptxcvt: ignore[CVT006", &["307", "006", "101", "302"]),
            ("ptxcvt: ignore CVT006", &["307", "006", "101", "302"]),
        ] {
            assert_eq!(left(comment), expected, "{comment}");
        }
    }

    #[test]
    fn a_comment_hides_on_its_line_and_the_next() {
        let text = "a // ptxcvt: ignore\nb\nc\n";
        let source = Source::new("k.cu", text.as_bytes());
        let code = "CVT006".parse::<Code>().expect("a code");
        let places = ['a', 'b', 'c'].map(|c| text.find(&format!("{c}{}", if c == 'a' { " " } else { "\n" })));
        let mut found = Vec::from(places.map(|at| {
            let at = at.expect("a place") as u32;
            Diagnostic::new(code, Span::new(at, at + 1), "")
        }));
        suppress(&source, &mut found);
        assert_eq!(found.iter().map(|one| source.slice(one.span())).collect::<Vec<_>>(), ["c"]);
    }
}
