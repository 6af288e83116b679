//! Completions of an unfinished opcode.

use lsp_types::{CompletionItem, CompletionItemKind, CompletionItemTag, CompletionTextEdit, TextEdit};
use ptxcvt::{Spelling, counted};
use ptxcvt_syntax::{Completion, CompletionKind, Span, complete};

use crate::document::{Document, Here};
use crate::opcode;

/// The completions at a byte of a file.
pub fn items(document: &Document, byte: usize) -> Vec<CompletionItem> {
    document.here(byte, |here| at(document, here)).unwrap_or_default()
}

fn at(document: &Document, here: &Here<'_>) -> Option<Vec<CompletionItem>> {
    let (start, begun) = opcode::begun(here.text, here.at)?;
    let offered = complete(begun, here.machine);
    // After the last dot; the name `cvt.pack` contains a dot itself.
    let dot = begun.rfind('.').map_or(0, |n| n + 1);
    let span = here.outside(Span::new((start + dot) as u32, here.at as u32))?;
    let range = document.range(span);
    let item = |(n, completion): (usize, &Completion)| {
        let elsewhere = completion.legal == 0;
        let forms = counted(completion.forms, "form").to_string();
        let place = if elsewhere { format!(", none for {}", here.machine) } else { String::new() };
        CompletionItem {
            label: completion.name.to_owned(),
            kind: Some(match completion.kind {
                CompletionKind::Type => CompletionItemKind::STRUCT,
                CompletionKind::Instruction => CompletionItemKind::FUNCTION,
                CompletionKind::Rounding | CompletionKind::Modifier => CompletionItemKind::ENUM_MEMBER,
            }),
            detail: Some(format!(
                "{}: {}",
                completion.kind.name(),
                meaning(completion).unwrap_or(forms.clone())
            )),
            documentation: Some(lsp_types::Documentation::String(format!(
                "`{}` leads to {forms}{place}.",
                completion.opcode
            ))),
            // Keeps the order of `complete`.
            sort_text: Some(format!("{n:03}")),
            filter_text: Some(completion.name.to_owned()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range,
                new_text: completion.name.to_owned(),
            })),
            tags: elsewhere.then(|| vec![CompletionItemTag::DEPRECATED]),
            ..CompletionItem::default()
        }
    };
    Some(offered.iter().enumerate().map(item).collect())
}

/// The meaning of the offered part.
fn meaning(completion: &Completion) -> Option<String> {
    let (part, _) = Spelling::new(&completion.opcode).parts().last()?;
    ptxcvt_syntax::meaning(part).filter(|_| part.name() == Some(completion.name))
}
