//! Parses whole modules of PTX.
//!
//! PTX ISA sections 4.2 (statements) and 11.1 (module directives). Nothing here recurses, so blocks may nest deeply.

use super::lex::Lexer;
use super::parser::Parser;
use super::token::TokenKind;
use super::visitor::{Place, Visitor};
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::source::{Span, Word};

/// The greatest depth of nested blocks.
const MAX_BLOCKS: usize = 10_000;
/// Reading ends after this number of syntax errors: the text is probably not PTX.
pub(crate) const MAX_SYNTAX_ERRORS: usize = 1_000;

/// True for the text of a module, false for inline assembly: only a module states its version, or begins with a
/// directive of modules. This is fast for long modules, because both are at the beginning.
///
/// ```
/// use ptxcvt_syntax::parse::is_module;
/// assert!(is_module(".version 8.7\n.target sm_90") && is_module("// no version\n.visible .entry f() { ret; }"));
/// assert!(!is_module("{ .reg .b16 h; cvt.rn.f16.f32 h, %0; }"));
/// ```
pub fn is_module(text: &str) -> bool {
    const FIRST: [&str; 8] =
        [".target", ".address_size", ".entry", ".func", ".visible", ".extern", ".weak", ".alias"];
    let first = Lexer::new(text, false).token_at().span;
    text.get(first.range()).is_some_and(|word| FIRST.contains(&word)) || text.contains(".version")
}

/// Reads a module, or a block or instruction of inline assembly, and calls `visitor` for each piece.
pub fn parse_with<'s>(text: &'s str, snippet: bool, visitor: &mut impl Visitor<'s>) {
    if u32::try_from(text.len()).is_err() {
        let message = "the file is larger than 4 GiB";
        return visitor.problem(Diagnostic::new(PtxCode::Limit, Span::default(), message));
    }
    Parser::new(text, snippet, visitor).run();
}

/// Continues reading a module at a place that was passed to [`Visitor::pause`]. The text up to [`Place::seen`] must
/// be the same as then.
pub fn resume<'s>(text: &'s str, place: &Place, visitor: &mut impl Visitor<'s>) {
    if u32::try_from(text.len()).is_ok() {
        Parser::new(text, false, visitor).at(place).run();
    }
}

impl<'s, V: Visitor<'s>> Parser<'s, '_, V> {
    /// Reads to the end of the text.
    fn run(mut self) {
        if self.snippet {
            self.begin_body();
        }
        while self.current.kind != TokenKind::End {
            if self.errors >= MAX_SYNTAX_ERRORS {
                let message = format!("more than {MAX_SYNTAX_ERRORS} syntax errors; the rest is not read");
                return self.report(PtxCode::Limit, self.current.span, message);
            }
            if self.visitor.pauses(self.current.span.start) {
                let place = self.place();
                if self.visitor.pause(place).is_break() {
                    return;
                }
            }
            if self.visitor.stop() {
                let message = "too many findings; the rest of the file is not read";
                return self.report(PtxCode::Limit, self.current.span, message);
            }
            match self.current.kind {
                TokenKind::Nul => {
                    let message = "a NUL byte: the assembler stops reading here";
                    return self.report(PtxCode::Nul, self.current.span, message);
                }
                TokenKind::Unknown => self.unknown_character(),
                TokenKind::Unterminated => self.unterminated(),
                TokenKind::Line => self.bump(),
                _ if self.snippet || !self.blocks.is_empty() => self.statement(),
                _ => self.module_item(),
            }
            if self.blocks.len() > MAX_BLOCKS {
                let message = format!("blocks are nested more than {MAX_BLOCKS} deep");
                return self.report(PtxCode::Limit, self.previous, message);
            }
        }
        self.begin_body();
        if let Some(open) = self.blocks.first().copied() {
            self.report(PtxCode::Unbalanced, open, "this `{` is never closed");
        }
    }

    fn begin_body(&mut self) {
        if !std::mem::replace(&mut self.begun, true) {
            self.visitor.body(self.current.span);
        }
    }

    fn module_item(&mut self) {
        if self.current.kind != TokenKind::Dotted {
            self.begin_body();
            match self.current.kind {
                TokenKind::Punctuation([b'}', 0]) => {
                    self.report(PtxCode::Unbalanced, self.current.span, "this `}` closes nothing");
                    self.bump();
                }
                TokenKind::Punctuation([b'{', 0]) => {
                    self.report(
                        PtxCode::Syntax,
                        self.current.span,
                        "a block is valid only inside a function",
                    );
                    self.enter_block();
                }
                TokenKind::Name => {
                    let message = "an instruction is valid only inside a function";
                    self.report(PtxCode::Syntax, self.current.span, message);
                    self.bump();
                    self.recover();
                }
                _ => {
                    self.expected("a directive such as `.entry`, `.func` or `.global`");
                    self.bump();
                }
            }
            return;
        }
        let directive = self.word();
        if !matches!(directive.text, ".version" | ".target" | ".pragma" | ".file") {
            self.begin_body();
        }
        match directive.text {
            ".version" => self.version(),
            ".target" => self.target(directive.span),
            ".address_size" => {
                self.bump();
                if self.current.kind == TokenKind::Integer { self.bump() } else { self.expected("32 or 64") }
            }
            ".visible" | ".extern" | ".weak" | ".common" => self.linkage(),
            ".func" | ".entry" => self.function(),
            _ => self.directive(),
        }
    }

    fn version(&mut self) {
        let directive = self.current.span;
        self.bump();
        if self.begun {
            self.report(PtxCode::Syntax, directive, "`.version` is valid only once, at the beginning");
        }
        let mut word = self.word();
        if self.current.kind == TokenKind::Decimal {
            self.bump();
            // `9.0.0` is two tokens, and one wrong version.
            while self.current.kind == TokenKind::Decimal && self.current.span.start == word.span.end {
                let span = Span { end: self.current.span.end, ..word.span };
                word = Word { text: self.slice(span), span };
                self.bump();
            }
            self.visitor.version(word);
        } else {
            self.expected("a version such as 9.1");
            self.visitor.version(Word { text: "", span: directive });
        }
    }

    fn target(&mut self, directive: Span) {
        if self.begun {
            self.report(PtxCode::Syntax, directive, "`.target` must follow `.version`, before anything else");
        }
        self.bump();
        let mut names = Vec::new();
        loop {
            if self.current.kind != TokenKind::Name {
                self.expected("a target such as sm_90");
                break;
            }
            names.push(self.word());
            self.bump();
            if !self.take(b',') {
                break;
            }
        }
        self.visitor.target(directive, &names);
    }
}
