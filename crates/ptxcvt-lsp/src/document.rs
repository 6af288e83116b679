//! A file that is open in the editor: its text, its language and its findings.

use std::ops::Range;
use std::path::{Path, PathBuf};

use lsp_types::{Position, TextDocumentContentChangeEvent, Uri};
use ptxcvt::targets::Machine;
use ptxcvt_syntax::sources::{AsmOperand, Assembly, Language, assemblies, check_source};
use ptxcvt_syntax::{CheckOptions, Diagnostic, Findings, LiveModule, Source, Span};

use crate::lines::{Lines, Units};
use crate::rules::Rules;

/// The longest text in bytes: places in it are 32-bit numbers.
const MAX_TEXT: usize = 1 << 30;

/// An open file.
pub struct Document {
    pub uri: Uri,
    pub version: i32,
    pub language: Language,
    pub lines: Lines,
    /// The findings of the last check, in the order of the text.
    pub found: Vec<Diagnostic>,
    /// Which findings count.
    pub rules: Box<dyn Rules>,
    pub options: CheckOptions,
    content: Content,
    units: Units,
}

enum Content {
    Module(Box<LiveModule>),
    Source(String),
}

/// The PTX at a place of a file: the text, the place in it, and how its places map to those of the file.
pub struct Here<'d> {
    pub text: &'d str,
    pub at: usize,
    pub machine: Machine,
    assembly: Option<&'d Assembly>,
}

impl Here<'_> {
    /// The operands of the inline assembly; empty in a module.
    pub fn operands(&self) -> &[AsmOperand] {
        self.assembly.map_or(&[], Assembly::operands)
    }

    /// The place in the file, or `None` if it cannot be edited there.
    pub fn outside(&self, span: Span) -> Option<Span> {
        match self.assembly {
            Some(assembly) => assembly.locate(span),
            None => Some(span),
        }
    }
}

/// The path of a file URI, or `None` for other URIs.
pub fn path(uri: &Uri) -> Option<PathBuf> {
    if uri.scheme()?.as_str() != "file" {
        return None;
    }
    let path = uri.path().as_estr().decode().into_string().ok()?.into_owned();
    // `/C:/folder`
    let drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { &path[1..] } else { &path }))
}

/// The language of a file: by its name, else by the language that the editor sent.
pub fn language(path: Option<&Path>, id: &str) -> Option<Language> {
    path.and_then(Language::of).or_else(|| Language::of_id(id))
}

impl Document {
    pub fn new(
        uri: Uri,
        (version, language): (i32, Language),
        text: String,
        (rules, options): (Box<dyn Rules>, CheckOptions),
        units: Units,
    ) -> Self {
        let lines = Lines::new(&text);
        let content = content(text, language, options);
        Document { uri, version, language, lines, found: Vec::new(), rules, options, content, units }
    }

    /// Replaces the rules.
    pub fn rule(&mut self, rules: Box<dyn Rules>, options: CheckOptions) {
        self.rules = rules;
        if options != self.options {
            self.options = options;
            self.content = content(self.text().to_owned(), self.language, options);
        }
    }

    pub fn text(&self) -> &str {
        match &self.content {
            Content::Module(module) => module.text(),
            Content::Source(text) => text,
        }
    }

    pub fn position(&self, byte: u32) -> Position {
        self.lines.position(self.text(), byte as usize, self.units)
    }

    pub fn range(&self, span: Span) -> lsp_types::Range {
        lsp_types::Range::new(self.position(span.start), self.position(span.end.max(span.start)))
    }

    /// The byte at a position, which is clamped to the text.
    pub fn byte(&self, position: Position) -> usize {
        self.lines.byte(self.text(), position, self.units)
    }

    /// The bytes of a range. Its ends are swapped if the range ends before it begins.
    pub fn bytes(&self, range: lsp_types::Range) -> Range<usize> {
        let (start, end) = (self.byte(range.start), self.byte(range.end));
        start.min(end)..start.max(end)
    }

