//! Macro expansion in code: the text that the compiler reads, with the places of its parts.

use std::ops::Range;
use std::rc::Rc;

use super::super::scan::Scanner;
use super::super::text::Joined;
use super::Preprocessor;
use super::expand::{Failure, Macro, Macros, Place, expand_items};
use super::piece::{Item, Items, Piece, Used, spelling};
use super::preprocessor::Part;
use super::reach::Reach;
use super::token::{Token, placed};
use crate::source::Span;

/// A piece of code after macro expansion, in some configurations.
pub(crate) struct Expanded {
    pub reach: Reach,
    /// The text with the places of all parts.
    pub exact: Joined,
    /// Like `exact`, but parts that several uses of a macro share have the place of this use.
    pub used: Joined,
    /// The macros that the code names.
    pub macros: Vec<Rc<Used>>,
}

impl Preprocessor {
    /// Expands parts of a source, joined in order, once for each group of the configurations `all` in which the macros
    /// have different bodies. `None` if the expansion is unknown in some group.
    pub fn expanded_code(
        &mut self,
        source: &str,
        code: &[Range<usize>],
        all: &Reach,
    ) -> Option<Vec<Expanded>> {
        let mut text = Joined::default();
        code.iter().for_each(|part| text.push(&source[part.clone()], part.start));
        let code = pieces(&text, &Rc::default(), None, false);
        let parts = self.parts(all.clone(), |file, chosen| {
            expand_items(code.clone(), &mut Code { part: Part { file, chosen }, source })
        })?;
        parts.into_iter().map(|(reach, items)| Some(joined(reach, &items?))).collect()
    }
}

/// The tokens of a text.
fn pieces(text: &Joined, from: &Rc<Vec<String>>, used: Option<&Rc<Used>>, is_shared: bool) -> Items {
    let mut end = 0;
    let mut item = |(token, place): (Token, Range<usize>)| {
        let blank = place.start > end;
        end = place.end;
        let mut own = Joined::default();
        own.append(text, place);
        let piece = Piece { text: own, blank, macro_: used.cloned(), is_shared };
        Item { token, from: from.clone(), piece: Some(Rc::new(piece)) }
    };
    placed(&text.text).into_iter().map(&mut item).collect()
}

fn joined(reach: Reach, items: &Items) -> Expanded {
    let (mut exact, mut used) = (Joined::default(), Joined::default());
    let (mut macros, mut end): (Vec<Rc<Used>>, _) = (Vec::new(), Span::new(0, 0));
    for item in items {
        let made = || Piece { text: made(&item.token, end), ..Piece::default() };
        let piece = item.piece.as_deref().cloned().unwrap_or_else(made);
        let place = piece.place();
        if piece.blank || place.start != end.end {
            exact.push_as(" ", end);
            used.push_as(" ", end);
        }
        end = place;
        exact.append_all(&piece.text);
        match piece.macro_.as_ref().filter(|_| piece.is_shared) {
            Some(own) => used.push_as(&piece.text.text, own.at),
            None => used.append_all(&piece.text),
        }
        if let Some(own) = piece.macro_ {
            if !macros.iter().any(|known| known.at == own.at) {
                macros.push(own);
            }
        }
    }
    Expanded { reach, exact, used, macros }
}

/// The text of a pasted token.
fn made(token: &Token, place: Span) -> Joined {
    let mut text = Joined::default();
    text.push_as(&spelling(token).unwrap_or_default(), place);
    text
}

/// The macros for code of a file, in a group of configurations.
struct Code<'p> {
    part: Part<'p>,
    source: &'p str,
}

impl Macros for Code<'_> {
    fn get(&mut self, name: &str) -> Result<Option<Macro>, Failure> {
        // An undefined name is kept.
        Ok(self.part.get(name)?.filter(|known| !matches!(known, Macro::Undefined)))
    }

    fn defined(&mut self, name: &str) -> Token {
        self.part.defined(name)
    }

    fn is_code(&self) -> bool {
        true
    }

    fn body(&self, tokens: Vec<Token>, place: Place, from: &Rc<Vec<String>>, item: &Item) -> Items {
        let Some(at) = place else {
            return tokens.into_iter().map(|token| Item { token, from: from.clone(), piece: None }).collect();
        };
        let (line, _) = Scanner { text: self.source, at: at as usize }.placed_line(at as usize);
        let mut scanner = Scanner::new(&line.text);
        let mut name = 0..0;
        for _ in 0..2 {
            scanner.c_blanks();
            name = scanner.at..scanner.at;
            scanner.word();
            name.end = scanner.at;
        }
        let is_shared = scanner.take(b'(');
        if is_shared {
            scanner.at = line.text[scanner.at..].find(')').map_or(line.text.len(), |n| scanner.at + n + 1);
        }
        let defined = line.locate(Span::new(name.start as u32, name.end as u32));
        let used = item.piece.as_ref().and_then(|piece| piece.macro_.clone()).unwrap_or_else(|| {
            let at = item.piece.as_ref().map_or(defined, |piece| piece.place());
            Rc::new(Used { name: line.text[name].to_owned(), at, defined })
        });
        let mut body = Joined::default();
        body.append(&line, scanner.at..line.text.len());
        let outer = item.piece.as_ref().is_some_and(|piece| piece.is_shared);
        pieces(&body, from, Some(&used), is_shared || outer)
    }
}
