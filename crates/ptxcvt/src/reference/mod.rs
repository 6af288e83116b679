//! The reference evaluator: exact and readable rather than fast. One function per paragraph of the manual.
//!
//! PTX ISA section 9.7.9.21 `cvt` (description, semantics, notes) and 9.7.9.22 `cvt.pack`. If the text is
//! silent, hardware results decide (DESIGN.md, "What decides a result").
//!
//! The compiler inlines all of it into one function, so `eval` does not compute the details of `explain`.

mod element;
mod float;
mod integer;
mod lanes;
mod nan;
mod pack;
mod result;
mod source;

use crate::bits::{mask, sign_extend};
use crate::error::OperandCountError;
use crate::explain::{Element, Explanation};
use crate::formats::Kind;
use crate::forms::{Form, Opcode};

impl Form {
    /// Evaluates the form: source bits in, destination bits out.
    ///
    /// `operands` are the sources in PTX order: `a`, `b`, the four elements of `{a, b, e, f}`, then `c`,
    /// `rbits` or `scale-factor`. Only the low bits of each are used, as PTX reads a wider register. The
    /// result has [`result_width`](Form::result_width) bits; [`extend`](Form::extend) widens it to a
    /// register.
    ///
    /// # Errors
    ///
    /// Fails if the number of operands is not [`source_count`](Form::source_count).
    ///
    /// # Example: the first operand goes to the upper half
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rn.f16x2.f32".parse()?;
    /// assert_eq!(form.eval(&[0x3f80_0000, 0x4000_0000])?, 0x3c00_4000); // 1.0, 2.0
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Example: stochastic rounding
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rs.bf16x2.f32".parse()?;
    /// // 1 + 2^-8 is half-way between two bf16; the random fields 0xffff and 0x0000 send it up and down.
    /// assert_eq!(form.eval(&[0x3f80_8000, 0x3f80_8000, 0xffff_0000])?, 0x3f81_3f80);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn eval(&self, operands: &[u64]) -> Result<u64, OperandCountError> {
        self.check(operands)?;
        let packed = |result, element: Element| element.below(result);
        let conversion = self.conversion();
        Ok(match self.opcode() {
            Opcode::Cvt => lanes::elements(self, &conversion, operands).fold(0, packed),
            Opcode::CvtPack => {
                pack::filled(self, operands, pack::elements(&conversion, operands).fold(0, packed))
            }
        })
    }

    /// Evaluates the form and reports what happened to each element.
    ///
    /// # Errors
    ///
    /// Fails if the number of operands is not [`source_count`](Form::source_count).
    pub fn explain(&self, operands: &[u64]) -> Result<Explanation, OperandCountError> {
        self.check(operands)?;
        let mut explanation = Explanation::new();
        let conversion = self.conversion();
        let mut push = |element: Element| explanation.push(element.with_neighbours(&conversion));
        match self.opcode() {
            Opcode::Cvt => lanes::elements(self, &conversion, operands).for_each(push),
            Opcode::CvtPack => {
                pack::elements(&conversion, operands).for_each(&mut push);
                explanation.result = pack::filled(self, operands, explanation.result);
            }
        }
        Ok(explanation)
    }

    /// Fails if the number of operands is wrong.
    #[inline]
    fn check(&self, operands: &[u64]) -> Result<(), OperandCountError> {
        let expected = self.source_count();
        if operands.len() == expected {
            Ok(())
        } else {
            Err(OperandCountError::new(expected, operands.len()))
        }
    }

    /// Extends a result to a register of `width` bits (at most 64): with the sign if the destination format
    /// is a signed integer, otherwise with zeros.
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.s16.u32".parse()?;
    /// let d = form.eval(&[0x1_ffff])?;
    /// assert_eq!((d, form.extend(d, 32)), (0xffff, 0xffff_ffff));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend(&self, result: u64, width: u32) -> u64 {
        match self.destination().format().parameters().kind {
            Kind::Integer { signed: true } if self.opcode() == Opcode::Cvt => {
                sign_extend(result, self.result_width()) as u64 & mask(width)
            }
            _ => result & mask(width),
        }
    }
}
