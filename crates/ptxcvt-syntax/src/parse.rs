//! Tokens to statements: walks a module and tells a [`Visitor`] what it holds.
//!
//! PTX ISA chapter 4 (syntax), 5.4 (variables), 11 (directives). Only conversions are read to the last operand;
//! of other instructions and directives just the shape matters. Nothing here recurses with the input but constant
//! expressions, whose depth is limited.

use ptxcvt::RegisterType;

use crate::codes::PtxCode;
use crate::diagnostics::Diagnostic;
use crate::lex::{Lexer, Token, TokenKind};
use crate::operand::Operand;
use crate::span::Span;

/// Blocks deeper than this are not read.
const MAX_BLOCKS: usize = 10_000;
/// An opcode of more parts is not read: none has ten.
const MAX_PARTS: usize = 100;
/// After so many syntax errors the text is surely not PTX.
const MAX_SYNTAX_ERRORS: usize = 1_000;

/// A word of the source and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'s> {
    /// The text.
    pub text: &'s str,
    /// The place.
    pub span: Span,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity<'s> {
    /// A register, or `lanes` of them in a vector; the type is `None` where the declaration is wrong.
    Register {
        /// The declared type.
        ty: Option<RegisterType>,
        /// 1, 2 or 4.
        lanes: u8,
    },
    /// A variable of a state space (`.global`).
    Variable(&'s str),
    /// A function or kernel.
    Function,
    /// A label.
    Label,
}

/// A name that is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration<'s> {
    /// The name; of a parameterised one what stands before `<`.
    pub name: Word<'s>,
    /// How many registers `name<count>` declares.
    pub count: Option<u64>,
    /// What it stands for.
    pub entity: Entity<'s>,
}

/// An opcode, in one piece or with blanks and comments between its parts.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeText<'s, 'p> {
    /// The whole place.
    pub span: Span,
    /// Each part's place: the name, then the dotted parts.
    pub parts: &'p [Span],
    /// The source.
    pub source: &'s str,
}

impl<'s> OpcodeText<'s, '_> {
    /// The opcode without blanks.
    pub fn text(&self) -> std::borrow::Cow<'s, str> {
        if self.is_one_piece() {
            self.source[self.span.range()].into()
        } else {
            self.parts.iter().map(|part| &self.source[part.range()]).collect::<String>().into()
        }
    }

    fn is_one_piece(&self) -> bool {
        self.parts.windows(2).all(|pair| pair[0].end == pair[1].start)
    }

    /// The place in the source of a range of [`Self::text`].
    pub fn locate(&self, range: std::ops::Range<usize>) -> Span {
        let (mut at, mut span) = (0, None);
        for part in self.parts {
            let length = (part.end - part.start) as usize;
            if range.start < at + length && range.end > at {
                let start = part.start + range.start.saturating_sub(at) as u32;
                let end = part.start + (range.end - at).min(length) as u32;
                span = Some(Span::new(span.map_or(start, |s: Span| s.start), end));
            }
            at += length;
        }
        span.unwrap_or(self.span)
    }
}

/// A `cvt` or `cvt.pack`.
#[derive(Clone, Copy, Debug)]
pub struct Conversion<'s, 'p> {
    /// The register of `@p` or `@!p`.
    pub guard: Option<Word<'s>>,
    /// The opcode.
    pub opcode: OpcodeText<'s, 'p>,
    /// The operands as written.
    pub operands: &'p [Operand<'s>],
    /// The elements of all vectors among them.
    pub elements: &'p [Operand<'s>],
    /// All of it, without the guard and the semicolon.
    pub span: Span,
}

