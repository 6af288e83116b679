//! The sizes that every run asks for: of elements, of operands, of results.

use crate::forms::{Form, Role};

/// What runs ask for again and again, read off the form once. All are powers of two, by which [`divided`] divides.
#[derive(Clone, Copy)]
pub(super) struct Widths {
    /// Bytes of one instruction's elements, in memory order, and of its result.
    pub source: usize,
    pub result: usize,
    /// How many operands hold elements: all but `c`, `rbits` and `scale-factor`.
    pub operands: usize,
    /// Bits of an element before and after.
    pub bits: [usize; 2],
    /// The operand beside the elements, and its bytes.
    pub extra: Option<(Role, usize)>,
}

impl Widths {
    pub fn new(form: &Form) -> Widths {
        let operands = form.data_operands().len();
        let (source, destination) = (form.source(), form.destination());
        Widths {
            source: source.width() as usize / 8 * operands,
            result: form.result_width() as usize / 8,
            operands,
            bits: [source, destination].map(|ty| ty.format().storage() as usize),
            extra: form.extra().map(|operand| (operand.role, operand.width as usize / 8)),
        }
    }
}

/// `n / power`, of a power of two that compilers do not know to be one.
#[inline]
pub(in crate::bulk) fn divided(n: usize, power: usize) -> usize {
    debug_assert!(power.is_power_of_two());
    n >> power.trailing_zeros()
}
