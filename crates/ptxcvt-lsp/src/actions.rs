//! Fixes as code actions: one for each finding, and one for all safe fixes.

use std::collections::HashMap;
use std::ops::Range;

use lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, TextEdit, WorkspaceEdit,
};
use ptxcvt_syntax::fix::{Applicability, Fix, distinct, fix};
use ptxcvt_syntax::{Source, Span};

use crate::diagnostics::diagnostic;
use crate::document::Document;

/// The kind of the action that makes all safe fixes.
pub const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.ptxcvt");

/// In longer texts the action for all fixes is computed only on request.
const MAX_UNASKED: usize = 1 << 20;

/// The actions for a part of a file.
pub fn actions(
    document: &Document,
    range: &Range<usize>,
    context: &CodeActionContext,
) -> Vec<CodeActionOrCommand> {
    let mut all = Vec::new();
    if asks_for(context, &CodeActionKind::QUICKFIX) {
        all.extend(quick_fixes(document, range));
    }
    let unasked = context.only.is_none();
    if asks_for(context, &FIX_ALL) && !(unasked && document.text().len() > MAX_UNASKED) {
        all.extend(fix_all(document));
    }
    all.into_iter().map(CodeActionOrCommand::CodeAction).collect()
}

/// True if the client requests this kind, one that includes it, or any.
fn asks_for(context: &CodeActionContext, kind: &CodeActionKind) -> bool {
    let includes = |wanted: &CodeActionKind| {
        let (wanted, kind) = (wanted.as_str(), kind.as_str());
        wanted.is_empty()
            || kind == wanted
            || kind.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'))
    };
    context.only.as_ref().is_none_or(|only| only.iter().any(includes))
}

fn quick_fixes(document: &Document, range: &Range<usize>) -> Vec<CodeAction> {
    let touches = |span: Span| span.start as usize <= range.end && range.start <= span.end as usize;
    let near = || document.found.iter().filter(|found| touches(found.span()));
    let action = |wanted: &Fix| {
        let edits = wanted.edits().iter();
        let edits = edits
            .map(|edit| TextEdit { range: document.range(edit.span), new_text: edit.text.to_string() })
            .collect();
        let same = near().filter(|found| found.fix().is_some_and(|fix| fix.edits() == wanted.edits()));
        CodeAction {
            title: title(wanted.title()),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(same.map(|found| diagnostic(document, found)).collect()),
            edit: Some(workspace_edit(document, edits)),
            is_preferred: (wanted.applicability() == Applicability::Safe).then_some(true),
            ..CodeAction::default()
        }
    };
    distinct(near().filter_map(|found| found.fix())).into_iter().map(action).collect()
}

/// All safe fixes as one edit, from the first to the last difference.
fn fix_all(document: &Document) -> Option<CodeAction> {
    let safe = |found: &&ptxcvt_syntax::Diagnostic| {
        found.fix().is_some_and(|fix| fix.applicability() == Applicability::Safe)
    };
    document.found.iter().find(safe)?;
    let before = document.text();
    let source = Source::new(document.name(), before.as_bytes());
    let fixed = fix(&source, Applicability::Safe, |source| document.check(source));
    let after = &*fixed.text;
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| {
        pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>()
    };
    let start = same(&mut before.chars().zip(after.chars()));
    let end = same(&mut before[start..].chars().rev().zip(after[start..].chars().rev()));
    let range = document.range(Span::new(start as u32, (before.len() - end) as u32));
    let edit = TextEdit { range, new_text: after[start..after.len() - end].to_owned() };
    let count = fixed.count();
    (count > 0).then(|| CodeAction {
        title: format!("Apply all safe fixes ({count})"),
        kind: Some(FIX_ALL),
        edit: Some(workspace_edit(document, vec![edit])),
        ..CodeAction::default()
    })
}

fn workspace_edit(document: &Document, edits: Vec<TextEdit>) -> WorkspaceEdit {
    // A URI compares by its text, and the keys are not modified.
    #[allow(clippy::mutable_key_type)]
    let changes = HashMap::from([(document.uri.clone(), edits)]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

/// A title with a capital first letter, as in menus.
fn title(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