/// Is told what a module holds, in the order of the text.
pub trait Visitor<'s> {
    /// `.version`, with the number after it.
    fn version(&mut self, version: Word<'s>);
    /// `.target`, with the names after it.
    fn target(&mut self, directive: Span, names: &[Word<'s>]);
    /// The first thing that is neither, or the end of the text.
    fn body(&mut self, at: Span);
    /// A block begins; the parameters of a function are in its block.
    fn open(&mut self);
    /// A block ends.
    fn close(&mut self);
    /// A name is declared.
    fn declare(&mut self, declaration: Declaration<'s>);
    /// A conversion.
    fn conversion(&mut self, conversion: Conversion<'s, '_>);
    /// Another instruction.
    fn instruction(&mut self) {}
    /// True when enough was found and the rest need not be read.
    fn stop(&self) -> bool {
        false
    }
    /// The text is wrong.
    fn problem(&mut self, diagnostic: Diagnostic);
}

/// A parser over a text.
pub struct Parser<'s, 'v, V> {
    pub(crate) text: &'s str,
    lexer: Lexer<'s>,
    /// The next token.
    pub(crate) current: Token,
    /// The end of the token before.
    previous: Span,
    pub(crate) visitor: &'v mut V,
    blocks: Vec<Span>,
    snippet: bool,
    /// `body` was called.
    begun: bool,
    errors: usize,
    parts: Vec<Span>,
    /// Braces open in the conversion that is being read.
    pub(crate) open_vectors: u32,
    pub(crate) operands: Vec<Operand<'s>>,
    pub(crate) elements: Vec<Operand<'s>>,
    parameters: Vec<Declaration<'s>>,
}

impl<'s, 'v, V: Visitor<'s>> Parser<'s, 'v, V> {
    /// A parser of a module, or of a bare block of inline assembly.
    pub fn new(text: &'s str, snippet: bool, visitor: &'v mut V) -> Self {
        let mut lexer = Lexer::new(text, snippet);
        let current = lexer.token_at();
        Self {
            text,
            lexer,
            current,
            previous: Span::default(),
            visitor,
            blocks: Vec::new(),
            snippet,
            begun: false,
            errors: 0,
            parts: Vec::new(),
            open_vectors: 0,
            operands: Vec::new(),
            elements: Vec::new(),
            parameters: Vec::new(),
        }
    }

    /// Reads to the end.
    pub fn run(mut self) {
        if self.snippet {
            self.begin_body();
        }
        while self.current.kind != TokenKind::End {
            if self.errors >= MAX_SYNTAX_ERRORS {
                let message = format!("more than {MAX_SYNTAX_ERRORS} syntax errors; the rest is not read");
                return self.report(PtxCode::Limit, self.current.span, message);
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

    // Tokens.

    pub(crate) fn bump(&mut self) {
        self.previous = self.current.span;
        self.current = self.lexer.token_at();
    }

    /// The token after the current one.
    pub(crate) fn peek(&self) -> Token {
        self.lexer.clone().token_at()
    }

    pub(crate) fn slice(&self, span: Span) -> &'s str {
        &self.text[span.range()]
    }

    pub(crate) fn word(&self) -> Word<'s> {
        Word { text: self.slice(self.current.span), span: self.current.span }
    }

    /// Passes the punctuation `mark`, if it is next.
    pub(crate) fn take(&mut self, mark: u8) -> bool {
        let found = self.current.is(mark);
        if found {
            self.bump();
        }
        found
    }

    // Errors.

    pub(crate) fn report(&mut self, code: PtxCode, span: Span, message: impl Into<std::sync::Arc<str>>) {
        self.errors += 1;
        self.visitor.problem(Diagnostic::new(code, span, message));
    }

    /// "expected …, found …" at the current token; what the lexer could not read is reported as that.
    pub(crate) fn expected(&mut self, what: &str) {
        match self.current.kind {
            TokenKind::Nul => {} // the loop in `run` comes to it
            TokenKind::Unknown => self.unknown_character(),
            TokenKind::Unterminated => self.unterminated(),
            TokenKind::End => {
                self.report(
                    PtxCode::Syntax,
                    self.previous,
                    format!("expected {what}, found the end of the file"),
                );
            }
            // A statement that ends without its semicolon, the next one beginning on a new line.
            TokenKind::Name | TokenKind::Dotted | TokenKind::Punctuation([b'@' | b'}', 0])
                if what.ends_with("`;`") && self.on_new_line() =>
            {
                let last: String = self.slice(self.previous).chars().take(40).collect();
                self.report(PtxCode::Syntax, self.previous, format!("expected `;` after `{last}`"));
            }
            _ => {
                let found: String = self.slice(self.current.span).chars().take(40).collect();
                self.report(PtxCode::Syntax, self.current.span, format!("expected {what}, found `{found}`"));
            }
        }
    }

    /// True where the current token is the first of its line.
    fn on_new_line(&self) -> bool {
        self.slice(Span::new(self.previous.end, self.current.span.start)).contains('\n')
    }

    fn unknown_character(&mut self) {
        let mut span = self.current.span;
        self.bump();
        while self.current.kind == TokenKind::Unknown && self.current.span.start == span.end {
            span.end = self.current.span.end;
            self.bump();
        }
        let shown: String = self.slice(span).chars().take(12).map(|c| c.escape_debug().to_string()).collect();
        self.report(PtxCode::Character, span, format!("`{shown}` is no part of PTX outside of comments"));
    }

    fn unterminated(&mut self) {
        let what = if self.slice(self.current.span).starts_with('"') { "string" } else { "comment" };
        self.report(PtxCode::Unterminated, self.current.span, format!("this {what} has no end"));
        self.bump();
    }

    /// Goes to the end of the statement: past its `;`, or up to the end of its block, or up to a line that begins
    /// anew.
    pub(crate) fn recover(&mut self) {
        self.recover_in(0);
    }

    /// The same where `open` braces of the statement itself are still open.
    pub(crate) fn recover_in(&mut self, mut open: u32) {
        loop {
            let new_line = self.on_new_line();
            match self.current.kind {
                TokenKind::End | TokenKind::Nul => return,
                TokenKind::Name | TokenKind::Dotted if new_line => return,
                TokenKind::Punctuation([b'{' | b'}' | b'@', 0]) if new_line => return,
                TokenKind::Punctuation([b'{', 0]) => open += 1,
                TokenKind::Punctuation([b'}', 0]) if open == 0 => return,
                TokenKind::Punctuation([b'}', 0]) => open -= 1,
                TokenKind::Punctuation([b';', 0]) => return self.bump(),
                _ => {}
            }
            self.bump();
        }
    }

    pub(crate) fn semicolon(&mut self, what: &str) {
        if !self.take(b';') {
            self.expected(what);
            self.recover();
        }
    }

    // Statements.

    fn module_item(&mut self) {
        if self.current.kind != TokenKind::Dotted {
            self.begin_body();
            match self.current.kind {
                TokenKind::Punctuation([b'}', 0]) => {
                    self.report(PtxCode::Unbalanced, self.current.span, "this `}` closes nothing");
                    self.bump();
                }
                TokenKind::Punctuation([b'{', 0]) => {
                    self.report(PtxCode::Syntax, self.current.span, "a block can only stand in a function");
                    self.enter_block();
                }
                TokenKind::Name => {
                    let message = "an instruction can only stand in a function";
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
            ".visible" | ".extern" | ".weak" | ".common" => self.bump(),
            ".func" | ".entry" => self.function(),
            ".alias" => self.skip_statement(),
            _ => self.directive(),
        }
    }

    fn version(&mut self) {
        let directive = self.current.span;
        self.bump();
        if self.begun {
            self.report(PtxCode::Syntax, directive, "`.version` can only stand once, at the beginning");
        }
        let word = self.word();
        if self.current.kind == TokenKind::Decimal {
            self.bump();
            self.visitor.version(word);
        } else {
            self.expected("a version such as 9.1");
            self.visitor.version(Word { text: "", span: directive });
        }
    }

    fn target(&mut self, directive: Span) {
        if self.begun {
            self.report(
                PtxCode::Syntax,
                directive,
                "`.target` can only stand after `.version`, before all else",
            );
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

    /// `.func (returns) name (parameters) attributes { … }`, or `;` where only declared.
    fn function(&mut self) {
        self.bump();
        self.parameters.clear();
        while self.current.kind == TokenKind::Dotted {
            self.bump();
            if self.current.is(b'(') {
                self.skip_group();
            }
        }
        if self.current.is(b'(') {
            self.parameter_list();
        }
        if self.current.kind == TokenKind::Name {
            let name = self.word();
            self.visitor.declare(Declaration { name, count: None, entity: Entity::Function });
            self.bump();
        } else {
            self.expected("the function's name");
        }
        if self.current.is(b'(') {
            self.parameter_list();
        }
        self.visitor.open();
        for declaration in &self.parameters {
            self.visitor.declare(*declaration);
        }
        let mut pragma = false;
        loop {
            match self.current.kind {
                TokenKind::Punctuation([b'{', 0]) => {
                    self.blocks.push(self.current.span);
                    return self.bump();
                }
                TokenKind::Punctuation([b';', 0]) if pragma => pragma = false,
                TokenKind::Punctuation([b';', 0]) => {
                    self.visitor.close();
                    return self.bump();
                }
                TokenKind::Dotted => pragma = self.slice(self.current.span) == ".pragma",
                TokenKind::Integer | TokenKind::String | TokenKind::Name => {}
                TokenKind::Punctuation([b',' | b'(' | b')', 0]) => {}
                _ => {
                    self.expected("`{` or `;`");
                    self.visitor.close();
                    return self.recover();
                }
            }
            self.bump();
        }
    }

    /// The statements of a function's body.
    fn statement(&mut self) {
        match self.current.kind {
            TokenKind::Punctuation([b'{', 0]) => self.enter_block(),
            TokenKind::Punctuation([b'}', 0]) => {
                if self.blocks.pop().is_some() {
                    self.visitor.close();
                } else {
                    self.report(PtxCode::Unbalanced, self.current.span, "this `}` closes nothing");
                }
                self.bump();
            }
            TokenKind::Dotted => self.directive(),
            TokenKind::Name => {
                let name = self.word();
                self.bump();
                if self.take(b':') {
                    self.visitor.declare(Declaration { name, count: None, entity: Entity::Label });
                } else {
                    self.instruction(None, name);
                }
            }
            TokenKind::Placeholder if self.peek().is(b':') => {
                self.bump();
                self.bump();
            }
            TokenKind::Punctuation([b'@', 0]) => self.guarded(),
            _ => {
                self.expected("an instruction, a label or a declaration");
                self.bump();
                self.recover();
            }
        }
    }

    fn enter_block(&mut self) {
        self.blocks.push(self.current.span);
        self.visitor.open();
        self.bump();
    }

    /// `@p …` and `@!p …`
    fn guarded(&mut self) {
        self.bump();
        self.take(b'!');
        let guard = match self.current.kind {
            TokenKind::Name => Some(self.word()),
            TokenKind::Placeholder => None,
            _ => {
                self.expected("a predicate register");
                return self.recover();
            }
        };
        self.bump();
        if self.current.kind != TokenKind::Name {
            self.expected("an instruction");
            return self.recover();
        }
        let name = self.word();
        self.bump();
        self.instruction(guard, name);
    }

    /// An instruction whose name is passed already.
    fn instruction(&mut self, guard: Option<Word<'s>>, name: Word<'s>) {
        let conversion = name.text == "cvt";
        self.parts.clear();
        self.parts.push(name.span);
        while self.current.kind == TokenKind::Dotted {
            if conversion {
                self.parts.push(self.current.span);
            }
            self.bump();
        }
        if !conversion {
            self.visitor.instruction();
            return self.skip_operands();
        }
        let span = name.span.to(self.previous);
        if self.parts.len() > MAX_PARTS {
            let message = format!("an opcode of more than {MAX_PARTS} parts");
            self.report(PtxCode::Limit, span, message);
            return self.skip_operands();
        }
        if !self.read_operands() {
            return self.recover_in(self.open_vectors);
        }
        let opcode = OpcodeText { span, parts: &self.parts, source: self.text };
        let (operands, elements) = (&self.operands[..], &self.elements[..]);
        let span = name.span.to(self.previous);
        self.visitor.conversion(Conversion { guard, opcode, operands, elements, span });
        self.semicolon("`,` or `;`");
    }

    /// Passes the operands of an instruction that is no conversion.
    fn skip_operands(&mut self) {
        let mut open = 0_u32;
        // Two operands side by side, without a comma, are the sign of a missing semicolon.
        let mut ended = false;
        loop {
            use TokenKind as K;
            match self.current.kind {
                K::Punctuation([b';', 0]) => {
                    if open > 0 {
                        self.expected("a closing bracket");
                    }
                    return self.bump();
                }
                K::Punctuation([b'(' | b'[' | b'{', 0]) => {
                    if ended && self.current.is(b'{') {
                        break;
                    }
                    open += 1;
                    ended = false;
                }
                K::Punctuation([b'}', 0]) if open == 0 => break,
                K::Punctuation([b')' | b']' | b'}', 0]) => {
                    open = open.saturating_sub(1);
                    ended = true;
                }
                K::Name | K::Integer | K::Decimal | K::Bits32 | K::Bits64 | K::Placeholder | K::String => {
                    if ended {
                        break;
                    }
                    ended = true;
                }
                K::Punctuation([b'@', 0]) if ended => break,
                K::End | K::Nul | K::Unknown | K::Unterminated => break,
                K::Dotted => {}
                _ => ended = false,
            }
            self.bump();
        }
        self.expected("`,` or `;`");
        self.recover();
    }

    // What is passed over.

    /// A group in brackets of any kind, the current token being the first bracket.
    pub(crate) fn skip_group(&mut self) {
        let (first, mut open) = (self.current.span, 0_u32);
        loop {
            match self.current.kind {
                TokenKind::Punctuation([b'(' | b'[' | b'{', 0]) => open += 1,
                TokenKind::Punctuation([b')' | b']' | b'}', 0]) => open -= 1,
                TokenKind::End | TokenKind::Nul => {
                    return self.report(PtxCode::Unbalanced, first, "this bracket is never closed");
                }
                TokenKind::Unknown => {
                    self.unknown_character();
                    continue;
                }
                _ => {}
            }
            self.bump();
            if open == 0 {
                return;
            }
        }
    }

    /// A directive's arguments, and its `;`.
    pub(crate) fn skip_statement(&mut self) {
        loop {
            match self.current.kind {
                TokenKind::Punctuation([b';', 0]) => return self.bump(),
                TokenKind::Punctuation([b'(' | b'[' | b'{', 0]) => self.skip_group(),
                TokenKind::Punctuation([b'}', 0]) | TokenKind::End | TokenKind::Nul => {
                    return self.expected("`;`");
                }
                TokenKind::Unknown => self.unknown_character(),
                TokenKind::Unterminated => self.unterminated(),
                _ => self.bump(),
            }
        }
    }

    pub(crate) fn parameters(&mut self) -> &mut Vec<Declaration<'s>> {
        &mut self.parameters
    }
}
