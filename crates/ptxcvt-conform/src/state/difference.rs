//! A result of an oracle that differs from ours.

use ptxcvt::{Form, literal};

use crate::deviations::Account;

/// A result that is not ours, and the documented reason.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The oracle, as [`Evidence::oracles`](super::Evidence::oracles) names it.
    pub oracle: &'static str,
    /// The form.
    pub form: Form,
    /// The operands in PTX order.
    pub operands: Vec<u64>,
    /// The oracle's result.
    pub theirs: u64,
    /// Our result.
    pub ours: u64,
    /// The reason, a row of `docs/conform.md`.
    pub account: Account,
}

impl Difference {
    /// The operands as hexadecimal numbers.
    pub fn written_operands(&self) -> String {
        let operands = self.form.operands().skip(1).zip(&self.operands);
        let written: Vec<String> = operands.map(|(o, bits)| literal::hex(*bits, o.width)).collect();
        written.join(", ")
    }

    /// A result as a hexadecimal number.
    pub fn written(&self, result: u64) -> String {
        literal::hex(result, self.form.destination().width())
    }
}
