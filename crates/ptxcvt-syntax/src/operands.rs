//! Judges the operands of a legal opcode: their number, their registers, their immediates.
//!
//! PTX ISA sections 6.4 (operands), 9.4.1 (sizes), 9.7.9.21; what each operand takes is asked of
//! [`ptxcvt::Operand`] and [`ptxcvt::vector_problem`].

use ptxcvt::{
    Form, Immediate, Operand as Wanted, RegisterClass, RegisterType, Role, VectorElement, VectorProblem,
    vector_problem,
};

use crate::codes::PtxCode;
use crate::constant::Constant;
use crate::diagnostics::Diagnostic;
use crate::judge::{Slot, any_of};
use crate::operand::{Extra, Operand, OperandKind};
use crate::parse::{Conversion, Entity, Visitor, Word};
use crate::special::{Shape, Special};
use crate::validate::Checker;

/// What a name was resolved to.
enum Resolved {
    /// A register of that type, and where it is declared.
    Register(RegisterType, crate::span::Span),
    /// A special register of that width.
    Special(u32),
    /// Something that was reported, or that cannot be judged.
    Nothing,
}

impl<'s> Checker<'s> {
    pub(crate) fn operands(&mut self, form: Form, slots: &[Slot], conversion: &Conversion<'s, '_>) {
        let given = conversion.operands;
        if given.len() != slots.len() {
            self.names(given, conversion.elements);
            let plural = if slots.len() == 1 { "" } else { "s" };
            let message = format!("`{form}` takes {} operand{plural}, {} given", slots.len(), given.len());
            let help = format!("write `{form} {};`", pattern(slots));
            return self
                .problem(Diagnostic::new(PtxCode::OperandNumber, conversion.span, message).help(help));
        }
        for (slot, operand) in slots.iter().zip(given) {
            match (slot, &operand.kind) {
                (Slot::One(wanted), _) => self.operand(wanted, operand),
                (Slot::Vector(wanted), OperandKind::Vector(range)) => {
                    self.vector(wanted, operand, &conversion.elements[range.clone()]);
                }
                (Slot::Vector(_), OperandKind::Placeholder) => {}
                (Slot::Vector(wanted), _) => {
                    let message = format!("`{form}` takes its {} sources in braces", wanted.len());
                    let help = match &operand.kind {
                        OperandKind::Name { name, selector: None, .. }
                            if self.lanes(name.text) == Some(4) =>
                        {
                            format!("write `{{{0}.x, {0}.y, {0}.z, {0}.w}}`", name.text)
                        }
                        _ => format!("write `{form} {};`", pattern(slots)),
                    };
                    self.problem(Diagnostic::new(PtxCode::VectorOperand, operand.span, message).help(help));
                }
            }
        }
    }

    fn lanes(&self, name: &'s str) -> Option<u8> {
        match self.scope.find(name)?.entity {
            Entity::Register { lanes, .. } => Some(lanes),
            _ => None,
        }
    }

