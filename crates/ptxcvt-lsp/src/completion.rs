//! How an opcode that is being written can go on.

use lsp_types::{CompletionItem, CompletionItemKind, CompletionItemTag, CompletionTextEdit, TextEdit};
use ptxcvt::Spelling;
use ptxcvt_syntax::{Completion, Span, complete};

use crate::document::{Document, Here};
use crate::opcode;
use crate::words;

/// The completions at a byte of a file.
pub fn items(document: &Document, byte: usize) -> Vec<CompletionItem> {
    document.here(byte, |here| at(document, here)).unwrap_or_default()
}

fn at(document: &Document, here: &Here<'_>) -> Option<Vec<CompletionItem>> {
    let (start, begun) = opcode::begun(here.text, here.at)?;
    let offered = complete(begun, here.machine);
    // Behind the last dot; `cvt.pack` is a name with a dot of its own.
    let dot = begun.rfind('.').map_or(0, |n| n + 1);
    let span = here.outside(Span::new((start + dot) as u32, here.at as u32))?;
    let range = document.range(span);
    let item = |(n, completion): (usize, &Completion)| {
        let elsewhere = completion.legal == 0;
        let forms = match completion.forms {
            1 => "1 form".to_owned(),
            n => format!("{n} forms"),
        };
        let place = if elsewhere { format!(", none for {}", here.machine) } else { String::new() };
        CompletionItem {
            label: completion.name.to_owned(),
            kind: Some(match completion.kind {
                "type" => CompletionItemKind::STRUCT,
                "instruction" => CompletionItemKind::FUNCTION,
                _ => CompletionItemKind::ENUM_MEMBER,
            }),
            detail: Some(format!("{}: {}", completion.kind, meaning(completion).unwrap_or(forms.clone()))),
            documentation: Some(lsp_types::Documentation::String(format!(
                "`{}` leads to {forms}{place}.",
                completion.opcode
            ))),
            // In the order of the table, whatever the names.
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

/// What the part means that is offered.
fn meaning(completion: &Completion) -> Option<String> {
    let (part, _) = Spelling::new(&completion.opcode).parts().last()?;
    words::part(part).filter(|_| part.name() == completion.name)
}