    /// Applies an edit; an error if the text becomes too long.
    pub fn change(&mut self, change: &TextDocumentContentChangeEvent) -> Result<(), String> {
        if self.text().len() + change.text.len() > MAX_TEXT {
            return Err(format!("a file of more than {MAX_TEXT} bytes is not checked"));
        }
        let Some(range) = change.range else {
            self.lines = Lines::new(&change.text);
            self.content = content(change.text.clone(), self.language, self.options);
            return Ok(());
        };
        let range = self.bytes(range);
        match &mut self.content {
            Content::Module(module) => module.edit(range.clone(), &change.text),
            Content::Source(text) => text.replace_range(range.clone(), &change.text),
        }
        let text = match &self.content {
            Content::Module(module) => module.text(),
            Content::Source(text) => text,
        };
        self.lines.edit(text, &range, change.text.len());
        Ok(())
    }

    /// Updates the findings after edits.
    pub fn judge(&mut self) {
        let name = self.name();
        let mut found = Findings::default();
        match &mut self.content {
            Content::Module(module) => found.diagnostics = module.diagnostics(),
            Content::Source(text) => {
                let source = Source::new(&*name, text.as_bytes());
                found = check_source(&source, self.language, &self.options);
            }
        }
        let source = Source::new(name, self.text().as_bytes());
        found = self.rules.filter(&source, found);
        self.found = found.diagnostics;
    }

    /// The name under which the rules know the file.
    pub fn name(&self) -> String {
        path(&self.uri).map_or_else(|| self.uri.as_str().to_owned(), |path| path.display().to_string())
    }

    /// The findings in another text of this file.
    pub fn check(&self, source: &Source<'_>) -> Findings {
        self.rules.filter(source, check_source(source, self.language, &self.options))
    }

    /// Applies edits of `.target` and `.version` to what [`here`](Self::here) returns. Other files have no such state.
    pub fn refresh(&mut self) {
        if let Content::Module(module) = &mut self.content {
            module.refresh();
        }
    }

    /// Calls `ask` with the PTX at a byte of the file; `None` if there is no PTX.
    pub fn here<T>(&self, byte: usize, ask: impl FnOnce(&Here<'_>) -> Option<T>) -> Option<T> {
        match &self.content {
            Content::Module(module) => {
                let here = Here { text: module.text(), at: byte, machine: module.machine(), assembly: None };
                ask(&here)
            }
            Content::Source(text) => {
                let all = assemblies(text, self.language);
                let found = all.iter().find_map(|assembly| {
                    let span = assembly.span();
                    let near = (span.start as usize..=span.end as usize).contains(&byte);
                    // In Python a call may use a string that is defined elsewhere.
                    let near = near || self.language == Language::Python;
                    let at = assembly.inside(byte as u32).filter(|_| near)? as usize;
                    Some((assembly, at))
                });
                let (assembly, at) = found?;
                let machine = assembly.machine(&self.options);
                ask(&Here { text: assembly.text(), at, machine, assembly: Some(assembly) })
            }
        }
    }
}

fn content(text: String, language: Language, options: CheckOptions) -> Content {
    match language {
        Language::Ptx => Content::Module(Box::new(LiveModule::new(text, options))),
        _ => Content::Source(text),
    }
}

#[cfg(test)]
mod tests {
    use super::language;

    /// The editors' settings name languages that the server reads, and every one of them.
    #[test]
    fn editors_name_the_servers_languages() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
        let ids = ["ptx", "cuda", "cpp", "c", "python", "rust", "llvm", "mlir"];
        for file in
            ["editors/vscode/package.json", "editors/vscode/src/extension.ts", "editors/neovim/ptxcvt.lua"]
        {
            let text = std::fs::read_to_string(format!("{root}{file}")).expect("a file of the repository");
            for id in ids {
                assert!(language(None, id).is_some(), "{id}");
                let named =
                    text.contains(&format!("\"{id}\"")) || text.contains(&format!("\"onLanguage:{id}\""));
                assert!(named, "{file}: {id}");
            }
        }
        assert_ne!(language(None, "mlir"), language(None, "llvm"));
    }
}