    fn operand(&mut self, wanted: &Wanted, operand: &Operand<'s>) {
        let destination = wanted.role == Role::Destination;
        match &operand.kind {
            OperandKind::Placeholder | OperandKind::Faulty => {}
            OperandKind::Constant(_) if destination => {
                let message = "the destination is a constant; it has to be a register";
                self.problem(Diagnostic::new(PtxCode::Destination, operand.span, message));
            }
            OperandKind::Constant(constant) => self.immediate(wanted, operand, *constant),
            OperandKind::Vector(elements) => {
                let message = format!("a vector stands for {}, which is one register", role(wanted));
                let mut diagnostic = Diagnostic::new(PtxCode::VectorOperand, operand.span, message);
                if elements.len() > 1 {
                    diagnostic = diagnostic.help("packed sources are written one by one, without braces");
                }
                self.problem(diagnostic);
            }
            OperandKind::Name { name, selector, extra } => {
                let Some(resolved) = self.resolve(wanted, operand, *name, *selector, *extra) else { return };
                match resolved {
                    Resolved::Register(ty, declared) if !wanted.accepts(ty) => {
                        self.wrong_register(wanted, operand, *name, ty, declared);
                    }
                    Resolved::Register(..) if *extra == Extra::Offset && destination => {
                        let message = "the destination is an expression; it has to be a register";
                        self.problem(Diagnostic::new(PtxCode::Destination, operand.span, message));
                    }
                    Resolved::Register(..) if *extra == Extra::Offset => self.offset(operand),
                    Resolved::Special(_) if destination => {
                        let message =
                            format!("`{}` is a special register, which cannot be written", name.text);
                        self.problem(Diagnostic::new(PtxCode::Destination, operand.span, message));
                    }
                    Resolved::Special(width) if !wanted.accepts_special(width) => {
                        self.special_refused(wanted, operand, *name, width);
                    }
                    _ => {}
                }
            }
            OperandKind::Sink => self.sink(operand),
            OperandKind::Address => self.address(operand),
        }
    }

    /// What a name stands for; `None` where that is reported.
    fn resolve(
        &mut self,
        wanted: &Wanted,
        operand: &Operand<'s>,
        name: Word<'s>,
        selector: Option<Word<'s>>,
        extra: Extra,
    ) -> Option<Resolved> {
        if matches!(extra, Extra::Minus | Extra::Not | Extra::PredicateOutput) {
            let what = match extra {
                Extra::Minus => "a negated operand: `cvt` does not negate",
                Extra::Not => "`!` is for predicates; `cvt` takes none",
                _ => "`cvt` has no predicate output",
            };
            self.problem(Diagnostic::new(PtxCode::OperandForm, operand.span, what));
            return None;
        }
        let Some(found) = self.scope.find(name.text) else {
            let Some(special) = Special::find(name.text) else {
                self.undeclared(name, Some(wanted));
                return None;
            };
            return self.special(special, operand, selector, extra);
        };
        if found.leading_zeros {
            let message = format!("`{}` is written with leading zeros", name.text);
            let stem = name.text.trim_end_matches(|c: char| c.is_ascii_digit());
            let number = name.text[stem.len()..].trim_start_matches('0');
            let help = format!("write `{stem}{}`", if number.is_empty() { "0" } else { number });
            self.problem(Diagnostic::new(PtxCode::LeadingZeros, name.span, message).help(help));
        }
        let (ty, lanes) = match found.entity {
            Entity::Register { ty, lanes } => (ty, lanes),
            Entity::Variable(space) if extra == Extra::Offset && wanted.role != Role::Destination => {
                // An address expression: an integer, whatever its width.
                let integer = |r: RegisterType| r.class == RegisterClass::Unsigned;
                if wanted.accepted().any(integer) && space != "tex" {
                    self.offset(operand);
                } else {
                    self.not_register(name, "an address");
                }
                return None;
            }
            Entity::Variable(space) => {
                self.not_register(name, &format!("a `.{space}` variable"));
                return None;
            }
            Entity::Function => {
                self.not_register(name, "a function");
                return None;
            }
            Entity::Label => {
                self.not_register(name, "a label");
                return None;
            }
        };
        match selector {
            Some(selector) if lanes == 1 => {
                let message = format!("`{}` is no vector and has no `{}`", name.text, selector.text);
                let diagnostic = Diagnostic::new(PtxCode::Selector, selector.span, message);
                self.problem(diagnostic.related(found.declared, "declared here"));
                None
            }
            Some(selector) if !is_element(selector.text) => {
                self.unknown_element(selector);
                None
            }
            None if lanes > 1 => {
                let message = format!("`{}` is a vector of {lanes}; one element is needed", name.text);
                let help = format!("write `{}.x`", name.text);
                let diagnostic = Diagnostic::new(PtxCode::VectorOperand, operand.span, message).help(help);
                self.problem(diagnostic.related(found.declared, "declared here"));
                None
            }
            _ => Some(ty.map_or(Resolved::Nothing, |ty| Resolved::Register(ty, found.declared))),
        }
    }

