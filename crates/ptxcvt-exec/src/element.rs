//! Blocks for one element of a form of pairs, to compare with functions that convert one element.

use ptxcvt::forms::Role;
use ptxcvt::{Form, Format, Type};
use ptxcvt_syntax::Span;

use crate::block::{Block, Instruction};
use crate::meaning::{Meaning, PortType};
use crate::operand::{Operand, Reg};
use crate::table::Opcode;
use crate::ty::Ty;

impl Block {
    /// Like [`of_element`](Self::of_element), but `None` unless `other` is a function that converts one element. If the
    /// function returns f32 and the form f16 or bf16, the result is widened to f32, which is exact.
    ///
    /// # Panics
    ///
    /// Panics if the table lacks the conversions from f16 and bf16 to f32, which PTX has.
    pub fn of_element_like(form: Form, other: &Block) -> Option<Self> {
        let ([input], [output]) = (other.inputs(), other.outputs()) else { return None };
        let pair = Block::of_form(form);
        let bits: u32 = pair.inputs().iter().map(|port| pair.width(*port)).sum();
        if !other.is_function() || other.width(*input) >= bits {
            return None;
        }
        let mut block = Block::of_element(form)?;
        if output.meaning == Some(Meaning { format: Format::F32, lanes: 1 }) {
            let widening = match form.destination().format() {
                Format::F16 => "cvt.f32.f16",
                Format::Bf16 => "cvt.f32.bf16",
                _ => return Some(block),
            };
            let widening = widening.parse().expect("PTX widens f16 and bf16 to f32");
            block.widen(widening);
        }
        Some(block)
    }

    /// Converts the only output once more.
    fn widen(&mut self, widening: Form) {
        let half = self.outputs.remove(0).register;
        let destination = widening.operands().next().expect("a form has a destination");
        let ty = PortType { register: destination.register(), meaning: destination.ty.map(Meaning::from) };
        let wide = self.output("wide", ty);
        self.code.push(Instruction {
            guard: None,
            opcode: Opcode::Convert(widening),
            operands: vec![wide.into(), half.into()],
            span: Span::default(),
        });
    }

    /// A block that converts only the lower element of a pair. The upper element is 0 if it has its own register, and
    /// absent otherwise. `None` if the form does not convert pairs.
    ///
    /// ```
    /// use ptxcvt_exec::Block;
    /// let one = Block::of_element("cvt.rn.satfinite.e4m3x2.f32".parse()?).unwrap();
    /// assert_eq!(one.eval(&[0x3f80_0000])?, [0x38]);
    /// let one = Block::of_element("cvt.rn.f16x2.e4m3x2".parse()?).unwrap();
    /// assert_eq!(one.eval(&[0x38])?, [0x3c00]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_element(form: Form) -> Option<Self> {
        let (to, from) = (form.destination(), form.source());
        let plain = |role: Role| matches!(role, Role::Destination | Role::A | Role::B);
        if form.lanes() != 2 || !form.operands().all(|o| plain(o.role) && !o.in_vector) {
            return None;
        }
        let mut block = Block::of_form(form);
        let convert = block.code.clone();
        // A register for one element, at least a byte.
        let port = |ty: Type| {
            let meaning = Meaning { format: ty.format(), lanes: 1 };
            let bits = Ty::from_name(&format!("b{}", meaning.width().max(8))).expect("a byte or more");
            let meaning = (meaning.width() == bits.width()).then_some(meaning);
            PortType { register: bits.register(), meaning }
        };
        let whole = block.outputs.remove(0).register;
        let inputs = std::mem::take(&mut block.inputs);
        let width = |block: &Block, register: Reg| block.declaration(register).ty.width;
        let mut code: Vec<(String, [Operand; 2])> = Vec::new();
        match inputs[..] {
            [upper, lower] => {
                code.push((format!("mov.b{}", block.width(upper)), [upper.register.into(), 0.into()]));
                block.inputs.push(lower);
            }
            [pair] => {
                let one = block.input("element", port(from));
                let (narrow, wide) = (width(&block, one), block.width(pair));
                code.push((format!("cvt.u{wide}.u{narrow}"), [pair.register.into(), one.into()]));
            }
            _ => return None,
        }
        let one = block.output("result", port(to));
        let (narrow, wide) = (width(&block, one), width(&block, whole));
        let last = (format!("cvt.u{narrow}.u{wide}"), [one.into(), whole.into()]);
        let instruction = |(opcode, operands): (String, [Operand; 2])| Instruction {
            guard: None,
            opcode: opcode.parse().expect("the tables have this instruction"),
            operands: operands.to_vec(),
            span: Span::default(),
        };
        block.code = code.into_iter().map(instruction).chain(convert).collect();
        block.code.push(instruction(last));
        Some(block)
    }
}
