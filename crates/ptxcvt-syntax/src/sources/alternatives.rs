//! Alternatives in strings of LLVM's inline assembly, and its dollar signs.
//!
//! LLVM, `AsmPrinterInlineAsm.cpp`.

use super::text::Joined;
use crate::source::Span;

/// The text that LLVM prints for NVIDIA's GPUs: `$$` is a dollar sign, and `$(a$|b$)` is its first alternative.
/// Elsewhere `$|` is a bar and `$)` a brace. `None` if alternatives are nested, which LLVM rejects.
pub(super) fn printed(template: &Joined) -> Option<Joined> {
    let text = &template.text;
    let (mut joined, mut from, mut at) = (Joined::default(), 0, 0);
    let mut alternative: Option<u32> = None;
    while let Some(here) = text[at..].find('$').map(|n| at + n) {
        let sign = text[here + 1..].chars().next().filter(|sign| "$(|)".contains(*sign));
        at = here + 1 + usize::from(sign.is_some());
        let Some(sign) = sign else { continue };
        let (shown, inside) = (alternative.unwrap_or(0) == 0, alternative.is_some());
        if shown {
            joined.append(template, from..here);
        }
        from = at;
        let instead = match sign {
            '$' if shown => "$",
            '|' if !inside => "|",
            ')' if !inside => "}",
            _ => "",
        };
        joined.push_as(instead, template.locate(Span::new(here as u32, at as u32)));
        alternative = match sign {
            '(' if inside => return None,
            '(' => Some(0),
            '|' => alternative.map(|number| number + 1),
            ')' => None,
            _ => alternative,
        };
    }
    if alternative.unwrap_or(0) == 0 {
        joined.append(template, from..text.len());
    }
    Some(joined)
}