    fn special(
        &mut self,
        special: &Special,
        operand: &Operand<'s>,
        selector: Option<Word<'s>>,
        extra: Extra,
    ) -> Option<Resolved> {
        if let Some(reason) = self.special_gate(special) {
            let message = format!("`{}` {reason}", special.name);
            self.problem(Diagnostic::new(PtxCode::SpecialRegister, operand.span, message));
            return None;
        }
        if extra == Extra::Offset {
            let message = "nothing can be added to a special register";
            self.problem(Diagnostic::new(PtxCode::OperandForm, operand.span, message));
            return None;
        }
        match (special.shape, selector) {
            (Shape::Vector, Some(selector)) if is_element(selector.text) => Some(Resolved::Special(32)),
            (Shape::Vector, Some(selector)) => {
                self.unknown_element(selector);
                None
            }
            (Shape::Vector, None) => {
                let message = format!("`{}` is a vector; one element is needed", special.name);
                let help = format!("write `{}.x`", special.name);
                self.problem(Diagnostic::new(PtxCode::VectorOperand, operand.span, message).help(help));
                None
            }
            (_, Some(selector)) => {
                let message = format!("`{}` is no vector and has no `{}`", special.name, selector.text);
                self.problem(Diagnostic::new(PtxCode::Selector, selector.span, message));
                None
            }
            (Shape::Integer(width), None) => Some(Resolved::Special(width)),
            (Shape::Predicate, None) => Some(Resolved::Special(0)),
        }
    }

