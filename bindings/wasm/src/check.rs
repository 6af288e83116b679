//! The findings in a text that is being edited: a PTX module, a piece of inline assembly, or a source with PTX in it.

use std::cell::RefCell;
use std::ops::Range;

use ptxcvt::UnknownName;
use ptxcvt::targets::Machine;
use ptxcvt_syntax::parse::is_module;
use ptxcvt_syntax::report::{FindingReport, ModuleReport};
use ptxcvt_syntax::sources::{Language, LiveSource, check_source};
use ptxcvt_syntax::{CheckOptions, Code, Diagnostic, Findings, LiveModule, PtxCode, Source, suppress};
use serde::Serialize;

use crate::operand;

/// The most findings that are returned; more are counted.
const MOST: usize = 300;

/// The findings in the open text.
#[derive(Serialize)]
pub struct Judged {
    language: &'static str,
    /// The text is a piece of inline assembly.
    snippet: bool,
    findings: Vec<FindingReport>,
    /// How many findings there are, including those left out.
    count: usize,
    /// The text was not read to its end, so that there may be more.
    more: bool,
}

/// The conversions of a text.
#[derive(Serialize)]
pub struct Statistics {
    language: &'static str,
    #[serde(flatten)]
    module: ModuleReport,
    /// How much the text contains, and what was not judged, in sentences.
    contents: String,
    left_out: Vec<String>,
    /// The findings in the text, which is parsed again.
    judged: Judged,
}

/// The text in the editor, and the answers to what the user chose.
struct Open {
    /// The language, if it is not guessed.
    chosen: Option<Language>,
    machine: Machine,
    kind: Kind,
    text: Text,
}

/// What decides how a text is checked.
#[derive(Clone, Copy, PartialEq)]
struct Kind {
    language: Language,
    /// The text is a piece of inline assembly.
    snippet: bool,
}

/// An open text.
enum Text {
    /// A module, which is checked in parts.
    Module(Box<LiveModule>),
    /// A source with PTX in it; of C++ the function that was edited is checked.
    Source(Box<LiveSource>),
    /// A piece of inline assembly, which is checked as a whole.
    Snippet(String),
}

thread_local! {
    static OPEN: RefCell<Option<Open>> = const { RefCell::new(None) };
}

impl Kind {
    /// The kind of a text in the chosen language, or in the one that it seems to be in. It is decided after
    /// every edit, so it must be quick for long texts, too.
    fn of(text: &str, chosen: Option<Language>) -> Kind {
        let language = chosen.unwrap_or_else(|| Language::guess(text));
        Kind { language, snippet: language == Language::Ptx && !is_module(text) }
    }

    fn options(self, machine: Machine) -> CheckOptions {
        CheckOptions::default().machine(machine).snippet(self.snippet)
    }
}

/// The language of that name; `None` if it is to be guessed.
fn chosen(language: &str) -> Result<Option<Language>, String> {
    let known = |name: &str| name.parse().map_err(|unknown: UnknownName| unknown.to_string());
    (!language.is_empty()).then(|| known(language)).transpose()
}

/// Checks `text` and keeps it.
pub fn open(text: String, language: &str, target: &str, isa: &str) -> Result<Judged, String> {
    OPEN.with_borrow_mut(|open| {
        // If the new text cannot be opened, later edits must not change the previous one.
        *open = None;
        let (chosen, machine) = (chosen(language)?, operand::machine(target, isa)?);
        Ok(open.insert(Open::new(text, chosen, machine)).judge())
    })
}

/// Replaces a part of the open text, and returns what [`open`] returns for the edited text.
pub fn edit(range: Range<usize>, new: &str) -> Result<Judged, String> {
    OPEN.with_borrow_mut(|open| {
        let open = open.as_mut().ok_or("no text is open")?;
        let text = open.text();
        let fits = range.start <= range.end
            && text.is_char_boundary(range.start)
            && text.is_char_boundary(range.end);
        if !fits {
            return Err("the edit is outside the text".to_owned());
        }
        open.edit(range, new);
        Ok(open.judge())
    })
}

impl Open {
    fn new(text: String, chosen: Option<Language>, machine: Machine) -> Open {
        let kind = Kind::of(&text, chosen);
        let options = kind.options(machine);
        let text = match kind {
            Kind { snippet: true, .. } => Text::Snippet(text),
            Kind { language: Language::Ptx, .. } => Text::Module(Box::new(LiveModule::new(text, options))),
            Kind { language, .. } => Text::Source(Box::new(LiveSource::new(text, language, options))),
        };
        Open { chosen, machine, kind, text }
    }

    fn text(&self) -> &str {
        match &self.text {
            Text::Module(module) => module.text(),
            Text::Source(source) => source.text(),
            Text::Snippet(text) => text,
        }
    }

