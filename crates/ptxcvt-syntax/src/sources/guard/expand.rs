//! Macro expansion in conditions and in code.
//!
//! ISO C, section 6.10.3 (macro replacement); the GNU C preprocessor manual, "Variadic Macros". As in D. Prosser's
//! algorithm, each token has a list of the macros that produced it; it is not expanded by these again.

use std::rc::Rc;

use super::piece::{Item, Items, is_hash, spelling, string};
use super::token::{Token, tokens};

/// Limit on the number of tokens.
const MAX_TOKENS: usize = 10_000;
/// Limit on the nesting of macros in arguments.
const MAX_DEPTH: usize = 64;

/// The definition of a macro.
#[derive(Clone, Debug)]
pub(super) enum Macro {
    /// Not defined by the file: predefined, or a flag.
    Before,
    Undefined,
    Object(Vec<Token>, Place),
    Function(Vec<String>, Vec<Token>, Place),
}

/// Where the text of a directive begins in the source, after its `#`. `None` if unknown.
pub(super) type Place = Option<u32>;

/// The macros of one group of configurations.
pub(super) trait Macros {
    /// The definition of a name. `None` if the file has none.
    fn get(&mut self, name: &str) -> Result<Option<Macro>, Failure>;

    /// The value of `defined(name)`.
    fn defined(&mut self, name: &str) -> Token;

    /// True in code, where `defined` is an ordinary name and `#` makes strings.
    fn is_code(&self) -> bool {
        false
    }

    /// The body of the macro that `from` names last. The macro is used at `item`.
    fn body(&self, tokens: Vec<Token>, _: Place, from: &Rc<Vec<String>>, _: &Item) -> Items {
        items(tokens, from)
    }
}

/// Why a condition was not expanded.
#[derive(Debug)]
pub(super) enum Failure {
    /// The name has several definitions, each of which must be tried.
    Several(String),
    /// The text is invalid or too large.
    Unreadable,
}

/// Expands all macros.
pub(super) fn expand(text: Vec<Token>, macros: &mut dyn Macros) -> Result<Vec<Token>, Failure> {
    let items = expand_items(items(text, &Rc::default()), macros)?;
    let mut found = Vec::new();
    for item in items {
        found.push(match item.token {
            // A macro that is not expanded again, or that has no arguments.
            Token::Name(name) if macros.get(&name)?.is_some() => Token::Number(0),
            Token::Name(name) => Token::Final(name),
            other => other,
        });
    }
    Ok(found)
}

/// Like [`expand`], but keeps the origin and the text of each token.
pub(super) fn expand_items(items: Items, macros: &mut dyn Macros) -> Result<Items, Failure> {
    let mut left = MAX_TOKENS;
    expanded(items, macros, 0, &mut left)
}

fn items(tokens: Vec<Token>, from: &Rc<Vec<String>>) -> Items {
    tokens.into_iter().map(|token| Item { token, from: from.clone(), piece: None }).collect()
}

pub(super) fn is(item: Option<&Item>, operator: &'static str) -> bool {
    matches!(item, Some(Item { token: Token::Operator(other), .. }) if *other == operator)
}

/// Expands the macros of tokens. Names that remain may be macros that have no arguments here or are not expanded again.
fn expanded(
    mut rest: Items,
    macros: &mut dyn Macros,
    depth: usize,
    left: &mut usize,
) -> Result<Items, Failure> {
    if depth > MAX_DEPTH {
        return Err(Failure::Unreadable);
    }
    // Reversed, so that the next token is the last one.
    rest.reverse();
    let mut done = Vec::new();
    while let Some(item) = rest.pop() {
        *left = left.checked_sub(1).ok_or(Failure::Unreadable)?;
        let name = match &item.token {
            Token::Name(name) if name == "defined" && !macros.is_code() => {
                done.push(defined(&mut rest, macros));
                continue;
            }
            Token::Name(name) if !item.from.contains(name) => name.clone(),
            _ => {
                done.push(item);
                continue;
            }
        };
        match macros.get(&name)? {
            None => done.push(item),
            Some(Macro::Before) => done.push(Item { token: Token::Final(name), ..item }),
            Some(Macro::Undefined) => done.push(Item { token: Token::Number(0), ..item }),
            Some(Macro::Object(body, place)) => {
                let mut from = item.from.to_vec();
                from.push(name);
                let body = macros.body(body, place, &Rc::new(from), &item);
                rest.extend(substituted(&body, &[], &[], macros, depth, left)?.into_iter().rev());
            }
            Some(Macro::Function(parameters, body, place)) if is(rest.last(), "(") => {
                let (arguments, end) = arguments(&mut rest)?;
                // The macros that produced both the macro's name and its closing parenthesis.
                let mut from: Vec<String> =
                    item.from.iter().filter(|known| end.from.contains(known)).cloned().collect();
                from.push(name);
                let body = macros.body(body, place, &Rc::new(from), &item);
                let (names, arguments) = assigned(&parameters, arguments)?;
                let body = substituted(&body, &names, &arguments, macros, depth, left)?;
                rest.extend(body.into_iter().rev());
            }
            Some(Macro::Function(..)) => done.push(item),
        }
    }
    Ok(done)
}

