//! Parsing: values, types, and classes with arguments, which are values as well.

use std::rc::Rc;

use super::lex::Token;
use super::parser::{Parsed, Parser};
use super::tree::{ClassRef, Expr, Kind, Range};

impl Parser {
    /// The name of a type.
    pub(super) fn kind(&mut self) -> Parsed<Rc<str>> {
        let name = self.name()?;
        if self.accept("<") {
            self.deeper(|parser| match &*name {
                "list" => parser.kind().map(|_| ()),
                _ => parser.value().map(|_| ()),
            })?;
            self.expect(">")?;
        }
        Ok(name)
    }

    pub(super) fn value(&mut self) -> Parsed<Expr> {
        self.value_in(false)
    }

    /// A value; `naming`: a record's name, which ends before `{`.
    pub(super) fn value_in(&mut self, naming: bool) -> Parsed<Expr> {
        self.deeper(|parser| {
            let line = parser.line();
            let mut value = parser.suffixed(naming)?;
            while parser.accept("#") {
                // The value after a `#` at the end of a name is missing.
                let ends =
                    matches!(parser.peek(), Some(Token::Sign(":" | ";" | "{" | "," | ")" | "]" | ">")));
                let right = if ends { None } else { Some(Box::new(parser.suffixed(naming)?)) };
                value = Expr { kind: Kind::Paste(Box::new(value), right), line };
            }
            Ok(value)
        })
    }

    fn suffixed(&mut self, naming: bool) -> Parsed<Expr> {
        let line = self.line();
        let mut value = self.simple()?;
        loop {
            let kind = if self.accept(".") {
                Kind::Field(Box::new(value), self.name()?)
            } else if self.accept("[") {
                let (ranges, comma) = self.ranges()?;
                let list = comma || ranges.len() > 1 || ranges.iter().any(|(_, to)| to.is_some());
                self.expect("]")?;
                Kind::Index(Box::new(value), ranges, list)
            } else if !naming && self.peek() == Some(&Token::Sign("{")) {
                self.accept("{");
                self.ranges()?;
                self.expect("}")?;
                Kind::Bits
            } else {
                return Ok(value);
            };
            value = Expr { kind, line };
        }
    }

    /// Values, or ranges of numbers, separated by commas; the flag says whether a comma is last.
    pub(super) fn ranges(&mut self) -> Parsed<(Vec<Range>, bool)> {
        let mut ranges = Vec::new();
        loop {
            let from = self.value()?;
            let to = if self.accept("...") || self.accept("-") { Some(self.value()?) } else { None };
            ranges.push((from, to));
            if !self.accept(",") {
                return Ok((ranges, false));
            }
            if matches!(self.peek(), Some(Token::Sign("]" | "}"))) {
                return Ok((ranges, true));
            }
        }
    }

    fn simple(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let kind = match self.peek().cloned() {
            Some(Token::Number(number)) => {
                self.next();
                Kind::Number(number)
            }
            Some(Token::Text(first)) => {
                self.next();
                let mut text = first.to_string();
                // Adjacent strings are one.
                while let Some(Token::Text(more)) = self.peek() {
                    text.push_str(more);
                    self.next();
                }
                Kind::Text(text.into())
            }
            Some(Token::Name(name)) => {
                if self.after() == Some(&Token::Sign("<")) {
                    Kind::Instance(self.class_ref()?)
                } else {
                    self.next();
                    Kind::Name(name)
                }
            }
            Some(Token::Operator(name)) => {
                self.next();
                self.operator(name)?
            }
            Some(Token::Sign("-")) => {
                self.next();
                match self.next() {
                    Some(Token::Number(number)) => Kind::Number(number.wrapping_neg()),
                    _ => return Err(self.problem("a number is missing after `-`")),
                }
            }
            Some(Token::Sign("?")) => {
                self.next();
                Kind::Unset
            }
            Some(Token::Sign("[")) => {
                self.next();
                let list = self.list("]")?;
                // The type of an empty list.
                if self.accept("<") {
                    self.kind()?;
                    self.expect(">")?;
                }
                Kind::List(list)
            }
            Some(Token::Sign("{")) => {
                self.next();
                self.list("}")?;
                Kind::Bits
            }
            Some(Token::Sign("(")) => {
                self.next();
                self.dag()?
            }
            _ => return Err(self.problem("a value is missing")),
        };
        Ok(Expr { kind, line })
    }

    fn list(&mut self, end: &'static str) -> Parsed<Vec<Expr>> {
        let mut values = Vec::new();
        while !self.accept(end) {
            values.push(self.value()?);
            if !self.accept(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(values)
    }

    /// The rest of `(op:$n a:$x, $y)`.
    fn dag(&mut self) -> Parsed<Kind> {
        let mut parts = Vec::new();
        while !self.accept(")") {
            let value =
                if matches!(self.peek(), Some(Token::Variable(_))) { None } else { Some(self.value()?) };
            let colon = value.is_none() || self.accept(":");
            let name = match self.peek() {
                Some(Token::Variable(name)) if colon => Some(name.clone()),
                _ if colon => return Err(self.problem("the name of an operand is missing")),
                _ => None,
            };
            if colon {
                self.next();
            }
            parts.push((value, name));
            // Nothing separates the operator from the first operand.
            if parts.len() > 1 && !self.accept(",") {
                self.expect(")")?;
                break;
            }
        }
        if parts.is_empty() { Err(self.problem("a dag has no operator")) } else { Ok(Kind::Dag(parts)) }
    }

    /// The type and the arguments of `!name`.
    fn operator(&mut self, name: Rc<str>) -> Parsed<Kind> {
        let mut class = None;
        if self.accept("<") {
            class = Some(self.kind()?);
            self.expect(">")?;
        }
        self.expect("(")?;
        if &*name == "cond" {
            let mut cases = Vec::new();
            while !self.accept(")") {
                let condition = self.value()?;
                self.expect(":")?;
                cases.push((condition, self.value()?));
                if !self.accept(",") {
                    self.expect(")")?;
                    break;
                }
            }
            return Ok(Kind::Cond(cases));
        }
        Ok(Kind::Operator(name, class, self.list(")")?))
    }

    /// A class and its arguments.
    pub(super) fn class_ref(&mut self) -> Parsed<ClassRef> {
        let line = self.line();
        let name = self.name()?;
        let args = if self.accept("<") { self.arguments()? } else { Vec::new() };
        Ok(ClassRef { name, args, line })
    }

    /// Arguments up to `>`.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<(Option<Rc<str>>, Expr)>> {
        let mut args = Vec::new();
        while !self.accept(">") {
            let named = self.after() == Some(&Token::Sign("="));
            let name = if named { Some(self.name()?) } else { None };
            if named {
                self.expect("=")?;
            }
            args.push((name, self.value()?));
            if !self.accept(",") {
                self.expect(">")?;
                break;
            }
        }
        Ok(args)
    }
}
