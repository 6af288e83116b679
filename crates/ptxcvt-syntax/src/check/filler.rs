//! The operands of an `asm` statement, which the compiler puts in place of `%0` and `$0`: registers whose type the
//! constraint gives, and immediates.

use ptxcvt::forms::{RegisterClass, RegisterType};

use crate::source::Span;

/// The operand that replaces a placeholder.
#[derive(Clone, Debug)]
pub(crate) struct Filler {
    pub(super) kind: Kind,
    pub(super) letters: String,
    name: Option<String>,
    pub(super) at: Span,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Register(RegisterType),
    Immediate,
    /// An address: `[%rd1]`.
    Memory,
    Unknown,
}

/// How a language declares the registers of operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Words {
    /// Constraints: `"h"`.
    #[default]
    Constraints,
    /// Classes of Rust: `in(reg16)`.
    Rust,
    /// Types of MLIR: `i16`.
    Mlir,
    /// Types of the CuTe DSL: `Int16`.
    Cute,
}

impl Words {
    /// What an operand needs for the register of a constraint. `None` if the language has no type for this constraint.
    pub fn advice(self, letter: &str) -> Option<String> {
        let (rust, mlir, cute) = match letter {
            "h" => ("reg16", "i16", "Int16"),
            "r" => ("reg32", "i32", "Int32"),
            "l" => ("reg64", "i64", "Int64"),
            "f" => ("reg32", "f32", "Float32"),
            "d" => ("reg64", "f64", "Float64"),
            "q" => ("", "i128", ""),
            _ => ("", "", ""),
        };
        let (what, name) = match self {
            Words::Constraints => ("constraint", letter),
            Words::Rust => ("class", rust),
            Words::Mlir => ("type", mlir),
            Words::Cute => ("type", cute),
        };
        (!name.is_empty()).then(|| format!("give it the {what} `{name}`"))
    }

    /// A placeholder as the program writes it.
    pub fn shown(self, placeholder: &str) -> String {
        let inner = placeholder.strip_prefix('%').filter(|_| self == Words::Rust);
        match inner {
            Some(inner) => format!("{{{}}}", inner.trim_start_matches('[').trim_end_matches(']')),
            None => placeholder.to_owned(),
        }
    }
}

/// All operands of a statement.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fillers<'f> {
    pub operands: &'f [Filler],
    /// The text may use names that are declared elsewhere.
    pub names_unknown: bool,
    pub words: Words,
    /// The text is part of a program, so its conversions are listed.
    pub of_program: bool,
}

impl Filler {
    fn new(kind: Kind) -> Self {
        Filler { kind, letters: String::new(), name: None, at: Span::default() }
    }

    pub fn register(class: RegisterClass, width: u32) -> Self {
        Filler::new(Kind::Register(RegisterType { class, width }))
    }

    pub fn immediate() -> Self {
        Filler::new(Kind::Immediate)
    }

    pub fn memory() -> Self {
        Filler::new(Kind::Memory)
    }

    pub fn unknown() -> Self {
        Filler::new(Kind::Unknown)
    }

    /// Adds the constraint's letters, the operand's name and its place.
    pub fn named(self, letters: &str, name: Option<&str>, at: Span) -> Self {
        Filler { letters: letters.to_owned(), name: name.map(str::to_owned), at, ..self }
    }

    /// The register's type, or `None` if the operand is not a register.
    pub fn register_type(&self) -> Option<RegisterType> {
        match self.kind {
            Kind::Register(ty) => Some(ty),
            _ => None,
        }
    }

    /// The name in `[name]`, if there is one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// True if `%[name]` names this operand.
    pub fn has_name(&self, name: &str) -> bool {
        self.name() == Some(name)
    }

    /// True if the operand is an immediate.
    pub fn is_immediate(&self) -> bool {
        matches!(self.kind, Kind::Immediate)
    }
}

/// The constraint letter for the narrowest register that an operand accepts. `None` if there is no such letter.
pub(super) fn letter(accepts: impl Fn(RegisterType) -> bool, width: u32) -> Option<&'static str> {
    use RegisterClass::{Bits, Float};
    [("h", Bits, 16), ("r", Bits, 32), ("l", Bits, 64), ("f", Float, 32), ("d", Float, 64), ("q", Bits, 128)]
        .into_iter()
        .filter(|(_, class, bits)| *bits >= width && accepts(RegisterType { class: *class, width: *bits }))
        .min_by_key(|(_, class, bits)| (*bits, *class == Bits))
        .map(|(letter, ..)| letter)
}