/// Reads the operand of `defined`.
fn defined(rest: &mut Items, macros: &mut dyn Macros) -> Item {
    let at = |back: usize| rest.len().checked_sub(back).map(|at| &rest[at]);
    let name = |item: Option<&Item>| match item.map(|item| &item.token) {
        Some(Token::Name(name) | Token::Final(name)) => Some(name.clone()),
        _ => None,
    };
    let (found, length) = match name(at(1)) {
        Some(found) => (Some(found), 1),
        None if is(at(1), "(") && is(at(3), ")") => (name(at(2)), 3),
        None => (None, 0),
    };
    let token = match found {
        Some(found) => {
            rest.truncate(rest.len() - length);
            macros.defined(&found)
        }
        None => Token::Other("defined".to_owned()),
    };
    Item { token, from: Rc::default(), piece: None }
}

/// Removes `(…)` from the tokens. Returns the arguments between commas, and the closing parenthesis.
fn arguments(rest: &mut Items) -> Result<(Vec<Items>, Item), Failure> {
    rest.pop();
    let (mut found, mut depth) = (vec![Vec::new()], 0);
    while let Some(item) = rest.pop() {
        match &item.token {
            Token::Operator(")") if depth == 0 => return Ok((found, item)),
            Token::Operator(",") if depth == 0 => {
                found.push(Vec::new());
                continue;
            }
            Token::Operator("(") => depth += 1,
            Token::Operator(")") => depth -= 1,
            _ => {}
        }
        found.last_mut().expect("there is a first argument").push(item);
    }
    Err(Failure::Unreadable)
}

/// The names of the parameters, and an argument for each; variable arguments are joined by commas.
fn assigned(parameters: &[String], mut arguments: Vec<Items>) -> Result<(Vec<String>, Vec<Items>), Failure> {
    let mut names: Vec<String> = parameters.to_vec();
    if let Some(last) = names.last_mut().filter(|last| last.ends_with("...")) {
        let name = last.trim_end_matches("...").trim();
        *last = if name.is_empty() { "__VA_ARGS__" } else { name }.to_owned();
        let named = names.len() - 1;
        let rest = arguments.split_off(named.min(arguments.len()));
        let comma = || Item { token: Token::Operator(","), from: Rc::default(), piece: None };
        let joined = rest.into_iter().reduce(|mut all, more| {
            all.push(comma());
            all.extend(more);
            all
        });
        if arguments.len() == named {
            arguments.push(joined.unwrap_or_default());
        }
    } else if names.is_empty() && arguments.len() == 1 && arguments[0].is_empty() {
        arguments.clear();
    }
    // A wrong number of arguments is a compiler error.
    if names.len() == arguments.len() { Ok((names, arguments)) } else { Err(Failure::Unreadable) }
}

/// A macro's body with arguments in place of its parameters. Arguments are expanded first, except next to `##`.
fn substituted(
    body: &[Item],
    names: &[String],
    arguments: &[Items],
    macros: &mut dyn Macros,
    depth: usize,
    left: &mut usize,
) -> Result<Items, Failure> {
    let mut substitution = Substitution { names, arguments, macros, depth, left };
    let mut found = substitution.body(body)?;
    found.retain(|item| !matches!(&item.token, Token::Other(text) if text.is_empty()));
    // All tokens of the result have the macro in their list.
    let own: &[String] = body.first().map_or(&[], |item| &item.from);
    for item in &mut found {
        if own.iter().any(|name| !item.from.contains(name)) {
            let mut from = item.from.to_vec();
            from.extend(own.iter().filter(|name| !item.from.contains(name)).cloned());
            item.from = Rc::new(from);
        }
    }
    Ok(found)
}

/// Replaces a macro's parameters by arguments.
struct Substitution<'a> {
    names: &'a [String],
    /// One for each name.
    arguments: &'a [Items],
    macros: &'a mut dyn Macros,
    depth: usize,
    left: &'a mut usize,
}

