//! Constraints of inline assembly: the register that the compiler puts in place of `%0` and `$0`.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA" and LLVM's NVPTX target: `h r l q f d` are registers of 16, 32, 64 and
//! 128 bits and the two floats, `b` a predicate, `n` an immediate.

use ptxcvt::forms::{RegisterClass, RegisterType};

use super::text::Joined;
use crate::check::{Filler, Words};
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The meaning of a constraint such as `=r`.
///
/// ```
/// use ptxcvt_syntax::sources::{Constraint, ConstraintKind};
/// let constraint = Constraint::of("+h");
/// assert!(constraint.output && constraint.input);
/// assert!(matches!(constraint.kind, ConstraintKind::Register(ty) if ty.width == 16));
/// assert_eq!(Constraint::of("0").kind, ConstraintKind::Tied(0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Constraint {
    /// True for `=r` and `+r`.
    pub output: bool,
    /// True for `r` and `+r`.
    pub input: bool,
    /// The operand's kind.
    pub kind: ConstraintKind,
}

/// The kind of operand that a constraint requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConstraintKind {
    /// A register of this type.
    Register(RegisterType),
    /// The register of an earlier operand, by its number.
    Tied(usize),
    /// A constant: `n` or `i`.
    Immediate,
    /// An address in memory: `m`.
    Memory,
    /// The text of a constant array: `C`.
    Text,
    /// An operand of another machine than NVIDIA's.
    Foreign,
    /// An unknown constraint.
    Unknown,
}

impl Constraint {
    /// Parses a constraint. Blanks do not matter.
    pub fn of(text: &str) -> Constraint {
        let text = text.trim();
        let register = |class, width| ConstraintKind::Register(RegisterType { class, width });
        let letters = text.trim_start_matches(['=', '+', '&', '%', ' ']);
        let kind = match letters {
            "b" => register(RegisterClass::Predicate, 1),
            "h" | "c" => register(RegisterClass::Bits, 16),
            "r" => register(RegisterClass::Bits, 32),
            "l" | "N" => register(RegisterClass::Bits, 64),
            "q" => register(RegisterClass::Bits, 128),
            "f" => register(RegisterClass::Float, 32),
            "d" => register(RegisterClass::Float, 64),
            "n" | "i" => ConstraintKind::Immediate,
            "m" | "*m" => ConstraintKind::Memory,
            "C" => ConstraintKind::Text,
            "a" | "v" | "s" | "t" | "x" | "w" | "A" | "D" | "S" | "Q" => ConstraintKind::Foreign,
            // RISC-V's vectors, PowerPC's, and ARM's predicates.
            "vr" | "vd" | "vm" | "wa" | "wd" | "wf" | "ws" | "Upl" | "Upa" => ConstraintKind::Foreign,
            // Rust's classes.
            "freg" | "sreg" | "dreg" | "qreg" | "vreg" | "xmm_reg" | "ymm_reg" | "zmm_reg" => {
                ConstraintKind::Foreign
            }
            digits if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                digits.parse().map_or(ConstraintKind::Unknown, ConstraintKind::Tied)
            }
            // LLVM's alternatives.
            _ => {
                match letters.split_once('|').map(|(one, others)| (Self::of(one).kind, Self::of(others).kind))
                {
                    Some((one, others)) if one == others => one,
                    _ => ConstraintKind::Unknown,
                }
            }
        };
        Constraint { output: text.starts_with(['=', '+']), input: !text.starts_with('='), kind }
    }
}

/// Letters that compilers accept for every machine, alone or combined (`rn`), next to the machine's own.
const GENERAL: &str = "moVEFsXpgIJKLMNOP";
/// Signs before and between letters, also those that only LLVM writes (`=*m`).
const SIGNS: &str = "=+&%,*#?! ";

/// How constraints are written.
pub const CONSTRAINTS: &str = "constraints are h (16 bits), r (32), l (64), q (128), f (f32), d (f64) and n (a constant), \
    with = for outputs and + for operands that are read and written; in a list of LLVM also b (a predicate)";

/// True if some compiler could accept a constraint, even if its meaning is not known here. `is_llvm`: it may have
/// alternatives.
pub fn is_possible_constraint(letters: &str, is_llvm: bool) -> bool {
    let is_letter = |c: char| Constraint::of(c.encode_utf8(&mut [0; 4])).kind != ConstraintKind::Unknown;
    letters.chars().all(|c| SIGNS.contains(c) || (is_llvm && c == '|') || GENERAL.contains(c) || is_letter(c))
}

