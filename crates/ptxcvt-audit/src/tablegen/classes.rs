//! Parsing: parameters, parents and bodies of classes and records.

use std::rc::Rc;

use super::lex::Token;
use super::parser::{Parsed, Parser};
use super::tree::{ClassRef, Expr, Item, Kind, Let, Lets, Template};

impl Parser {
    /// The text after the name of a class or multiclass.
    pub(super) fn template<Body>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Parsed<Vec<Body>>,
    ) -> Parsed<Template<Body>> {
        let mut params = Vec::new();
        if self.accept("<") {
            while !self.accept(">") {
                self.kind()?;
                let name = self.name()?;
                let default = if self.accept("=") { Some(self.value()?) } else { None };
                params.push((name, default));
                self.accept(",");
            }
        }
        let parents = self.parents()?;
        Ok(Template { params, parents, body: body(self)? })
    }

    pub(super) fn record_name(&mut self) -> Parsed<Option<Expr>> {
        match self.peek() {
            Some(Token::Sign(":" | ";" | "{")) => Ok(None),
            _ => self.value_in(true).map(Some),
        }
    }

    pub(super) fn parents(&mut self) -> Parsed<Vec<ClassRef>> {
        let mut parents = Vec::new();
        if self.accept(":") {
            loop {
                parents.push(self.class_ref()?);
                if !self.accept(",") {
                    break;
                }
            }
        }
        Ok(parents)
    }

    pub(super) fn lets(&mut self) -> Parsed<Lets> {
        let mut lets = Vec::new();
        loop {
            let (field, value) = self.assignment()?;
            lets.push(Let::Set(field, value));
            if !self.accept(",") {
                return Ok(Rc::new(lets));
            }
        }
    }

    /// `field = value`. A field with only some of its bits set is unknown.
    fn assignment(&mut self) -> Parsed<(Rc<str>, Rc<Expr>)> {
        let line = self.line();
        let field = self.name()?;
        let some_bits = self.accept("{") || self.accept("<");
        if some_bits {
            self.ranges()?;
            if !self.accept("}") {
                self.expect(">")?;
            }
        }
        self.expect("=")?;
        let value = self.value()?;
        let value = if some_bits { Expr { kind: Kind::Bits, line } } else { value };
        Ok((field, Rc::new(value)))
    }

    pub(super) fn items(&mut self) -> Parsed<Vec<Item>> {
        let mut items = Vec::new();
        if self.accept(";") {
            return Ok(items);
        }
        self.expect("{")?;
        while !self.accept("}") {
            if self.accept_word("let") {
                let (name, value) = self.assignment()?;
                items.push(Item::Field(name, Some(value)));
            } else if self.accept_word("defvar") {
                let name = self.name()?;
                self.expect("=")?;
                items.push(Item::Defvar(name, self.value()?));
            } else if self.accept_word("assert") || self.accept_word("dump") {
                while !matches!(self.peek(), None | Some(Token::Sign(";"))) {
                    self.at += 1;
                }
            } else {
                self.accept_word("field");
                self.kind()?;
                let name = self.name()?;
                let value = if self.accept("=") { Some(Rc::new(self.value()?)) } else { None };
                items.push(Item::Field(name, value));
            }
            self.expect(";")?;
        }
        Ok(items)
    }
}
