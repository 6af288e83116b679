//! Reads expressions of Python that may be strings, from their tokens.
//!
//! The Python Language Reference, "Expressions".

use super::super::scan::Scanner;
use super::super::text::Joined;
use super::expression::Expression;
use super::literals::{Piece, Tokens, decode, plain};
use crate::source::Span;

/// Limit on the nesting of expressions.
const MAX_DEPTH: u32 = 32;

impl<'s> Tokens<'s> {
    /// Reads an expression. `lines`: it is in brackets, so it may span several lines.
    pub fn expression(&mut self, lines: bool) -> Expression<'s> {
        self.depth += 1;
        let found = match self.depth > MAX_DEPTH {
            true => self.unknown(),
            false => self.conditional(lines),
        };
        self.depth -= 1;
        found
    }

    /// Skips one token, whose value is unknown.
    fn unknown(&mut self) -> Expression<'s> {
        let start = self.scanner.at as u32;
        self.pass();
        Expression::Unknown(Span::new(start, self.scanner.at as u32))
    }

    fn conditional(&mut self, lines: bool) -> Expression<'s> {
        let then = self.sum(lines);
        let end = self.scanner.at;
        self.blanks(lines);
        if !self.keyword("if") {
            self.scanner.at = end;
            return then;
        }
        self.blanks(lines);
        let at = self.scanner.at;
        while !self.at_word("else") && (self.in_comparison() || !self.ends(lines)) {
            self.pass();
            self.blanks(lines);
        }
        let condition = self.scanner.text[at..self.scanner.at].trim();
        if !self.keyword("else") {
            // The condition of a comprehension.
            return Expression::Unknown(Span::new(at as u32, self.scanner.at as u32));
        }
        self.blanks(lines);
        let other = self.expression(lines);
        Expression::Either { condition, at, then: Box::new(then), other: Box::new(other) }
    }

    fn sum(&mut self, lines: bool) -> Expression<'s> {
        let start = self.scanner.at;
        let mut parts = vec![self.term(lines)];
        loop {
            let end = self.scanner.at;
            self.blanks(lines);
            if self.scanner.peek() == b'+' && !self.scanner.starts_with("+=") {
                self.scanner.step();
                self.blanks(lines);
                parts.push(self.term(lines));
            } else if self.is_operator() && !(lines && self.at_comprehension()) {
                // The rest of the expression, up to its end.
                let ends = |tokens: &Self| {
                    tokens.ends(lines)
                        || tokens.at_word("if")
                        || tokens.at_word("else")
                        || (lines && tokens.at_comprehension())
                };
                while !ends(self) {
                    self.pass();
                    self.blanks(lines);
                }
                return Expression::Unknown(Span::new(start as u32, self.scanner.at as u32));
            } else {
                self.scanner.at = end;
                break;
            }
        }
        if parts.len() == 1 { parts.swap_remove(0) } else { Expression::Sum(parts) }
    }

    /// An operand of a sum: an expression, perhaps formatted by `%`.
    fn term(&mut self, lines: bool) -> Expression<'s> {
        let mut value = self.postfix(lines);
        loop {
            let end = self.scanner.at;
            self.blanks(lines);
            let rest = self.scanner.rest();
            if rest.first() == Some(&b'*') && !matches!(rest.get(1), Some(b'*' | b'=')) && value.is_text() {
                self.scanner.step();
                self.blanks(lines);
                value = Expression::Times(Box::new(value), Box::new(self.postfix(lines)));
                continue;
            }
            if self.scanner.peek() != b'%' || self.scanner.starts_with("%=") {
                self.scanner.at = end;
                return value;
            }
            self.scanner.step();
            self.blanks(lines);
            value = Expression::Percent(Box::new(value), Box::new(self.postfix(lines)));
        }
    }

    fn is_operator(&self) -> bool {
        let rest = self.scanner.rest();
        let symbol =
            matches!(rest.first(), Some(b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^' | b'<' | b'>'))
                || rest.starts_with(b"==")
                || rest.starts_with(b"!=")
                || rest.starts_with(b":=");
        symbol
            || ["and", "or", "in", "is", "not"].iter().any(|word| self.at_word(word))
            || self.at_comprehension()
    }

    /// True at the `for` of a comprehension, which ends its item.
    fn at_comprehension(&self) -> bool {
        self.at_word("for") || self.at_word("async")
    }

    /// True at the end of an expression.
    fn ends(&self, lines: bool) -> bool {
        let byte = self.scanner.peek();
        self.scanner.at_end()
            || matches!(byte, b',' | b')' | b']' | b'}' | b':' | b';' | b'=')
            || (!lines && matches!(byte, b'\n' | b'\r' | b'#'))
    }

    /// True at the `=` of `==`, `!=`, `<=` or `>=`, which does not end an expression.
    fn in_comparison(&self) -> bool {
        let before = self.scanner.text[..self.scanner.at].bytes().next_back();
        self.scanner.peek() == b'='
            && (self.scanner.starts_with("==") || before.is_some_and(|byte| b"=!<>".contains(&byte)))
    }

    fn at_word(&self, word: &str) -> bool {
        self.scanner.starts_with(word)
            && !self.scanner.rest().get(word.len()).is_some_and(|b| Scanner::is_word(*b))
    }

    fn keyword(&mut self, word: &str) -> bool {
        let here = self.at_word(word);
        self.scanner.at += if here { word.len() } else { 0 };
        here
    }

    /// An atom, and the calls, items and attributes after it.
    fn postfix(&mut self, lines: bool) -> Expression<'s> {
        let start = self.scanner.at;
        let mut value = self.atom(lines);
        loop {
            let end = self.scanner.at;
            self.blanks(lines);
            let open = self.scanner.at;
            value = match self.scanner.peek() {
                b'.' => {
                    self.scanner.step();
                    let name = self.scanner.word();
                    match self.scanner.peek() == b'(' {
                        true => self.method(value, name).unwrap_or_else(|| self.unknown_since(start)),
                        false => match value {
                            Expression::Name(object) => {
                                let span = Span::new(start as u32, self.scanner.at as u32);
                                Expression::Attribute(object, name, span)
                            }
                            _ => self.unknown_since(start),
                        },
                    }
                }
                b'[' => {
                    self.pass();
                    let key = self.scanner.content(open).trim();
                    Expression::Item(Box::new(value), key, open)
                }
                b'(' => {
                    let kept = match &value {
                        Expression::Name(name) => self.kept(name),
                        _ => None,
                    };
                    if self.scanner.at == open {
                        self.pass();
                    }
                    kept.unwrap_or_else(|| self.unknown_since(start))
                }
                _ => {
                    self.scanner.at = end;
                    return value;
                }
            };
        }
    }

    /// The text since `start`, as an expression with an unknown value.
    fn unknown_since(&self, start: usize) -> Expression<'s> {
        Expression::Unknown(Span::new(start as u32, self.scanner.at as u32))
    }

    /// The result of a method call. The scanner is at its `(`. `None` if the result is unknown.
    fn method(&mut self, object: Expression<'s>, name: &'s str) -> Option<Expression<'s>> {
        let open = self.scanner.at;
        match name {
            "format" => Some(self.format(object)),
            "substitute" | "safe_substitute" => {
                let (plain, named) = self.arguments();
                Some(Expression::Substitute(Box::new(object), plain, named))
            }
            "replace" => {
                let (plain, named) = self.arguments();
                let [old, new] = <[_; 2]>::try_from(plain).ok().filter(|_| named.is_empty())?;
                Some(Expression::Replace(Box::new([object, old, new])))
            }
            "join" => {
                let (plain, _) = self.arguments();
                let [items] = <[_; 1]>::try_from(plain).ok()?;
                Some(Expression::Join(Box::new(object), Box::new(items)))
            }
            "strip" | "lstrip" | "rstrip" => {
                let (plain, named) = self.arguments();
                let is_known = plain.len() < 2 && named.is_empty();
                is_known.then(|| Expression::Trimmed(name, [vec![object], plain].concat()))
            }
            // It does not matter to PTX whether the text is bytes, and tabs are blanks.
            "encode" | "decode" => {
                self.pass();
                Some(object)
            }
            "expandtabs" => {
                let (plain, named) = self.arguments();
                (plain.is_empty() && named.is_empty()).then_some(object)
            }
            "get" => {
                let (plain, _) = self.arguments();
                let inner = self.scanner.content(open);
                (plain.len() == 1).then(|| Expression::Item(Box::new(object), inner.trim(), open))
            }
            _ => {
                let kept = self.kept(name);
                if self.scanner.at == open {
                    self.pass();
                }
                kept
            }
        }
    }

    /// The result of calling a function that returns a string unchanged or changes its whitespace. The scanner is at
    /// the `(`, and does not move for other functions.
    fn kept(&mut self, function: &'s str) -> Option<Expression<'s>> {
        let count = match function {
            "str" | "constexpr" | "Template" | "dedent" | "cleandoc" => 1,
            "indent" => 2,
            _ => return None,
        };
        let (mut plain, named) = self.arguments();
        match function {
            _ if plain.len() != count || !named.is_empty() => None,
            "dedent" | "cleandoc" | "indent" => Some(Expression::Trimmed(function, plain)),
            _ => Some(plain.swap_remove(0)),
        }
    }

    /// An item in brackets, or a comprehension.
    fn item(&mut self) -> Expression<'s> {
        let item = self.expression(true);
        self.blanks(true);
        if !self.at_comprehension() {
            return item;
        }
        let count = self.rounds();
        self.blanks(true);
        let is_all = matches!(self.scanner.peek(), b')' | b']');
        while !self.scanner.at_end() && !matches!(self.scanner.peek(), b')' | b']' | b'}') {
            self.pass();
            self.blanks(true);
        }
        Expression::Repeated(Box::new(item), count.filter(|_| is_all))
    }

    /// The number of items of a comprehension if this `for` is its only clause. `None` if the number is unknown.
    fn rounds(&mut self) -> Option<usize> {
        if !self.keyword("for") {
            return None;
        }
        while !self.scanner.at_end()
            && !self.at_word("in")
            && !matches!(self.scanner.peek(), b')' | b']' | b'}')
        {
            self.pass();
            self.blanks(true);
        }
        if !self.keyword("in") {
            return None;
        }
        self.blanks(true);
        self.iterated(true, &mut |_| None)?.count()
    }

    fn format(&mut self, template: Expression<'s>) -> Expression<'s> {
        let (plain, named) = self.arguments();
        Expression::Format(Box::new(template), plain, named)
    }

    /// Reads the arguments of a call from its `(` on: positional arguments, and named ones.
    pub fn arguments(&mut self) -> (Vec<Expression<'s>>, Vec<(&'s str, Expression<'s>)>) {
        let (mut plain, mut named) = (Vec::new(), Vec::new());
        self.scanner.step();
        loop {
            self.blanks(true);
            if self.scanner.at_end() || self.scanner.take(b')') {
                return (plain, named);
            }
            match self.argument_name() {
                Some(name) => named.push((name, self.expression(true))),
                None => plain.push(self.item()),
            }
            if !self.next_item(b')') {
                return (plain, named);
            }
        }
    }

    /// Reads the `name =` of an argument. Reads nothing if the argument has no name.
    pub fn argument_name(&mut self) -> Option<&'s str> {
        let start = self.scanner.at;
        let name = self.scanner.word();
        self.blanks(true);
        if name.is_empty() || self.scanner.peek() != b'=' || self.scanner.starts_with("==") {
            self.scanner.at = start;
            return None;
        }
        self.scanner.step();
        self.blanks(true);
        Some(name)
    }

    /// Skips the rest of an item in brackets and the comma after it. Returns false if there is no comma: then it skips
    /// the closing bracket `close`, or stops at another bracket or the end of the text.
    fn next_item(&mut self, close: u8) -> bool {
        self.blanks(true);
        while !self.scanner.at_end() && !matches!(self.scanner.peek(), b',' | b')' | b']' | b'}') {
            self.pass();
            self.blanks(true);
        }
        if self.scanner.take(b',') {
            return true;
        }
        self.scanner.take(close);
        false
    }

    pub fn atom(&mut self, lines: bool) -> Expression<'s> {
        if self.quote().is_some() {
            return self.literals(lines);
        }
        let start = self.scanner.at;
        match self.scanner.peek() {
            b'(' | b'[' => {
                let close = if self.scanner.peek() == b'(' { b')' } else { b']' };
                self.scanner.step();
                let (mut items, mut comma) = (Vec::new(), close == b']');
                loop {
                    self.blanks(true);
                    if self.scanner.at_end() || self.scanner.take(close) {
                        break;
                    }
                    let before = self.scanner.at;
                    items.push(self.item());
                    self.blanks(true);
                    if !self.scanner.take(b',') {
                        if self.scanner.take(close) {
                            break;
                        }
                        // Something else.
                        self.scanner.at = start;
                        return self.unknown();
                    }
                    comma = true;
                    assert!(self.scanner.at > before, "each element has at least its comma");
                }
                let single = items.len() == 1 && (!comma || matches!(items[0], Expression::Repeated(..)));
                if single { items.swap_remove(0) } else { Expression::List(items) }
            }
            b'{' => self.dictionary(),
            byte if byte.is_ascii_digit() => {
                self.scanner.number();
                let text = &self.scanner.text[start..self.scanner.at];
                if !text.bytes().all(|b| b.is_ascii_digit()) {
                    return Expression::Unknown(Span::new(start as u32, self.scanner.at as u32));
                }
                let mut joined = Joined::default();
                joined.push(text, start);
                Expression::Number(joined)
            }
            byte if Scanner::is_word(byte) => {
                let word = self.scanner.word();
                match word {
                    "lambda" | "not" | "await" | "None" | "True" | "False" => {
                        Expression::Unknown(Span::new(start as u32, self.scanner.at as u32))
                    }
                    _ => Expression::Name(word),
                }
            }
            _ if self.ends(lines) => Expression::Unknown(Span::new(start as u32, start as u32)),
            _ => self.unknown(),
        }
    }

    fn dictionary(&mut self) -> Expression<'s> {
        let start = self.scanner.at;
        self.scanner.step();
        let mut items = Vec::new();
        loop {
            self.blanks(true);
            if self.scanner.at_end() || self.scanner.take(b'}') {
                return Expression::Dictionary(items);
            }
            let from = self.scanner.at;
            while !self.scanner.at_end() && !matches!(self.scanner.peek(), b':' | b',' | b'}') {
                self.pass();
            }
            let key = self.scanner.text[from..self.scanner.at].trim();
            if !self.scanner.take(b':') || key.starts_with('*') {
                self.scanner.at = start;
                return self.unknown();
            }
            self.blanks(true);
            let value = match self.item() {
                Expression::Repeated(..) => {
                    Expression::Unknown(Span::new(from as u32, self.scanner.at as u32))
                }
                value => value,
            };
            items.push((key, from, value));
            if !self.next_item(b'}') {
                return Expression::Dictionary(items);
            }
        }
    }

    /// Reads adjacent string literals as one string.
    fn literals(&mut self, lines: bool) -> Expression<'s> {
        let mut parts = Vec::new();
        while let Some(span) = self.literal() {
            let end = self.scanner.at;
            let text = self.scanner.text;
            if !span.formatted {
                parts.push(Expression::Literal(span));
            } else {
                let mut holes = Vec::new();
                decode(
                    text,
                    span,
                    true,
                    |piece, parts: &mut Vec<Expression<'s>>| {
                        let mut joined = Joined::default();
                        match piece {
                            Piece::Text(from, to) => plain(text, from, to, span.escapes, &mut joined),
                            Piece::Brace(place, brace) => joined.push_as(brace, place),
                            Piece::Hole(place) => holes.push((parts.len(), place)),
                        }
                        parts.push(Expression::Text(joined));
                    },
                    &mut parts,
                );
                for (at, place) in holes {
                    parts[at] = self.inner(place);
                }
            }
            self.scanner.at = end;
            self.blanks(lines);
            if self.quote().is_none() {
                self.scanner.at = end;
                break;
            }
        }
        Expression::Sum(parts)
    }

    /// The expression in `{…}` of an f-string.
    fn inner(&mut self, place: Span) -> Expression<'s> {
        self.scanner.at = place.start as usize + 1;
        self.blanks(true);
        let found = self.expression(true);
        self.blanks(true);
        // A conversion or a format changes the text.
        if self.scanner.peek() == b'}' && self.scanner.at + 1 == place.end as usize {
            found
        } else {
            Expression::Unknown(place)
        }
    }
}