/// An item of a list of constraints, without the blanks around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListItem<'l> {
    /// The constraint of an operand. It is empty where the list has nothing between two commas.
    Operand(&'l str),
    /// What the assembly changes besides its operands: `memory` of `~{memory}`.
    Clobber(&'l str),
}

/// The items of a list of constraints as LLVM writes it, `=r,f,~{memory}`, each with its place in the list.
///
/// ```
/// use ptxcvt_syntax::sources::{ListItem, constraint_list};
/// let items: Vec<_> = constraint_list("=r, f,~{memory}").collect();
/// assert_eq!(items, [(0, ListItem::Operand("=r")), (4, ListItem::Operand("f")), (6, ListItem::Clobber("memory"))]);
/// ```
pub fn constraint_list(list: &str) -> impl Iterator<Item = (usize, ListItem<'_>)> {
    let mut end = 0;
    list.split(',').map(move |item| {
        let start = end + item.len() - item.trim_start().len();
        end += item.len() + 1;
        let item = item.trim();
        let clobber = item.strip_prefix('~').map(|name| name.trim_start_matches('{').trim_end_matches('}'));
        (start, clobber.map_or(ListItem::Operand(item), ListItem::Clobber))
    })
}

/// True for what NVIDIA's compilers accept as a clobber: they know no registers by name.
pub fn is_clobber(name: &str) -> bool {
    ["memory", "cc", ""].contains(&name)
}

/// An operand of an assembly, as the source has it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AsmOperand {
    /// The constraint's letters.
    pub letters: String,
    /// The name in `[name]`, if there is one.
    pub name: Option<String>,
    /// The expression in parentheses; empty in languages other than C++.
    pub expression: String,
    /// The place of the letters.
    pub span: Span,
}

/// The operands of one assembly.
#[derive(Clone, Debug, Default)]
pub(super) struct Operands {
    pub written: Vec<AsmOperand>,
    pub fillers: Vec<Filler>,
    /// Some of them could not be read, so no operand is judged.
    pub unknown: bool,
    /// They belong to another machine than NVIDIA's.
    pub foreign: bool,
    /// They are a list of LLVM.
    pub is_llvm: bool,
    /// How the program says which registers they have.
    pub words: Words,
}

impl Operands {
    /// Adds an operand.
    pub fn push(&mut self, operand: AsmOperand, joined: &mut Joined) {
        let filler = match Constraint::of(&operand.letters).kind {
            ConstraintKind::Register(ty) => Filler::register(ty.class, ty.width),
            ConstraintKind::Immediate => Filler::immediate(),
            ConstraintKind::Memory if self.is_llvm => Filler::memory(),
            ConstraintKind::Tied(to) => self.fillers.get(to).cloned().unwrap_or_else(Filler::unknown),
            ConstraintKind::Foreign => {
                self.foreign = true;
                Filler::unknown()
            }
            ConstraintKind::Memory | ConstraintKind::Text | ConstraintKind::Unknown => Filler::unknown(),
        };
        let at = joined.outside(operand.span);
        self.fillers.push(filler.named(&operand.letters, operand.name.as_deref(), at));
        self.written.push(operand);
    }

    /// Notes a clobber.
    pub fn clobber(&mut self, name: &str) {
        self.foreign |= !is_clobber(name);
    }

    /// What is wrong with constraints, and where, if all of them are known and for NVIDIA's compilers.
    pub fn problems(&self) -> impl Iterator<Item = Diagnostic> {
        let known = !self.unknown && !self.foreign;
        let all = self.written.iter().enumerate().filter(move |_| known);
        all.filter_map(|(at, operand)| {
            let letters = &operand.letters;
            let constraint = Constraint::of(letters);
            let (message, help) = match constraint.kind {
                ConstraintKind::Unknown
                    if !is_possible_constraint(letters, self.is_llvm) && self.words == Words::Rust =>
                {
                    let class = letters.trim_start_matches(['=', '+']);
                    (format!("invalid register class `{class}`"), "classes are reg16, reg32 and reg64")
                }
                ConstraintKind::Unknown if !is_possible_constraint(letters, self.is_llvm) => {
                    (format!("invalid constraint `{letters}`"), CONSTRAINTS)
                }
                ConstraintKind::Tied(to) if !self.is_output(to) || constraint.output => {
                    let help =
                        "an input whose constraint is the number of an output has the output's register";
                    (
                        format!("constraint `{letters}` ties operand {at} to an output that does not exist"),
                        help,
                    )
                }
                _ => return None,
            };
            Some(Diagnostic::new(PtxCode::Constraint, operand.span, message).with_help(help))
        })
    }

    fn is_output(&self, number: usize) -> bool {
        self.written.get(number).is_some_and(|operand| Constraint::of(&operand.letters).output)
    }

    /// The operands with their places after another text.
    pub fn after(self, joined: &mut Joined) -> Self {
        let (unknown, foreign) = (self.unknown, self.foreign);
        let (is_llvm, words) = (self.is_llvm, self.words);
        let mut moved = Operands { unknown, foreign, is_llvm, words, ..Operands::default() };
        self.written.into_iter().for_each(|operand| moved.push(operand, joined));
        moved
    }

    /// Adds the operands of a list `=r,f,~{memory}`, as LLVM writes them. `from` is where it begins in the source.
    pub fn push_list(&mut self, list: &str, from: usize, joined: &mut Joined) {
        let mut text = Joined::default();
        text.push(list, from);
        self.push_text(&text, joined);
    }

    /// Adds the operands of a list that is joined from pieces.
    pub fn push_text(&mut self, list: &Joined, joined: &mut Joined) {
        self.is_llvm = true;
        for (start, item) in constraint_list(&list.text) {
            match item {
                ListItem::Clobber(name) => self.clobber(name),
                ListItem::Operand("") => {}
                ListItem::Operand(letters) => {
                    let span = list.locate(Span::new(start as u32, (start + letters.len()) as u32));
                    let letters = letters.to_owned();
                    self.push(AsmOperand { letters, name: None, expression: String::new(), span }, joined);
                }
            }
        }
    }
}
