//! Declarations of registers, variables and parameters.
//!
//! PTX ISA sections 5.1 (state spaces), 5.4 (variables), 7.1 (functions).

use ptxcvt::forms::{RegisterClass, RegisterType};

use super::constant::Constant;
use super::declaration::{Declaration, Entity};
use super::parser::Parser;
use super::token::TokenKind;
use super::visitor::Visitor;
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::source::{Span, Word};

/// The specifiers before a declared name.
#[derive(Clone, Copy, Default)]
struct Specifiers<'s> {
    /// `.v2` or `.v4`.
    vector: Option<Word<'s>>,
    /// The type.
    ty: Option<Word<'s>>,
}

/// The list that a parameter is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameters {
    /// The parameters of a kernel.
    OfEntry,
    /// The parameters of a function.
    OfFunction,
    /// The results of a function.
    Results,
}

/// The largest alignment of what is passed to or from a function.
const MAX_PARAMETER_ALIGNMENT: u64 = 128;

/// An integer literal or `WARP_SZ`, where PTX accepts no expression: a size, an alignment, a number of registers.
struct Integer {
    span: Span,
    /// `None` if the literal does not fit in 64 bits.
    value: Option<u64>,
}

impl Integer {
    /// The value, if it fits in 32 bits.
    fn narrow(&self) -> Option<u32> {
        self.value.and_then(|value| value.try_into().ok())
    }
}

impl<'s, V: Visitor<'s>> Parser<'s, '_, V> {
    /// Reads an integer literal or `WARP_SZ`. Returns `None` at any other token.
    fn integer(&mut self) -> Option<Integer> {
        let word = self.word();
        let value = match self.current.kind {
            TokenKind::Integer => match Constant::integer(word.text) {
                Ok(Constant::Integer(literal)) => Some(literal.bits as u64),
                _ => None,
            },
            TokenKind::Name if word.text == "WARP_SZ" => Some(32),
            _ => return None,
        };
        self.bump();
        Some(Integer { span: word.span, value })
    }

    /// Reads the number after `.align`. `None` after an error from which the parser has to recover.
    pub(super) fn alignment(&mut self, largest: Option<u64>) -> Option<()> {
        let Some(number) = self.integer() else {
            self.expected("an alignment such as `8`");
            return None;
        };
        match number.narrow().map(u64::from) {
            None => {
                self.report(PtxCode::Constant, number.span, "the alignment does not fit in 32 bits");
            }
            Some(value) if !value.is_power_of_two() => {
                let message = format!("the alignment {value} is not a power of two");
                self.report(PtxCode::Declaration, number.span, message);
            }
            Some(value) => {
                if let Some(largest) = largest.filter(|largest| value > *largest) {
                    let message = format!(
                        "the alignment {value} is too large: a parameter of a function has at most {largest}"
                    );
                    self.report(PtxCode::Declaration, number.span, message);
                }
            }
        }
        Some(())
    }

    /// Reads the sizes of an array, such as `[4][2]`: at most `most` of them. The first may be missing. Returns the place of
    /// the first one if it is missing or zero.
    fn sizes(&mut self, most: usize, widest: u32) -> Option<Span> {
        let mut incomplete = None;
        for dimension in 0..most {
            let open = self.current.span;
            if !self.take(b'[') {
                break;
            }
            let size = self.integer();
            if !self.current.is(b']') || (size.is_none() && dimension > 0) {
                self.expected(if size.is_some() { "`]`" } else { "a size such as `4`" });
                self.recover_size();
                continue;
            }
            let span = open.to(self.current.span);
            self.bump();
            match size {
                None => incomplete = Some(span),
                Some(Integer { value: Some(0), .. }) if dimension == 0 => incomplete = Some(span),
                Some(Integer { value: Some(0), span }) => {
                    let message = "only the first size of an array can be zero or missing";
                    self.report(PtxCode::Declaration, span, message);
                }
                Some(Integer { value, span }) => {
                    if value.is_none_or(|value| 64 - value.leading_zeros() > widest) {
                        let message = format!("the size of the array does not fit in {widest} bits");
                        self.report(PtxCode::Constant, span, message);
                    }
                }
            }
        }
        incomplete
    }