impl<'a> Substitution<'a> {
    /// The argument for a token that names a parameter. `None` for other tokens.
    fn argument(&self, item: &Item) -> Option<&'a Items> {
        let Token::Name(name) = &item.token else { return None };
        self.names.iter().position(|other| other == name).map(|number| &self.arguments[number])
    }

    fn body(&mut self, body: &[Item]) -> Result<Items, Failure> {
        let mut found: Items = Vec::new();
        let mut at = 0;
        while at < body.len() {
            *self.left = self.left.checked_sub(1).ok_or(Failure::Unreadable)?;
            let item = &body[at];
            at += 1;
            let next = body.get(at);
            let stringised = next.filter(|_| self.macros.is_code() && is_hash(item));
            if let Some(argument) = stringised.and_then(|next| self.argument(next)) {
                at += 1;
                found.push(string(item, argument));
            } else if let Some(right) = next.filter(|_| is(Some(item), "##") && at > 1) {
                at += 1;
                self.paste(&mut found, right)?;
            } else if matches!(&item.token, Token::Name(name) if name == "__VA_OPT__") && is(next, "(") {
                let end = at + closing(&body[at..]).ok_or(Failure::Unreadable)?;
                if self.arguments.last().is_some_and(|last| !last.is_empty()) {
                    let (names, arguments) = (self.names, self.arguments);
                    let inner = &body[at + 1..end];
                    found.extend(substituted(inner, names, arguments, self.macros, self.depth, self.left)?);
                }
                at = end + 1;
            } else if let Some(argument) = self.argument(item) {
                found.extend(self.replaced(item, argument, is(next, "##"))?);
            } else {
                found.push(item.clone());
            }
        }
        Ok(found)
    }

    /// Pastes the operand after `##` to the last token.
    fn paste(&self, found: &mut Items, right: &Item) -> Result<(), Failure> {
        let written = self.argument(right).map_or_else(|| vec![right.clone()], Items::clone);
        let variable = matches!(&right.token, Token::Name(name) if self.names.last() == Some(name));
        // GNU C: `, ## __VA_ARGS__` removes the comma if there are no arguments, and does not paste.
        if variable && is(found.last(), ",") {
            match written.is_empty() {
                true => drop(found.pop()),
                false => found.extend(written),
            }
            return Ok(());
        }
        paste(found, written)
    }

    /// The replacement for a parameter: the argument unchanged before `##`, otherwise expanded.
    fn replaced(&mut self, item: &Item, argument: &Items, is_pasted: bool) -> Result<Items, Failure> {
        if is_pasted && argument.is_empty() {
            // Nothing to paste: the other side does not change.
            let (token, from) = (Token::Other(String::new()), item.from.clone());
            return Ok(vec![Item { token, from, piece: None }]);
        }
        if is_pasted {
            return Ok(argument.clone());
        }
        let mut replaced = expanded(argument.clone(), self.macros, self.depth + 1, self.left)?;
        if self.macros.is_code() {
            settle(&mut replaced, self.macros)?;
        }
        Ok(replaced)
    }
}

/// The place of the bracket that closes the first one.
fn closing(items: &[Item]) -> Option<usize> {
    let mut depth = 0;
    items.iter().position(|item| {
        depth += i32::from(is(Some(item), "(")) - i32::from(is(Some(item), ")"));
        depth == 0
    })
}

/// Marks the names that are not macros of the file.
fn settle(items: &mut Items, macros: &mut dyn Macros) -> Result<(), Failure> {
    for item in items {
        if let Token::Name(name) = &item.token {
            if macros.get(name)?.is_none() {
                item.token = Token::Final(name.clone());
            }
        }
    }
    Ok(())
}

/// Pastes the first token of `right` to the last one of `found`.
fn paste(found: &mut Items, right: Items) -> Result<(), Failure> {
    let mut right = right.into_iter();
    let Some(first) = right.next() else { return Ok(()) };
    let last = found.pop().ok_or(Failure::Unreadable)?;
    let text = spelling(&last.token).ok_or(Failure::Unreadable)?
        + &spelling(&first.token).ok_or(Failure::Unreadable)?;
    let from: Vec<String> = last.from.iter().filter(|name| first.from.contains(name)).cloned().collect();
    let pasted = tokens(&text);
    if pasted.len() != 1 {
        return Err(Failure::Unreadable);
    }
    found.extend(items(pasted, &Rc::new(from)));
    found.extend(right);
    Ok(())
}