    /// Replaces a part of the text, whose kind may change.
    fn edit(&mut self, range: Range<usize>, new: &str) {
        match &mut self.text {
            Text::Module(module) => module.edit(range, new),
            Text::Source(source) => source.edit(range, new),
            Text::Snippet(text) => text.replace_range(range, new),
        }
        if Kind::of(self.text(), self.chosen) != self.kind {
            *self = Open::new(self.text().to_owned(), self.chosen, self.machine);
        }
    }

    fn judge(&mut self) -> Judged {
        let options = self.kind.options(self.machine);
        let mut diagnostics = match &mut self.text {
            Text::Module(module) => module.diagnostics(),
            Text::Source(source) => source.diagnostics().to_vec(),
            Text::Snippet(text) => whole(text, Language::Ptx, &options).diagnostics,
        };
        suppress(&Source::new("page", self.text().as_bytes()), &mut diagnostics);
        Judged::new(self.text(), self.kind, &diagnostics)
    }
}

impl Judged {
    fn new(text: &str, Kind { language, snippet }: Kind, diagnostics: &[Diagnostic]) -> Judged {
        // The note that the rest was not read is not a finding in the text.
        let unread = |one: &&Diagnostic| one.code() == Code::Ptx(PtxCode::Limit);
        let limits = diagnostics.iter().filter(unread).count();
        let count = diagnostics.len() - limits;
        let mut findings = Vec::new();
        // Most texts have no findings, and the lines of a long one take time to count.
        if !diagnostics.is_empty() {
            let source = Source::new("page", text.as_bytes());
            findings.extend(diagnostics.iter().take(MOST).map(|one| FindingReport::new(&source, one)));
        }
        Judged { language: language.name(), snippet, findings, count, more: limits > 0 }
    }
}

/// Checks a whole text.
fn whole(text: &str, language: Language, options: &CheckOptions) -> Findings {
    let source = Source::new("page", text.as_bytes());
    check_source(&source, language, options)
}

/// The conversions of a text, and its findings, for which nothing is taken from earlier texts.
pub fn statistics(text: &str, language: &str, target: &str, isa: &str) -> Result<Statistics, String> {
    let machine = operand::machine(target, isa)?;
    let kind = Kind::of(text, chosen(language)?);
    let mut found = whole(text, kind.language, &kind.options(machine));
    let source = Source::new("page", text.as_bytes());
    suppress(&source, &mut found.diagnostics);
    let judged = Judged::new(text, kind, &found.diagnostics);
    let mut module = ModuleReport::new(&source, &found);
    module.forms = module.by_use().into_iter().cloned().collect();
    let (contents, left_out) = (module.contents(), module.left_out());
    Ok(Statistics { language: kind.language.name(), module, contents, left_out, judged })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = ".version 9.1\n.target sm_90\n.entry k {\n .reg .b16 h; .reg .f32 f; // ä\n cvt.rn.f16.f32 h, f;\n}\n";

    /// An edit gives the findings of the edited text, and one outside the text is refused.
    #[test]
    fn edits() {
        assert_eq!(open(MODULE.to_owned(), "", "", "").unwrap().count, 0);
        let at = MODULE.find("rn").unwrap();
        let judged = edit(at..at + 2, "rna").unwrap();
        assert_eq!((judged.count, judged.findings[0].code, judged.language), (1, "CVT007", "ptx"));
        let inside = MODULE.find('ä').unwrap() + 1;
        for (start, end) in [(inside, inside), (5, 4), (0, 9999)] {
            assert!(edit(start..end, "x").is_err());
        }
        assert_eq!(edit(at..at + 3, "rn").unwrap().count, 0);
    }

    /// Comments suppress findings, after edits as well.
    #[test]
    fn ignored() {
        let wrong = MODULE.replace("rn.f16.f32 h, f;", "f16.f32 h, f; // ptxcvt: ignore[CVT006]");
        assert_eq!(open(wrong.clone(), "", "", "").unwrap().count, 0);
        assert_eq!(statistics(&wrong, "", "", "").unwrap().judged.count, 0);
        let at = wrong.find("CVT006").unwrap();
        assert_eq!(edit(at..at + 6, "CVT7").unwrap().count, 2);
    }

    /// A text with too many errors is not read to its end, and this does not count as a finding.
    #[test]
    fn too_many_errors() {
        let judged = open("= 5;\n".repeat(2000), "ptx", "", "").unwrap();
        assert_eq!((judged.count, judged.more, judged.findings.len()), (1000, true, MOST));
        assert!(!open("= 5;\n".repeat(20), "ptx", "", "").unwrap().more);
    }

    #[test]
    fn sources() {
        let cpp = include_str!("../../../tests/cu/fp8.cu");
        let judged = open(cpp.to_owned(), "", "", "").unwrap();
        assert_eq!(judged.language, "c++");
        let all = statistics(cpp, "", "", "").unwrap();
        assert!(all.module.conversions > 3, "{}", all.module.conversions);
        assert_eq!(serde_json::to_string(&all.judged).unwrap(), serde_json::to_string(&judged).unwrap());
        assert!(open(String::new(), "cobol", "", "").is_err());
        assert!(open(String::new(), "", "sm_999", "").is_err());
    }
}
