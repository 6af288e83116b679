//! Writes a block: declarations first, a comment at the beginning of each stage, names with the letter of their element.
//!
//! PTX ISA chapter 4 (syntax) and section 5.4 (declarations).

use std::fmt::Write as _;

use ptxcvt::forms::Role;
use ptxcvt::{Form, IsaVersion, Opcode, Target};

/// The type with which a register is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    B8,
    B16,
    B32,
    B64,
    Pred,
}

impl Of {
    const ALL: [Of; 5] = [Of::Pred, Of::B8, Of::B16, Of::B32, Of::B64];

    fn name(self) -> &'static str {
        match self {
            Of::B8 => "b8",
            Of::B16 => "b16",
            Of::B32 => "b32",
            Of::B64 => "b64",
            Of::Pred => "pred",
        }
    }
}

/// A block that is being written.
pub(super) struct Writer {
    target: Target,
    isa: IsaVersion,
    /// The letter of the current element; empty if there is only one.
    element: &'static str,
    registers: Vec<(Of, String)>,
    lines: Vec<String>,
}

impl Writer {
    pub fn new(target: Target, isa: IsaVersion) -> Self {
        Writer { target, isa, element: "", registers: Vec::new(), lines: Vec::new() }
    }

    /// The form with these parts; `None` if the machine lacks it.
    pub fn native(
        &self,
        rounding: Option<ptxcvt::Rounding>,
        modifiers: ptxcvt::Modifiers,
        (destination, source): (ptxcvt::Type, ptxcvt::Type),
    ) -> Option<Form> {
        let form = Form::new(Opcode::Cvt, rounding, modifiers, destination, source)?;
        form.is_legal(self.target, self.isa).then_some(form)
    }

    /// Begins an element, whose letter is appended to names.
    pub fn lane(&mut self, form: Form, lane: usize) {
        self.element = if form.lanes() == 1 { "" } else { ["a", "b", "e", "f"][lane] };
    }

    /// Begins steps that concern all elements.
    pub fn whole(&mut self) {
        self.element = "";
    }

    /// Writes a comment about the next instructions.
    pub fn note(&mut self, text: &str) {
        let element = self.element;
        let line = if element.is_empty() { format!("// {text}") } else { format!("// {element}: {text}") };
        if self.lines.last() != Some(&line) {
            self.lines.push(line);
        }
    }

    /// Declares a new register.
    pub fn register(&mut self, of: Of, stem: &str) -> String {
        let element = self.element;
        let base = if element.is_empty() { stem.to_owned() } else { format!("{stem}_{element}") };
        let taken = |name: &String| self.registers.iter().any(|(_, known)| known == name);
        let mut name = base.clone();
        let mut count = 1;
        while taken(&name) {
            count += 1;
            name = format!("{base}{count}");
        }
        self.registers.push((of, name.clone()));
        name
    }

    /// Writes an instruction.
    pub fn put(&mut self, opcode: &str, operands: &[&str]) {
        self.lines.push(format!("{opcode} {};", operands.join(", ")));
    }

    /// Writes an instruction with a new register for its result.
    pub fn new_of(&mut self, of: Of, stem: &str, opcode: &str, sources: &[&str]) -> String {
        let name = self.register(of, stem);
        let operands: Vec<&str> = std::iter::once(name.as_str()).chain(sources.iter().copied()).collect();
        self.put(opcode, &operands);
        name
    }

    /// Writes an instruction with a new 32-bit register for its result.
    pub fn b32(&mut self, stem: &str, opcode: &str, sources: &[&str]) -> String {
        self.new_of(Of::B32, stem, opcode, sources)
    }

    /// Writes an instruction with a new predicate for its result.
    pub fn pred(&mut self, stem: &str, opcode: &str, sources: &[&str]) -> String {
        self.new_of(Of::Pred, stem, opcode, sources)
    }

    /// The text of the block.
    pub fn finish(self) -> String {
        let mut text = String::from("{\n");
        for of in Of::ALL {
            let names: Vec<&str> =
                self.registers.iter().filter(|(o, _)| *o == of).map(|(_, name)| name.as_str()).collect();
            for some in names.chunks(8) {
                let _ = writeln!(text, "  .reg .{} {};", of.name(), some.join(", "));
            }
        }
        for line in self.lines {
            let _ = writeln!(text, "  {line}");
        }
        text + "}"
    }
}

/// A constant as PTX writes it.
pub(super) fn hex(bits: impl Into<u64>) -> String {
    match bits.into() {
        small @ 0..=64 => small.to_string(),
        bits => format!("{bits:#x}"),
    }
}

/// The f32 constant with these bits.
pub(super) fn f32_bits(bits: u64) -> String {
    format!("0f{bits:08X}")
}

/// 2^`exponent` as an f32 constant.
pub(super) fn power(exponent: i32) -> String {
    f32_bits(ptxcvt::Format::F32.encode(2_f64.powi(exponent), ptxcvt::Rounding::Rn))
}

/// The placeholder of an operand.
pub(super) fn placeholder(form: Form, role: Role) -> String {
    let at = form.operands().position(|operand| operand.role == role);
    format!("%{}", at.expect("the form has this operand"))
}
