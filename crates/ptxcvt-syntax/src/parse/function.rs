//! Functions and kernels, from their linkage to their `{` or to the end of a prototype.
//!
//! PTX ISA sections 7.1 (functions), 11.2 (entry points and functions), 11.3 and 11.4 (tuning directives), 11.6
//! (linking); and ptxas for the end of a prototype.

use super::declaration::{Declaration, Entity};
use super::declare::Parameters;
use super::parser::Parser;
use super::token::TokenKind;
use super::visitor::Visitor;
use crate::code::PtxCode;

/// Directives that begin a variable.
const SPACES: [&str; 10] =
    [".global", ".const", ".shared", ".local", ".param", ".reg", ".tex", ".surf", ".sampler", ".sreg"];

/// Directives that begin a new item. A prototype ends before them, with or without a semicolon.
fn begins_item(directive: &str) -> bool {
    SPACES.contains(&directive)
        || matches!(
            directive,
            ".func"
                | ".entry"
                | ".visible"
                | ".extern"
                | ".weak"
                | ".common"
                | ".section"
                | ".file"
                | ".alias"
                | ".pragma"
                | ".align"
        )
}

/// Directives that are legal only between a kernel's parameters and its body.
const TUNING: [&str; 9] = [
    ".maxntid",
    ".reqntid",
    ".minnctapersm",
    ".maxnctapersm",
    ".maxnreg",
    ".reqnctapercluster",
    ".explicitcluster",
    ".maxclusterrank",
    ".blocksareclusters",
];

impl<'s, V: Visitor<'s>> Parser<'s, '_, V> {
    /// Linkage such as `.visible`, which belongs to the function or variable after it.
    pub(super) fn linkage(&mut self) {
        let common = self.word().text == ".common";
        self.bump();
        let directive = self.word().text;
        let function = matches!(directive, ".func" | ".entry") && !common;
        if self.current.kind != TokenKind::Dotted || !(function || SPACES.contains(&directive)) {
            self.expected(if common {
                "a variable, in `.global`"
            } else {
                "`.func`, `.entry` or a variable"
            });
        }
    }

    /// `.func (returns) name (parameters) attributes { … }`, or a prototype.
    pub(super) fn function(&mut self) {
        let entry = self.word().text == ".entry";
        self.bump();
        self.parameters.clear();
        while self.current.kind == TokenKind::Dotted {
            self.bump();
            if self.current.is(b'(') {
                self.skip_group();
            }
        }
        if self.current.is(b'(') && !entry {
            self.parameter_list(Parameters::Results);
        }
        if self.current.kind == TokenKind::Name {
            let name = self.word();
            self.visitor.declare(Declaration::new(name, Entity::Function));
            self.bump();
        } else {
            self.expected("the function's name");
        }
        if self.current.is(b'(') {
            let list = if entry { Parameters::OfEntry } else { Parameters::OfFunction };
            self.parameter_list(list);
        }
        self.visitor.open(self.current.span);
        for declaration in &self.parameters {
            self.visitor.declare(*declaration);
        }
        while self.current.kind == TokenKind::Dotted && self.tuning(entry) {}
        match self.current.kind {
            TokenKind::Punctuation([b'{', 0]) => {
                self.blocks.push(self.current.span);
                self.bump();
            }
            TokenKind::Punctuation([b';', 0]) => {
                self.visitor.close(self.current.span);
                self.bump();
            }
            // ptxas needs no semicolon after the prototype of a function.
            TokenKind::Dotted | TokenKind::End if !entry => self.visitor.close(self.current.span),
            kind => {
                self.expected("`{` or `;`");
                self.visitor.close(self.current.span);
                if kind != TokenKind::Dotted {
                    self.recover();
                }
            }
        }
    }

    /// Skips directives such as `.maxntid 128, 1, 1`, `.noreturn` and the `.pragma "…";` of a kernel. False for any
    /// other directive.
    fn tuning(&mut self, entry: bool) -> bool {
        let directive = self.word();
        if directive.text == ".pragma" && entry {
            self.bump();
            self.skip_statement();
            return true;
        }
        if begins_item(directive.text) {
            return false;
        }
        if TUNING.contains(&directive.text) && !entry {
            let message = format!("`{}` is valid only for an `.entry`", directive.text);
            self.report(PtxCode::Syntax, directive.span, message);
        }
        self.bump();
        if self.current.is(b'(') {
            self.skip_group();
        }
        while matches!(self.current.kind, TokenKind::Integer | TokenKind::String | TokenKind::Name)
            || self.current.is(b',')
        {
            self.bump();
        }
        true
    }
}