    /// Continues after the bracket that ends a wrong size, or at the end of the declaration if there is none.
    fn recover_size(&mut self) {
        let mut parentheses = 0_u32;
        loop {
            match self.current.kind {
                TokenKind::Punctuation([b']', 0]) => return self.bump(),
                TokenKind::Punctuation([b'(', 0]) => parentheses += 1,
                TokenKind::Punctuation([b')', 0]) if parentheses > 0 => parentheses -= 1,
                TokenKind::Punctuation([b')' | b';' | b'{' | b'}', 0])
                | TokenKind::End
                | TokenKind::Nul
                | TokenKind::Unknown
                | TokenKind::Unterminated => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Reads the specifiers between the state space and the name. In a `parameter`, alignment may follow the type. `None`
    /// after an error from which the parser has to recover.
    fn specifiers(&mut self, parameter: bool, largest_alignment: Option<u64>) -> Option<Specifiers<'s>> {
        let mut found = Specifiers::default();
        while self.current.kind == TokenKind::Dotted {
            let word = self.word();
            self.bump();
            let vector = word.text.strip_prefix(".v").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
            match word.text {
                ".align" | ".alignas" => {
                    if found.ty.is_some() && !parameter {
                        self.report(
                            PtxCode::Syntax,
                            word.span,
                            format!("`{}` must precede the type", word.text),
                        );
                    }
                    self.alignment(largest_alignment)?;
                }
                ".ptr" | ".global" | ".const" | ".shared" | ".local" | ".param" if parameter => {}
                ".ptr" | ".global" | ".const" | ".shared" | ".local" | ".param" => {
                    let message = format!("unexpected `{}`: a type is expected", word.text);
                    self.report(PtxCode::Declaration, word.span, message);
                }
                ".attribute" if self.current.is(b'(') => self.skip_group(),
                _ if vector && found.ty.is_some() => {
                    let message = format!("`{}` must precede the type", word.text);
                    self.report(PtxCode::Declaration, word.span, message);
                }
                _ if vector && found.vector.is_some() => {
                    let message = format!("`{}` is a second vector size", word.text);
                    self.report(PtxCode::Declaration, word.span, message);
                }
                _ if vector => found.vector = Some(word),
                _ if found.ty.is_some() => {
                    self.report(PtxCode::Declaration, word.span, format!("`{}` is a second type", word.text));
                }
                _ => found.ty = Some(word),
            }
        }
        Some(found)
    }

    /// Reads `.v2 .b32 a, %r<100>;` after `.reg`.
    pub(super) fn registers(&mut self) {
        let Some(specifiers) = self.specifiers(false, None) else { return self.recover() };
        if specifiers.ty.is_none() {
            self.expected("a register type such as `.b32`");
            return self.recover();
        }
        let (entity, ty) = (self.register(specifiers), specifiers.ty.map(|word| word.span));
        if self.take(b';') {
            return;
        }
        loop {
            if self.current.kind != TokenKind::Name || matches!(self.word().text, "_" | "WARP_SZ") {
                self.expected("a register's name");
                return self.recover();
            }
            let name = self.word();
            self.bump();
            let count = match self.take(b'<') {
                true => match self.count() {
                    Some(count) => Some(count),
                    None => return self.recover(),
                },
                false => None,
            };
            self.visitor.declare(Declaration { count, ty, ..Declaration::new(name, entity) });
            if self.current.is(b'=') || self.current.is(b'[') {
                self.value_of_register(name);
                return self.recover();
            }
            if !self.take(b',') {
                return self.semicolon("`,` or `;`");
            }
        }
    }

    fn value_of_register(&mut self, name: Word<'s>) {
        let message = format!("the register `{}` cannot have an initial value or an array size", name.text);
        self.report(PtxCode::Declaration, self.current.span, message);
    }

    /// Reads `100>` of `%r<100>`.
    fn count(&mut self) -> Option<u64> {
        let Some(number) = self.integer() else {
            self.expected("a number of registers");
            return None;
        };
        if !self.take(b'>') {
            self.expected("`>`");
            return None;
        }
        let count = number.narrow();
        if count.is_none() {
            let message = "the number of registers does not fit in 32 bits";
            self.report(PtxCode::Constant, number.span, message);
        }
        // With a number that is too large, as many registers as possible exist, so that their uses are not reported, too.
        Some(count.unwrap_or(u32::MAX).into())
    }

    /// The register that the specifiers declare. Invalid specifiers are reported.
    fn register(&mut self, specifiers: Specifiers<'s>) -> Entity<'s> {
        let ty = specifiers.ty.and_then(|word| {
            let ty = RegisterType::from_name(&word.text[1..]);
            match ty {
                Some(ty) => self.visitor.register_type(ty, word.span),
                None => self.unknown_type(word, "register"),
            }
            ty
        });
        let lanes = match specifiers.vector.map(|v| v.text) {
            None => 1,
            Some(".v2") => 2,
            Some(".v4") => 4,
            Some(other) => {
                let span = specifiers.vector.map_or(self.current.span, |v| v.span);
                let message = format!("`{other}`: a vector register has two or four elements");
                self.report(PtxCode::Declaration, span, message);
                1
            }
        };
        if let (Some(ty), Some(vector)) = (ty, specifiers.vector) {
            let message = match ty.class {
                RegisterClass::Predicate => Some("a vector cannot hold predicates".to_string()),
                _ if u32::from(lanes) * ty.width > 128 => Some(format!(
                    "{lanes} elements of {} bits do not fit in the 128 bits of a vector",
                    ty.width
                )),
                _ => None,
            };
            if let Some(message) = message {
                self.report(PtxCode::Declaration, vector.span, message);
            }
        }
        Entity::Register { ty, lanes }
    }

    /// Reports a type or vector size that variables and parameters do not have.
    fn variable_type(&mut self, specifiers: Specifiers<'s>) {
        if let Some(word) = specifiers.vector.filter(|word| !matches!(word.text, ".v2" | ".v4")) {
            let message = format!("`{}`: a vector has two or four elements", word.text);
            self.report(PtxCode::Declaration, word.span, message);
        }
        let Some(word) = specifiers.ty else { return };
        match RegisterType::from_name(&word.text[1..]) {
            Some(ty) if ty.class == RegisterClass::Predicate => {
                self.report(PtxCode::Declaration, word.span, "only registers can be `.pred`");
            }
            Some(_) => {}
            None if matches!(word.text, ".texref" | ".samplerref" | ".surfref") => {}
            None => self.unknown_type(word, "variable"),
        }
    }

    fn unknown_type(&mut self, word: Word<'s>, what: &str) {
        let message = format!("`{}` is not a {what} type", word.text);
        let diagnostic = Diagnostic::new(PtxCode::Declaration, word.span, message);
        // Values of an alternate format are kept in `.b` registers of their width.
        let diagnostic = match ptxcvt::Type::from_name(&word.text[1..]) {
            Some(ty) if ty.width() >= 8 => diagnostic.with_help(format!(
                "`{}` values are kept in `.b{}` registers",
                word.text,
                ty.width()
            )),
            _ => diagnostic,
        };
        self.visitor.problem(diagnostic);
    }

    /// Reads `.align 8 .b8 name[4] = {…}, other;` after a state space such as `.global`. Only an `external` array, or one
    /// with an initial value, can be without a size.
    pub(super) fn variables(&mut self, space: &'s str, external: bool) {
        let largest = (space == "param").then_some(MAX_PARAMETER_ALIGNMENT);
        let Some(specifiers) = self.specifiers(false, largest) else { return self.recover() };
        if specifiers.ty.is_none() {
            self.expected("a type such as `.b32`");
            return self.recover();
        }
        self.variable_type(specifiers);
        let mut first = true;
        loop {
            if self.current.kind == TokenKind::Name {
                let name = self.word();
                self.visitor.declare(Declaration::new(name, Entity::Variable(space)));
                self.bump();
            } else if !std::mem::take(&mut first) {
                // ptxas accepts `.global .u32;`, but not a comma without a name after it.
                self.expected("the variable's name");
                return self.recover();
            }
            first = false;
            let incomplete = self.sizes(usize::MAX, u64::BITS);
            if self.current.is(b'=') {
                self.initial_value();
            } else if let Some(span) = incomplete.filter(|_| !external) {
                let message = "an array without a size needs `.extern` or an initial value";
                self.report(PtxCode::Declaration, span, message);
            }
            if !self.current.is(b',') {
                return self.semicolon("`,` or `;`");
            }
            self.bump();
        }
    }

    /// Skips an initial value such as `= {1, 2, generic(x)}`. Stops before the comma or semicolon that ends it, or
    /// where one is missing.
    fn initial_value(&mut self) {
        self.bump();
        let mut ended = false;
        loop {
            use TokenKind as K;
            match self.current.kind {
                K::Punctuation([b',' | b';' | b'}', 0]) | K::Dotted => return,
                K::End | K::Nul | K::Unknown | K::Unterminated => return,
                K::Punctuation([b'(' | b'[' | b'{', 0]) => {
                    self.skip_group();
                    ended = true;
                    continue;
                }
                K::Name | K::Integer | K::Decimal | K::Bits32 | K::Bits64 | K::String if ended => return,
                K::Name | K::Integer | K::Decimal | K::Bits32 | K::Bits64 | K::String => ended = true,
                _ => ended = false,
            }
            self.bump();
        }
    }

    /// Reads `(.param .u64 a, .reg .v2 .f32 b)` into `parameters`. Parameters of an entry are in `.param` and may
    /// be `.hidden`.
    pub(super) fn parameter_list(&mut self, list: Parameters) {
        let entry = list == Parameters::OfEntry;
        self.bump();
        if self.take(b')') {
            return;
        }
        loop {
            if entry && self.word().text == ".hidden" {
                self.bump();
            }
            let space = self.word();
            if space.text != ".param" && (entry || space.text != ".reg") {
                self.expected(if entry { "`.param`" } else { "`.param` or `.reg`" });
                return self.recover_parameters();
            }
            self.bump();
            let largest = (!entry && space.text == ".param").then_some(MAX_PARAMETER_ALIGNMENT);
            let Some(specifiers) = self.specifiers(true, largest) else { return self.recover_parameters() };
            let entity = match space.text {
                ".reg" => self.register(specifiers),
                _ => {
                    self.variable_type(specifiers);
                    Entity::Variable("param")
                }
            };
            if self.current.kind != TokenKind::Name {
                self.expected("the parameter's name");
                return self.recover_parameters();
            }
            let name = self.word();
            self.bump();
            if name.text != "_" {
                let ty = specifiers.ty.filter(|_| space.text == ".reg").map(|word| word.span);
                self.parameters.push(Declaration { ty, ..Declaration::new(name, entity) });
            }
            if self.current.is(b'[') && space.text == ".reg" {
                self.value_of_register(name);
            }
            let incomplete = self.sizes(1, u32::BITS);
            let needs_size = match list {
                Parameters::OfEntry => Some("a parameter of a kernel"),
                Parameters::OfFunction => None,
                Parameters::Results => Some("a result of a function"),
            };
            if let (Some(span), Some(what)) = (incomplete, needs_size) {
                self.report(PtxCode::Declaration, span, format!("{what} cannot be an array without a size"));
            }
            if !self.take(b',') {
                if !self.take(b')') {
                    self.expected("`,` or `)`");
                    self.recover_parameters();
                }
                return;
            }
        }
    }

    fn recover_parameters(&mut self) {
        while !matches!(self.current.kind, TokenKind::End | TokenKind::Nul)
            && ![b')', b'{', b'}', b';'].iter().any(|&mark| self.current.is(mark))
        {
            match self.current.is(b'(') {
                true => self.skip_group(),
                false => self.bump(),
            }
        }
        self.take(b')');
    }
}