    fn vector(&mut self, wanted: &[Wanted], vector: &Operand<'s>, elements: &[Operand<'s>]) {
        if elements.len() != wanted.len() {
            let message = format!("{} elements are needed, {} given", wanted.len(), elements.len());
            let help = format!("write `{}`", pattern_of(wanted));
            self.names(elements, &[]);
            return self.problem(Diagnostic::new(PtxCode::VectorSize, vector.span, message).help(help));
        }
        let mut known = Vec::with_capacity(elements.len());
        for (wanted, element) in wanted.iter().zip(elements) {
            match &element.kind {
                OperandKind::Name { extra: Extra::Offset, .. } => {
                    let message = "an offset cannot be added to an element";
                    self.problem(Diagnostic::new(PtxCode::OperandForm, element.span, message));
                }
                OperandKind::Name { name, selector, extra } => {
                    match self.resolve(wanted, element, *name, *selector, *extra) {
                        Some(Resolved::Register(ty, _)) if selector.is_some() => {
                            known.push(VectorElement::Selected(ty));
                        }
                        Some(Resolved::Register(ty, _)) => known.push(VectorElement::Register(ty)),
                        Some(Resolved::Special(width)) => known.push(VectorElement::Special { width }),
                        _ => {}
                    }
                }
                OperandKind::Constant(Constant::Integer(_)) => known.push(VectorElement::Integer),
                OperandKind::Constant(_) => known.push(VectorElement::Float),
                OperandKind::Sink => self.sink(element),
                OperandKind::Address => self.address(element),
                OperandKind::Placeholder | OperandKind::Faulty | OperandKind::Vector(_) => {}
            }
        }
        // Neighbours can be compared only where all are known.
        if known.len() != elements.len() {
            return;
        }
        let help = "four `.f32` registers or floating-point literals are meant";
        let (code, span, message) = match vector_problem(&known) {
            None => return,
            Some(VectorProblem::Element(at)) => {
                (PtxCode::RegisterKind, elements[at].span, "an element has to be 32 bits wide".to_string())
            }
            Some(VectorProblem::Neighbours(at)) => {
                let name = wanted[at].role.name();
                let message = format!("element `{name}` is of another type than the one before it");
                (PtxCode::VectorElements, elements[at].span, message)
            }
            Some(VectorProblem::Literal(at)) => {
                let message = "a literal cannot stand beside a special register or an element of a vector";
                (PtxCode::VectorElements, elements[at].span, message.to_string())
            }
            Some(VectorProblem::Integers) => {
                (PtxCode::VectorElements, vector.span, "all elements are integers".to_string())
            }
        };
        self.problem(Diagnostic::new(code, span, message).help(help));
    }

    fn immediate(&mut self, wanted: &Wanted, operand: &Operand<'s>, constant: Constant) {
        use Constant::{Bits32, Bits64, Decimal, Integer};
        let (message, help) = match (wanted.immediate(), constant) {
            (Immediate::Integer | Immediate::IntegerOrFloatBits, Integer(_))
            | (Immediate::IntegerOrFloatBits | Immediate::FloatBits, Bits32(_))
            | (Immediate::Float, Decimal(_) | Bits32(_) | Bits64(_)) => return,
            (Immediate::None, _) => {
                let message = format!("{} takes a register, no immediate", role(wanted));
                (message, format!("move it into a `{}` register first", wanted.register()))
            }
            (Immediate::Integer | Immediate::IntegerOrFloatBits, _) => {
                (format!("{} takes an integer, no floating-point number", role(wanted)), String::new())
            }
            (Immediate::Float, Integer(i)) => {
                (format!("{} takes a floating-point number, no integer", role(wanted)), decimal_help(i))
            }
            (Immediate::FloatBits, Integer(i)) => {
                let message = format!("{} takes `0f` and eight hexadecimal digits, no integer", role(wanted));
                (message, bits_help(i as i64 as f64))
            }
            (Immediate::FloatBits, Decimal(d)) => (
                format!("{} takes `0f` and eight hexadecimal digits, no decimal", role(wanted)),
                bits_help(d),
            ),
            (Immediate::FloatBits, Bits64(bits)) => {
                let message = format!("{} takes `0f` and eight hexadecimal digits, no `0d`", role(wanted));
                (message, bits_help(f64::from_bits(bits)))
            }
        };
        let diagnostic = Diagnostic::new(PtxCode::ImmediateKind, operand.span, message);
        self.problem(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    // The findings.

    pub(crate) fn undeclared(&mut self, name: Word<'s>, wanted: Option<&Wanted>) {
        if self.lenient {
            return;
        }
        let diagnostic =
            Diagnostic::new(PtxCode::Undeclared, name.span, format!("`{}` is not declared here", name.text));
        let diagnostic = match (self.scope.find_family(name.text), wanted) {
            (Some((stem, 0, declared)), _) => {
                diagnostic.related(declared, format!("`{stem}<0>` declares no register"))
            }
            (Some((stem, count, declared)), _) => diagnostic
                .related(declared, format!("`{stem}<{count}>` declares `{stem}0` to `{stem}{}`", count - 1)),
            (None, Some(wanted)) => {
                diagnostic.help(format!("declare it: `.reg {} {};`", wanted.register(), name.text))
            }
            (None, None) => diagnostic,
        };
        self.problem(diagnostic);
    }

    fn not_register(&mut self, name: Word<'s>, what: &str) {
        let message = format!("`{}` is {what}, not a register", name.text);
        self.problem(Diagnostic::new(PtxCode::NotRegister, name.span, message));
    }

    fn unknown_element(&mut self, selector: Word<'s>) {
        let message = format!("a vector has no element `{}`", selector.text);
        let help = "elements are `.x .y .z .w`, or `.r .g .b .a`";
        self.problem(Diagnostic::new(PtxCode::Selector, selector.span, message).help(help));
    }

    fn sink(&mut self, operand: &Operand<'s>) {
        let message = "`_` cannot be an operand of a conversion";
        self.problem(Diagnostic::new(PtxCode::Sink, operand.span, message));
    }

    fn address(&mut self, operand: &Operand<'s>) {
        let message = "a conversion reads registers, not memory";
        let help = "load the value first, with `ld`";
        self.problem(Diagnostic::new(PtxCode::OperandForm, operand.span, message).help(help));
    }

    fn offset(&mut self, operand: &Operand<'s>) {
        let message = "an offset is added to an operand: the assembler reads the expression of an address";
        let help = "use `add`";
        self.problem(Diagnostic::new(PtxCode::Offset, operand.span, message).help(help));
    }

    fn special_refused(&mut self, wanted: &Wanted, operand: &Operand<'s>, name: Word<'s>, width: u32) {
        let message = match width {
            0 => format!("`{}` is a predicate", name.text),
            _ if wanted.accepts_special(64) => {
                format!("`{}` has {width} bits; {} has {}", name.text, role(wanted), wanted.width)
            }
            _ => format!("{} cannot be a special register", role(wanted)),
        };
        let help = format!("move it into a `{}` register first", wanted.register());
        self.problem(Diagnostic::new(PtxCode::SpecialRegister, operand.span, message).help(help));
    }

    fn wrong_register(
        &mut self,
        wanted: &Wanted,
        operand: &Operand<'s>,
        name: Word<'s>,
        ty: RegisterType,
        declared: crate::span::Span,
    ) {
        let message = format!("`{}` is `{ty}`, but {} takes {}", name.text, role(wanted), kinds(wanted));
        let help = format!("declare it `{}`", wanted.register());
        let diagnostic = Diagnostic::new(PtxCode::RegisterKind, operand.span, message).help(help);
        self.problem(diagnostic.related(declared, format!("declared `{ty}` here")));
    }
}

fn is_element(selector: &str) -> bool {
    matches!(selector, ".x" | ".y" | ".z" | ".w" | ".r" | ".g" | ".b" | ".a")
}

/// An operand in words: "the destination", "the source `a` (`.f32`)".
fn role(wanted: &Wanted) -> String {
    match (wanted.role, wanted.ty) {
        (Role::Destination, Some(ty)) => format!("the destination (`.{ty}`)"),
        (Role::Destination, None) => "the destination".into(),
        (role, Some(ty)) => format!("the source `{}` (`.{ty}`)", role.name()),
        (role, None) => format!("`{}`", role.name()),
    }
}

/// The registers that an operand takes, in words.
fn kinds(wanted: &Wanted) -> String {
    let accepted: Vec<RegisterType> = wanted.accepted().collect();
    if accepted.len() <= 4 {
        return any_of(&accepted.iter().map(|r| format!("`{r}`")).collect::<Vec<_>>());
    }
    let mut classes: Vec<String> = Vec::new();
    for (class, name) in [
        (RegisterClass::Unsigned, "`.u`"),
        (RegisterClass::Signed, "`.s`"),
        (RegisterClass::Bits, "`.b`"),
        (RegisterClass::Float, "`.f`"),
    ] {
        if accepted.iter().any(|r| r.class == class) {
            classes.push(name.to_string());
        }
    }
    let wider = accepted.iter().any(|r| r.width > wanted.width);
    let width =
        if wider { format!("{} bits or more", wanted.width) } else { format!("{} bits", wanted.width) };
    format!("{} of {width}", any_of(&classes))
}

/// `d, {a, b, e, f}, rbits`
fn pattern(slots: &[Slot]) -> String {
    let slot = |slot: &Slot| match slot {
        Slot::One(wanted) => wanted.role.name().to_string(),
        Slot::Vector(elements) => pattern_of(elements),
    };
    slots.iter().map(slot).collect::<Vec<_>>().join(", ")
}

fn pattern_of(elements: &[Wanted]) -> String {
    let names: Vec<&str> = elements.iter().map(|wanted| wanted.role.name()).collect();
    format!("{{{}}}", names.join(", "))
}

fn decimal_help(integer: u64) -> String {
    format!("write `{:?}`", integer as i64 as f64)
}

fn bits_help(value: f64) -> String {
    format!("write `0f{:08X}`", (value as f32).to_bits())
}
