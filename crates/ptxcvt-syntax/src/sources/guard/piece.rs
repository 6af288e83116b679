//! Tokens during macro expansion, and the text of a token of code, with its places in the source.

use std::rc::Rc;

use super::super::text::Joined;
use super::token::Token;
use crate::source::Span;

/// A token, and the macros that made it.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub token: Token,
    pub from: Rc<Vec<String>>,
    /// The text of the token. `None` outside of code.
    pub piece: Option<Rc<Piece>>,
}

pub(super) type Items = Vec<Item>;

/// The text of a token of code.
#[derive(Clone, Debug, Default)]
pub(super) struct Piece {
    pub text: Joined,
    /// True if blanks precede it.
    pub blank: bool,
    /// The macro, named in the code, that produced the token. `None` if there is none.
    pub macro_: Option<Rc<Used>>,
    /// True if the token is in the body of a macro with parameters, which all uses share.
    pub is_shared: bool,
}

/// A macro that the code names.
#[derive(Debug)]
pub(crate) struct Used {
    pub name: String,
    /// Where the code names the macro.
    pub at: Span,
    /// Where the macro is defined.
    pub defined: Span,
}

impl Piece {
    /// The place in the source.
    pub fn place(&self) -> Span {
        self.text.locate(Span::new(0, self.text.text.len() as u32))
    }
}

/// True for the operator `#`, which makes a string.
pub(super) fn is_hash(item: &Item) -> bool {
    matches!(&item.token, Token::Other(text) if text == "#")
}

/// The string that `#` makes of an argument. If another file may define a name in the argument, the string is unknown,
/// and that name is returned.
///
/// ISO C, section 6.10.3.2 (the # operator).
pub(super) fn string(hash: &Item, argument: &[Item]) -> Item {
    let is_known = |item: &&Item| !matches!(&item.token, Token::Final(name) if name.contains(|c: char| c.is_ascii_uppercase()));
    if let Some(unknown) = argument.iter().find(|item| !is_known(item)) {
        return unknown.clone();
    }
    let own = hash.piece.as_deref().cloned().unwrap_or_default();
    let (mut text, place) = (Joined::default(), own.place());
    text.push_as("\"", argument.first().and_then(|item| item.piece.as_ref()).map_or(place, |p| p.place()));
    let mut end = place.end;
    for (number, item) in argument.iter().enumerate() {
        let Some(piece) = &item.piece else {
            text.push_as(&spelling(&item.token).unwrap_or_default(), Span::new(end, end));
            continue;
        };
        let at = piece.place();
        if piece.blank && number > 0 {
            match at.start == end + 1 {
                true => text.push(" ", end as usize),
                false => text.push_as(" ", Span::new(end, end)),
            }
        }
        end = at.end;
        match piece.text.text.contains('"') {
            true => text.push_as(&piece.text.text.replace('\\', "\\\\").replace('"', "\\\""), at),
            false => text.append_all(&piece.text),
        }
    }
    text.push_as("\"", Span::new(end, end));
    let token = Token::Other(text.text.clone());
    // The string is shared only if its argument is.
    let is_shared = argument.iter().any(|item| item.piece.as_ref().is_some_and(|piece| piece.is_shared));
    Item { token, from: hash.from.clone(), piece: Some(Rc::new(Piece { text, is_shared, ..own })) }
}

/// The text of a token to be pasted.
pub(super) fn spelling(token: &Token) -> Option<String> {
    match token {
        Token::Number(number) if *number >= 0 => Some(number.to_string()),
        Token::Name(text) | Token::Final(text) | Token::Other(text) | Token::Written(_, text) => {
            Some(text.clone())
        }
        Token::Operator(operator) => Some((*operator).to_owned()),
        _ => None,
    }
}
