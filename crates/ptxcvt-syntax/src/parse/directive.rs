//! Directives that are legal both inside and outside of functions. Directives that do not declare anything are skipped.
//!
//! PTX ISA sections 11.4 (pragmas), 11.5 (debugging), 11.6 (linking) and 11.7 to 11.9.

use super::parser::Parser;
use super::token::TokenKind;
use super::visitor::Visitor;
use crate::code::PtxCode;

impl<'s, V: Visitor<'s>> Parser<'s, '_, V> {
    /// Reads a directive that is legal both inside and outside of functions.
    pub(super) fn directive(&mut self) {
        let external = self.slice(self.previous) == ".extern";
        let directive = self.word();
        self.bump();
        match directive.text {
            ".reg" => return self.registers(),
            ".global" | ".const" | ".shared" | ".local" | ".param" | ".tex" | ".surf" | ".sampler"
            | ".sreg" => {
                return self.variables(&directive.text[1..], external);
            }
            // `.align 8 .global .b8 a;`
            ".align" => {
                if self.alignment(None).is_none() {
                    self.recover();
                }
                return;
            }
            ".file" => self.file(),
            ".loc" => self.loc(),
            ".section" => self.section(),
            ".pragma" | ".callprototype" | ".calltargets" | ".branchtargets" | ".alias" | ".metadata" => {
                self.skip_statement();
            }
            name => {
                let message = format!("the directive `{name}` is invalid here");
                self.report(PtxCode::Syntax, directive.span, message);
                return self.recover();
            }
        }
        self.visitor.directive(directive, directive.span.to(self.previous));
    }

    /// `.file 1 "name", timestamp, size` has no semicolon.
    fn file(&mut self) {
        for kind in [TokenKind::Integer, TokenKind::String] {
            if self.current.kind != kind {
                self.expected("a file's number and its name in quotes");
                return self.recover();
            }
            self.bump();
        }
        self.numbers_after_comma();
    }

    fn numbers_after_comma(&mut self) {
        while self.current.is(b',') && self.peek().kind == TokenKind::Integer {
            self.bump();
            self.bump();
        }
    }

    /// `.loc 1 5 3, function_name $label+4, inlined_at 1 3 4` has no semicolon.
    fn loc(&mut self) {
        if self.current.kind != TokenKind::Integer {
            self.expected("a file's number");
            return self.recover();
        }
        let integers = |parser: &mut Self| {
            while parser.current.kind == TokenKind::Integer {
                parser.bump();
            }
        };
        integers(self);
        while self.current.is(b',') {
            self.bump();
            match self.word().text {
                "function_name" => {
                    self.bump();
                    self.bump();
                    if self.take(b'+') {
                        self.bump();
                    }
                }
                "inlined_at" => {
                    self.bump();
                    integers(self);
                }
                _ => {
                    self.expected("`function_name` or `inlined_at`");
                    return self.recover();
                }
            }
        }
    }

    /// `.section .debug_info { … }`
    fn section(&mut self) {
        if matches!(self.current.kind, TokenKind::Dotted | TokenKind::Name) {
            self.bump();
        }
        if self.take(b',') && self.current.kind == TokenKind::String {
            self.bump();
        }
        if self.current.is(b'{') {
            self.skip_group();
        } else {
            self.expected("`{`");
            self.recover();
        }
    }
}
