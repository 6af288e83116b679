//! The reference evaluator: slow, obvious, exact. One function per paragraph of the manual.
//!
//! PTX ISA section 9.7.9.21 `cvt` (description, semantics, notes) and 9.7.9.22 `cvt.pack`; where the text
//! is silent, what hardware returns (DESIGN.md, "What decides a result").
//!
//! The functions are one after the compiler has inlined them, so that `eval` does without the account that only
//! `explain` wants.

mod element;
mod float;
mod integer;
mod lanes;
mod pack;
mod result;
mod source;
mod tf32;

use crate::bits::{mask, sign_extend};
use crate::error::OperandCountError;
use crate::explain::{Element, Explanation};
use crate::formats::Kind;
use crate::forms::{Form, Opcode};

impl Form {
    /// Evaluates the form: source bits in, destination bits out.
    ///
    /// `operands` are the sources in PTX order: `a`, `b`, the four elements of `{a, b, e, f}`, then `c`,
    /// `rbits` or `scale-factor`. Each is read by its low bits, as PTX reads a wider register. The result
    /// has [`result_width`](Form::result_width) bits; [`extend`](Form::extend) widens it to a register.
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
    /// // 1 + 2^-8 lies half-way; the random fields 0xffff and 0x0000 send it up and down.
    /// assert_eq!(form.eval(&[0x3f80_8000, 0x3f80_8000, 0xffff_0000])?, 0x3f81_3f80);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn eval(&self, operands: &[u64]) -> Result<u64, OperandCountError> {
        self.check(operands)?;
        // The same elements as `explain` keeps, but only their bits are wanted.
        let packed = |result, element: Element| element.below(result);
        Ok(match self.opcode() {
            Opcode::Cvt => lanes::elements(self, operands).fold(0, packed),
            Opcode::CvtPack => pack::filled(self, operands, pack::elements(self, operands).fold(0, packed)),
        })
    }

    /// Evaluates the form and says what happened to each element.
    ///
    /// # Errors
    ///
    /// Fails if the number of operands is not [`source_count`](Form::source_count).
    pub fn explain(&self, operands: &[u64]) -> Result<Explanation, OperandCountError> {
        self.check(operands)?;
        let mut explanation = Explanation::new();
        match self.opcode() {
            Opcode::Cvt => {
                lanes::elements(self, operands).for_each(|element| explanation.push(self, element))
            }
            Opcode::CvtPack => {
                pack::elements(self, operands).for_each(|element| explanation.push(self, element));
                explanation.result = pack::filled(self, operands, explanation.result);
            }
        }
        Ok(explanation)
    }

    /// Whether that many operands are right.
    #[inline]
    fn check(&self, operands: &[u64]) -> Result<(), OperandCountError> {
        let expected = self.source_count();
        if operands.len() == expected {
            Ok(())
        } else {
            Err(OperandCountError::new(expected, operands.len()))
        }
    }

    /// Extends a result to a register of `width` bits (at most 64): with the sign where the destination
    /// format is a signed integer, else with zeros.
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
